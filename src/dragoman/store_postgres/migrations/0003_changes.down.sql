DROP TRIGGER tell_change ON dragoman.confusable;
DROP TRIGGER tell_change ON dragoman.known_name;
DROP TRIGGER tell_change ON dragoman.alias;
DROP TRIGGER tell_change ON dragoman.drug;
DROP TRIGGER tell_change ON dragoman.relation;
DROP TRIGGER tell_change ON dragoman.entity;
DROP FUNCTION dragoman.tell_change();
