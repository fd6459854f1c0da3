//! `bridgemaster match close-group`: closes an incomplete match group.

use clap::Args;

use crate::{match_client::ServerFlag, output, runtime::block_on};

#[derive(Args)]
pub(super) struct CloseGroupArgs {
    /// Identifier of any match in the match group
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
}

impl CloseGroupArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            client.close_group(&self.match_id).await?;
            Ok(output::print("the group is closed\n")?)
        })
    }
}
