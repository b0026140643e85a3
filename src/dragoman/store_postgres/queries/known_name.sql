SELECT name FROM dragoman.known_name ORDER BY position, name COLLATE "C"
