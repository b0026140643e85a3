-- A page's score is the sum, over the words of the query, of ts_rank times the word's weight and rarity (Robertson's
-- idf). A word that no page holds is taken for the most similar one that some do, at its weight times the similarity.
-- `labels` are the weights of the fields in the order of ts_rank: D (text), C (terms), B (unused), A (title).
WITH asked AS (
    SELECT q.form, q.word, q.weight, known.pages
    FROM unnest(%(forms)s::text[], %(words)s::text[], %(weights)s::float8[]) AS q (form, word, weight)
    LEFT JOIN {words} AS known USING (form, word)
), terms AS (
    SELECT form, word, weight, pages FROM asked WHERE pages IS NOT NULL
    UNION ALL
    SELECT asked.form, near.word, asked.weight * near.similarity, near.pages FROM asked, LATERAL (
        SELECT word, pages, similarity(word, asked.word) AS similarity FROM {words} AS known
        WHERE known.form = asked.form AND known.word %% asked.word AND similarity(word, asked.word) >= %(near)s
        ORDER BY similarity DESC, word LIMIT 1
    ) AS near WHERE asked.pages IS NULL AND %(near)s > 0
), total AS (SELECT count(*)::float8 AS pages FROM {pages}), weighted AS (
    SELECT form, word, sum(weight) * ln(1 + (max(total.pages) - max(terms.pages) + 0.5) / (max(terms.pages) + 0.5))
        AS weight FROM terms, total GROUP BY form, word
)
SELECT page.id, sum(term.weight * ts_rank(
    %(labels)s::real[], CASE term.form WHEN 'marked' THEN page.marked ELSE page.folded END,
    quote_literal(term.word)::tsquery, 1)) AS score
FROM weighted AS term JOIN {pages} AS page ON CASE term.form
    WHEN 'marked' THEN page.marked @@ quote_literal(term.word)::tsquery
    ELSE page.folded @@ quote_literal(term.word)::tsquery END
GROUP BY page.number, page.id ORDER BY score DESC, page.number LIMIT %(k)s
