-- What each node tells of its matches in play, for the lists of the others: a second or two old, and
-- written again as matches change. A match that is no more in `open_match` is not told any more; its
-- row is removed some time later. No commit of a match touches these rows.
CREATE TABLE told_match (
    match_id TEXT COLLATE "C" PRIMARY KEY,
    -- The number of the node that told of it last, which may have lost the match since.
    teller BIGINT NOT NULL,
    created_at_unix_ms BIGINT NOT NULL,
    -- Whose match it is, in ascending order.
    parties TEXT[] COLLATE "C" NOT NULL,
    shown BYTEA NOT NULL,
    checksum BIGINT NOT NULL
);

-- The newest first.
CREATE INDEX told_match_created ON told_match (created_at_unix_ms, match_id);

-- Finds the matches of a party.
CREATE INDEX told_match_parties ON told_match USING gin (parties);
