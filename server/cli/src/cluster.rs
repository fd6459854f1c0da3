//! `bridgemaster cluster`: shows the state of a server or a cluster.

use std::{fmt::Display, time::Duration};

use anyhow::Context as _;
use bridgemaster_store::{
    NodeAddress, NodeName, NodeStatus, StoreError, StoredNode, limits::MAX_CLOCK_SKEW_MS,
    remove_node, stored_nodes,
};
use clap::{Args, Subcommand};
use serde_json::json;
use tokio::time::timeout;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    failure::{misuse, refused},
    match_client::ServerFlag,
    output, table,
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
    /// Remove a node that has ended from the list
    Remove(RemoveArgs),
    /// Check that a server is healthy (for container health checks)
    Health(HealthArgs),
}

impl ClusterArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self.command {
            ClusterCommand::Nodes(args) => args.run().await,
            ClusterCommand::Remove(args) => args.run().await,
            ClusterCommand::Health(args) => args.run().await,
        }
    }
}

/// Timeout of the check; a healthy server answers at once.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(after_help = "Calls the standard service grpc.health.v1, which needs no API key.\n\n\
    Exit codes: 0 the server is healthy; 1 the server is stopping, cannot store data, or does not respond.")]
struct HealthArgs {
    #[command(flatten)]
    server: ServerFlag,
}

impl HealthArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
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
    }
}

/// The database of a cluster.
#[derive(Args)]
struct DatabaseFlag {
    /// PostgreSQL database, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, value_name = "URL", env = "BRIDGEMASTER_STORE", hide_env_values = true)]
    store: String,
}

#[derive(Args)]
#[command(
    after_help = "The node must have ended more than a minute ago, and other nodes must have taken \
    over its matches. A server that starts with the name later is a new node."
)]
struct RemoveArgs {
    /// Name of the node
    name: NodeName,
    #[command(flatten)]
    database: DatabaseFlag,
}

impl RemoveArgs {
    async fn run(self) -> anyhow::Result<()> {
        let Self { name, database } = self;
        remove_node(&database.store, &name).await.map_err(|error| match error {
            StoreError::UnknownNode { .. } => misuse(error.to_string()),
            other => other.into(),
        })?;
        Ok(output::print(&format!("removed node {name}\n"))?)
    }
}

#[derive(Args)]
#[command(
    after_help = "A node whose lease has expired is listed as gone: other nodes have taken over \
    its matches or will soon. The leader manages groups, queues and ladders. Each node checks the \
    addresses of the others and its clock; problems are listed below the table."
)]
struct NodesArgs {
    #[command(flatten)]
    database: DatabaseFlag,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl NodesArgs {
    async fn run(self) -> anyhow::Result<()> {
        let nodes = stored_nodes(&self.database.store).await?;
        let text = if self.json {
            format!("{:#}\n", json!({ "nodes": nodes.iter().map(as_json).collect::<Vec<_>>() }))
        } else {
            as_table(&nodes)
        };
        output::print(&text)?;
        Ok(())
    }
}

fn as_table(nodes: &[StoredNode]) -> String {
    let header = ["node", "address", "lease", "matches", "slots", "load", "lag", "state"];
    let problems = nodes.iter().flat_map(problems);
    let problems: String = problems.map(|problem| format!("{problem}\n")).collect();
    table::plain(header, nodes.iter().map(row)) + &problems
}

/// Returns the problems of a live node, or of its view of the other nodes.
fn problems(node: &StoredNode) -> Vec<String> {
    let NodeStatus { clock_skew_ms, peer_problems, .. } = &node.status;
    let reported = peer_problems.lines().map(|problem| format!("{}: {problem}", node.name));
    let mut problems: Vec<String> = reported.collect();
    if clock_skew_ms.unsigned_abs() >= MAX_CLOCK_SKEW_MS {
        problems.push(format!(
            "{}: the clock differs by {clock_skew_ms} ms from that of the database",
            node.name
        ));
    }
    problems.retain(|_| node.is_live());
    problems
}

fn row(node: &StoredNode) -> [String; 8] {
    let lease = if node.is_live() {
        format!("{:.1} s", node.lease_left_ms as f64 / 1_000.0)
    } else {
        "expired".to_owned()
    };
    // The last reported load of a dead node is obsolete.
    let load = node.status.load_percent.filter(|_| node.is_live());
    let states =
        [(node.is_leader, "leader"), (node.status.draining, "draining"), (!node.is_live(), "gone")];
    let state: Vec<&str> =
        states.iter().filter_map(|(holds, state)| holds.then_some(*state)).collect();
    [
        node.name.to_string(),
        address_text(node).to_owned(),
        lease,
        node.matches.to_string(),
        value_if(node.is_live() && node.status.slots > 0, node.status.slots),
        load.map_or_else(String::new, |percent| format!("{percent} %")),
        value_if(node.is_live(), format_args!("{} ms", node.status.lag_ms)),
        state.join(", "),
    ]
}

fn value_if(is_known: bool, value: impl Display) -> String {
    if is_known { value.to_string() } else { String::new() }
}

fn as_json(node: &StoredNode) -> serde_json::Value {
    json!({
        "name": node.name.as_str(),
        "address": address_text(node),
        "epoch": node.epoch,
        "lease_left_ms": node.lease_left_ms,
        "is_live": node.is_live(),
        "draining": node.status.draining,
        "leads": node.is_leader,
        "matches": node.matches,
        "slots": node.status.slots,
        "load_percent": node.status.load_percent,
        "lag_ms": node.status.lag_ms,
        "clock_skew_ms": node.status.clock_skew_ms,
        "problems": problems(node),
    })
}

fn address_text(node: &StoredNode) -> &str {
    node.address.as_ref().map_or("", NodeAddress::as_str)
}
