//! Lists of matches that span nodes: the position at which a list continues, and the parts that
//! other nodes know.

use std::{collections::BTreeMap, fmt, str::FromStr};

use bridgemaster_proto::internal::v1::ListOwnMatchesResponse;
use bridgemaster_store::{FinishedCursor, NodeName};

/// The position at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageToken {
    /// A position within the matches in memory and the matches in play on other nodes.
    InPlay(InPlayCursor),
    /// A position after this cursor within the finished matches that are only in the store.
    Stored(Option<FinishedCursor>),
}

/// A position within the matches in memory and the matches in play on other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlayCursor {
    /// For each node that has further matches, the age of the match before which its part
    /// continues. The node's name is `None` if the server is in no cluster. Since all nodes have
    /// names, the list can continue at any node.
    pub ages: BTreeMap<Option<NodeName>, u64>,
}

/// An age above that of every match.
pub const NEWEST: u64 = u64::MAX;
/// An age below that of every match.
pub const OLDEST: u64 = 0;

/// The parts of a page that other nodes know, by node.
#[derive(Default)]
pub struct RemotePages {
    /// The parts of the nodes that answered.
    pub pages: BTreeMap<NodeName, ListOwnMatchesResponse>,
    /// Whether a node that has matches in play did not answer.
    pub is_incomplete: bool,
}

/// The text is not a valid page token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid page token")]
pub struct InvalidPageToken;

/// The prefix of page tokens for the store.
const STORED_PREFIX: char = 's';

/// Separates the positions in a page token.
const POSITION_SEPARATOR: char = '~';

/// Separates a node's name from its position.
const NAME_SEPARATOR: char = '=';

impl PageToken {
    /// Returns the age before which another node's part continues; `None` if the page does not
    /// include further matches of that node.
    pub fn age_on(before: Option<&Self>, node: &NodeName) -> Option<u64> {
        match before {
            None => Some(NEWEST),
            Some(Self::InPlay(place)) => place.age_on(Some(node)),
            Some(Self::Stored(_)) => None,
        }
    }
}

impl InPlayCursor {
    /// Returns the age before which a node's part continues, if it continues.
    pub fn age_on(&self, node: Option<&NodeName>) -> Option<u64> {
        self.ages.get(&node.cloned()).copied()
    }

    /// Returns whether the list continues at a node that is neither this one nor has answered.
    pub fn has_missing_part(&self, own_name: Option<&NodeName>, remote: &RemotePages) -> bool {
        self.ages.keys().any(|node| {
            let node = node.as_ref();
            node != own_name && node.is_none_or(|node| !remote.pages.contains_key(node))
        })
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InPlay(place) => {
                for (node, age) in &place.ages {
                    match node {
                        None => age.fmt(f)?,
                        // The separator also precedes the first name, since a name can begin with
                        // the other prefix.
                        Some(node) => write!(f, "{POSITION_SEPARATOR}{node}{NAME_SEPARATOR}{age}")?,
                    }
                }
                Ok(())
            }
            Self::Stored(None) => STORED_PREFIX.fmt(f),
            Self::Stored(Some(cursor)) => write!(f, "{STORED_PREFIX}{cursor}"),
        }
    }
}

impl FromStr for PageToken {
    type Err = InvalidPageToken;

    fn from_str(text: &str) -> Result<Self, InvalidPageToken> {
        if let Some(cursor) = text.strip_prefix(STORED_PREFIX) {
            let place = (!cursor.is_empty()).then(|| cursor.parse());
            let place = place.transpose().map_err(|_| InvalidPageToken)?;
            return Ok(Self::Stored(place));
        }
        let age = |text: &str| text.parse::<u64>().map_err(|_| InvalidPageToken);
        let mut positions = text.split(POSITION_SEPARATOR);
        let unnamed = positions.next().filter(|text| !text.is_empty());
        let unnamed = unnamed.map(|text| Ok::<_, InvalidPageToken>((None, age(text)?)));
        let named = positions.map(|position| {
            let (node, text) = position
                .split_once(NAME_SEPARATOR)
                .ok_or(InvalidPageToken)?;
            let node = NodeName::new(node).map_err(|_| InvalidPageToken)?;
            Ok((Some(node), age(text)?))
        });
        let ages = unnamed.into_iter().chain(named);
        let ages = ages.collect::<Result<BTreeMap<_, _>, InvalidPageToken>>()?;
        if ages.is_empty() {
            return Err(InvalidPageToken);
        }
        Ok(Self::InPlay(InPlayCursor { ages }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str) -> NodeName {
        NodeName::new(name).unwrap()
    }

    fn cursor(ages: &[(Option<&str>, u64)]) -> InPlayCursor {
        let ages = ages.iter().map(|(name, age)| (name.map(node), *age));
        InPlayCursor {
            ages: ages.collect(),
        }
    }

    #[test]
    fn a_page_that_continues_at_a_node_without_an_answer_is_incomplete() {
        let (one, two) = (node("one"), node("two"));
        let place = cursor(&[(Some("one"), 8), (Some("two"), 9)]);
        let mut remote = RemotePages::default();
        assert!(place.has_missing_part(Some(&one), &remote));
        remote
            .pages
            .insert(two.clone(), ListOwnMatchesResponse::default());
        assert!(!place.has_missing_part(Some(&one), &remote));
        assert!(
            place.has_missing_part(None, &remote),
            "of a server in no cluster"
        );
        assert_eq!(place.age_on(Some(&one)), Some(8));
        assert_eq!(place.age_on(None), None);
        let token = PageToken::InPlay(place);
        assert_eq!(PageToken::age_on(Some(&token), &two), Some(9));
    }

    #[test]
    fn a_page_token_round_trips_as_text() {
        for place in [
            PageToken::InPlay(cursor(&[(None, 7)])),
            PageToken::InPlay(cursor(&[(Some("one"), 8), (Some("two.example-2_b"), 9)])),
            PageToken::InPlay(cursor(&[(Some("s1"), 8)])),
            PageToken::Stored(None),
        ] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in [
            "", "~", "x", "7~", "7~8", "~one=", "~o ne=8", "~one=x", "sx",
        ] {
            assert_eq!(text.parse::<PageToken>(), Err(InvalidPageToken), "{text}");
        }
    }
}
