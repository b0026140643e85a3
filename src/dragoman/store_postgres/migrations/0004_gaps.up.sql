-- What people ask for and the organisation lacks: a row a day and thing. A name that no list has stands in `gap_held`
-- as two keyed hashes until enough distinct requests have brought it; `gap_key` is the key. Whoever may read both can
-- guess names and check them, so readers of the counts need no right to either.
CREATE TABLE dragoman.gap_count (
    kind   text NOT NULL,
    id     text NOT NULL,
    source text NOT NULL,
    day    date NOT NULL,
    label  text NOT NULL,
    listed boolean NOT NULL,
    count  bigint NOT NULL,
    PRIMARY KEY (kind, id, source, day)
);
CREATE TABLE dragoman.gap_held (
    name    bytea NOT NULL,
    request bytea NOT NULL,
    day     date NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (name, request)
);
CREATE TABLE dragoman.gap_skipped (
    day   date PRIMARY KEY,
    count bigint NOT NULL
);
CREATE TABLE dragoman.gap_key (
    only boolean PRIMARY KEY DEFAULT true CHECK (only),
    key  bytea NOT NULL CHECK (length(key) = 32)
);
CREATE INDEX gap_count_day ON dragoman.gap_count (day);
CREATE INDEX gap_held_day ON dragoman.gap_held (day);
