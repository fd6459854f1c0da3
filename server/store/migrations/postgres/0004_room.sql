-- What a node says of itself as it renews its lease, so that others know whether it has room.
ALTER TABLE node
    -- Most matches that it plays at once; 0 where it has not said so.
    ADD COLUMN slots BIGINT NOT NULL DEFAULT 0,
    -- Processor time that it used since the renewal before, in percent of all that it may use.
    ADD COLUMN load_percent BIGINT,
    -- The longest time since then in which it did nothing though it had something to do.
    ADD COLUMN lag_ms BIGINT NOT NULL DEFAULT 0;
