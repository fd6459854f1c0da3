//! `bridgemaster health`: whether a server serves, for who starts and watches it.

use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tokio::time::timeout;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use super::{failure::refused, match_client::ServerFlag, output, runtime::block_on};

/// Time for the answer: a server that serves has it at hand.
const ANSWER_TIME: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(
    after_help = "Asks the standard service grpc.health.v1, which needs no API key. The exit code \
    is 0 if the server serves, and 1 if it is about to stop, cannot store, or does not answer."
)]
pub(super) struct HealthArgs {
    #[command(flatten)]
    server: ServerFlag,
}

impl HealthArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let (channel, _) = self.server.channel().await?;
            let mut health = HealthClient::new(channel);
            // The empty name is the server as a whole.
            let asked = health.check(HealthCheckRequest::default());
            let answer = timeout(ANSWER_TIME, asked).await;
            let answer = answer.context("the server does not answer")?;
            let answer = answer.map_err(|status| refused(&status))?.into_inner();
            anyhow::ensure!(
                answer.status() == ServingStatus::Serving,
                "the server is {}",
                answer.status().as_str_name()
            );
            Ok(output::print("SERVING\n")?)
        })
    }
}
