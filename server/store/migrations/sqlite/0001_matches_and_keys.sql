-- Every row has a checksum of all its values (a batch has it inside), and columns have no
-- constraints that SQLite would check: those would condemn the whole database for one damaged row,
-- which the checksum condemns alone.

-- The one row says which store this is, and which server opened it last: the one before finds by
-- this that its time is over.
CREATE TABLE store (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    store_id BLOB,
    server_id BLOB,
    checksum INTEGER
);

-- Matches in play. The key stands for the match in the journal; the id is the caller's.
CREATE TABLE open_match (
    match_key INTEGER PRIMARY KEY,
    match_id TEXT UNIQUE,
    opened_at_unix_ms INTEGER,
    header BLOB,
    checksum INTEGER
);

-- A row is a commit, with the entries of all matches in it, so that a commit writes to the end of
-- one table. The body is a JournalBatch
-- (proto/bridgemaster/internal/v1/journal_batch.proto). Every commit has a row, also one without
-- entries: the largest number says how many commits there have been. Rows in which no match is
-- still in play are swept out later, but for the last.
CREATE TABLE journal (
    batch INTEGER PRIMARY KEY,
    body BLOB
);

-- AUTOINCREMENT: a place in the list is never given again, so a cursor into it stays true.
CREATE TABLE finished_match (
    finish_number INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id TEXT UNIQUE,
    opened_at_unix_ms INTEGER,
    ended_at_unix_ms INTEGER,
    summary BLOB,
    -- Names of its parties in ascending order, a line break between them.
    parties TEXT,
    checksum INTEGER
);

-- Finds the matches of a party, the last to end first. Made of `finished_match.parties`.
CREATE TABLE finished_party (
    name TEXT,
    finish_number INTEGER,
    PRIMARY KEY (name, finish_number)
) WITHOUT ROWID;

-- Apart from the list, so that a page of the list reads no replays.
CREATE TABLE replay (
    finish_number INTEGER PRIMARY KEY,
    replay BLOB,
    checksum INTEGER
);

CREATE TABLE secret (
    name TEXT PRIMARY KEY,
    value BLOB,
    checksum INTEGER
) WITHOUT ROWID;

-- Something small that is found by its name, and changes together with matches.
CREATE TABLE note (
    name TEXT PRIMARY KEY,
    value BLOB,
    checksum INTEGER
) WITHOUT ROWID;

-- AUTOINCREMENT: a number is never given again, so the largest one tells of every key that was
-- added, also after one was removed.
CREATE TABLE api_key (
    key_number INTEGER PRIMARY KEY AUTOINCREMENT,
    key_id TEXT UNIQUE,
    name TEXT,
    -- NULL: somebody of the key's own name.
    owner TEXT,
    -- Scopes in ascending order, a space between them.
    scopes TEXT,
    secret_hash BLOB,
    created_at_unix_ms INTEGER,
    expires_at_unix_ms INTEGER,
    -- A use not long before the last one.
    last_used_at_unix_ms INTEGER,
    revoked_at_unix_ms INTEGER,
    checksum INTEGER
);

-- A name belongs to one key at a time; that of a revoked key may be given again. Not UNIQUE: a
-- damaged row that seems to have the name of another would keep the index from being rebuilt.
CREATE INDEX api_key_name ON api_key (name) WHERE revoked_at_unix_ms IS NULL;

-- Ladders. The term says who leads one: whoever has taken the newest. It is the one row that is to
-- be held by who pairs and counts matches, since every change of a ladder checks it.
CREATE TABLE ladder (
    ladder_id TEXT PRIMARY KEY,
    term INTEGER,
    value BLOB,
    checksum INTEGER
) WITHOUT ROWID;

-- Versions of the bots of a ladder.
CREATE TABLE ladder_version (
    ladder_id TEXT,
    bot_name TEXT,
    bot_version TEXT,
    value BLOB,
    checksum INTEGER,
    PRIMARY KEY (ladder_id, bot_name, bot_version)
) WITHOUT ROWID;

-- Matches of a ladder, from number 0 without a gap: a row when a match is paired, which is changed
-- once, when it is over. They are kept for ever.
CREATE TABLE ladder_match (
    ladder_id TEXT,
    number INTEGER,
    is_over INTEGER,
    value BLOB,
    checksum INTEGER,
    PRIMARY KEY (ladder_id, number)
) WITHOUT ROWID;
