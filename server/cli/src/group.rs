//! Groups of matches on the command line.

use std::str::FromStr;

use bridgemaster_proto::v1::{MatchGroup, SeedReveal};
use clap::Args;

use super::{match_client::ServerFlag, output, runtime::block_on};

/// The group that a new match belongs to.
#[derive(Args)]
pub(super) struct GroupFlags {
    /// Make the match one of a group: its identifier, which match of it this is, from 0, and how many
    /// it has, such as deal-7=0/4
    #[arg(long, value_name = "ID=NUMBER/MATCHES")]
    group: Option<Place>,
    /// Keep the seed and the replay secret until all matches of the group have ended
    #[arg(long, requires = "group")]
    reveal_with_group: bool,
}

impl GroupFlags {
    pub(super) fn message(&self) -> Option<MatchGroup> {
        let Place {
            group_id,
            number,
            matches,
        } = self.group.clone()?;
        let seed_reveal = match self.reveal_with_group {
            true => SeedReveal::WithGroup,
            false => SeedReveal::WithMatch,
        };
        Some(MatchGroup {
            group_id,
            number,
            matches,
            seed_reveal: seed_reveal.into(),
        })
    }
}

/// The place of a match in a group. What an identifier may be, the server says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    group_id: String,
    number: u32,
    matches: u32,
}

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (group_id, place) = text.split_once('=')?;
            let (number, matches) = place.split_once('/')?;
            Some(Self {
                group_id: group_id.to_owned(),
                number: number.parse().ok()?,
                matches: matches.parse().ok()?,
            })
        };
        read().ok_or("a place in a group is ID=NUMBER/MATCHES, such as deal-7=0/4")
    }
}

/// `bridgemaster close-group`: gives a group of matches up.
#[derive(Args)]
pub(super) struct CloseGroupArgs {
    /// Identifier of a match of the group
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
}

impl CloseGroupArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            client.close_group(&self.match_id).await?;
            Ok(output::print("the group is closed\n")?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_group_has_an_identifier_a_number_and_a_count() {
        let place: Place = "deal-7=0/4"
            .parse()
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (place.group_id.as_str(), place.number, place.matches),
            ("deal-7", 0, 4)
        );
        for bad in ["", "deal-7", "deal-7=0", "deal-7=a/4", "deal-7=0/-4"] {
            assert!(bad.parse::<Place>().is_err(), "{bad:?}");
        }
    }
}
