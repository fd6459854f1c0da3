//! Time limits for leases and fenced transactions, with the reason for each value.

use std::time::Duration;

/// Time for which a lease is valid without a renewal. Afterwards other servers can take over the
/// node, so the matches of a failed machine are interrupted for this time; those of a crashed
/// process for little longer than [`SESSION_LOSS_TIMEOUT`]. The time is longer than a slow commit
/// takes.
pub const LEASE_TERM: Duration = Duration::from_secs(8);

/// Interval between lease renewals, and timeout of each renewal. Several renewals can fail before
/// the lease expires.
pub const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_secs(2);

/// Delay before a failed renewal is retried. This delay is short compared with the lease's
/// remaining time.
pub const LEASE_RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// Maximum age of the last renewal by the node's own clock. If the last renewal is older, the node
/// must not respond to clients, because other nodes might soon take over its matches. The margin to
/// [`LEASE_TERM`] covers clock drift during a lease.
pub const LEASE_TRUST_TIMEOUT: Duration = Duration::from_secs(6);

/// Interval at which a node checks the database session that renews its lease, and looks for nodes
/// that have crashed.
pub const SESSION_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum age of the last successful session check by the node's own clock. If it is older,
/// PostgreSQL may have ended the session without the node noticing, and calls wait.
pub const SESSION_TRUST_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for which a node must have had no session before another node ends its lease. The margin to
/// [`SESSION_TRUST_TIMEOUT`] covers an answer that was checked in time but sent late.
pub const SESSION_LOSS_TIMEOUT: Duration = Duration::from_millis(1500);

// A node stops answering before another node can end its lease.
const _: () = assert!(SESSION_CHECK_INTERVAL.as_millis() < SESSION_TRUST_TIMEOUT.as_millis());
const _: () = assert!(SESSION_TRUST_TIMEOUT.as_millis() < SESSION_LOSS_TIMEOUT.as_millis());

// A node that misses one renewal must keep its lease.
const _: () = assert!(0 < LEASE_RENEWAL_INTERVAL.as_millis());
const _: () = assert!(2 * LEASE_RENEWAL_INTERVAL.as_millis() < LEASE_TERM.as_millis());
const _: () = assert!(2 * LEASE_RENEWAL_INTERVAL.as_millis() < LEASE_TRUST_TIMEOUT.as_millis());
const _: () = assert!(LEASE_TRUST_TIMEOUT.as_millis() < LEASE_TERM.as_millis());

/// Interval at which nodes check for orphaned matches. Together with the lease term, it determines
/// how long the matches of a dead server are interrupted.
pub const ORPHAN_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Time after which PostgreSQL aborts an idle transaction, in case its server no longer exists. The
/// statements of a live transaction follow each other immediately.
pub const POSTGRES_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time for which a statement waits for a lock. The time is longer than
/// [`POSTGRES_IDLE_TIMEOUT`], so that a takeover can wait until the previous server's transaction
/// is aborted.
pub const POSTGRES_LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum duration of one transaction attempt, including the commit.
pub const POSTGRES_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(40);

/// Total time for which a transaction is retried. A restart of PostgreSQL or a failover to a
/// standby takes less time. Meanwhile all matches wait, and no clock runs.
pub const POSTGRES_RETRY_TIMEOUT: Duration = Duration::from_secs(60);

/// Delay after the first failed attempt; each later delay is twice as long.
pub const POSTGRES_MIN_BACKOFF: Duration = Duration::from_millis(50);

/// Maximum delay between two attempts. This delay limits how late a node detects that PostgreSQL is
/// available again.
pub const POSTGRES_MAX_BACKOFF: Duration = Duration::from_secs(1);
