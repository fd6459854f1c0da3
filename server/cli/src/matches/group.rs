//! Flags that put a new match into a match group.

use std::str::FromStr;

use bridgemaster_proto::v1::{MatchGroup, SeedReveal};
use clap::Args;

#[derive(Args)]
pub(super) struct GroupFlags {
    /// Place of the match in a match group, such as deal-7=0/4
    ///
    /// ID identifies the group, NUMBER is this match's number in the group, from 0, and MATCHES is
    /// the group's number of matches.
    #[arg(long, value_name = "ID=NUMBER/MATCHES")]
    group: Option<GroupPlace>,
    /// Withhold the seed and the replay until all matches of the group have ended
    #[arg(long, requires = "group")]
    reveal_with_group: bool,
}

impl GroupFlags {
    pub(super) fn message(&self) -> Option<MatchGroup> {
        let GroupPlace {
            group_id,
            number,
            matches,
        } = self.group.clone()?;
        let seed_reveal = if self.reveal_with_group {
            SeedReveal::WithGroup
        } else {
            SeedReveal::WithMatch
        };
        Some(MatchGroup {
            group_id,
            number,
            matches,
            seed_reveal: seed_reveal.into(),
        })
    }
}

/// A match's place in a match group: `ID=NUMBER/MATCHES`. The server validates the identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GroupPlace {
    group_id: String,
    number: u32,
    matches: u32,
}

impl FromStr for GroupPlace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (group_id, place) = text.split_once('=')?;
            let (number, matches) = place.split_once('/')?;
            Some(Self {
                group_id: group_id.to_owned(),
                number: number.parse().ok()?,
                matches: matches.parse().ok()?,
            })
        };
        parse().ok_or("expected ID=NUMBER/MATCHES, such as deal-7=0/4")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_group_has_an_identifier_a_number_and_a_count() {
        let place: GroupPlace = "deal-7=0/4"
            .parse()
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (place.group_id.as_str(), place.number, place.matches),
            ("deal-7", 0, 4)
        );
        for bad in ["", "deal-7", "deal-7=0", "deal-7=a/4", "deal-7=0/-4"] {
            assert!(bad.parse::<GroupPlace>().is_err(), "{bad:?}");
        }
    }
}
