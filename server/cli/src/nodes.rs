//! `bridgemaster nodes`: the servers that share a database.

use std::fmt::Display;

use bridgemaster_store::{NodeAddress, StoredNode, stored_nodes};
use clap::Args;
use serde_json::json;

use super::{output, runtime::block_on, table};

#[derive(Args)]
#[command(
    after_help = "A server whose lease is over is gone: others have its matches, or take \
    them over now. The one that leads keeps groups, queues and ladders."
)]
pub(super) struct NodesArgs {
    /// PostgreSQL database of the servers, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(
        long,
        value_name = "URL",
        env = "BRIDGEMASTER_STORE",
        hide_env_values = true
    )]
    store: String,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl NodesArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let nodes = stored_nodes(&self.store).await?;
            let text = match self.json {
                true => format!(
                    "{:#}\n",
                    json!({ "nodes": nodes.iter().map(as_json).collect::<Vec<_>>() })
                ),
                false => as_table(&nodes),
            };
            output::print(&text)?;
            Ok(())
        })
    }
}

fn as_table(nodes: &[StoredNode]) -> String {
    let header = [
        "node", "address", "lease", "matches", "slots", "load", "lag", "state",
    ];
    table::plain(header, nodes.iter().map(row))
}

fn row(node: &StoredNode) -> [String; 8] {
    let lease = match node.is_live() {
        true => format!("{:.1} s", node.lease_left_ms as f64 / 1_000.0),
        false => "over".to_owned(),
    };
    // What one that is gone said last is of no use.
    let load = node.standing.load_percent.filter(|_| node.is_live());
    let states = [
        (node.leads, "leads"),
        (node.standing.draining, "drains"),
        (!node.is_live(), "gone"),
    ];
    let state: Vec<&str> = states
        .iter()
        .filter_map(|(holds, state)| holds.then_some(*state))
        .collect();
    [
        node.name.to_string(),
        shown_address(node).to_owned(),
        lease,
        node.matches.to_string(),
        told(
            node.is_live() && node.standing.slots > 0,
            node.standing.slots,
        ),
        load.map_or_else(String::new, |percent| format!("{percent} %")),
        told(node.is_live(), format_args!("{} ms", node.standing.lag_ms)),
        state.join(", "),
    ]
}

fn told(is_told: bool, value: impl Display) -> String {
    if is_told {
        value.to_string()
    } else {
        String::new()
    }
}

fn as_json(node: &StoredNode) -> serde_json::Value {
    json!({
        "name": node.name.as_str(),
        "address": shown_address(node),
        "epoch": node.epoch,
        "lease_left_ms": node.lease_left_ms,
        "is_live": node.is_live(),
        "draining": node.standing.draining,
        "leads": node.leads,
        "matches": node.matches,
        "slots": node.standing.slots,
        "load_percent": node.standing.load_percent,
        "lag_ms": node.standing.lag_ms,
    })
}

fn shown_address(node: &StoredNode) -> &str {
    node.address.as_ref().map_or("", NodeAddress::as_str)
}
