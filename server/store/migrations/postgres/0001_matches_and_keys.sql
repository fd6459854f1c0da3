-- The tables of SQLite in the types of PostgreSQL. Every row has a checksum of all its values (a
-- batch has it inside). Names that may have any character are bytes, since text has no character
-- 0; other text is compared byte by byte.

-- The one row says which store this is.
CREATE TABLE store (
    only_row SMALLINT PRIMARY KEY CHECK (only_row = 1),
    store_id BYTEA,
    checksum BIGINT
);

-- Who writes. A server that opens the store takes the row of its node over by the next epoch, and
-- every transaction of a server begins with a look at its own epoch, which it locks: so the server
-- before has committed all that it commits.
CREATE TABLE node (
    node_id TEXT COLLATE "C" PRIMARY KEY,
    epoch BIGINT NOT NULL
);

-- The highest numbers that were given. A number is never given again, so a cursor stays true, and
-- the newest key tells of every one that was added. No sequences: those skip numbers when the
-- database ends unexpectedly.
CREATE TABLE given_number (
    of_table TEXT COLLATE "C" PRIMARY KEY,
    last BIGINT NOT NULL
);

INSERT INTO given_number (of_table, last) VALUES ('finished_match', 0), ('api_key', 0);

-- Matches in play. The key stands for the match in the journal; the id is the caller's.
CREATE TABLE open_match (
    match_key BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" UNIQUE,
    opened_at_unix_ms BIGINT,
    header BYTEA,
    checksum BIGINT
);

-- A row is a commit of writes, with the entries of all matches in it. The body is a JournalBatch
-- (proto/bridgemaster/internal/v1/journal_batch.proto). Rows in which no match is still in play
-- are swept out later, but for the last: by its number a server finds whether a commit of unknown
-- outcome was made.
CREATE TABLE journal (
    batch BIGINT PRIMARY KEY,
    body BYTEA
);

CREATE TABLE finished_match (
    finish_number BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" UNIQUE,
    opened_at_unix_ms BIGINT,
    ended_at_unix_ms BIGINT,
    summary BYTEA,
    -- Names of its parties in ascending order, a line break between them.
    parties TEXT COLLATE "C",
    checksum BIGINT
);

-- Finds the matches of a party, the last to end first. Made of `finished_match.parties`.
CREATE TABLE finished_party (
    name TEXT COLLATE "C",
    finish_number BIGINT,
    PRIMARY KEY (name, finish_number)
);

-- For the end of what is kept of a match.
CREATE INDEX finished_party_number ON finished_party (finish_number);

-- Apart from the list, so that a page of the list reads no replays.
CREATE TABLE replay (
    finish_number BIGINT PRIMARY KEY,
    replay BYTEA,
    checksum BIGINT
);

CREATE TABLE secret (
    name BYTEA PRIMARY KEY,
    value BYTEA,
    checksum BIGINT
);

CREATE TABLE note (
    name BYTEA PRIMARY KEY,
    value BYTEA,
    checksum BIGINT
);

CREATE TABLE api_key (
    key_number BIGINT PRIMARY KEY,
    key_id TEXT COLLATE "C" UNIQUE,
    name TEXT COLLATE "C",
    -- NULL: somebody of the key's own name.
    owner TEXT COLLATE "C",
    -- Scopes in ascending order, a space between them.
    scopes TEXT COLLATE "C",
    secret_hash BYTEA,
    created_at_unix_ms BIGINT,
    expires_at_unix_ms BIGINT,
    -- A use not long before the last one.
    last_used_at_unix_ms BIGINT,
    revoked_at_unix_ms BIGINT,
    checksum BIGINT
);

-- A name belongs to one key at a time; that of a revoked key may be given again.
CREATE INDEX api_key_name ON api_key (name) WHERE revoked_at_unix_ms IS NULL;

-- Ladders. The term says who leads one: whoever has taken the newest.
CREATE TABLE ladder (
    ladder_id TEXT COLLATE "C" PRIMARY KEY,
    term BIGINT,
    value BYTEA,
    checksum BIGINT
);

CREATE TABLE ladder_version (
    ladder_id TEXT COLLATE "C",
    bot_name BYTEA,
    bot_version BYTEA,
    value BYTEA,
    checksum BIGINT,
    PRIMARY KEY (ladder_id, bot_name, bot_version)
);

-- Matches of a ladder, from number 0 without a gap. They are kept for ever.
CREATE TABLE ladder_match (
    ladder_id TEXT COLLATE "C",
    number BIGINT,
    is_over BOOLEAN,
    value BYTEA,
    checksum BIGINT,
    PRIMARY KEY (ladder_id, number)
);
