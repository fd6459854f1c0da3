//! `bridgemaster bot`: a built-in bot plays a seat.

use bridgemaster_bots::{BotArgs, NoTicket, log_filter};
use clap::Args;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use super::{failure::misuse, output, table};

#[derive(Args)]
#[command(
    after_help = "The join ticket is a secret: give it in the environment, where other users of \
        the machine do not see it.\n\n  BRIDGEMASTER_TICKET=... bridgemaster bot greedy"
)]
pub(super) struct BotCommand {
    #[command(flatten)]
    bot: BotArgs,
}

impl BotCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let filter = log_filter(Targets::new().with_default(LevelFilter::WARN));
        let log = fmt::layer()
            .with_ansi(output::has_colours())
            .with_writer(output::text_log);
        registry().with(log.with_filter(filter)).init();
        let result = self
            .bot
            .play()
            .map_err(|error| match error.is::<NoTicket>() {
                true => misuse(error.to_string()),
                false => error,
            })?;
        if let Some(result) = result {
            output::print(&table::standings(&result))?;
        }
        Ok(())
    }
}
