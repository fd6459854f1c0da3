//! Defective clusters, which prove that the checks notice defects.

/// A permanent defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterDefect {
    CommitsWithoutAFence,
    LooksAtTheLeaseOfTheBeginning,
    LeasesByTheNodesClock,
    AnswersAfterTheMargin,
    RenewsAfterItsEpoch,
    TakesOverTooEarly,
    TakesOverWithinTheEpoch,
    RetriesWithoutALook,
    RetriesWithoutWaiting,
    AnswersBeforeTheCommit,
    KeepsTheEpochOnRelease,
}

impl ClusterDefect {
    pub(crate) const ALL: [Self; 11] = [
        Self::CommitsWithoutAFence,
        Self::LooksAtTheLeaseOfTheBeginning,
        Self::LeasesByTheNodesClock,
        Self::AnswersAfterTheMargin,
        Self::RenewsAfterItsEpoch,
        Self::TakesOverTooEarly,
        Self::TakesOverWithinTheEpoch,
        Self::RetriesWithoutALook,
        Self::RetriesWithoutWaiting,
        Self::AnswersBeforeTheCommit,
        Self::KeepsTheEpochOnRelease,
    ];

    /// The name in test names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CommitsWithoutAFence => "commits_without_a_fence",
            Self::LooksAtTheLeaseOfTheBeginning => "fences_by_the_start_of_the_transaction",
            Self::LeasesByTheNodesClock => "leases_by_the_clock_of_the_node",
            Self::AnswersAfterTheMargin => "answers_after_the_margin",
            Self::RenewsAfterItsEpoch => "renews_though_the_epoch_is_over",
            Self::TakesOverTooEarly => "takes_over_before_the_lease_is_over",
            Self::TakesOverWithinTheEpoch => "takes_over_within_the_epoch",
            Self::RetriesWithoutALook => "retries_without_a_look_for_the_commit",
            Self::RetriesWithoutWaiting => "retries_without_waiting_for_the_try_before",
            Self::AnswersBeforeTheCommit => "tells_before_the_commit",
            Self::KeepsTheEpochOnRelease => "gives_up_its_lease_within_the_epoch",
        }
    }
}
