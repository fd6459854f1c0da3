-- Several servers share a database, each as a node with a name of its own. A node holds a lease by
-- the clock of the database; once that has run out, another node may move its matches to itself,
-- and gives it the next epoch, so that it commits nothing more.
--
-- Keys of matches and numbers of batches begin with the number of the node (node_number.rs): so
-- the key of a match in play says who has it, and the journal of a node is a range of its own. The
-- node of every server before this version has the number 0, and its rows stay as they are.
ALTER TABLE node
    ADD COLUMN number BIGINT,
    -- HOST:PORT, where bots and callers reach it; empty if it was not told.
    ADD COLUMN address TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN lease_until TIMESTAMPTZ NOT NULL DEFAULT 'epoch',
    -- It makes no match any more.
    ADD COLUMN draining BOOLEAN NOT NULL DEFAULT false,
    -- It keeps what spans matches: groups, queues and ladders.
    ADD COLUMN leads BOOLEAN NOT NULL DEFAULT false,
    -- Matches that it had when it renewed its lease.
    ADD COLUMN matches BIGINT NOT NULL DEFAULT 0;

UPDATE node SET number = 0;

ALTER TABLE node ALTER COLUMN number SET NOT NULL, ADD UNIQUE (number);

-- At most one leads.
CREATE UNIQUE INDEX node_leads ON node (leads) WHERE leads;

-- The first has the number 0.
INSERT INTO given_number (of_table, last) SELECT 'node', count(*) - 1 FROM node;
