//! `bridgemaster bot`: a built-in bot plays a seat.

use bridgemaster_bots::BotArgs;
use clap::Args;
use tracing_subscriber::EnvFilter;

use super::{output, table};

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
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(output::has_colours())
            .with_writer(output::text_log)
            .init();
        let result = self.bot.play()?;
        output::print(&table::standings(&result))?;
        Ok(())
    }
}
