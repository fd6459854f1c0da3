//! Creates, resumes and plays a contest.

use std::{collections::HashSet, future::pending, path::Path, pin::Pin, sync::Arc, time::Duration};

use bridgemaster_bot_process::{CpuQuota, Isolation};
use bridgemaster_proto::v1::{MatchConfig, Queue};
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::{
    BuiltInBots, ContestEvent, ContestSpec, ContestState, Exit, MatchRow, RunError, Seeds,
    ServerAddress, SpecError,
    bot_files::BotFiles,
    bot_watch::{BotWatch, read_files},
    built_in::BuiltInSeats,
    cpu::{Pinning, concurrency},
    exit::{exit, stopped},
    folder::{Folder, NewFolder},
    fork::ForkSource,
    journal::Journal,
    launch::Launch,
    match_client::MatchClient,
    match_runner::MatchRunner,
    replays::{ReplayFetcher, Replays, WithheldReplays},
    running_bots::ReusedBots,
    scheduler::{PlayEnd, Scheduler, ignore_missing_replays},
    seeds::random_hex,
    stderr_files::{OutputListener, StderrFiles},
};

/// The number of random bytes in a contest's id; enough to be unique on a server.
const ID_BYTES: usize = 16;
/// Time limit for cancelling matches when a contest ends early, because the server might be
/// unreachable.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// A contest that is ready to be played.
pub struct Contest {
    folder: Folder,
    journal: Journal,
    state: ContestState,
    working_bots: HashSet<usize>,
    /// Replays of finished matches that are not in the folder yet.
    withheld: WithheldReplays,
    /// The bots' files; `None` until they are read.
    files: Option<BotFiles>,
    /// True to continue if a bot's file changes. The report then contains the changes.
    pub bots_may_change: bool,
    /// The minimum isolation of bots that run as processes.
    pub min_isolation: Isolation,
    /// A listener for the lines that bots write to standard error.
    pub output: Option<OutputListener>,
}

impl Contest {
    /// Creates a contest and its folder. If the spec has no seeds, generates a random seed.
    ///
    /// # Errors
    /// Returns [`RunError::Spec`] and [`RunError::Folder`].
    pub fn create(root: &Path, mut spec: ContestSpec) -> Result<Self, RunError> {
        if spec.seeds.is_none() {
            let seed = random_hex::<8>().ok_or(RunError::NoRandomness)?;
            spec.seeds = Some(Seeds::From(seed));
        }
        let state = ContestState::new(spec, root.to_owned())?;
        let files = BotFiles::read(state.spec())?;
        let id = random_hex::<ID_BYTES>().ok_or(RunError::NoRandomness)?;
        let (folder, journal) = Folder::create(root, id, state.spec())?;
        Ok(Self { files: Some(files), ..Self::from_rows(folder, journal, state, &[]) })
    }

    /// Creates a contest that starts from a position in this replay file, and stores the file in
    /// the contest's folder.
    ///
    /// # Errors
    /// Returns the errors of [`Contest::create`].
    pub fn fork(root: &Path, spec: ContestSpec, replay_file: &[u8]) -> Result<Self, RunError> {
        let contest = Self::create(root, spec)?;
        contest.folder.store_fork(replay_file)?;
        Ok(contest)
    }

    /// Resumes the contest in a folder. Finished matches are not repeated.
    ///
    /// # Errors
    /// Returns [`RunError::Folder`] if the folder cannot be read or is in use.
    pub fn resume(root: &Path) -> Result<Self, RunError> {
        let (folder, journal, state, rows) = Folder::resume(root)?;
        Ok(Self::from_rows(folder, journal, state, &rows))
    }

    /// Returns the contest after these finished matches.
    fn from_rows(folder: Folder, journal: Journal, state: ContestState, rows: &[MatchRow]) -> Self {
        let seats = state.counted().flat_map(|row| &row.seats);
        let working_bots = seats.filter(|seat| seat.answered > 0).map(|seat| seat.bot);
        Self {
            working_bots: working_bots.collect(),
            withheld: WithheldReplays::missing(&folder, rows),
            folder,
            journal,
            state,
            files: None,
            bots_may_change: false,
            min_isolation: Isolation::ProcessGroup,
            output: None,
        }
    }

    /// Returns the folder as it was created; `None` if the contest was resumed.
    pub fn new_folder(&self) -> Option<&NewFolder> {
        self.folder.new_folder()
    }

    /// Returns the contest's current state.
    pub fn state(&self) -> &ContestState {
        &self.state
    }

    /// Returns the maximum number of seats in concurrent matches.
    pub fn concurrent_seats(&self) -> usize {
        let spec = self.state.spec();
        let pinning = Pinning::new(spec).ok().flatten();
        let seats = usize::from(spec.rules.seats).max(2);
        concurrency(spec, pinning.as_ref()).saturating_mul(seats)
    }

    /// Checks that each bot can be started.
    ///
    /// # Errors
    /// Returns an error that names the first bot that cannot be started, with advice.
    pub fn check_bots(spec: &ContestSpec, built_in: &BuiltInBots) -> Result<(), SpecError> {
        Launch::new(spec, built_in.clone()).map(drop)
    }

    /// Plays until the verdict is reached, all matches are played, `stop` completes, or a permanent
    /// error occurs. Calls `on_event` for each finished match after it was stored.
    ///
    /// # Errors
    /// Returns [`RunError`] if the contest cannot be started or stored. A later failure of a bot or
    /// a server is a regular exit of the contest: [`BotFault`](crate::ExitReason::BotFault),
    /// [`RefereeFault`](crate::ExitReason::RefereeFault).
    pub async fn play(
        self,
        server: &ServerAddress,
        built_in: BuiltInBots,
        stop: impl Future<Output = ()>,
        mut on_event: impl FnMut(&ContestState, ContestEvent<'_>),
    ) -> Result<(ContestState, Exit), RunError> {
        let Self {
            folder,
            journal,
            mut state,
            working_bots,
            mut withheld,
            files,
            bots_may_change,
            min_isolation,
            output,
        } = self;
        if server.is_own() {
            // The missing replays were on the server of an earlier run, which no longer exists.
            withheld = WithheldReplays::default();
        }
        if state.is_complete() && withheld.is_empty() {
            let exit = exit(&state);
            state.set_identity(folder.identity()?);
            return Ok((state, exit));
        }
        let folder = Arc::new(folder);
        let spec = state.spec();
        let watch = match start_watch(&folder, spec, files, bots_may_change).await? {
            Ok(watch) => watch,
            Err(exit) => {
                state.set_identity(folder.identity()?);
                return Ok((state, exit));
            }
        };
        let stderr = StderrFiles::new(&folder, spec.max_output_bytes, output);
        let parts = (folder, watch, stderr);
        let launch = (Launch::new(spec, built_in)?, min_isolation);
        let (fetcher, runner) = connect(parts, spec, working_bots, server, launch).await?;
        let concurrency = runner.launch.concurrency(&runner.spec);
        on_event(&state, ContestEvent::Started { concurrency });
        tokio::pin!(stop);
        let replays = Replays::new(fetcher, withheld);
        let mut scheduler =
            Scheduler::new(replays, Arc::clone(&runner), concurrency, state, journal);
        let ended = scheduler.play(stop.as_mut(), &mut on_event).await;
        let stop = (!matches!(ended, Ok(PlayEnd::Stopped))).then_some(stop);
        let time_limit = (!scheduler.state.is_complete()).then_some(SHUTDOWN_TIMEOUT);
        let shutdown = scheduler.shut_down(server.is_own());
        let shutdown = ignore_missing_replays(with_deadline(time_limit, stop, shutdown).await);
        // An error is returned only after the shutdown, which must cancel the matches in any case.
        let ended = ended?;
        shutdown?;
        let mut state = scheduler.state;
        state.add_late_refused(server.take_all_refused());
        state.set_identity(runner.watch.identity());
        let exit = exit_of(ended, &state);
        Ok((state, exit))
    }
}

fn exit_of(ended: PlayEnd, state: &ContestState) -> Exit {
    match ended {
        PlayEnd::Complete => exit(state),
        PlayEnd::Stopped => stopped(state),
        PlayEnd::Early(exit) => exit,
    }
}

/// Starts watching the bot files. If a file has changed, the inner error is the exit of the
/// contest.
async fn start_watch(
    folder: &Arc<Folder>,
    spec: &ContestSpec,
    files: Option<BotFiles>,
    bots_may_change: bool,
) -> Result<Result<BotWatch, Exit>, RunError> {
    let files = match files {
        Some(files) => files,
        None => read_files(spec).await?,
    };
    match BotWatch::start(Arc::clone(folder), spec, files, bots_may_change) {
        Ok(watch) => Ok(Ok(watch)),
        Err(changed) => changed.into_exit().map(Err),
    }
}

/// Connects to the contest's server and opens the contest's queue. Returns the replay fetcher and
/// the match runner.
async fn connect(
    (folder, watch, stderr): (Arc<Folder>, BotWatch, StderrFiles),
    spec: &ContestSpec,
    working_bots: HashSet<usize>,
    server: &ServerAddress,
    (launch, min_isolation): (Launch, Isolation),
) -> Result<(ReplayFetcher, Arc<MatchRunner>), RunError> {
    if spec.reuse && !server.is_own() {
        return Err(SpecError::reuse_elsewhere().into());
    }
    let launch = launch.on_server(server, folder.path(""), min_isolation);
    let fetcher =
        ReplayFetcher { client: MatchClient::connect(server).await?, folder: Arc::clone(&folder) };
    let lacks_bot_key = server.key.is_some() && server.bot_key.is_none();
    let starts_bots = spec.bots.iter().any(|bot| bot.attends.is_none());
    if lacks_bot_key && starts_bots && fetcher.client.requires_bot_keys().await {
        return Err(SpecError::BotKeyMissing.into());
    }
    if !server.is_own() {
        // Cancels matches that are left from an earlier run that was killed.
        ignore_missing_replays(fetcher.cancel_matches().await)?;
    }
    if spec.has_attending_bots() {
        fetcher.client.open_queue(queue_of(spec, server)).await?;
    }
    let forked = ForkSource::load(spec, &folder)?;
    let config = match forked {
        Some(_) => MatchConfig::default(),
        None => spec.rules.config(None)?,
    };
    let runner = Arc::new(MatchRunner {
        launch,
        watch,
        stderr,
        built_in: BuiltInSeats::on(server).map_err(RunError::NoThreads)?,
        reused_bots: ReusedBots::default(),
        client: fetcher.client.clone(),
        server_url: server.url.clone(),
        own_server: server.own.clone(),
        forked,
        working_bots: Mutex::new(working_bots),
        folder,
        config,
        quota: CpuQuota::for_this_process().filter(|_| server.is_own()),
        spec: spec.clone(),
    });
    Ok((fetcher, runner))
}

/// Returns the queue for the contest's attending bots.
fn queue_of(spec: &ContestSpec, server: &ServerAddress) -> Queue {
    let attending = spec.bots.iter().filter_map(|bot| bot.attends.clone());
    Queue {
        queue_id: spec.queue().to_owned(),
        game_id: spec.rules.game.clone(),
        rules_version: spec.rules.rules_version,
        // On a server without API keys, bots have no key names by which a queue could be
        // restricted.
        key_names: match server.key {
            Some(_) => attending.collect(),
            None => Vec::new(),
        },
        ..Queue::default()
    }
}

/// Awaits `shutdown` until it completes, `time_limit` has passed, or `stop` completes.
async fn with_deadline(
    time_limit: Option<Duration>,
    stop: Option<Pin<&mut impl Future<Output = ()>>>,
    shutdown: impl Future<Output = Result<(), RunError>>,
) -> Result<(), RunError> {
    let stopped = async {
        match stop {
            Some(stop) => stop.await,
            None => pending().await,
        }
    };
    let shutdown = async {
        match time_limit {
            Some(limit) => timeout(limit, shutdown).await.unwrap_or(Ok(())),
            None => shutdown.await,
        }
    };
    tokio::select! {
        biased;
        ended = shutdown => ended,
        () = stopped => Ok(()),
    }
}
