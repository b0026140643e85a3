-- After pages were added: the words counted anew.
TRUNCATE {words};
INSERT INTO {words} SELECT 'marked', word, ndoc FROM ts_stat('SELECT marked FROM {pages}');
INSERT INTO {words} SELECT 'folded', word, ndoc FROM ts_stat('SELECT folded FROM {pages}');
