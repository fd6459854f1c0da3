-- Matches in play. The key stands for the match in the journal; the id is the caller's.
CREATE TABLE open_match (
    match_key INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL UNIQUE,
    opened_at_unix_ms INTEGER NOT NULL,
    header BLOB NOT NULL
);

-- The entries of all matches in play, in the order of their commits, so that a commit of many
-- matches writes to the end of one table. `previous` is the row of the same match before this
-- one: a match is read by following it back from its last row. Rows of matches that are no
-- longer in play are swept out later and mean nothing.
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    previous INTEGER,
    match_key INTEGER NOT NULL,
    number INTEGER NOT NULL,
    entry BLOB NOT NULL
);

-- AUTOINCREMENT: a place in the list is never given again, so a cursor into it stays true.
CREATE TABLE finished_match (
    finish_number INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id TEXT NOT NULL UNIQUE,
    opened_at_unix_ms INTEGER NOT NULL,
    ended_at_unix_ms INTEGER NOT NULL,
    summary BLOB NOT NULL,
    -- Names of its parties in ascending order, a line break between them.
    parties TEXT NOT NULL
);

-- Finds the matches of a party, the last to end first.
CREATE TABLE finished_party (
    name TEXT NOT NULL,
    finish_number INTEGER NOT NULL,
    PRIMARY KEY (name, finish_number)
) WITHOUT ROWID;

-- Apart from the list, so that a page of the list reads no replays.
CREATE TABLE replay (
    finish_number INTEGER PRIMARY KEY
        REFERENCES finished_match (finish_number) ON DELETE CASCADE,
    replay BLOB NOT NULL
);

CREATE TABLE secret (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
);

CREATE TABLE api_key (
    key_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- Scopes in ascending order, a space between them.
    scopes TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    created_at_unix_ms INTEGER NOT NULL,
    revoked_at_unix_ms INTEGER
);

-- A name belongs to one key at a time; that of a revoked key may be given again.
CREATE UNIQUE INDEX api_key_name ON api_key (name) WHERE revoked_at_unix_ms IS NULL;
