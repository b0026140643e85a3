SELECT a, b FROM dragoman.confusable ORDER BY position, a COLLATE "C", b COLLATE "C"
