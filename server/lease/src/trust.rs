//! The lease of a node as the node itself sees it.

use std::time::Duration;

use crate::limits::{LEASE_RENEWAL, LEASE_RETRY, LEASE_TRUST};

/// Whether a node trusts its lease. That decides whether it answers, and nothing else: who commits is
/// decided by the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    renewed_at: Option<Duration>,
}

impl Trust {
    /// A renewal that began then has succeeded. The moment is that of the beginning: the database may
    /// have done it at any time since.
    pub fn renewed(&mut self, begun: Duration) {
        self.renewed_at = Some(begun);
    }

    /// How long ago the last renewal began that succeeded; for ever if none has. How old the lease is
    /// that a server took with its node, nobody has measured.
    #[must_use]
    pub fn since_renewal(&self, now: Duration) -> Duration {
        self.renewed_at
            .map_or(Duration::MAX, |begun| now.saturating_sub(begun))
    }

    /// Whether the node may answer: no other node can have its matches yet.
    #[must_use]
    pub fn holds(&self, now: Duration) -> bool {
        self.since_renewal(now) < LEASE_TRUST
    }

    /// Time until it has to be looked at again whether the node may answer.
    #[must_use]
    pub fn look_in(&self, now: Duration) -> Duration {
        match LEASE_TRUST.saturating_sub(self.since_renewal(now)) {
            // Once it may not, only a renewal changes that.
            Duration::ZERO => LEASE_RENEWAL,
            left => left,
        }
    }

    /// Pause before the next renewal, after one that began then and was answered now.
    #[must_use]
    pub fn pause(&self, is_renewed: bool, begun: Duration, now: Duration) -> Duration {
        let pause = match is_renewed {
            true => LEASE_RENEWAL.saturating_sub(now.saturating_sub(begun)),
            false => LEASE_RETRY,
        };
        pause.min(self.look_in(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn a_lease_is_trusted_from_the_beginning_of_its_renewal_and_not_before() {
        let mut trust = Trust::default();
        assert!(!trust.holds(S(0)) && !trust.holds(S(100)));
        trust.renewed(S(10));
        assert!(trust.holds(S(10)) && trust.holds(S(15)));
        assert!(!trust.holds(S(16)));
        assert_eq!(trust.since_renewal(S(16)), S(6));
        // Its answer came late.
        trust.renewed(S(11));
        assert!(!trust.holds(S(17)));
    }

    #[test]
    fn it_is_looked_at_again_when_it_ends() {
        let mut trust = Trust::default();
        assert_eq!(trust.look_in(S(3)), LEASE_RENEWAL);
        trust.renewed(S(10));
        assert_eq!(trust.look_in(S(11)), S(5));
        assert_eq!(trust.look_in(S(16)), LEASE_RENEWAL);
    }

    #[test]
    fn renewals_come_at_their_interval_and_soon_after_a_failure() {
        let mut trust = Trust::default();
        trust.renewed(S(10));
        assert_eq!(trust.pause(true, S(10), S(11)), S(1));
        assert_eq!(trust.pause(true, S(10), S(13)), S(0));
        assert_eq!(trust.pause(false, S(12), S(14)), LEASE_RETRY);
        let just_before = S(16) - Duration::from_millis(1);
        assert_eq!(
            trust.pause(false, S(12), just_before),
            Duration::from_millis(1)
        );
    }
}
