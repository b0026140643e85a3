DROP TABLE dragoman.gap_key, dragoman.gap_skipped, dragoman.gap_held, dragoman.gap_count;
