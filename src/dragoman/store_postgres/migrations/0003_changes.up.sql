-- Whoever listens on the channel `dragoman_changed` hears, once a transaction and table and only after its commit, the
-- name of the table that changed. Listening needs no right beyond that to connect.
CREATE FUNCTION dragoman.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('dragoman_changed', TG_TABLE_NAME);
    RETURN NULL;
END
$$;

CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.entity
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.relation
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.drug
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.alias
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.known_name
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dragoman.confusable
    FOR EACH STATEMENT EXECUTE FUNCTION dragoman.tell_change();
