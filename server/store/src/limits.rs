//! The store's limits, and the reason for each value.

use std::time::Duration;

pub use bridgemaster_lease::limits::{
    LEASE_RENEWAL_INTERVAL, LEASE_TERM, LEASE_TRUST_TIMEOUT, POSTGRES_ATTEMPT_TIMEOUT,
    POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT, POSTGRES_RETRY_TIMEOUT, SESSION_CHECK_INTERVAL,
    SESSION_LOSS_TIMEOUT,
};

/// Maximum size of a match header, in bytes: 1 MiB. A header contains the rules and the tickets of
/// the seats, and usually has a few KiB. The limit bounds the time for reading a match after a
/// restart.
pub const MAX_HEADER_BYTES: usize = 1024 * 1024;

/// Maximum size of a journal entry, in bytes: 1 MiB. An entry contains one bot message, which
/// servers limit to a far smaller size.
pub const MAX_ENTRY_BYTES: usize = 1024 * 1024;

/// Maximum size of a finished match's summary, in bytes: 64 KiB, so that a page of
/// [`MAX_PAGE_MATCHES`] stays under 32 MiB.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// Maximum size of a replay, in bytes: 64 MiB. Replays are read and written as a whole.
pub const MAX_REPLAY_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of unrevoked API keys. A server caches all keys in memory, at about 400 bytes
/// each, and reads all keys when one of them changes.
pub const MAX_KEYS: usize = 10_000;

/// Maximum number of [parties](crate::Write::FinishMatch) of a match: four times the seats of the
/// largest game. Each party is stored as a separate row.
pub const MAX_PARTIES: usize = 64;

/// Maximum number of [index keys](crate::Write::FinishMatch) of a match, besides its parties:
/// enough for its labels and its bots. Each is stored as a separate row.
pub const MAX_INDEX_KEYS: usize = 64;

/// Maximum number of entries of an index that one page reads. With several keys, a page can
/// therefore have fewer matches than requested, although more follow. Each entry is looked up under
/// the other keys, which takes about a microsecond.
pub const MAX_SCANNED_ENTRIES: u32 = 10_000;

/// Maximum size of a server secret, in bytes: 4 KiB, enough for any kind of key. Secrets are
/// read as a whole.
pub const MAX_SECRET_BYTES: usize = 4 * 1024;

/// Maximum length of a record's name, in bytes: enough for two names in any script and a
/// prefix.
pub const MAX_RECORD_NAME_BYTES: usize = 512;

/// Maximum size of a record, in bytes: 4 KiB. Records with the same prefix are read as a whole.
pub const MAX_RECORD_BYTES: usize = 4 * 1024;

/// Maximum size of a ladder's description, in bytes: 1 MiB, since it can list every API key on a
/// server.
pub const MAX_LADDER_BYTES: usize = 1024 * 1024;

/// Maximum length of a bot name or version name on a ladder, in bytes: 64 characters of any script.
pub const MAX_LADDER_NAME_BYTES: usize = 256;

/// Maximum size of a bot version's record, in bytes: 16 KiB, enough for its rating history.
pub const MAX_LADDER_VERSION_BYTES: usize = 16 * 1024;

/// Maximum size of a ladder match's record, in bytes: 8 KiB, enough for a table of the largest
/// game. These records are never deleted, and all are read when a server starts.
pub const MAX_LADDER_MATCH_BYTES: usize = 8 * 1024;

/// Maximum size of the record of an organiser's action on a ladder, in bytes: 64 KiB, enough to
/// admit some 500 bots by name.
pub const MAX_LADDER_ACTION_BYTES: usize = 64 * 1024;

/// Maximum number of matches on a page of
/// [`LadderStore::ladder_matches`](crate::LadderStore::ladder_matches).
pub const MAX_PAGE_LADDER_MATCHES: u32 = 1_000;

/// Maximum number of matches on a page of [`Store::finished`](crate::Store::finished).
pub const MAX_PAGE_MATCHES: u32 = 500;

/// Maximum number of matches that a node takes over in one transaction. The node restores these
/// matches before it takes over more, so that other nodes can also take over some.
pub const MAX_TAKEOVER_MATCHES: usize = 256;

/// Size of the journals in one takeover, in bytes, at which no further match is added. The journals
/// are written as one row, and the commits of the new node wait for that write.
pub const MAX_TAKEOVER_BYTES: usize = 4 * 1024 * 1024;

/// Delay before a takeover is retried because another node is taking over matches from the same
/// node. It is about as long as one takeover transaction.
pub const TAKEOVER_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Maximum number of attempts at a takeover. If all fail, the next regular search for orphans
/// retries.
pub const MAX_TAKEOVER_TRIES: u32 = 50;

/// The oldest supported major version of PostgreSQL. This version is also the oldest version that
/// is tested.
pub const MIN_POSTGRES_VERSION: i32 = 15;

/// The number of PostgreSQL connections for reading matches. A few suffice, since reads are short.
/// A server has four more connections: to write matches, to write keys, to read keys, and to renew
/// its lease.
pub const POSTGRES_READ_CONNECTIONS: usize = 3;

/// Maximum number of PostgreSQL connections that flush earlier commits while the next commits run.
/// The connections are opened on demand.
pub const POSTGRES_FLUSH_CONNECTIONS: usize = 3;

/// Timeout for opening a PostgreSQL connection, and for waiting for a free read connection. Each
/// host in an address gets an equal part of the timeout.
pub const POSTGRES_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time within which an idle read connection has to respond before another one is opened.
pub const POSTGRES_PING_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum size of a file with the password of a database, in bytes: 16 KiB, several times the size
/// of a signed token.
pub const MAX_PASSWORD_FILE_BYTES: u64 = 16 * 1024;

/// Timeout of one statement, enough to read a page of the largest summaries over a slow network.
/// The timeout does not limit how long a commit waits for a standby: see
/// [`POSTGRES_ATTEMPT_TIMEOUT`].
pub const POSTGRES_STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Clock skew between a server and its database from which the skew is reported, in ms. Leases do
/// not depend on the skew, but times of matches and the expiry of keys do.
pub const MAX_CLOCK_SKEW_MS: u64 = 1_000;
