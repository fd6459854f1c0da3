//! The times of leases and of the transactions that they fence, each with its reason.

use std::time::Duration;

/// How long a node may do without renewing its lease, until others may take it over. It is the time
/// for which the matches of a machine that failed stand still, and longer than a slow commit.
pub const LEASE_TERM: Duration = Duration::from_secs(8);

/// Interval at which a lease is renewed: several renewals may fail before it runs out. A renewal that
/// takes longer is given up.
pub const LEASE_RENEWAL: Duration = Duration::from_secs(2);

/// Pause after a renewal that failed: short against what is left of a lease.
pub const LEASE_RETRY: Duration = Duration::from_millis(250);

/// How old the last renewal may be by the clock of the node itself: from then on it must not answer
/// any more, since others may take its matches over soon after. The rest of the term covers what
/// clocks differ in while a lease runs.
pub const LEASE_TRUST: Duration = Duration::from_secs(6);

// A node that misses one renewal keeps its lease.
const _: () = assert!(0 < LEASE_RENEWAL.as_millis());
const _: () = assert!(2 * LEASE_RENEWAL.as_millis() < LEASE_TERM.as_millis());
const _: () = assert!(2 * LEASE_RENEWAL.as_millis() < LEASE_TRUST.as_millis());
const _: () = assert!(LEASE_TRUST.as_millis() < LEASE_TERM.as_millis());

/// Time between two looks for matches that nobody plays: with the term of a lease it is the time for
/// which the matches of a server that is gone stand still.
pub const LOOK_FOR_ORPHANS: Duration = Duration::from_secs(2);

/// How long PostgreSQL waits for the next statement of a transaction, until it takes the
/// transaction of a server that is gone back: statements of a transaction follow at once.
pub const POSTGRES_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a statement waits for another transaction: longer than [`POSTGRES_IDLE_TIMEOUT`], so
/// that a server outwaits the one that it takes over from.
pub const POSTGRES_LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// How long one try of a transaction may take, its commit included.
pub const POSTGRES_TRY_TIMEOUT: Duration = Duration::from_secs(40);

/// How long after its beginning a transaction is tried again: a restart of PostgreSQL or a switch to
/// a standby takes less. All matches wait meanwhile, and nobody's time runs out.
pub const POSTGRES_PATIENCE: Duration = Duration::from_secs(60);

/// The pause after the first try that failed; each later one is twice as long.
pub const POSTGRES_FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause between two tries: how long a server does not notice that PostgreSQL is back.
pub const POSTGRES_LONGEST_PAUSE: Duration = Duration::from_secs(1);
