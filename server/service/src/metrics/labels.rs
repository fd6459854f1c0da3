//! The labels, each with the few values that it can have.

use bridgemaster_referee::{DecidedBy, Fault, MatchPhase};
use prometheus_client::encoding::EncodeLabelSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct StateLabels {
    state: &'static str,
}

impl StateLabels {
    /// `None` for a match that has ended: those are counted for good, by another metric.
    pub(super) fn of(phase: MatchPhase) -> Option<Self> {
        let state = match phase {
            MatchPhase::Waiting => "waiting",
            MatchPhase::Running => "running",
            MatchPhase::Ended => return None,
        };
        Some(Self { state })
    }
}

/// What of the store cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DamagedValue {
    /// A match in play, which cannot go on.
    MatchInPlay,
    /// The summary of a finished match.
    Summary,
    /// The replay of a finished match.
    Replay,
    /// An API key.
    Key,
    /// A ladder, a version of one of its bots, or one of its matches.
    Ladder,
}

impl DamagedValue {
    pub(super) const ALL: [Self; 5] = [
        Self::MatchInPlay,
        Self::Summary,
        Self::Replay,
        Self::Key,
        Self::Ladder,
    ];

    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::MatchInPlay => "match in play",
            Self::Summary => "summary",
            Self::Replay => "replay",
            Self::Key => "key",
            Self::Ladder => "ladder",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct DamageLabels {
    what: &'static str,
}

impl DamageLabels {
    pub(super) fn of(value: DamagedValue) -> Self {
        Self {
            what: value.as_str(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct GameLabels {
    pub(super) game: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByLabels {
    game: &'static str,
    by: &'static str,
}

impl ByLabels {
    pub(super) fn new(game: &'static str, by: DecidedBy) -> Self {
        let by = decided_by(by);
        Self { game, by }
    }
}

/// The name of who made a decision.
pub(crate) fn decided_by(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Bot => "bot",
        DecidedBy::Referee => "referee",
        DecidedBy::House => "house",
        DecidedBy::Replay => "replay",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct FaultLabels {
    reason: String,
    action: String,
}

impl FaultLabels {
    pub(super) fn of(fault: &Fault) -> Self {
        Self {
            reason: fault.reason.to_string(),
            action: fault.action.to_string(),
        }
    }
}
