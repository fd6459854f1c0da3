//! `bridgemaster match cancel`: cancels a match.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchInfo, MatchState},
};
use clap::Args;

use crate::{match_client::ServerFlag, output, proto_json, runtime::block_on};

#[derive(Args)]
#[command(
    after_help = "A cancelled match has no result and no replay, but `match list` still lists it. A \
    match that has ended cannot be cancelled."
)]
pub(super) struct CancelArgs {
    /// Identifier of the match, as `match create` and `match list` print it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Reason to send to the bots and to store with the match
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
            let text = if self.json {
                proto_json::to_json("MatchInfo", &info)?
            } else {
                summary(&info)
            };
            Ok(output::print(&text)?)
        })
    }
}

fn summary(info: &MatchInfo) -> String {
    let id = Escaped(&info.match_id);
    match info.state() {
        MatchState::Cancelled => format!("match {id} is cancelled\n"),
        // For a caller with a delayed view, the state in the response is also delayed.
        _ => format!(
            "match {id} is cancelled, unless it had already ended (this key sees the match with a \
             delay)\n"
        ),
    }
}
