-- The tables of SQLite in the types of PostgreSQL, and the nodes that share the database. Every row
-- has a checksum of all its values (a batch contains its own). Names that can contain any character
-- are bytes, since text cannot contain NUL; other text is compared byte by byte.

CREATE TABLE bridgemaster_schema (
    only_row SMALLINT PRIMARY KEY CHECK (only_row = 1),
    version BIGINT NOT NULL
);

-- The one row identifies the store.
CREATE TABLE store (
    only_row SMALLINT PRIMARY KEY CHECK (only_row = 1),
    store_id BYTEA,
    checksum BIGINT
);

-- Servers share the database as nodes, each with a unique name. A node holds a lease by the clock
-- of the database. Once the lease has expired, another node can take over its matches, and
-- increments its epoch. Every transaction of a server first locks the row of its node and checks
-- the epoch, so an earlier server of the node has committed everything that it will ever commit.
--
-- Match keys and batch numbers begin with the number of the node (postgres/node_number.rs). So the
-- key of a match in play identifies its node, and the keys of a node's journal are contiguous.
CREATE TABLE node (
    node_id TEXT COLLATE "C" PRIMARY KEY,
    epoch BIGINT NOT NULL,
    number BIGINT NOT NULL UNIQUE,
    -- HOST:PORT at which the other nodes reach this node; empty if unknown.
    address TEXT COLLATE "C" NOT NULL DEFAULT '',
    lease_until TIMESTAMPTZ NOT NULL DEFAULT 'epoch',
    -- The node accepts no new matches.
    draining BOOLEAN NOT NULL DEFAULT false,
    -- Groups, queues and ladders run on this node.
    leads BOOLEAN NOT NULL DEFAULT false,
    -- The number of matches in play when the lease was renewed.
    matches BIGINT NOT NULL DEFAULT 0,
    -- Maximum number of matches in play; 0 if unknown.
    slots BIGINT NOT NULL DEFAULT 0,
    -- CPU time since the previous renewal, in percent of the time available.
    load_percent BIGINT,
    -- The longest scheduling delay since the previous renewal.
    lag_ms BIGINT NOT NULL DEFAULT 0,
    -- The number of times that a server opened the node. A crash that loses batches makes the node
    -- reuse their numbers, so cached data of a node is valid only while this and the newest number
    -- stay the same.
    openings BIGINT NOT NULL DEFAULT 0,
    -- The schema version of the program that opened the node (src/schema.rs).
    schema_version BIGINT NOT NULL DEFAULT 8,
    -- How far the clock of the node is ahead of that of the database; 0 within the accuracy of the
    -- measurement.
    clock_skew_ms BIGINT NOT NULL DEFAULT 0,
    -- The nodes that this node cannot reach, and why: one per line.
    peer_problems TEXT COLLATE "C" NOT NULL DEFAULT ''
);

-- Rows of this table and of the journal are replaced every few ms or seconds. With PostgreSQL's
-- defaults, a table is only vacuumed after a fifth of its rows have changed.
ALTER TABLE node
    SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- At most one node leads.
CREATE UNIQUE INDEX node_leads ON node (leads) WHERE leads;

-- Assigned numbers, which are never reused. No sequences: those skip numbers after a crash. The row
-- of nodes has the last number; that of finished matches has the base of their numbers, each of
-- which is base + (transaction id << 20) + position in the transaction.
CREATE TABLE given_number (
    of_table TEXT COLLATE "C" PRIMARY KEY,
    last BIGINT NOT NULL
);

INSERT INTO given_number (of_table, last) VALUES ('finished_match', 0), ('node', -1);

-- Matches in play. The journal refers to a match by its key; the id is the caller's.
CREATE TABLE open_match (
    match_key BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" UNIQUE,
    opened_at_unix_ms BIGINT,
    header BYTEA,
    checksum BIGINT
);
ALTER TABLE open_match
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- A row is a commit, with the entries of all matches in it. The body is a JournalBatch
-- (proto/bridgemaster/internal/v1/journal_batch.proto). Rows without a match in play are deleted
-- later, except the last row of a node: by its number a server finds whether a commit of unknown
-- outcome was made. The sums are those of the rows that the node has written, less those that it has
-- deleted (src/row_sums.rs).
CREATE TABLE journal (
    batch BIGINT PRIMARY KEY,
    sums BIGINT[],
    body BYTEA
);
ALTER TABLE journal
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- Matches in play that a node has released: it no longer writes them, although it keeps its lease.
-- The row is deleted with the match, or when a server opens the node.
CREATE TABLE released_match (
    match_key BIGINT PRIMARY KEY,
    -- The length of the journal, and the batches that contain its entries.
    entries BIGINT NOT NULL,
    batches BIGINT[] NOT NULL
);

CREATE TABLE finished_match (
    finish_number BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" UNIQUE,
    opened_at_unix_ms BIGINT,
    ended_at_unix_ms BIGINT,
    summary BYTEA,
    -- Index keys in ascending order, separated by line breaks: names of parties, and properties.
    parties TEXT COLLATE "C",
    checksum BIGINT
);

-- Index of the matches with a key in the order of lists, derived from `finished_match.parties`.
CREATE TABLE finished_party (
    name TEXT COLLATE "C",
    match_id TEXT COLLATE "C",
    PRIMARY KEY (name, match_id)
);

-- For the deletion of a match.
CREATE INDEX finished_party_match ON finished_party (match_id);

-- A separate table, so that a page of the list reads no replays.
CREATE TABLE replay (
    finish_number BIGINT PRIMARY KEY,
    replay BYTEA,
    checksum BIGINT
);

-- Tables of named rows (src/named_rows.rs). The version is the id of the transaction that wrote the
-- row, and the row with the highest version is valid. Two nodes that write one record at the same
-- time leave two rows, until the next write deletes them.
CREATE TABLE api_key (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
CREATE TABLE api_key_use (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
CREATE TABLE secret (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
CREATE TABLE record (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
ALTER TABLE record
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE TABLE ladder (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
CREATE TABLE ladder_version (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);
CREATE TABLE ladder_match (
    name BYTEA, version BIGINT, value BYTEA, checksum BIGINT, PRIMARY KEY (name, version)
);

-- The number of rows of tables that change without matches, and the sum of their checksums
-- (src/row_sums.rs). A row changes only under a lock of its table.
CREATE TABLE key_sum (
    of_table TEXT COLLATE "C" PRIMARY KEY,
    row_count BIGINT NOT NULL,
    checksum_sum BIGINT NOT NULL
);

INSERT INTO key_sum (of_table, row_count, checksum_sum)
VALUES ('api_key', 0, 0), ('api_key_use', 0, 0), ('secret', 0, 0);
