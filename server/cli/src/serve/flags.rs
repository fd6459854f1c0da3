//! The flags of `bridgemaster serve`, and its TLS files.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_replay::whole_file::FileMode;
use bridgemaster_server::{KeepReplays, Tls, TlsFiles, identity::PublicRead, traces::Collector};
use bridgemaster_store::{Durability, NodeAddress, NodeName};
use clap::{ArgAction, Args, ValueEnum, value_parser};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::{address, failure::misuse, quantities::Lifetime};

/// Maximum drain time, in seconds. It is one day, the same as the maximum time for a decision.
pub(super) const MAX_DRAIN_SECONDS: u32 = 86_400;

#[derive(Args)]
pub(super) struct ServeArgs {
    /// TOML file with flags, limits and ladders; command-line flags take precedence
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:50051]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    pub(super) listen: Option<SocketAddr>,
    /// Folder for the replays of all ended matches, created if missing
    ///
    /// A replay is written once it is public: when the match and its match group have ended, and
    /// the spectators' delay has passed. Without a store, the server writes withheld replays with
    /// mode 0600 when it stops.
    #[arg(long, value_name = "DIR")]
    pub(super) replays: Option<PathBuf>,
    /// Permissions of replay files, in octal, such as 0640 [default: 0600]
    ///
    /// With 0640 the owner's group can list and read the --replays folder; with 0644 all users can,
    /// such as a web server. Permissions of an existing folder change only if this flag is set.
    #[arg(long, value_name = "MODE")]
    pub(super) replay_mode: Option<FileMode>,
    /// Data folder for matches, results and API keys, created if missing
    ///
    /// Stored matches continue after a restart. Without --data or --store, matches and results are
    /// lost when the server stops.
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// PostgreSQL database to use instead of a data folder [env: BRIDGEMASTER_STORE]
    ///
    /// As postgres://USER:PASSWORD@HOST:PORT/DATABASE. Prefer the environment variable, because
    /// other users of the machine can read passwords in arguments.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub(super) store: Option<String>,
    /// Name of this node in a cluster of servers that share a database
    ///
    /// Each node plays its own matches. If a node dies, other nodes take over its matches.
    #[arg(long, value_name = "NAME", requires = "node_address")]
    pub(super) node: Option<NodeName>,
    /// Address at which the other nodes of the cluster reach this node
    ///
    /// Nodes forward calls to each other. Clients need not reach this address.
    #[arg(long, value_name = "HOST:PORT", requires = "node")]
    pub(super) node_address: Option<NodeAddress>,
    /// Failures that an acknowledged decision survives [default: disk]
    #[arg(long, value_enum)]
    pub(super) durability: Option<DurabilityFlag>,
    /// Replays to keep in the store: all, a time or a number [default: all]
    ///
    /// A time such as 30d keeps the replays of the last 30 days. A number such as 1000000 keeps the
    /// replays of the newest matches. Results are kept forever.
    #[arg(long, value_name = "TIME|NUMBER|all", value_parser = parse_keep_replays)]
    pub(super) keep_replays: Option<KeepReplays>,
    /// Drop a stored match that cannot be continued (repeatable)
    #[arg(long, value_name = "MATCH_ID")]
    pub(super) drop_match: Vec<String>,
    /// Time for matches to end on shutdown, in seconds [default: 5; 30 without a store]
    ///
    /// On the first SIGINT or SIGTERM the server drains: it creates no new matches and waits for
    /// this time. A second signal ends the wait.
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(..=i64::from(MAX_DRAIN_SECONDS)))]
    pub(super) drain_time: Option<u32>,
    /// Require an API key for every call
    #[arg(long)]
    pub(super) require_keys: bool,
    /// Data that is public on a server that requires API keys [default: none]
    #[arg(long, value_enum)]
    pub(super) public_read: Option<PublicReadFlag>,
    /// Serve RulesService, for bots in languages without the rules library
    ///
    /// With --require-keys, calls of this service need a key with the rules scope.
    #[arg(long)]
    pub(super) rules: bool,
    #[command(flatten)]
    pub(super) tls: TlsFlags,
    /// Address of the Prometheus metrics (`GET /metrics`)
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    pub(super) metrics: Option<SocketAddr>,
    /// Export traces over OTLP/gRPC to this collector, such as http://HOST:PORT
    ///
    /// Spans cover matches, seats and commits. With https:// the connection uses TLS.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) otlp: Option<Collector>,
    /// Address of the web page; port 0 picks a free port [default: 127.0.0.1:8080]
    ///
    /// Without this flag, the server serves the page only if its own address is a loopback address.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse, conflicts_with = "no_page")]
    pub(super) page: Option<SocketAddr>,
    /// Do not serve the web page
    #[arg(long)]
    pub(super) no_page: bool,
    /// Host name under which browsers reach the page (repeatable)
    ///
    /// IP addresses and `localhost` are always accepted. This flag is not needed with TLS.
    #[arg(long, value_name = "NAME")]
    pub(super) page_host: Vec<String>,
    /// Format of the log on standard error [default: text]
    #[arg(long, value_enum)]
    pub(super) log: Option<LogFormat>,
    /// Log more: -v matches, -vv everything (RUST_LOG takes precedence)
    #[arg(short, long, action = ArgAction::Count)]
    pub(super) verbose: u8,
    /// Allow addresses that are not loopback addresses without TLS
    ///
    /// Without TLS, tickets and keys cross the network unencrypted.
    #[arg(long)]
    pub(super) insecure: bool,
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DurabilityFlag {
    /// Power failures and crashes; every acknowledgement waits for the disk
    Disk,
    /// Crashes of the process and kill -9, but not of the machine; faster
    Process,
}

impl From<DurabilityFlag> for Durability {
    fn from(flag: DurabilityFlag) -> Self {
        match flag {
            DurabilityFlag::Disk => Self::Disk,
            DurabilityFlag::Process => Self::Process,
        }
    }
}

#[derive(Clone, Copy, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PublicReadFlag {
    /// No data; every call needs a key
    None,
    /// Ladders: standings, bots, head-to-head results, results as CSV
    Results,
    /// Ladders, and all running and ended matches
    Matches,
    /// Ladders, all matches, and replays
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
pub(super) enum LogFormat {
    /// Lines of text
    Text,
    /// One JSON object per line
    Json,
}

/// Parses `all`, a time such as `30d`, or a number of matches.
pub(super) fn parse_keep_replays(text: &str) -> Result<KeepReplays, String> {
    if text == "all" {
        return Ok(KeepReplays::All);
    }
    // Checking for digits rejects a sign, which `parse` would accept.
    if text.chars().all(|digit| digit.is_ascii_digit())
        && let Ok(count) = text.parse()
    {
        return Ok(KeepReplays::Last(count));
    }
    match text.parse::<Lifetime>() {
        Ok(lifetime) => Ok(KeepReplays::For(lifetime.duration())),
        Err(error) => Err(format!(
            "expected `all`, a number of matches (at least 1), or a time: {error}"
        )),
    }
}

/// Deserializes a value in a config file with [`parse_keep_replays`].
pub(super) fn deserialize_keep_replays<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<KeepReplays>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_keep_replays(&text)
        .map(Some)
        .map_err(D::Error::custom)
}

#[derive(Args)]
#[group(skip)]
pub(crate) struct TlsFlags {
    /// PEM file with the certificate chain; enables TLS, reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate, reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Require client certificates issued by a CA in this PEM file
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
}

impl TlsFlags {
    /// Returns the flags with the given files as defaults.
    ///
    /// # Errors
    /// Misuse if a certificate or its key is missing.
    pub(crate) fn or(
        self,
        cert: Option<PathBuf>,
        key: Option<PathBuf>,
        client_ca: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let files = Self {
            tls_cert: self.tls_cert.or(cert),
            tls_key: self.tls_key.or(key),
            tls_client_ca: self.tls_client_ca.or(client_ca),
        };
        let missing = match (&files.tls_cert, &files.tls_key) {
            (Some(_), Some(_)) => return Ok(files),
            (None, None) if files.tls_client_ca.is_none() => return Ok(files),
            (Some(_), None) => "--tls-key",
            (None, _) => "--tls-cert",
        };
        Err(misuse(format!(
            "TLS needs a certificate and its key; add {missing} FILE"
        )))
    }

    /// Returns whether the server uses TLS.
    pub(crate) fn is_enabled(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Reads the files; `None` without TLS.
    pub(crate) fn load(&self) -> anyhow::Result<Option<Arc<Tls>>> {
        let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let files = TlsFiles {
            cert: cert.clone(),
            key: key.clone(),
            client_ca: self.tls_client_ca.clone(),
        };
        let tls = Tls::load(files).map_err(|error| misuse(error.to_string()))?;
        Ok(Some(Arc::new(tls)))
    }
}

/// Reloads the files on SIGHUP. If the new files are invalid, logs the error and continues with the
/// previous files. SIGHUP then never ends the process, even without TLS.
#[cfg(unix)]
pub(crate) fn reload_on_hangup(tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    use tracing::{error, warn};

    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            // Results are logged as warnings, so that they are visible at the default log level.
            match tls.as_ref().map(|tls| tls.reload()) {
                None => warn!("SIGHUP ignored: without TLS there are no files to reload"),
                Some(Ok(())) => warn!("TLS files reloaded"),
                Some(Err(error)) => error!(
                    error = &error as &dyn std::error::Error,
                    "TLS files not reloaded; previous files stay in use"
                ),
            }
        }
    });
    Ok(())
}

/// Does nothing, since this system does not have this signal.
#[cfg(not(unix))]
pub(crate) fn reload_on_hangup(_tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_all_a_number_and_a_time_are_valid() {
        assert_eq!(parse_keep_replays("all"), Ok(KeepReplays::All));
        let last = KeepReplays::Last(1_000_000.try_into().unwrap());
        assert_eq!(parse_keep_replays("1000000"), Ok(last));
        let month = Duration::from_secs(30 * 24 * 60 * 60);
        assert_eq!(parse_keep_replays("30d"), Ok(KeepReplays::For(month)));
        for bad in [
            "",
            "0",
            "-1",
            "+5",
            "30days",
            "none",
            "ALL",
            "99999999999999999999",
        ] {
            assert!(parse_keep_replays(bad).is_err(), "{bad:?}");
        }
    }
}
