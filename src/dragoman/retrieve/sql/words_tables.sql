-- The pages as dragoman's own tokens, with their marks and folded; A is the label of titles, C of terms, D of text.
-- The words of all pages with the number of pages that hold each, for their rarity and for words that are misspelt.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE IF NOT EXISTS {pages} (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, marked tsvector, folded tsvector
);
CREATE TABLE IF NOT EXISTS {words} (form text, word text, pages bigint NOT NULL, PRIMARY KEY (form, word));
CREATE INDEX IF NOT EXISTS {by_marked} ON {pages} USING gin (marked);
CREATE INDEX IF NOT EXISTS {by_folded} ON {pages} USING gin (folded);
CREATE INDEX IF NOT EXISTS {by_trigram} ON {words} USING gin (word gin_trgm_ops);
