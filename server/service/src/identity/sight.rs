//! Who may look at what: the one place that says so.
//!
//! A match is seen, with its replay, by the key that made it and by those whose bots play in it.
//! Matches and replays of others are seen with the scope `read` or `admin`. Results are seen with
//! every key. What `--public-read` names is seen by everybody.
//!
//! A match may say that spectators see it late. Those whose match it is, and the scope `admin`, see it
//! at once.

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyName;

use super::{Caller, KeyScope, PublicRead, key_refusals::missing};
use crate::refusal::Refusal;

/// What somebody looks at that is of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Ladders and their results.
    Results,
    /// Matches, as they are played and how they ended.
    Matches,
    /// What is told of a match once it has ended: its replay, and the positions that follow from it.
    Replays,
}

impl Sight {
    /// The least of what everybody may see that includes it.
    fn public(self) -> PublicRead {
        match self {
            Self::Results => PublicRead::Results,
            Self::Matches => PublicRead::Matches,
            Self::Replays => PublicRead::All,
        }
    }
}

impl Caller {
    /// Whether the caller may look at this, whoever it is of.
    pub(crate) fn sees(&self, what: Sight) -> bool {
        match self {
            Self::Anyone => true,
            Self::Guest(public) => *public >= what.public(),
            Self::Holder(holder) => {
                what == Sight::Results
                    || self.may(KeyScope::Read)
                    // Who may change matches must see them.
                    || self.may(KeyScope::Admin)
                    || holder.public() >= what.public()
            }
        }
    }

    /// Whether the caller sees a match at once that spectators see late: only a key tells whose it is.
    pub(crate) fn sees_at_once(&self, is_of: impl FnOnce(&KeyName) -> bool) -> bool {
        match self {
            Self::Anyone | Self::Guest(_) => false,
            Self::Holder(_) => self.may(KeyScope::Admin) || self.name().is_some_and(is_of),
        }
    }

    /// Makes sure of it.
    ///
    /// # Errors
    /// That a key is missing, or that it lacks the scope `read`.
    pub(crate) fn require_sight(&self, what: Sight) -> Result<(), Refusal> {
        if self.sees(what) {
            return Ok(());
        }
        Err(match self {
            Self::Guest(_) => missing(),
            Self::Anyone | Self::Holder(_) => Refusal::new(
                RefusalReason::ScopeMissing,
                "without the scope read an API key sees the matches that it made and those in \
                 which its bot has a seat",
            )
            .with("scope", KeyScope::Read.as_str()),
        })
    }

    /// Makes sure that one without a key may look at this. What a key sees depends on the match.
    ///
    /// # Errors
    /// That a key is missing.
    pub(crate) fn require_sight_of_guest(&self, what: Sight) -> Result<(), Refusal> {
        match self {
            Self::Guest(_) => self.require_sight(what),
            Self::Anyone | Self::Holder(_) => Ok(()),
        }
    }
}
