//! A server's settings: each field is both a `serve` flag and an entry in the config file. The
//! exceptions are `config`, `drop_match` and `verbose`, which are only flags, and `limits` and
//! `ladders`, which are only in the file. Flags take precedence over the environment, and the
//! environment takes precedence over the file.

use std::{
    collections::BTreeMap,
    fmt::Display,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::Context as _;
use bridgemaster_replay::whole_file::FileMode;
use bridgemaster_server::{KeepReplays, Limits, identity::PublicRead, traces::Collector};
use bridgemaster_store::{Durability, NodeAddress, NodeName};
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, value_parser};
use serde::{Deserialize, Deserializer, de::Error as _};
use toml::Table;

use crate::{address, failure::misuse, files, key::place, quantities::Lifetime};

/// Maximum drain time, in seconds. It is one day, the same as the maximum time for a decision.
pub(super) const MAX_DRAIN_SECONDS: u32 = 86_400;
/// Maximum size of a config file, in bytes. A file with every entry is several times smaller.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;

/// The settings as they were given. In the config file, an entry has the name of its flag, with `_`
/// in place of `-`.
#[derive(Args, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Settings {
    /// TOML file with flags, limits and ladders; command-line flags take precedence
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:50051]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) listen: Option<SocketAddr>,
    /// Folder for the replays of all finished matches, created if missing
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
    #[serde(deserialize_with = "deserialize_parsed")]
    pub(super) node: Option<NodeName>,
    /// Address at which the other nodes of the cluster reach this node
    ///
    /// Nodes forward calls to each other. Clients need not reach this address.
    #[arg(long, value_name = "HOST:PORT", requires = "node")]
    #[serde(deserialize_with = "deserialize_parsed")]
    pub(super) node_address: Option<NodeAddress>,
    /// Failures that an acknowledged decision survives [default: disk]
    #[arg(long, value_enum)]
    pub(super) durability: Option<DurabilityFlag>,
    /// Replays to keep in the store: all, a time or a number [default: all]
    ///
    /// A time such as 30d keeps the replays of the last 30 days. A number such as 1000000 keeps the
    /// replays of the newest matches. Results are kept forever.
    #[arg(long, value_name = "TIME|NUMBER|all", value_parser = parse_keep_replays)]
    #[serde(deserialize_with = "deserialize_keep_replays")]
    pub(super) keep_replays: Option<KeepReplays>,
    /// Drop a stored match that cannot be continued (repeatable)
    #[arg(long, value_name = "MATCH_ID")]
    #[serde(skip)]
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
    /// PEM file with the certificate chain; enables TLS, reloaded when it changes
    #[arg(long, value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate, reloaded when it changes
    #[arg(long, value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
    /// Require client certificates issued by a CA in this PEM file
    #[arg(long, value_name = "FILE")]
    pub(super) tls_client_ca: Option<PathBuf>,
    /// Address of the Prometheus metrics (`GET /metrics`)
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse)]
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) metrics: Option<SocketAddr>,
    /// Export traces over OTLP/gRPC to this collector, such as http://HOST:PORT
    ///
    /// Spans cover matches, seats and commits. With https:// the connection uses TLS. The
    /// environment variable OTEL_EXPORTER_OTLP_HEADERS adds headers, such as API keys.
    #[arg(long, value_name = "ADDRESS")]
    #[serde(deserialize_with = "deserialize_parsed")]
    pub(super) otlp: Option<Collector>,
    /// Address of the web page; port 0 picks a free port [default: 127.0.0.1:8080]
    ///
    /// Without this flag, the server serves the page only if its own address is a loopback address.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address::parse, conflicts_with = "no_page")]
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) page: Option<SocketAddr>,
    /// Do not serve the web page
    #[arg(long)]
    pub(super) no_page: bool,
    /// Host name, or HOST:PORT, under which browsers reach the page (repeatable)
    ///
    /// IP addresses and `localhost` are always accepted. This flag is not needed with TLS.
    #[arg(long, value_name = "NAME")]
    pub(super) page_host: Vec<String>,
    /// Format of the log on standard error [default: text]
    #[arg(long, value_enum)]
    pub(super) log: Option<LogFormat>,
    /// Log more: -v matches, -vv everything (RUST_LOG takes precedence)
    #[arg(short, long, action = ArgAction::Count)]
    #[serde(skip)]
    pub(super) verbose: u8,
    /// Allow addresses that are not loopback addresses without TLS
    ///
    /// Without TLS, tickets and keys cross the network unencrypted.
    #[arg(long)]
    pub(super) insecure: bool,
    /// The limits, which are only in the config file.
    #[arg(skip)]
    pub(super) limits: Limits,
    /// The flags of `ladder create` for each ladder, by name; only in the config file.
    #[arg(skip)]
    pub(super) ladders: BTreeMap<String, Table>,
}

#[derive(Clone, Copy, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DurabilityFlag {
    /// Power failures and crashes; every acknowledgement waits for the disk
    #[default]
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
    /// Ladders, and all running and finished matches
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogFormat {
    /// Lines of text
    Text,
    /// One JSON object per line
    Json,
}

/// Parses `all`, a time such as `30d`, or a number of matches.
fn parse_keep_replays(text: &str) -> Result<KeepReplays, String> {
    if text == "all" {
        return Ok(KeepReplays::All);
    }
    // Checks for digits, since `parse` would accept a sign.
    if text.chars().all(|digit| digit.is_ascii_digit())
        && let Ok(count) = text.parse()
    {
        return Ok(KeepReplays::Last(count));
    }
    match text.parse::<Lifetime>() {
        Ok(lifetime) => Ok(KeepReplays::For(lifetime.duration())),
        Err(_) => Err(String::from(
            "expected `all`, a number of matches (at least 1), or a time with m, h, d or w, such as \
             90d, up to 3650d",
        )),
    }
}

/// Deserializes a value in a config file with [`parse_keep_replays`].
fn deserialize_keep_replays<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<KeepReplays>, D::Error> {
    let text = String::deserialize(from)?;
    parse_keep_replays(&text).map(Some).map_err(D::Error::custom)
}

/// Deserializes a value that has the same text in a config file and in a flag.
fn deserialize_parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(D::Error::custom)
}

/// The merged settings of `serve`, or the error of its config file.
pub(super) struct ServeArgs(pub(super) anyhow::Result<Settings>);

impl Args for ServeArgs {
    fn augment_args(command: Command) -> Command {
        Settings::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

impl FromArgMatches for ServeArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let path = matches.get_one::<PathBuf>("config");
        let file = path.map_or_else(|| Ok(Settings::default()), |path| Settings::read(path));
        Ok(Self(match file.and_then(|file| file.with_environment()) {
            Ok(file) => Ok(file.with_flags(matches)?),
            Err(error) => Err(error),
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Settings {
    /// Reads a config file. Errors name the invalid entry and its line.
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = files::read_text(path, MAX_CONFIG_BYTES).context("--config")?;
        let invalid = |problem: String| misuse(format!("--config {}: {problem}", path.display()));
        let settings: Self = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        match (&settings.data, &settings.store) {
            (Some(_), Some(_)) => {
                Err(misuse("the config file has both data and store; remove one of them"))
            }
            _ => Ok(settings),
        }
    }

    /// Adds the store that the environment names.
    fn with_environment(self) -> anyhow::Result<Self> {
        Ok(match place::read()? {
            None => self,
            store => Self { data: None, store, ..self },
        })
    }

    /// Adds the flags of the command line.
    fn with_flags(mut self, matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |flag| matches.contains_id(flag);
        if is_given("data") || is_given("store") {
            (self.data, self.store) = (None, None);
        }
        if is_given("page") || matches.get_flag("no_page") {
            (self.page, self.no_page) = (None, false);
        }
        // A switch that is absent on the command line must not turn off the entry in the file.
        let switches = (self.require_keys, self.rules, self.no_page, self.insecure);
        self.update_from_arg_matches(matches)?;
        self.require_keys |= switches.0;
        self.rules |= switches.1;
        self.no_page |= switches.2;
        self.insecure |= switches.3;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Serve {
        #[command(flatten)]
        args: ServeArgs,
    }

    fn settings(text: &str, flags: &[&str]) -> anyhow::Result<Settings> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.toml");
        fs::write(&path, text).unwrap();
        let config = ["serve", "--config", path.to_str().unwrap()];
        Serve::try_parse_from(config.iter().chain(flags))?.args.0
    }

    #[test]
    fn flags_override_the_file_and_absent_flags_change_nothing() {
        let text = "listen = \"127.0.0.1:1\"\nrules = true\nno_page = true\ndata = \"one\"\n\
                    page_host = [\"a\"]\nlog = \"json\"\nkeep_replays = \"9\"\n";
        let of_file = settings(text, &[]).unwrap();
        assert_eq!(of_file.listen().port(), 1);
        assert!(of_file.rules && of_file.page().is_none());
        assert!(of_file.data.is_some() && of_file.keep_replays.is_some());
        let flags = [
            "--listen",
            "127.0.0.1:2",
            "--page",
            "127.0.0.1:3",
            "--page-host",
            "b",
            "--store",
            "postgres://one",
        ];
        let merged = settings(text, &flags).unwrap();
        assert_eq!(merged.listen().port(), 2);
        assert_eq!(merged.page().map(|page| page.port()), Some(3));
        assert_eq!((merged.data, merged.page_host), (None, vec!["b".to_owned()]));
        assert!(merged.store.is_some() && merged.rules);
    }

    #[test]
    fn an_unknown_limit_and_two_stores_are_refused() {
        let problem = settings("\n[limits]\nopen_games = 1", &[]);
        let problem = problem.err().unwrap().to_string();
        assert!(problem.contains("line 3") && problem.contains("open_matches"), "{problem}");
        let both = settings("data = \"one\"\nstore = \"postgres://one\"", &[]);
        assert!(both.err().unwrap().to_string().contains("both data and store"));
    }

    #[test]
    fn only_all_a_number_and_a_time_are_valid() {
        assert_eq!(parse_keep_replays("all"), Ok(KeepReplays::All));
        let last = KeepReplays::Last(1_000_000.try_into().unwrap());
        assert_eq!(parse_keep_replays("1000000"), Ok(last));
        let month = Duration::from_secs(30 * 24 * 60 * 60);
        assert_eq!(parse_keep_replays("30d"), Ok(KeepReplays::For(month)));
        for bad in ["", "0", "-1", "+5", "30days", "none", "ALL", "99999999999999999999"] {
            assert!(parse_keep_replays(bad).is_err(), "{bad:?}");
        }
    }
}
