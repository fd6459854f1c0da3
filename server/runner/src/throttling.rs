//! Explains referee lag that was caused by CPU throttling.

use std::time::Duration;

use bridgemaster_bot_process::CpuQuota;

use crate::{Annulment, AnnulmentCause};

/// The CPU quota of the contest's own server, and the time for which the server had been throttled
/// before a match.
#[derive(Debug)]
pub(crate) struct Throttling<'a> {
    quota: &'a CpuQuota,
    before: Duration,
}

impl<'a> Throttling<'a> {
    pub(crate) fn since_now(quota: &'a CpuQuota) -> Self {
        Self {
            quota,
            before: quota.throttled(),
        }
    }

    /// If a match was annulled because of lag, and the process was throttled during the match, adds
    /// the quota to the explanation.
    pub(crate) fn explain(&self, annulled: &mut Annulment) {
        let throttled = self.quota.throttled().saturating_sub(self.before);
        explain(annulled, self.quota.cores, throttled);
    }
}

fn explain(annulled: &mut Annulment, cores: f64, throttled: Duration) {
    if annulled.because == AnnulmentCause::RefereeLag && !throttled.is_zero() {
        annulled.detail.push_str(&format!(
            "; the CPU quota of {cores} cores (cgroup) throttled the server for {} ms; raise the \
             quota or lower --concurrency",
            throttled.as_millis().max(1)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(because: AnnulmentCause, throttled_ms: u64) -> String {
        let mut annulled = Annulment {
            because,
            detail: "the referee lagged 90 ms".to_owned(),
        };
        explain(&mut annulled, 1.5, Duration::from_millis(throttled_ms));
        annulled.detail
    }

    #[test]
    fn a_lag_under_a_quota_that_was_used_up_names_it() {
        let detail = explained(AnnulmentCause::RefereeLag, 250);
        let quota = "the CPU quota of 1.5 cores (cgroup) throttled the server for 250 ms";
        assert!(detail.contains(quota), "{detail}");
        for (because, throttled_ms) in [
            (AnnulmentCause::RefereeLag, 0),
            (AnnulmentCause::ServerCrash, 250),
        ] {
            assert_eq!(explained(because, throttled_ms), "the referee lagged 90 ms");
        }
    }
}
