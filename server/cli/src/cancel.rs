//! `bridgemaster cancel`: calls a match off.

use bridgemaster_proto::outside::Outside;
use clap::Args;

use super::{match_client::ServerFlag, output, proto_json, runtime::block_on};

#[derive(Args)]
#[command(
    after_help = "A match that is called off has no result and no replay; its record stays in \
    `bridgemaster list`. A match that has ended cannot be called off."
)]
pub(super) struct CancelArgs {
    /// Identifier of the match, as `bridgemaster create` or `bridgemaster list` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Why, for the bots and for who looks at the match later
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Print the match as JSON
    #[arg(long)]
    json: bool,
}

impl CancelArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            let info = client.cancel(&self.match_id, self.reason).await?;
            let text = match self.json {
                true => proto_json::to_json("MatchInfo", &info)?,
                false => format!("match {} is cancelled\n", Outside(&info.match_id)),
            };
            Ok(output::print(&text)?)
        })
    }
}
