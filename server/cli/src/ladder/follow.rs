//! `bridgemaster ladder watch`.

use bridgemaster_proto::outside::Outside;
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
            let mut news = client.watch(&self.ladder).await?;
            while let Some(news) = news.message().await.map_err(|status| refused(&status))? {
                if let Some(one) = &news.r#match {
                    let info = one.r#match.clone().unwrap_or_default();
                    let text = format!(
                        "{}  {}  {}\n",
                        Outside(&info.match_id),
                        show::purpose(one),
                        show::outcome(one)
                    );
                    output::print_news(&text)?;
                } else {
                    output::print_news(&standings::text(&news.standings))?;
                    let ladder = news.ladder.unwrap_or_default();
                    output::print_news(&standings::line(&ladder))?;
                }
            }
            Ok(())
        });
        match followed {
            Err(error) if output::is_unread(&error) => Ok(()),
            followed => followed,
        }
    }
}
