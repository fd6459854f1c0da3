//! Tracks whether a node can rely on its lease, from the node's own point of view.

use std::time::Duration;

use crate::limits::{LEASE_RENEWAL_INTERVAL, LEASE_RETRY_INTERVAL, LEASE_TRUST_TIMEOUT};

/// Decides whether a node trusts its lease and may therefore respond to clients. Commits do not
/// depend on this decision, since the database fences them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseTrust {
    renewed_at: Option<Duration>,
}

impl LeaseTrust {
    /// Records a successful renewal. The lease counts from the renewal's start, because the
    /// database could have executed the renewal at any time since then.
    pub fn record_renewal(&mut self, started_at: Duration) {
        self.renewed_at = Some(started_at);
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

    /// Returns the delay before the next renewal, after a renewal that started at `started_at` and
    /// completed now.
    #[must_use]
    pub fn renewal_delay(&self, is_renewed: bool, started_at: Duration, now: Duration) -> Duration {
        let delay = if is_renewed {
            LEASE_RENEWAL_INTERVAL.saturating_sub(now.saturating_sub(started_at))
        } else {
            LEASE_RETRY_INTERVAL
        };
        delay.min(self.next_check_in(now))
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
    fn validity_is_checked_again_when_it_ends() {
        let mut trust = LeaseTrust::default();
        assert_eq!(trust.next_check_in(S(3)), LEASE_RENEWAL_INTERVAL);
        trust.record_renewal(S(10));
        assert_eq!(trust.next_check_in(S(11)), S(5));
        assert_eq!(trust.next_check_in(S(16)), LEASE_RENEWAL_INTERVAL);
    }

    #[test]
    fn renewals_follow_their_interval_and_failures_are_retried_sooner() {
        let mut trust = LeaseTrust::default();
        trust.record_renewal(S(10));
        assert_eq!(trust.renewal_delay(true, S(10), S(11)), S(1));
        assert_eq!(trust.renewal_delay(true, S(10), S(13)), S(0));
        assert_eq!(trust.renewal_delay(false, S(12), S(14)), LEASE_RETRY_INTERVAL);
        let just_before = S(16) - Duration::from_millis(1);
        assert_eq!(trust.renewal_delay(false, S(12), just_before), Duration::from_millis(1));
    }
}
