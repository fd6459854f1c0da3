//! CPU cores: pins bots to cores, and determines whether a CPU quota has caused referee lag.

use std::{thread::available_parallelism, time::Duration};

use bridgemaster_bot_process::{CpuQuota, Limits, allowed_cores};

use crate::{Annulment, AnnulmentCause, ContestSpec, SpecError};

/// Assigns one core to each seat of each concurrent match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pinning {
    cores: Vec<usize>,
    seats: usize,
}

impl Pinning {
    /// Assigns the cores; `None` if the spec does not set `affinity`.
    pub(crate) fn new(spec: &ContestSpec) -> Result<Option<Self>, SpecError> {
        match (spec.affinity, Limits::are_supported()) {
            (false, _) => Ok(None),
            (true, false) => Err(SpecError::Unsupported("affinity")),
            (true, true) => Self::on(allowed_cores(), spec).map(Some),
        }
    }

    fn on(cores: Vec<usize>, spec: &ContestSpec) -> Result<Self, SpecError> {
        let seats = usize::from(spec.rules.seats).max(1);
        let concurrency = spec.concurrency.unwrap_or(1) as usize;
        if concurrency.saturating_mul(seats) > cores.len() {
            let (needed, cores) = (concurrency * seats, cores.len());
            let problem = format!(
                "{concurrency} concurrent matches of {seats} bots need {needed} cores, and {cores} \
                 are available; lower the concurrency or omit affinity"
            );
            return Err(SpecError::invalid("affinity", problem));
        }
        Ok(Self { cores, seats })
    }

    /// Returns the number of concurrent matches that the cores and the CPU quota allow.
    fn max_concurrency(&self, quota: Option<f64>) -> usize {
        let cores = quota.map_or(self.cores.len(), |quota| self.cores.len().min(quota as usize));
        (cores / self.seats).max(1)
    }

    /// Returns the core for a seat of the match in this slot.
    pub(crate) fn core(&self, slot: usize, seat: usize) -> Option<usize> {
        self.cores.get(slot * self.seats + seat).copied()
    }
}

/// Returns the number of concurrent matches. The default is the number of cores minus one, since
/// one core is left for the server. With affinity, the default is the number of matches that the
/// cores allow. A CPU quota reduces the number of cores.
pub(crate) fn concurrency(spec: &ContestSpec, pinning: Option<&Pinning>) -> usize {
    if let Some(requested) = spec.concurrency {
        return requested.try_into().unwrap_or(usize::MAX);
    }
    match pinning {
        Some(pinning) => {
            let quota = CpuQuota::for_this_process();
            pinning.max_concurrency(quota.map(|quota| quota.cores))
        }
        None => {
            // `available_parallelism` takes the CPU quota into account.
            let cores = available_parallelism().map_or(1, |cores| cores.get());
            cores.saturating_sub(1).max(1)
        }
    }
}

/// The CPU quota of the contest's own server, and how long it had been throttled before a match.
#[derive(Debug)]
pub(crate) struct Throttling<'a> {
    quota: &'a CpuQuota,
    before: Duration,
}

impl<'a> Throttling<'a> {
    pub(crate) fn since_now(quota: &'a CpuQuota) -> Self {
        Self { quota, before: quota.throttled() }
    }

    /// Adds the quota to the explanation of an annulment, if the match was annulled because of lag
    /// and the process was throttled during the match.
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
    use crate::{Format, samples_for_tests::spec_of};

    #[test]
    fn concurrent_bots_do_not_share_a_core() {
        let mut spec = spec_of(2, 2, Format::Series);
        let pinning = Pinning::on(vec![1, 3, 5, 7, 9], &spec).unwrap();
        assert_eq!(pinning.max_concurrency(None), 2);
        assert_eq!(pinning.max_concurrency(Some(3.5)), 1);
        assert_eq!(pinning.max_concurrency(Some(0.5)), 1);
        spec.concurrency = Some(7);
        assert_eq!(concurrency(&spec, Some(&pinning)), 7);
        let cores = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let cores = cores.map(|(slot, seat)| pinning.core(slot, seat).unwrap());
        assert_eq!(cores, [1, 3, 5, 7]);
    }

    #[test]
    fn too_many_pinned_matches_are_refused_with_the_numbers() {
        let mut spec = spec_of(2, 2, Format::Series);
        spec.concurrency = Some(3);
        let error = Pinning::on((0..4).collect(), &spec).unwrap_err();
        assert_eq!(
            error.to_string(),
            "affinity: 3 concurrent matches of 2 bots need 6 cores, and 4 are available; lower \
             the concurrency or omit affinity"
        );
    }

    fn explained(because: AnnulmentCause, throttled_ms: u64) -> String {
        let mut annulled = Annulment { because, detail: "the referee lagged 90 ms".to_owned() };
        explain(&mut annulled, 1.5, Duration::from_millis(throttled_ms));
        annulled.detail
    }

    #[test]
    fn lag_under_an_exhausted_quota_names_the_quota() {
        let detail = explained(AnnulmentCause::RefereeLag, 250);
        let quota = "the CPU quota of 1.5 cores (cgroup) throttled the server for 250 ms";
        assert!(detail.contains(quota), "{detail}");
        for (because, throttled_ms) in
            [(AnnulmentCause::RefereeLag, 0), (AnnulmentCause::ServerCrash, 250)]
        {
            assert_eq!(explained(because, throttled_ms), "the referee lagged 90 ms");
        }
    }
}
