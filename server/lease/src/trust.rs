//! Tracks whether a node can rely on its lease, from the node's own point of view.

use std::time::Duration;

use crate::limits::{LEASE_RENEWAL_INTERVAL, LEASE_TRUST_TIMEOUT, SESSION_TRUST_TIMEOUT};

/// Decides whether a node trusts its lease and may therefore respond to clients. Commits do not
/// depend on this decision, since the database fences them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseTrust {
    renewed_at: Option<Duration>,
    /// The last time at which the session that renews the lease was alive.
    session_checked_at: Option<Duration>,
}

impl LeaseTrust {
    /// Records a successful renewal. The lease counts from the renewal's start, because the
    /// database could have executed the renewal at any time since then.
    pub fn record_renewal(&mut self, started_at: Duration) {
        self.renewed_at = Some(started_at);
        self.session_checked_at = Some(started_at);
    }

    /// Records a successful check of the session that renewed the lease last.
    pub fn record_session_check(&mut self, started_at: Duration) {
        self.session_checked_at = Some(started_at);
    }

    /// Records that the session is lost. Only a renewal on a new session restores the trust in it,
    /// since another node may have ended the lease in between.
    pub fn record_session_loss(&mut self) {
        self.session_checked_at = None;
    }

    /// Returns whether the session was alive so recently that no other node can have ended the
    /// lease yet. Without a session, calls wait.
    #[must_use]
    pub fn has_session(&self, now: Duration) -> bool {
        let checked_at = self.session_checked_at;
        checked_at.is_some_and(|at| now.saturating_sub(at) < SESSION_TRUST_TIMEOUT)
    }

    /// Returns the time since the last successful renewal started; [`Duration::MAX`] if there was
    /// none. Taking over a node does not count as a renewal, since the age of that node's lease is
    /// unknown.
    #[must_use]
    pub fn since_renewal(&self, now: Duration) -> Duration {
        self.renewed_at.map_or(Duration::MAX, |started_at| now.saturating_sub(started_at))
    }

    /// Returns whether the node may respond to clients, because no other node can have taken over
    /// its matches yet.
    #[must_use]
    pub fn is_valid(&self, now: Duration) -> bool {
        self.since_renewal(now) < LEASE_TRUST_TIMEOUT
    }

    /// Returns the time after which [`LeaseTrust::is_valid`] must be checked again.
    #[must_use]
    pub fn next_check_in(&self, now: Duration) -> Duration {
        match LEASE_TRUST_TIMEOUT.saturating_sub(self.since_renewal(now)) {
            // Once trust in the lease has expired, only a renewal restores it.
            Duration::ZERO => LEASE_RENEWAL_INTERVAL,
            remaining => remaining,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn a_lease_is_trusted_from_the_start_of_its_renewal() {
        let mut trust = LeaseTrust::default();
        assert!(!trust.is_valid(S(0)) && !trust.is_valid(S(100)));
        trust.record_renewal(S(10));
        assert!(trust.is_valid(S(10)) && trust.is_valid(S(15)));
        assert!(!trust.is_valid(S(16)));
        assert_eq!(trust.since_renewal(S(16)), S(6));
        // The response to this renewal arrived late.
        trust.record_renewal(S(11));
        assert!(!trust.is_valid(S(17)));
    }

    #[test]
    fn a_session_is_trusted_until_its_next_check_is_overdue_or_it_is_lost() {
        let mut trust = LeaseTrust::default();
        assert!(!trust.has_session(S(0)));
        trust.record_renewal(S(10));
        assert!(trust.has_session(S(10)) && !trust.has_session(S(11)));
        trust.record_session_check(S(11));
        assert!(trust.has_session(S(11)) && trust.is_valid(S(12)) && !trust.has_session(S(12)));
        trust.record_session_loss();
        assert!(trust.is_valid(S(11)) && !trust.has_session(S(11)));
        trust.record_renewal(S(12));
        assert!(trust.has_session(S(12)));
    }

    #[test]
    fn validity_is_checked_again_when_it_ends() {
        let mut trust = LeaseTrust::default();
        assert_eq!(trust.next_check_in(S(3)), LEASE_RENEWAL_INTERVAL);
        trust.record_renewal(S(10));
        assert_eq!(trust.next_check_in(S(11)), S(5));
        assert_eq!(trust.next_check_in(S(16)), LEASE_RENEWAL_INTERVAL);
    }
}
