//! What nodes tell each other of their matches in play, for lists.

use std::{fmt, str::FromStr};

use crate::{KeyName, MatchId};

/// A match in play, as its node tells it to the lists of other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldMatch {
    /// The match.
    pub match_id: MatchId,
    /// When it was made, in milliseconds since 1970 UTC: lists go by it.
    pub created_at_unix_ms: i64,
    /// Whose match it is, each once.
    pub parties: Vec<KeyName>,
    /// What lists show of it.
    pub shown: Vec<u8>,
}

impl ToldMatch {
    /// Its place among the matches that are told.
    #[must_use]
    pub fn place(&self) -> ToldCursor {
        ToldCursor {
            created_at_unix_ms: self.created_at_unix_ms,
            match_id: self.match_id.as_str().to_owned(),
        }
    }
}

/// A place among the matches that are told, the newest first. Its text can travel as a page token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldCursor {
    pub(crate) created_at_unix_ms: i64,
    /// Empty before all of that moment.
    pub(crate) match_id: String,
}

impl ToldCursor {
    /// Before the newest.
    #[must_use]
    pub fn first() -> Self {
        Self {
            created_at_unix_ms: i64::MAX,
            match_id: String::new(),
        }
    }
}

impl fmt::Display for ToldCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at_unix_ms, self.match_id)
    }
}

/// A text that is no place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no place in a list")]
pub struct NoPlace;

impl FromStr for ToldCursor {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let (created, id) = text.split_once('.').ok_or(NoPlace)?;
        if !id.is_empty() {
            MatchId::new(id).map_err(|_| NoPlace)?;
        }
        Ok(Self {
            created_at_unix_ms: created.parse().map_err(|_| NoPlace)?,
            match_id: id.to_owned(),
        })
    }
}

/// Part of the list of matches that other nodes tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldPage {
    /// The newest first.
    pub matches: Vec<ToldMatch>,
    /// Matches of this part of the list of which what is told cannot be read.
    pub damaged: Vec<MatchId>,
    /// Where the next page begins; `None` after the last match.
    pub next: Option<ToldCursor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_after_it_travelled_as_text() {
        let place = ToldMatch {
            match_id: MatchId::new("a-b_c").unwrap(),
            created_at_unix_ms: 7,
            parties: Vec::new(),
            shown: Vec::new(),
        }
        .place();
        for place in [place, ToldCursor::first()] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in ["", "7", "x.a", "7.no id\n"] {
            assert_eq!(text.parse::<ToldCursor>(), Err(NoPlace), "{text}");
        }
    }
}
