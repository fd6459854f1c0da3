//! Decides who can read other callers' matches, replays and results.
//!
//! The key that created a match, and the keys whose bots play in it, may read the match and its
//! replay. Reading other matches and replays needs the `read` or `admin` scope. Results may be read
//! with any key. `--public-read` grants some of these permissions without a key.
//!
//! A match may have a delay for spectators. The match's own parties, and keys with the `admin`
//! scope, see the match without delay.

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyName;

use super::{Caller, KeyScope, PublicRead, key_refusals::missing};
use crate::refusal::Refusal;

/// A kind of data that other callers created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAccess {
    /// Ladders and their results.
    Results,
    /// Matches in play, and ended matches.
    Matches,
    /// Replays of matches, and positions that are computed from replays. Replays and positions
    /// disclose hidden information, and so are available only once a match has ended.
    Replays,
}

impl ReadAccess {
    /// The lowest public-read level that includes this kind of data.
    fn public(self) -> PublicRead {
        match self {
            Self::Results => PublicRead::Results,
            Self::Matches => PublicRead::Matches,
            Self::Replays => PublicRead::All,
        }
    }
}

impl Caller {
    /// Returns whether the caller may read other callers' data of this kind.
    pub(crate) fn may_read(&self, access: ReadAccess) -> bool {
        match self {
            Self::Anyone => true,
            Self::StartedBot(_) => false,
            Self::Guest(public) => *public >= access.public(),
            Self::Holder(holder) => {
                access == ReadAccess::Results
                    || self.has_scope(KeyScope::Read)
                    // Managing matches requires reading them.
                    || self.has_scope(KeyScope::Admin)
                    || holder.public() >= access.public()
            }
        }
    }

    /// Returns whether the caller sees a match without the spectators' delay. Only a caller with a
    /// key can be identified as a party.
    pub(crate) fn sees_live(&self, is_of: impl FnOnce(&KeyName) -> bool) -> bool {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(_) => false,
            Self::Holder(_) => self.has_scope(KeyScope::Admin) || self.name().is_some_and(is_of),
        }
    }

    /// Checks that the caller may read other callers' data of this kind.
    ///
    /// # Errors
    /// When a key is missing, or lacks the `read` scope.
    pub(crate) fn require_read(&self, access: ReadAccess) -> Result<(), Refusal> {
        if self.may_read(access) {
            return Ok(());
        }
        Err(match self {
            Self::Guest(_) | Self::StartedBot(_) => missing(),
            Self::Anyone | Self::Holder(_) => Refusal::new(
                RefusalReason::ScopeMissing,
                "without the `read` scope a key sees only matches that it created or in which its bot \
                 has a seat",
            )
            .with("scope", KeyScope::Read.as_str()),
        })
    }

    /// Checks that a guest may read this kind of data. With a key, access depends on the match.
    ///
    /// # Errors
    /// When a key is missing.
    pub(crate) fn require_guest_read(&self, access: ReadAccess) -> Result<(), Refusal> {
        match self {
            Self::Guest(_) | Self::StartedBot(_) => self.require_read(access),
            Self::Anyone | Self::Holder(_) => Ok(()),
        }
    }
}
