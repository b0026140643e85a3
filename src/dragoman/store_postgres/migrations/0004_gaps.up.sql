-- What people ask for and the organisation lacks: a row a day and thing; `tenant` is empty for the project itself. A
-- name that no list has stands in `gap_held` as two keyed hashes until enough distinct requests have brought it;
-- `gap_key` is the key. Whoever may read both can guess names and check them, so readers of the counts need no right
-- to either.
CREATE TABLE dragoman.gap_count (
    tenant text NOT NULL DEFAULT '',
    kind   text NOT NULL,
    id     text NOT NULL,
    source text NOT NULL,
    day    date NOT NULL,
    label  text NOT NULL,
    listed boolean NOT NULL,
    count  bigint NOT NULL,
    PRIMARY KEY (tenant, kind, id, source, day)
);
CREATE TABLE dragoman.gap_held (
    tenant  text NOT NULL DEFAULT '',
    name    bytea NOT NULL,
    request bytea NOT NULL,
    day     date NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (tenant, name, request)
);
CREATE TABLE dragoman.gap_skipped (
    tenant text NOT NULL DEFAULT '',
    day    date NOT NULL,
    count  bigint NOT NULL,
    PRIMARY KEY (tenant, day)
);
CREATE TABLE dragoman.gap_key (
    tenant text PRIMARY KEY,
    key    bytea NOT NULL CHECK (length(key) = 32)
);
