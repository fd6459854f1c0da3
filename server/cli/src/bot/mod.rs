//! `bridgemaster bot`: plays a seat with a built-in bot, or by hand in the terminal.

mod human;

use bridgemaster_bots::{MissingTicket, NAMES, SeatArgs, UnsupportedEffort, log_filter};
use bridgemaster_proto::v1::MatchResult;
use bridgemaster_sdk::{Options, play_blocking};
use clap::{Args, builder::PossibleValuesParser};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use crate::{bot::human::Human, failure::misuse, output, process::PriorityFlag, table};

/// The name of the player at this terminal.
const HUMAN: &str = "human";

#[derive(Args)]
#[command(
    after_help = "With `human` you play in the terminal: choose a legal decision by its number or its \
        notation. Your clock runs, so create the match with enough time, such as `match create \
        --bank-ms 3600000 --cap-ms 600000 --reconnect-ms 600000`.\n\n\
        The join ticket is a secret. Pass it in the environment, which other users cannot \
        read:\n\n  BRIDGEMASTER_TICKET=... bridgemaster bot greedy"
)]
pub(super) struct BotCommand {
    /// Built-in bot, or `human` to play yourself
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(NAMES.iter().chain([&HUMAN])))]
    name: String,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    priority: PriorityFlag,
}

impl BotCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.priority.apply()?;
        let filter = log_filter(Targets::new().with_default(LevelFilter::WARN));
        let log = fmt::layer()
            .with_ansi(output::has_colours())
            .with_writer(output::text_log);
        registry().with(log.with_filter(filter)).init();
        let played = match self.name.as_str() {
            HUMAN => play(self.seat).map(Some),
            name => self.seat.play(name),
        };
        let is_misuse =
            |error: &anyhow::Error| error.is::<MissingTicket>() || error.is::<UnsupportedEffort>();
        let result = played.map_err(|error| {
            if is_misuse(&error) {
                misuse(error.to_string())
            } else {
                error
            }
        })?;
        if let Some(result) = result {
            output::print(&table::standings(&result))?;
        }
        Ok(())
    }
}

/// Plays a seat by hand in the terminal.
fn play(seat: SeatArgs) -> anyhow::Result<MatchResult> {
    seat.effort.check(HUMAN)?;
    if seat.seed.is_some() {
        return Err(misuse("--seed does not work with human; omit it"));
    }
    let ticket = seat.ticket.ok_or(MissingTicket)?;
    let options = Options {
        bot_version: env!("CARGO_PKG_VERSION").to_owned(),
        key: seat.key,
        tls: seat.tls.into(),
        ..Options::new(seat.server, ticket, HUMAN)
    };
    Ok(play_blocking(Human::default(), options)?)
}
