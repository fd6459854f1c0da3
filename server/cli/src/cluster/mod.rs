//! `bridgemaster cluster`: shows the state of a server or a cluster.

mod nodes;

use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use tokio::time::timeout;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    cluster::nodes::NodesArgs, failure::refused, match_client::ServerFlag, output,
    process::block_on,
};

#[derive(Args)]
pub(super) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand)]
enum ClusterCommand {
    /// List the servers that share a database
    Nodes(NodesArgs),
    /// Check that a server is healthy (for container health checks)
    Health(HealthArgs),
}

impl ClusterArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.command {
            ClusterCommand::Nodes(args) => args.run(),
            ClusterCommand::Health(args) => args.run(),
        }
    }
}

/// Timeout of the check; a healthy server answers at once.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(
    after_help = "Calls the standard service grpc.health.v1, which needs no API key.\n\n\
    Exit codes: 0 the server is healthy; 1 the server is stopping, cannot store data, or does not respond."
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
            // The empty service name means the whole server.
            let check = health.check(HealthCheckRequest::default());
            let answer = timeout(CHECK_TIMEOUT, check).await;
            let answer = answer.context("the server did not answer within 5 s")?;
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
