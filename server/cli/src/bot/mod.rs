//! `bridgemaster bot`: a built-in bot plays a seat, or the person at this terminal does.

mod asked;
mod human;

use bridgemaster_bots::{NAMES, NoEffort, NoTicket, SeatArgs, log_filter};
use bridgemaster_proto::v1::MatchResult;
use bridgemaster_sdk::{Options, play_blocking};
use clap::{Args, builder::PossibleValuesParser};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use self::human::Human;
use super::{failure::misuse, low_priority::PriorityFlag, output, table};

/// The name of the one that is no program.
const HUMAN: &str = "human";

#[derive(Args)]
#[command(
    after_help = "`human` is you: the table and your legal decisions are shown, and you choose one \
        by its number or its notation. Your clock runs, so make the match with much time, such as \
        `create --bank-ms 3600000 --cap-ms 600000 --reconnect-ms 600000`.\n\n\
        The join ticket is a secret: give it in the environment, where other users of \
        the machine do not see it.\n\n  BRIDGEMASTER_TICKET=... bridgemaster bot greedy"
)]
pub(super) struct BotCommand {
    /// The bot, or `human`
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(NAMES.iter().chain([&HUMAN])))]
    name: String,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    priority: PriorityFlag,
}

impl BotCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.priority.take_on()?;
        let filter = log_filter(Targets::new().with_default(LevelFilter::WARN));
        let log = fmt::layer()
            .with_ansi(output::has_colours())
            .with_writer(output::text_log);
        registry().with(log.with_filter(filter)).init();
        let played = match self.name.as_str() {
            HUMAN => play(self.seat).map(Some),
            name => self.seat.play(name),
        };
        let is_misuse = |error: &anyhow::Error| error.is::<NoTicket>() || error.is::<NoEffort>();
        let result = played.map_err(|error| match is_misuse(&error) {
            true => misuse(error.to_string()),
            false => error,
        })?;
        if let Some(result) = result {
            output::print(&table::standings(&result))?;
        }
        Ok(())
    }
}

/// Plays a seat by hand.
fn play(seat: SeatArgs) -> anyhow::Result<MatchResult> {
    seat.effort.check(HUMAN)?;
    if seat.seed.is_some() {
        return Err(misuse("--seed is for bots; human draws nothing by chance"));
    }
    let ticket = seat.ticket.ok_or(NoTicket)?;
    let options = Options {
        bot_version: env!("CARGO_PKG_VERSION").to_owned(),
        key: seat.key,
        tls: seat.tls.into(),
        ..Options::new(seat.server, ticket, HUMAN)
    };
    Ok(play_blocking(Human::default(), options)?)
}
