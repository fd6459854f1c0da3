//! `bridgemaster ladder watch`: follows a ladder's matches and standings.

use bridgemaster_proto::escape::Escaped;
use clap::Args;

use super::{client, show, standings};
use crate::{failure::refused, match_client::ServerFlag, output, runtime::block_on};

#[derive(Args)]
pub(super) struct WatchArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
}

impl WatchArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let followed = block_on(async {
            let mut client = client::connect(&self.server).await?;
            let mut updates = client.watch(&self.ladder).await?;
            while let Some(update) = updates.message().await.map_err(|status| refused(&status))? {
                if let Some(one) = &update.r#match {
                    let info = one.r#match.clone().unwrap_or_default();
                    let text = format!(
                        "{}  {}  {}\n",
                        Escaped(&info.match_id),
                        show::purpose(one),
                        show::outcome(one)
                    );
                    output::print_update(&text)?;
                } else {
                    output::print_update(&standings::text(&update.standings))?;
                    let ladder = update.ladder.unwrap_or_default();
                    output::print_update(&standings::line(&ladder))?;
                }
            }
            Ok(())
        });
        match followed {
            Err(error) if output::is_closed_pipe(&error) => Ok(()),
            followed => followed,
        }
    }
}
