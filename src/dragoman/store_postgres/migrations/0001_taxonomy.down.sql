DROP TABLE dragoman.relation, dragoman.entity;
