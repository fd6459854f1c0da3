-- Expands version 7 of the schema.

ALTER TABLE node
    ADD COLUMN schema_version BIGINT NOT NULL DEFAULT 7,
    ADD COLUMN clock_skew_ms BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN peer_problems TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE node
    SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
ALTER TABLE journal
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);
ALTER TABLE open_match
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
ALTER TABLE record
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
