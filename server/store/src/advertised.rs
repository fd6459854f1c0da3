//! Matches in play that a node advertises to the other nodes, for their lists.

use std::{fmt, str::FromStr};

use crate::{KeyName, MatchId};

/// A match in play, as its node advertises it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvertisedMatch {
    /// Id of the match.
    pub match_id: MatchId,
    /// Creation time, in milliseconds since 1970 UTC: the sort key of lists.
    pub created_at_unix_ms: i64,
    /// Names of the match's parties, without duplicates.
    pub parties: Vec<KeyName>,
    /// The match's entry in lists, opaque to the store.
    pub summary: Vec<u8>,
}

impl AdvertisedMatch {
    /// Returns the position of the match among the advertised matches.
    #[must_use]
    pub fn cursor(&self) -> AdvertisedCursor {
        AdvertisedCursor {
            created_at_unix_ms: self.created_at_unix_ms,
            match_id: self.match_id.as_str().to_owned(),
        }
    }
}

/// A position in the list of advertised matches. The list is sorted newest first. A position's text
/// form can be used as a page token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvertisedCursor {
    pub(crate) created_at_unix_ms: i64,
    /// Match id; empty if the position precedes all matches with this creation time.
    pub(crate) match_id: String,
}

impl AdvertisedCursor {
    /// The position before the newest match.
    #[must_use]
    pub fn first() -> Self {
        Self {
            created_at_unix_ms: i64::MAX,
            match_id: String::new(),
        }
    }
}

impl fmt::Display for AdvertisedCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at_unix_ms, self.match_id)
    }
}

/// The text is not a valid cursor of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid cursor")]
pub struct InvalidCursor;

impl FromStr for AdvertisedCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (created, id) = text.split_once('.').ok_or(InvalidCursor)?;
        if !id.is_empty() {
            MatchId::new(id).map_err(|_| InvalidCursor)?;
        }
        Ok(Self {
            created_at_unix_ms: created.parse().map_err(|_| InvalidCursor)?,
            match_id: id.to_owned(),
        })
    }
}

/// A page of the matches that other nodes advertise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdvertisedPage {
    /// The newest match comes first.
    pub matches: Vec<AdvertisedMatch>,
    /// Matches on this page whose advertised entries are damaged.
    pub damaged: Vec<MatchId>,
    /// Start of the next page; `None` after the last match.
    pub next: Option<AdvertisedCursor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_a_conversion_to_text_and_back() {
        let place = AdvertisedMatch {
            match_id: MatchId::new("a-b_c").unwrap(),
            created_at_unix_ms: 7,
            parties: Vec::new(),
            summary: Vec::new(),
        }
        .cursor();
        for place in [place, AdvertisedCursor::first()] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in ["", "7", "x.a", "7.no id\n"] {
            assert_eq!(
                text.parse::<AdvertisedCursor>(),
                Err(InvalidCursor),
                "{text}"
            );
        }
    }
}
