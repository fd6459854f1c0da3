//! Lists of matches that span nodes: the position at which a list continues, and the parts that
//! other nodes know.
//!
//! A list is ordered by identifier. So a match has the same place in it whether it is in play or
//! ended, and on whichever node. A list can therefore continue at any node, and contains every
//! match once.

use std::{fmt, str::FromStr};

use bridgemaster_proto::internal::v1::ListOwnMatchesResponse;
use bridgemaster_store::MatchId;

/// The position at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken {
    /// The list continues below this identifier.
    pub before: MatchId,
    /// Whether all nodes have listed all of their matches in play, so that no node is asked again.
    pub has_all_in_play: bool,
}

/// The parts of a page that other nodes know.
#[derive(Default)]
pub struct RemotePages {
    /// The parts of the nodes that answered.
    pub pages: Vec<ListOwnMatchesResponse>,
    /// Whether a node that has matches in play did not answer.
    pub is_incomplete: bool,
}

/// The text is not a valid page token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid page token")]
pub struct InvalidPageToken;

/// The prefix of page tokens after which only finished matches follow. Identifiers do not contain
/// it.
const FINISHED_PREFIX: char = '~';

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_all_in_play {
            write!(f, "{FINISHED_PREFIX}")?;
        }
        self.before.fmt(f)
    }
}

impl FromStr for PageToken {
    type Err = InvalidPageToken;

    fn from_str(text: &str) -> Result<Self, InvalidPageToken> {
        let id = text.strip_prefix(FINISHED_PREFIX);
        let before = MatchId::new(id.unwrap_or(text)).map_err(|_| InvalidPageToken)?;
        Ok(Self { before, has_all_in_play: id.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_token_round_trips_as_text() {
        for has_all_in_play in [true, false] {
            let token = PageToken { before: MatchId::new("0a").unwrap(), has_all_in_play };
            assert_eq!(token.to_string().parse(), Ok(token));
        }
        for text in ["", "~", "~~a", "a~", "a b"] {
            assert_eq!(text.parse::<PageToken>(), Err(InvalidPageToken), "{text}");
        }
    }
}
