//! `bridgemaster cluster`: shows the state of a server or a cluster.

mod health;
mod nodes;

use clap::{Args, Subcommand};

use self::{health::HealthArgs, nodes::NodesArgs};

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
