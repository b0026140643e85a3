SELECT drug_id, name, array_to_string(ingredients, '|') AS ingredients, coalesce(atc, '') AS atc, status
FROM dragoman.drug ORDER BY position, drug_id COLLATE "C"
