-- Records the changes that servers make: every change of a lease or an epoch, every commit, and every
-- match that is created, moved or deleted, each in the transaction of the change. Commits and matches
-- are recorded when their transaction commits, with the state of the node at that time.
-- `storm.process` is the name of the server, set in its store address.
CREATE SCHEMA storm;

CREATE TABLE storm.event (
    id BIGSERIAL PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
    started DOUBLE PRECISION NOT NULL DEFAULT extract(epoch FROM now()),
    process TEXT NOT NULL DEFAULT coalesce(current_setting('storm.process', true), ''),
    what TEXT NOT NULL,
    node TEXT,
    epoch_before BIGINT,
    epoch BIGINT,
    lease_before DOUBLE PRECISION,
    lease_until DOUBLE PRECISION,
    batch BIGINT,
    match_id TEXT
);

CREATE FUNCTION storm.node_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storm.event (what, node, epoch_before, epoch, lease_before, lease_until)
    VALUES ('node', NEW.node_id, OLD.epoch, NEW.epoch,
        extract(epoch FROM OLD.lease_until), extract(epoch FROM NEW.lease_until));
    RETURN NULL;
END $$;
CREATE TRIGGER storm AFTER INSERT OR UPDATE ON node
    FOR EACH ROW EXECUTE FUNCTION storm.node_changed();

CREATE FUNCTION storm.committed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storm.event (what, node, epoch, lease_until, batch)
    SELECT 'commit', node_id, epoch, extract(epoch FROM lease_until), NEW.batch
    FROM node WHERE number = NEW.batch >> 40;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER storm AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION storm.committed();

CREATE FUNCTION storm.match_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storm.event (what, node, epoch, match_id)
    SELECT CASE TG_OP WHEN 'DELETE' THEN 'match over' ELSE 'match' END, node_id, epoch,
        coalesce(NEW.match_id, OLD.match_id)
    FROM node WHERE number = coalesce(NEW.match_key, OLD.match_key) >> 40;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER storm AFTER INSERT OR UPDATE OR DELETE ON open_match
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION storm.match_changed();
