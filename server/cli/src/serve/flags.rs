//! The flags of `bridgemaster serve`.

use std::{net::SocketAddr, path::PathBuf};

use bridgemaster_server::{KeepReplays, identity::PublicRead, traces::Collector};
use bridgemaster_store::{Durability, NodeAddress, NodeName};
use clap::{ArgAction, Args, ValueEnum, value_parser};
use serde::Deserialize;

use super::keep_replays;
use crate::{address, tls_flags::TlsFlags};

/// Longest drain time, in seconds: a day, like the longest time for a decision.
pub(super) const MAX_DRAIN_SECONDS: u32 = 86_400;

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// TOML file with values of these flags, and with limits; flags on the command line win
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:50051]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    pub(super) listen: Option<SocketAddr>,
    /// Folder for the replays of all ended matches, created if missing
    #[arg(long, value_name = "DIR")]
    pub(super) replays: Option<PathBuf>,
    /// Data folder, created if missing: keeps matches across restarts, their results, and the API
    /// keys of `bridgemaster key`. Without it everything ends with the server
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// PostgreSQL database that keeps the same in place of a data folder, as
    /// postgres://USER:PASSWORD@HOST:PORT/DATABASE [env: BRIDGEMASTER_STORE]. The environment does
    /// not show the password to other users
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub(super) store: Option<String>,
    /// Name of this server among those that share the database, each started with one: they play
    /// each its own matches, and those of one that is gone go on at the others
    #[arg(long, value_name = "NAME", requires = "advertise")]
    pub(super) node: Option<NodeName>,
    /// Where bots and callers of the other servers are sent to, to reach this one
    #[arg(long, value_name = "HOST:PORT", requires = "node")]
    pub(super) advertise: Option<NodeAddress>,
    /// Pass calls on to the other servers, which callers then need not reach themselves; all of them
    /// are started with it
    #[arg(long, requires = "node")]
    pub(super) forward: bool,
    /// What an answered move survives [default: power]
    #[arg(long, value_enum)]
    pub(super) survives: Option<Survives>,
    /// Replays of ended matches to keep in the store: `all`, those of a time such as 30d, or those
    /// of the newest matches, such as 1000000 of them; results are kept for ever [default: all]
    #[arg(long, value_name = "TIME|NUMBER|all", value_parser = keep_replays::parse)]
    pub(super) keep_replays: Option<KeepReplays>,
    /// Drop a match of the store that cannot go on; can be repeated
    #[arg(long, value_name = "MATCH_ID")]
    pub(super) drop_match: Vec<String>,
    /// Drain time: time that matches have to end when the server is asked to stop, in seconds; a
    /// second signal skips it [default: 5 with --data or --store, else 30]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(..=i64::from(MAX_DRAIN_SECONDS)))]
    pub(super) drain_time: Option<u32>,
    /// Require an API key of the store from every caller
    #[arg(long)]
    pub(super) require_keys: bool,
    /// Show this without an API key, on a server that requires them: the results of ladders,
    /// matches too, or replays too [default: none]
    #[arg(long, value_enum)]
    pub(super) public_read: Option<PublicReadFlag>,
    /// Serve the rules by call, for bots in languages that have no library of the rules: to keys
    /// with the scope `rules`, or without --require-keys to everybody
    #[arg(long)]
    pub(super) rules: bool,
    #[command(flatten)]
    pub(super) tls: TlsFlags,
    /// Serve metrics for Prometheus at this address, as `GET /metrics`
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    pub(super) metrics: Option<SocketAddr>,
    /// Export spans of matches, seats and commits to this collector of OpenTelemetry, over OTLP/gRPC:
    /// http://HOST:PORT, or https://HOST:PORT with TLS
    #[arg(long, value_name = "ADDRESS")]
    pub(super) otlp: Option<Collector>,
    /// Address of the page for people, in which matches are watched; port 0 picks a free port
    /// [default: 127.0.0.1:8080 if the server is on a loopback address too, else no page]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse, conflicts_with = "no_page")]
    pub(super) page: Option<SocketAddr>,
    /// Serve no page
    #[arg(long)]
    pub(super) no_page: bool,
    /// Name by which browsers reach the page, besides addresses and `localhost`; not needed with
    /// TLS; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) page_host: Vec<String>,
    /// Form of the log on standard error [default: text]
    #[arg(long, value_enum)]
    pub(super) log: Option<LogForm>,
    /// Log more: -v what matches do, -vv everything; RUST_LOG overrides this
    #[arg(short, long, action = ArgAction::Count)]
    pub(super) verbose: u8,
    /// Allow addresses that other machines can reach without TLS: tickets and keys then cross the
    /// network unencrypted
    #[arg(long)]
    pub(super) insecure: bool,
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Survives {
    /// A power failure: every answer waits for the disk
    Power,
    /// A crash of the server and kill -9, but not of the machine: faster
    Kill,
}

impl From<Survives> for Durability {
    fn from(flag: Survives) -> Self {
        match flag {
            Survives::Power => Self::Power,
            Survives::Kill => Self::Process,
        }
    }
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PublicReadFlag {
    /// Nothing: each call needs a key
    None,
    /// Ladders: standings, bots, who met whom, results as CSV
    Results,
    /// The same, and all matches, as they are played and how they ended
    Matches,
    /// The same, and replays
    All,
}

impl From<PublicReadFlag> for PublicRead {
    fn from(flag: PublicReadFlag) -> Self {
        match flag {
            PublicReadFlag::None => Self::None,
            PublicReadFlag::Results => Self::Results,
            PublicReadFlag::Matches => Self::Matches,
            PublicReadFlag::All => Self::All,
        }
    }
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogForm {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}
