SELECT entity_id, type, name, coalesce(language, '') AS language, status,
       array_to_string(concept_ids, '|') AS concept_ids, array_to_string(synonyms, '|') AS synonyms,
       coalesce(url, '') AS url
FROM dragoman.entity ORDER BY position, entity_id COLLATE "C"
