//! `bridgemaster ladder create`.

use bridgemaster_proto::{
    outside::Outside,
    v1::{ClosingRule, Ladder, LadderReplays},
};
use clap::{Args, ValueEnum};

use super::client;
use crate::{
    failure::misuse, match_client::ServerFlag, match_flags::MatchFlags, output, runtime::block_on,
};

#[derive(Args)]
#[command(
    after_help = "All bots attend the queue that has the name of the ladder. On a server with API \
    keys this needs the scope `admin`.\n\n  \
    bridgemaster ladder create class --game alhambra --seats 3 --cap-ms 1000 --house-bot greedy@1"
)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder and of its queue: 1 to 64 of a to z, 0 to 9, `.`, `_` and `-`
    name: String,
    #[command(flatten)]
    flags: LadderFlags,
}

/// What can be chosen for a ladder.
#[derive(Args)]
pub(crate) struct LadderFlags {
    /// Let only the bot of the API key of this name enter; may be given several times [default: all]
    #[arg(long = "admit", value_name = "NAME")]
    key_names: Vec<String>,
    /// Never pair two bots of one owner in a rated match, which `key add --owner` names
    #[arg(long)]
    owners_apart: bool,
    /// Who may see the replays of matches in which their bots did not play [default: public]
    #[arg(long, value_enum, default_value_t = ReplaysFlag::Public, hide_default_value = true)]
    replays: ReplaysFlag,
    /// Most matches at once [default: 16]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_matches: u32,
    /// Most matches of a bot at once, however many it asks for [default: 64]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_slots: u32,
    /// A bot of the house, as NAME or NAME@VERSION: new versions are validated against it; may be
    /// given several times
    #[arg(long = "house-bot", value_name = "BOT")]
    house_bots: Vec<String>,
    /// End the closing round when the order of so many of the best holds with --confidence; 0 for
    /// never
    #[arg(long, value_name = "N", default_value_t = 10)]
    settled_top: u32,
    /// How surely that order is to hold
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    confidence: f64,
    /// End the closing round after so many matches of each bot
    #[arg(long, value_name = "N", default_value_t = 300)]
    closing_matches: u32,
    #[command(flatten)]
    match_flags: MatchFlags,
}

/// Who may see the replays of a ladder.
#[derive(Clone, Copy, ValueEnum)]
enum ReplaysFlag {
    /// Whoever may see replays of others on the server
    Public,
    /// Nobody but those whose bots played, and keys with the scope admin
    Participants,
    /// The same until the ladder is closed, and then as public
    AfterSeason,
}

impl From<ReplaysFlag> for LadderReplays {
    fn from(flag: ReplaysFlag) -> Self {
        match flag {
            ReplaysFlag::Public => Self::Public,
            ReplaysFlag::Participants => Self::Participants,
            ReplaysFlag::AfterSeason => Self::AfterSeason,
        }
    }
}

impl LadderFlags {
    /// The ladder of this name.
    pub(crate) fn ladder(self, name: String) -> anyhow::Result<Ladder> {
        if self.match_flags.seed().is_some() {
            return Err(misuse("--seed: each match of a ladder draws its own"));
        }
        let config = self.match_flags.config(self.match_flags.least_seats()?)?;
        Ok(Ladder {
            ladder_id: name,
            config: Some(config),
            key_names: self.key_names,
            owners_apart: self.owners_apart,
            replays: LadderReplays::from(self.replays).into(),
            max_matches: self.max_matches,
            max_slots: self.max_slots,
            house_bots: self.house_bots,
            closing: Some(ClosingRule {
                settled_top: self.settled_top,
                confidence: self.confidence,
                max_matches_per_bot: self.closing_matches,
            }),
            ..Ladder::default()
        })
    }
}

impl CreateArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let ladder = self.flags.ladder(self.name)?;
        block_on(async {
            let made = client::connect(&self.server).await?.create(ladder).await?;
            let name = Outside(&made.ladder_id);
            let seats = made.config.map_or(0, |config| config.seats);
            let program = output::program();
            let text = format!(
                "ladder {name} plays matches of {seats} seats between the bots that attend its \
                 queue\n\nTo enter a bot:\n  {program} attend --queue {name} -- COMMAND\n\nHow \
                 they stand:\n  {program} ladder standings {name}\n"
            );
            Ok(output::print(&text)?)
        })
    }
}
