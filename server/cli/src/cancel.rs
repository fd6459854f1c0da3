//! `bridgemaster cancel`: cancels a match.

use bridgemaster_proto::{
    outside::Outside,
    v1::{MatchInfo, MatchState},
};
use clap::Args;

use super::{match_client::ServerFlag, output, proto_json, runtime::block_on};

#[derive(Args)]
#[command(
    after_help = "A match that is cancelled has no result and no replay; its record stays in \
    `bridgemaster list`. A match that has ended cannot be cancelled."
)]
pub(super) struct CancelArgs {
    /// Identifier of the match, as `bridgemaster create` or `bridgemaster list` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Why, for the bots and for those who look at the match later
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
                false => sentence(&info),
            };
            Ok(output::print(&text)?)
        })
    }
}

/// What came of it.
fn sentence(info: &MatchInfo) -> String {
    let id = Outside(&info.match_id);
    match info.state() {
        MatchState::Cancelled => format!("match {id} is cancelled\n"),
        // Who sees a match late is answered with what he sees.
        _ => format!("match {id} is cancelled, unless it had ended: this server shows it late\n"),
    }
}
