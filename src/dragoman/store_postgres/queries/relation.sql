SELECT source_id, relation, target_id, status
FROM dragoman.relation
ORDER BY position, source_id COLLATE "C", relation COLLATE "C", target_id COLLATE "C"
