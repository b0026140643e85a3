DROP TABLE dragoman.confusable, dragoman.known_name, dragoman.alias, dragoman.drug;
