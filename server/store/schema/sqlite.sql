-- Every row has a checksum of all its values (a batch contains its own). Columns have no
-- constraints that SQLite would check: one damaged row would then condemn the whole database.

-- The one row identifies the store, and the server that opened it last. An earlier server finds by
-- this that it has been superseded.
CREATE TABLE store (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    store_id BLOB,
    server_id BLOB,
    checksum INTEGER
);

-- Matches in play. The journal refers to a match by its key; the id is the caller's.
CREATE TABLE open_match (
    match_key INTEGER PRIMARY KEY,
    match_id TEXT UNIQUE,
    opened_at_unix_ms INTEGER,
    checksum INTEGER,
    header BLOB
);

-- A row is a commit, with the entries of all matches in it, so that a commit writes to the end of
-- one table. The body is a JournalBatch (proto/bridgemaster/internal/v1/journal_batch.proto). Every
-- commit has a row, even one without entries: the largest number is the number of commits. Rows
-- without a match in play are deleted later, except the last row. The sums are those of the rows
-- after the commit (src/row_sums.rs).
CREATE TABLE journal (
    batch INTEGER PRIMARY KEY,
    sums BLOB,
    body BLOB
);

-- AUTOINCREMENT: a number is never reused, so a cursor stays valid.
CREATE TABLE finished_match (
    finish_number INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id TEXT UNIQUE,
    opened_at_unix_ms INTEGER,
    ended_at_unix_ms INTEGER,
    checksum INTEGER,
    summary BLOB,
    -- Index keys in ascending order, separated by line breaks: names of parties, and properties.
    parties TEXT
);

-- Index of the matches with a key in the order of lists, derived from `finished_match.parties`.
CREATE TABLE finished_party (
    name TEXT,
    match_id TEXT,
    PRIMARY KEY (name, match_id)
) WITHOUT ROWID;

-- A separate table, so that a page of the list reads no replays.
CREATE TABLE replay (
    finish_number INTEGER PRIMARY KEY,
    replay BLOB,
    checksum INTEGER
);

-- Tables of named rows (src/named_rows.rs). API keys have an index apart from the table, which can
-- be rebuilt if a name is damaged.
CREATE TABLE api_key (name TEXT PRIMARY KEY, value BLOB, checksum INTEGER);
CREATE TABLE api_key_use (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB);
CREATE TABLE secret (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB) WITHOUT ROWID;
CREATE TABLE record (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB) WITHOUT ROWID;
CREATE TABLE ladder (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB) WITHOUT ROWID;
CREATE TABLE ladder_version (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB) WITHOUT ROWID;
CREATE TABLE ladder_match (name TEXT PRIMARY KEY, checksum INTEGER, value BLOB) WITHOUT ROWID;

-- The number of rows of tables that change without matches, and the sum of their checksums
-- (src/row_sums.rs).
CREATE TABLE key_sum (of_table TEXT PRIMARY KEY, row_count INTEGER, checksum_sum INTEGER);

INSERT INTO key_sum (of_table, row_count, checksum_sum)
VALUES ('api_key', 0, 0), ('api_key_use', 0, 0), ('secret', 0, 0);
