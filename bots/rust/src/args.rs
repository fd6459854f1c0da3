//! Command lines for the built-in bots.

use std::{
    io::{self, Stderr},
    path::PathBuf,
    time::Duration,
};

use anyhow::Context as _;
use bridgemaster_games::{MAX_SEED_CHARS, Seed};
use bridgemaster_sdk::{
    ATTEND_RECONNECT_FOR, ApiKey, AttendOptions, CA_VARIABLE, CLIENT_CERT_VARIABLE,
    CLIENT_KEY_VARIABLE, DEFAULT_SERVER_URL, KEY_VARIABLE, Options, PROXY_VARIABLE, QUEUE_VARIABLE,
    SERVER_VARIABLE, SLOTS_VARIABLE, TICKET_VARIABLE, Ticket, TlsOptions, attend_blocking,
    play_blocking,
    proto::escape::{Escaped, EscapedLog},
    tls_hint, v1,
};
use clap::{Args, Parser};
use thiserror::Error;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry,
    util::SubscriberInitExt as _,
};

use crate::{Effort, GREEDY, NAMES, SEARCH, factory, log_filter};

/// PEM files for a server with an https:// address.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct TlsArgs {
    /// PEM file with the CA certificates to trust instead of the system's
    #[arg(long, value_name = "FILE", env = CA_VARIABLE)]
    pub ca: Option<PathBuf>,
    /// File with the client certificate, for a server that requires one
    #[arg(long, value_name = "FILE", env = CLIENT_CERT_VARIABLE, requires = "client_key")]
    pub client_cert: Option<PathBuf>,
    /// File with the private key of the client certificate
    #[arg(long, value_name = "FILE", env = CLIENT_KEY_VARIABLE, requires = "client_cert")]
    pub client_key: Option<PathBuf>,
}

impl From<TlsArgs> for TlsOptions {
    fn from(args: TlsArgs) -> Self {
        Self { ca: args.ca, client_cert: args.client_cert, client_key: args.client_key }
    }
}

/// Limits on the effort per decision of `search` and `greedy`.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct EffortArgs {
    /// Number of playouts per decision of `search` [default: limited by time]
    ///
    /// With --seed, equal requests then get equal decisions.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub playouts: Option<u32>,
    /// Maximum time per decision of `search`, in ms [default: a share of the bank]
    ///
    /// Valid values are 1 to 86400000.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=86_400_000))]
    pub time_ms: Option<u32>,
    /// Percentage of random decisions of `greedy`, for a weaker opponent
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=99))]
    pub mistakes: Option<u32>,
}

impl EffortArgs {
    /// Refuses limits for a bot that does not have them.
    ///
    /// # Errors
    ///
    /// Returns an error if a limit of the search is set and the bot is not `search`, or mistakes
    /// are set and the bot is not `greedy`.
    pub fn check(self, bot_name: &str) -> Result<(), UnsupportedEffort> {
        let is_searching = self.playouts.is_some() || self.time_ms.is_some();
        let refused = [
            (is_searching, "--playouts and --time-ms require", SEARCH),
            (self.mistakes.is_some(), "--mistakes requires", GREEDY),
        ];
        match refused.into_iter().find(|(is_given, _, bot)| *is_given && bot_name != *bot) {
            None => Ok(()),
            Some((_, flags, required)) => {
                Err(UnsupportedEffort { flags, required, bot_name: bot_name.to_owned() })
            }
        }
    }
}

impl From<EffortArgs> for Effort {
    fn from(args: EffortArgs) -> Self {
        Self {
            playouts: args.playouts,
            time: args.time_ms.map(|ms| Duration::from_millis(ms.into())),
            mistakes: args.mistakes.unwrap_or(0),
        }
    }
}

/// The error for a missing join ticket, which is read from a flag or the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "missing join ticket: set {TICKET_VARIABLE} or pass --ticket; creating a match returns one \
     for each seat"
)]
pub struct MissingTicket;

/// The error for a limit that is given to a bot without it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{flags} the bot {required}; got {bot_name}")]
pub struct UnsupportedEffort {
    flags: &'static str,
    required: &'static str,
    bot_name: String,
}

/// The seat that a bot plays, and its connection.
#[derive(Args, Clone, Debug)]
pub struct SeatArgs {
    /// Address of the server
    #[arg(long, value_name = "URL", env = SERVER_VARIABLE, default_value = DEFAULT_SERVER_URL)]
    pub server: String,
    /// Join ticket of the seat, as returned when the match was created
    #[arg(long, value_name = "TICKET", env = TICKET_VARIABLE, hide_env_values = true)]
    pub ticket: Option<Ticket>,
    /// API key of the bot, for a server that requires one
    #[arg(long, value_name = "KEY", env = KEY_VARIABLE, hide_env_values = true)]
    pub key: Option<ApiKey>,
    /// TLS files for a server with an https:// address.
    #[command(flatten)]
    pub tls: TlsArgs,
    /// Seed of the bot's random numbers, 1 to 64 printable characters [default: random]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<Seed>,
    /// Address of an HTTP proxy that connects by CONNECT
    #[arg(long, value_name = "URL", env = PROXY_VARIABLE)]
    pub proxy: Option<String>,
    /// Queue of a contest or a ladder to attend, if there is no ticket
    #[arg(long, value_name = "NAME", env = QUEUE_VARIABLE)]
    pub queue: Option<String>,
    /// Maximum number of concurrent matches from the queue, 1 to 64
    #[arg(long, value_name = "NUMBER", env = SLOTS_VARIABLE, default_value_t = 1)]
    pub slots: u32,
    /// Seconds to keep trying to reconnect [default: 30, or 600 with a queue]
    #[arg(long, value_name = "SECONDS")]
    pub reconnect_for: Option<u32>,
    /// Limits on the effort per decision.
    #[command(flatten)]
    pub effort: EffortArgs,
}

impl SeatArgs {
    /// Plays the seat to the end of its match with the named bot. Without a ticket, attends the
    /// queue until the queue is closed.
    ///
    /// # Errors
    ///
    /// Returns [`MissingTicket`] if neither a ticket nor a queue is given, or
    /// [`UnsupportedEffort`]. Also returns an error if no bot has this name, the match cannot be
    /// played, or the queue cannot be attended.
    pub fn play(self, bot_name: &str) -> anyhow::Result<Option<v1::MatchResult>> {
        let drawn = || Seed::from(rand::random::<u64>());
        let make = factory(bot_name).with_context(|| {
            format!("unknown bot {bot_name:?}; the built-in bots are: {}", NAMES.join(", "))
        })?;
        self.effort.check(bot_name)?;
        let effort = Effort::from(self.effort);
        let bot_version = env!("CARGO_PKG_VERSION").to_owned();
        let reconnect_for = self.reconnect_for.map(|s| Duration::from_secs(s.into()));
        if let Some(ticket) = self.ticket {
            let mut options = Options {
                bot_version,
                key: self.key,
                tls: self.tls.into(),
                proxy: self.proxy,
                ..Options::new(self.server, ticket, bot_name)
            };
            if self.queue.is_some() {
                // The process was started for an offer, which contained the ticket.
                options = options.for_offered_seat(ATTEND_RECONNECT_FOR);
            }
            options.reconnect_for = reconnect_for.unwrap_or(options.reconnect_for);
            let seed = self.seed.unwrap_or_else(drawn);
            return Ok(Some(play_blocking(make(&seed, effort), options)?));
        }
        let queue = self.queue.ok_or(MissingTicket)?;
        let mut options = AttendOptions {
            slots: self.slots,
            bot_version,
            key: self.key,
            tls: self.tls.into(),
            proxy: self.proxy,
            ..AttendOptions::new(self.server, queue, bot_name)
        };
        options.reconnect_for = reconnect_for.unwrap_or(options.reconnect_for);
        let mut matches = 0_u64;
        let new_bot = || {
            matches += 1;
            let seed = self.seed.as_ref().map(|seed| seed_of_match(seed, matches));
            make(&seed.unwrap_or_else(drawn), effort)
        };
        attend_blocking(new_bot, options)?;
        Ok(None)
    }
}

/// Returns a bot's seed for the match with this number, counted from 1. The seed is derived from
/// the common `seed` and cut to the maximum length.
fn seed_of_match(seed: &Seed, number: u64) -> Seed {
    let text = format!("{number}.{seed}");
    let cut: String = text.chars().take(MAX_SEED_CHARS).collect();
    cut.parse().expect("a number, a dot and the beginning of a seed are a seed")
}

/// The command line for a bot's own binary.
#[derive(Parser)]
#[command(version, about = "Plays one seat of a Bridgemaster match")]
struct BinaryArgs {
    #[command(flatten)]
    seat: SeatArgs,
}

/// Runs a bot's binary: parses the command line and plays. Logs warnings to standard error;
/// `RUST_LOG` changes the level.
///
/// # Errors
///
/// Returns the errors of [`SeatArgs::play`].
pub fn run_binary(bot_name: &str) -> anyhow::Result<()> {
    let filter = log_filter(Targets::new().with_default(LevelFilter::WARN));
    let log = fmt::layer().with_writer(log).with_filter(filter);
    registry().with(log).init();
    let played = BinaryArgs::parse().seat.play(bot_name);
    // The error can contain unescaped text from the server.
    played.map_err(|error| {
        let text = Escaped(format_args!("{error:#}")).to_string();
        match tls_hint(&text) {
            Some(hint) => anyhow::anyhow!("{text} ({hint})"),
            None => anyhow::anyhow!("{text}"),
        }
    })?;
    Ok(())
}

/// Returns standard error as a log writer.
#[allow(clippy::disallowed_methods, reason = "the printed text is escaped")]
fn log() -> EscapedLog<Stderr> {
    EscapedLog::text(io::stderr())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn read(words: &[&str]) -> Result<SeatArgs, clap::Error> {
        BinaryArgs::try_parse_from([&["x"], words].concat()).map(|args| args.seat)
    }

    #[test]
    fn the_command_line_definition_is_valid() {
        BinaryArgs::command().debug_assert();
    }

    #[test]
    fn an_unknown_bot_is_refused_with_the_known_names() {
        let error = read(&["--ticket", "t"]).unwrap().play("deep-blue").unwrap_err().to_string();
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
    }

    #[test]
    fn limits_are_accepted_only_by_the_bots_that_have_them() {
        let args = read(&["--playouts", "20", "--time-ms", "50"]).unwrap();
        let effort = Effort::from(args.effort);
        assert_eq!(effort.playouts, Some(20));
        assert_eq!(effort.time, Some(Duration::from_millis(50)));
        for wrong in [
            ["--playouts", "0"],
            ["--time-ms", "0"],
            ["--time-ms", "86400001"],
            ["--mistakes", "100"],
        ] {
            assert!(read(&wrong).is_err(), "{wrong:?}");
        }
        let error = args.play("greedy").unwrap_err().to_string();
        assert!(error.contains("--time-ms") && error.contains("greedy"), "{error}");
        let error = read(&["--mistakes", "10"]).unwrap().play("search").unwrap_err().to_string();
        assert_eq!(error, "--mistakes requires the bot greedy; got search");
    }

    #[test]
    fn seat_and_seed_come_from_the_arguments() {
        let args = read(&["--ticket", "t", "--server", "http://[::1]:9", "--seed", "s1"]).unwrap();
        assert_eq!(args.server, "http://[::1]:9");
        assert_eq!(args.seed.unwrap().as_str(), "s1");
    }
}
