//! `bridgemaster ladder create`: creates a ladder.

use bridgemaster_ladder::RatingMethodId;
use bridgemaster_proto::{
    escape::Escaped,
    v1::{ClosingRule, CreateLadderRequest, Ladder, LadderReplays, RatingMethod},
};
use bridgemaster_sdk::DEFAULT_SERVER_URL;
use clap::{Args, ValueEnum};

use crate::{
    failure::misuse,
    ladder::client,
    match_client::{ServerFlag, message},
    match_flags::MatchFlags,
    output,
};

#[derive(Args)]
#[command(
    after_help = "Bots attend the queue with the name of the ladder. On a server with API keys, the \
    command needs a key with the admin scope.\n\n  \
    bridgemaster ladder create class --game alhambra --seats 3 --time-control 60+0.5/1 --house-bot greedy@1"
)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder and its queue: 1 to 64 of the characters a-z, 0-9, `.`, `_`, `-`
    name: String,
    #[command(flatten)]
    flags: LadderFlags,
}

/// Flags for a new ladder. They are also entries in a config file.
#[derive(Args)]
#[command(mut_arg("seed", |arg| arg.hide(true)))]
pub(crate) struct LadderFlags {
    /// Admit only the bot whose API key has this name (repeatable) [default: all]
    #[arg(long = "admit", value_name = "NAME")]
    key_names: Vec<String>,
    /// Name of an API key that may change the ladder (repeatable) [default: creator]
    #[arg(long = "organiser", value_name = "NAME")]
    organiser_key_names: Vec<String>,
    /// Do not pair bots of one owner in rated matches (see `key add --owner`)
    #[arg(long)]
    owners_apart: bool,
    /// Access to the replays of the ladder [default: public]
    #[arg(long, value_enum, default_value_t = ReplaysFlag::Public, hide_default_value = true)]
    replays: ReplaysFlag,
    /// Maximum number of concurrent matches [default: 16]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_matches: u32,
    /// Maximum number of concurrent matches per bot [default: half of --max-matches]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_slots: u32,
    /// House bot that validates new versions, NAME or NAME@VERSION (repeatable)
    #[arg(long = "house-bot", value_name = "BOT")]
    house_bots: Vec<String>,
    /// End the closing round once the order of the top N bots is settled (0: never)
    #[arg(long, value_name = "N", default_value_t = 10)]
    settled_top: u32,
    /// Confidence at which the order of the top bots counts as settled
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    confidence: f64,
    /// Maximum number of matches per bot in the closing round
    #[arg(long, value_name = "N", default_value_t = 300)]
    closing_matches: u32,
    /// Rating method: plackett-luce, or glicko-2 for bots whose strength changes
    #[arg(long, value_name = "METHOD", default_value_t)]
    rating_method: RatingMethodId,
    #[command(flatten)]
    match_flags: MatchFlags,
}

/// Access to a ladder's replays.
#[derive(Clone, Copy, ValueEnum)]
enum ReplaysFlag {
    /// Everyone who can read other users' replays on the server
    Public,
    /// Only the owners of the match's bots, and keys with the admin scope
    Participants,
    /// Like participants until the ladder is closed, then like public
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

/// Converts a rating method to its value in the protocol.
pub(super) fn rating_method_to_wire(method: RatingMethodId) -> RatingMethod {
    match method {
        RatingMethodId::PlackettLuce => RatingMethod::PlackettLuce,
        RatingMethodId::Glicko2 => RatingMethod::Glicko2,
    }
}

impl LadderFlags {
    /// Returns the ladder with this name.
    pub(crate) fn ladder(self, name: String) -> anyhow::Result<Ladder> {
        if self.match_flags.seed().is_some() {
            return Err(misuse(
                "--seed does not work with a ladder, whose matches have separate seeds; omit it",
            ));
        }
        let config = self.match_flags.config(self.match_flags.seats_or_min()?)?;
        Ok(Ladder {
            ladder_id: name,
            config: Some(config),
            key_names: self.key_names,
            organiser_key_names: self.organiser_key_names,
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
            rating_method: rating_method_to_wire(self.rating_method).into(),
            ..Ladder::default()
        })
    }
}

impl CreateArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let ladder = self.flags.ladder(self.name)?;
        let mut client = client::connect(&self.server).await?;
        let request = CreateLadderRequest { ladder: Some(ladder) };
        let created = message(client.create_ladder(request).await)?;
        let created = client::ladder_of(created.ladder)?;
        let name = Escaped(&created.ladder_id);
        let seats = created.config.map_or(0, |config| config.seats);
        let program = output::program();
        let server = match self.server.url.as_str() {
            DEFAULT_SERVER_URL => String::new(),
            url => format!(" --server {}", shell_words::quote(&Escaped(url).to_string())),
        };
        let text = format!(
            "ladder {name} plays matches of {seats} seats between bots that attend its \
             queue\n\nEnter a bot:\n  {program} attend --queue {name}{server} -- COMMAND\n\n\
             Show the standings:\n  {program} ladder standings {name}{server}\n"
        );
        Ok(output::print(&text)?)
    }
}
