SELECT drug_id, alias, kind, coalesce(language, '') AS language, coalesce(display_rank::text, '') AS display_rank
FROM dragoman.alias ORDER BY position, drug_id COLLATE "C", alias COLLATE "C"
