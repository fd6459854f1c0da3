//! Built-in bots, which run inside the process of the contest.
//!
//! They connect to the server through the SDK, as any other bot does. Each bot has its own thread,
//! and a separate runtime sends and receives all messages. So bots compete for CPU time as separate
//! processes would, and do not delay the server or the contest.

use std::{
    collections::HashMap, error::Error, fs, io, iter::successors, num::NonZero, path::PathBuf,
    thread::available_parallelism, time::Duration,
};

use bridgemaster_bot_process::UsageTracker;
use bridgemaster_games::Seed;
use bridgemaster_sdk::{
    ATTEND_RECONNECT_FOR, ApiKey, Bot, Choice, Connection, Options, OptionsError, Request,
    TlsOptions, v1,
};
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{ServerAddress, running_bots::RunningBot};

/// The number of CPU cores per thread of the runtime for built-in bots' messages.
const CORES_PER_THREAD: usize = 4;

/// The built-in bots and the program that contains them.
#[derive(Clone, Debug)]
pub struct BuiltInBots {
    /// The program file. Its arguments `bot NAME --seed SEED` run a built-in bot as a process. This
    /// program also supervises all bots; see [`BotCommand::supervised`].
    ///
    /// [`BotCommand::supervised`]: bridgemaster_bot_process::BotCommand::supervised
    pub program: PathBuf,
    /// Names of the built-in bots.
    pub names: Vec<String>,
    /// Creates the built-in bot with this name, with a seed for its random choices. Returns `None`
    /// for an unknown name.
    pub make: fn(&str, &Seed) -> Option<Box<dyn Bot>>,
}

/// Plays built-in bots' seats. Dropping this value stops the bots.
pub(crate) struct BuiltInSeats {
    /// `None` only while this value is being dropped.
    runtime: Option<Runtime>,
    handle: Handle,
    server_url: String,
    key: Option<ApiKey>,
    tls: TlsOptions,
    /// Each slot's connection. A match reuses the connection of the previous match in its slot.
    connections: Mutex<HashMap<usize, Connection>>,
}

/// A seat that a built-in bot is to play.
pub(crate) struct BuiltInSeat<'a> {
    /// Name of the built-in bot.
    pub(crate) name: &'a str,
    pub(crate) bot: Box<dyn Bot>,
    pub(crate) ticket: &'a str,
    /// The match's slot among the concurrent matches, from 0.
    pub(crate) slot: usize,
}

impl BuiltInSeats {
    /// Starts a runtime for built-in bots that play on this server.
    ///
    /// # Errors
    /// Returns an error if the operating system cannot start the threads of the runtime.
    pub(crate) fn on(server: &ServerAddress) -> io::Result<Self> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            // The other cores are for bots and the referee, so more threads for messages would not
            // help.
            .worker_threads(cores.div_ceil(CORES_PER_THREAD))
            .thread_name("built-in bots")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
            server_url: server.url.clone(),
            key: server.bot_key.clone(),
            tls: server.tls.clone(),
            connections: Mutex::default(),
        })
    }

    /// Starts a task that plays a seat to the end of its match.
    ///
    /// # Errors
    /// Returns an error if the address or the ticket is not valid.
    pub(crate) fn play(&self, seat: BuiltInSeat<'_>) -> Result<RunningBot, OptionsError> {
        let options = Options {
            bot_version: env!("CARGO_PKG_VERSION").to_owned(),
            key: self.key.clone(),
            ..Options::new(&self.server_url, seat.ticket.parse()?, seat.name)
        };
        // Unlike a process, a built-in bot cannot be restarted, so it has more time to reconnect.
        let options = options.for_offered_seat(ATTEND_RECONNECT_FOR);
        let connection = self.connection(seat.slot)?;
        let used = UsageTracker::default();
        let bot = CpuMeasuredBot { bot: seat.bot, used: used.clone() };
        let play = async move {
            let played = connection.play(bot, &options).await;
            played.map(drop).map_err(|error| with_causes(&error))
        };
        Ok(RunningBot::built_in(used, &self.handle, play))
    }

    fn connection(&self, slot: usize) -> Result<Connection, OptionsError> {
        let mut connections = self.connections.lock();
        if let Some(connection) = connections.get(&slot) {
            return Ok(connection.clone());
        }
        // The channel's background task must run on the runtime for built-in bots.
        let _entered = self.handle.enter();
        let connection = Connection::with_tls(&self.server_url, &self.tls)?;
        connections.insert(slot, connection.clone());
        Ok(connection)
    }
}

impl Drop for BuiltInSeats {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // This value may be dropped in an async task, which must not block.
            runtime.shutdown_background();
        }
    }
}

/// A bot that reports its CPU time at the end of its match. The time is measured on the bot's own
/// thread.
struct CpuMeasuredBot {
    bot: Box<dyn Bot>,
    used: UsageTracker,
}

impl Bot for CpuMeasuredBot {
    fn decide(&mut self, request: &Request) -> Choice {
        self.bot.decide(request)
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.bot.match_started(started);
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        self.bot.decision_rejected(rejected);
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        self.bot.seat_changed(status);
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        self.bot.match_ended(result);
        if let Some(time) = thread_cpu_time() {
            self.used.record(0, time);
        }
    }
}

/// Returns the calling thread's CPU time; `None` if the system does not report it.
fn thread_cpu_time() -> Option<Duration> {
    let stats = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = stats.split_whitespace().next()?;
    nanoseconds.parse().ok().map(Duration::from_nanos)
}

/// Formats an error and its causes on one line.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = successors(Some(error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}
