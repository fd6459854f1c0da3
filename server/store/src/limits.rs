//! The limits of the store, each with its reason.

use std::time::Duration;

pub use bridgemaster_lease::limits::{
    LEASE_RENEWAL, LEASE_TERM, LEASE_TRUST, POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT,
    POSTGRES_PATIENCE, POSTGRES_TRY_TIMEOUT,
};

/// Largest header of a match, in bytes: 1 MiB. A header holds the rules and the tickets of the
/// seats, a few KiB; the bound keeps the reading of one match after a restart small.
pub const MAX_HEADER_BYTES: usize = 1024 * 1024;

/// Largest entry of a journal, in bytes: 1 MiB. An entry holds one message of a bot, which
/// servers bound far lower.
pub const MAX_ENTRY_BYTES: usize = 1024 * 1024;

/// Largest summary of a finished match, in bytes: 64 KiB, so that a page of
/// [`MAX_PAGE_MATCHES`] stays under 32 MiB.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// Largest replay, in bytes: 64 MiB. It is read and written as a whole.
pub const MAX_REPLAY_BYTES: usize = 64 * 1024 * 1024;

/// Most API keys in force at once: a server keeps all of them in memory, at some 400 bytes each,
/// and reads all of them when one changes.
pub const MAX_KEYS: usize = 10_000;

/// Most [parties](crate::Write::FinishMatch) of a match: four times the seats of the largest game.
/// Each is a row of its own.
pub const MAX_PARTIES: usize = 64;

/// Largest secret of the server, in bytes: 4 KiB, room for a key of any kind. Secrets are read as
/// a whole.
pub const MAX_SECRET_BYTES: usize = 4 * 1024;

/// Longest name of a note, in bytes: two names of people in any language, and what the note is of.
pub const MAX_NOTE_NAME_BYTES: usize = 512;

/// Largest note, in bytes: 4 KiB. Notes that begin alike are read as a whole.
pub const MAX_NOTE_BYTES: usize = 4 * 1024;

/// Largest description of a ladder, in bytes: 1 MiB, since it may name every API key of a server.
pub const MAX_LADDER_BYTES: usize = 1024 * 1024;

/// Longest name of a bot of a ladder, or of a version, in bytes: 64 characters of any language.
pub const MAX_LADDER_NAME_BYTES: usize = 256;

/// Largest row of a version of a bot, in bytes: 16 KiB, room for how its rating went.
pub const MAX_LADDER_VERSION_BYTES: usize = 16 * 1024;

/// Largest row of a match of a ladder, in bytes: 8 KiB, room for a table of the largest game.
/// They are kept for ever, and all are read when a server starts.
pub const MAX_LADDER_MATCH_BYTES: usize = 8 * 1024;

/// Most matches of one page of [`LadderStore::ladder_matches`](crate::LadderStore::ladder_matches).
pub const MAX_PAGE_LADDER_MATCHES: u32 = 1_000;

/// Most matches of one page of [`Store::finished`](crate::Store::finished).
pub const MAX_PAGE_MATCHES: u32 = 500;

/// Most matches that a node takes over in one transaction: each is restored before the next are
/// taken, so that others take some meanwhile.
pub const TAKEN_AT_ONCE: usize = 256;

/// Bytes of journals from which on no further match is taken over in the same transaction: they are
/// written as one row, and commits of the node that takes them wait for it.
pub const TAKEN_BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// The pause before a node is looked at again from which another one takes matches right now: about
/// what that takes.
pub const TAKING_PAUSE: Duration = Duration::from_millis(20);

/// How often that is tried, until the next look for nodes that are gone.
pub const TAKING_TRIES: u32 = 50;

/// The oldest version of PostgreSQL that a store is kept in: the oldest that the tests know.
pub const POSTGRES_OLDEST: i32 = 15;

/// Connections to PostgreSQL that read matches. Reads are short. With one that writes and one that
/// reads keys, a server has
/// two more, and one that renews its lease.
pub const POSTGRES_READERS: u32 = 4;

/// Connections to PostgreSQL that flush commits while the next ones are made: so a flush can begin
/// though so many others less one are under way. They are made when they are needed.
pub const POSTGRES_FLUSHERS: usize = 3;

/// How long PostgreSQL is waited for when a connection is made, and a free connection when
/// something is read.
pub const POSTGRES_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long one statement may take: a page of the largest summaries over a slow network. It does not
/// bound the wait of a commit for a standby: [`POSTGRES_TRY_TIMEOUT`] does.
pub const POSTGRES_STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);
