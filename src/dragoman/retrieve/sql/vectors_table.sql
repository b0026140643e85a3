-- One vector a page, of length 1.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS {vectors} (
    number bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, vector vector({dimensions}) NOT NULL
);
