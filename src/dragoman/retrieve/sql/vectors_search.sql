-- The pages nearest in meaning. pgvector's <#> is the negative inner product; of vectors of length 1, the cosine.
SELECT id, -(vector <#> %(target)s::vector) AS score FROM {vectors}
ORDER BY vector <#> %(target)s::vector, number LIMIT %(k)s
