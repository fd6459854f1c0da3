//! Schedules the matches of a running contest and stores each finished match.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::{
    task::{JoinSet, spawn_blocking},
    time::sleep_until,
};

use crate::{
    ContestEvent, ContestState, Exit, MatchNumber, MatchRow, RunError,
    exit::exit_after,
    journal::Journal,
    match_runner::{Assignment, MatchRunner},
    replays::Replays,
    run_error::PlayError,
    seeds,
};

/// The number of random bytes in a match's seed if its bots might remember earlier matches. It is
/// enough to be unpredictable.
const SEED_BYTES: usize = 16;
/// The number of groups, per concurrent match, that can be started while an earlier group is
/// incomplete.
const GROUPS_AHEAD: u64 = 4;

/// The minimum interval between writes of results. Syncing many rows takes no longer than syncing
/// one.
const STORE_INTERVAL: Duration = Duration::from_millis(20);

/// Finished matches that are not stored in the journal yet.
#[derive(Default)]
struct FinishedMatches {
    rows: Vec<MatchRow>,
    /// The first error, if any.
    failure: Option<PlayError>,
}

/// A running contest, with its matches in progress.
pub(crate) struct Scheduler {
    pub(crate) state: ContestState,
    /// Locked only by the blocking thread that writes to it.
    journal: Arc<Mutex<Journal>>,
    runner: Arc<MatchRunner>,
    /// The maximum number of matches in progress.
    concurrency: usize,
    started_at: Instant,
    /// The time at which finished matches were last stored.
    stored_at: Option<Instant>,
    /// Total time of this contest's earlier runs, in ms.
    before_ms: u64,
    running: JoinSet<Result<MatchRow, PlayError>>,
    /// Matches that are being played or stored.
    in_progress: HashSet<MatchNumber>,
    /// The slot of each match in progress.
    slots: HashMap<MatchNumber, usize>,
    free_slots: BTreeSet<usize>,
    replays: Replays,
}

/// The reason why no more matches are played.
pub(crate) enum PlayEnd {
    /// All matches are finished.
    Complete,
    /// The caller stopped the contest.
    Stopped,
    /// A match or an error ended the contest early.
    Early(Exit),
}

impl Scheduler {
    pub(crate) fn new(
        replays: Replays,
        runner: Arc<MatchRunner>,
        concurrency: usize,
        state: ContestState,
        journal: Journal,
    ) -> Self {
        Self {
            before_ms: state.elapsed_ms(),
            state,
            journal: Arc::new(Mutex::new(journal)),
            runner,
            concurrency,
            started_at: Instant::now(),
            stored_at: None,
            running: JoinSet::new(),
            in_progress: HashSet::new(),
            slots: HashMap::new(),
            free_slots: (0..concurrency).collect(),
            replays,
        }
    }

    /// Plays until the verdict is reached, all matches are played, `stop` completes, or a permanent
    /// error occurs. Unfinished matches are dropped together with their bots.
    ///
    /// # Errors
    /// Returns errors that are not a regular exit of a contest, such as a failed write. The caller
    /// must still call [`Self::shut_down`] to cancel the matches on the server.
    pub(crate) async fn play(
        &mut self,
        stop: Pin<&mut impl Future<Output = ()>>,
        on_event: &mut impl FnMut(&ContestState, ContestEvent<'_>),
    ) -> Result<PlayEnd, RunError> {
        let ended = self.run(stop, on_event).await;
        // The verdict makes these matches unnecessary. They are dropped together with their bots.
        self.running.shutdown().await;
        ended
    }

    async fn run(
        &mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        on_event: &mut impl FnMut(&ContestState, ContestEvent<'_>),
    ) -> Result<PlayEnd, RunError> {
        loop {
            self.poll_replays()?;
            if self.state.is_complete() {
                return Ok(PlayEnd::Complete);
            }
            self.start_matches()?;
            let played = tokio::select! {
                biased;
                () = &mut stop => return Ok(PlayEnd::Stopped),
                Some(played) = self.running.join_next() => played?,
                // Incomplete groups remain, but no match is running and none can be started.
                else => return Ok(PlayEnd::Complete),
            };
            let finished = self.collect_finished(played).await?;
            if let Some(exit) = self.record(finished, on_event).await? {
                self.state.record_time(self.elapsed_ms());
                return Ok(PlayEnd::Early(exit));
            }
        }
    }

    /// Collects finished matches until the next write is due, and starts new matches in their
    /// slots.
    async fn collect_finished(
        &mut self,
        played: Result<MatchRow, PlayError>,
    ) -> Result<FinishedMatches, RunError> {
        let mut finished = FinishedMatches::default();
        self.add_finished(&mut finished, played)?;
        let store_at = self.stored_at.map(|at| at + STORE_INTERVAL);
        loop {
            // Includes all other matches that have already finished.
            while let Some(played) = self.running.try_join_next() {
                self.add_finished(&mut finished, played?)?;
            }
            let store_at = store_at.filter(|at| *at > Instant::now());
            let Some(store_at) = store_at.filter(|_| finished.failure.is_none()) else {
                return Ok(finished);
            };
            tokio::select! {
                played = self.running.join_next() => match played {
                    Some(played) => self.add_finished(&mut finished, played?)?,
                    None => return Ok(finished),
                },
                () = sleep_until(store_at.into()) => {}
            }
        }
    }

    /// Adds a finished match, and starts a new match in its slot unless the finished match failed.
    fn add_finished(
        &mut self,
        finished: &mut FinishedMatches,
        played: Result<MatchRow, PlayError>,
    ) -> Result<(), RunError> {
        match played {
            Ok(row) => finished.rows.push(self.release_slot(row)),
            Err(error) => finished.failure = finished.failure.take().or(Some(error)),
        }
        match finished.failure {
            Some(_) => Ok(()),
            None => self.start_matches(),
        }
    }

    /// Stores and counts finished matches. Returns the contest's exit if one of the matches ends
    /// the contest.
    async fn record(
        &mut self,
        FinishedMatches { rows, failure }: FinishedMatches,
        on_event: &mut impl FnMut(&ContestState, ContestEvent<'_>),
    ) -> Result<Option<Exit>, RunError> {
        self.stored_at = Some(Instant::now());
        let (stored, journal) = (rows.clone(), Arc::clone(&self.journal));
        let appended = spawn_blocking(move || journal.lock().append(&stored)).await?;
        appended.map_err(RunError::Journal)?;
        let mut end = None;
        for row in rows {
            self.in_progress.remove(&row.of);
            self.state.add(row.clone())?;
            self.replays.add(&row);
            on_event(&self.state, ContestEvent::MatchFinished(&row));
            end = end.or_else(|| exit_after(&row));
        }
        match failure {
            Some(error) => error.into_exit().map(Some),
            None => Ok(end),
        }
    }

    /// Releases a match's slot, and returns its row with the elapsed time.
    fn release_slot(&mut self, mut row: MatchRow) -> MatchRow {
        self.free_slots.extend(self.slots.remove(&row.of));
        row.elapsed_ms = self.elapsed_ms();
        row
    }

    /// Returns the total time of all runs so far, in ms.
    fn elapsed_ms(&self) -> u64 {
        let spent = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.before_ms.saturating_add(spent)
    }

    /// Starts fetching and storing the replays of groups that have ended.
    fn poll_replays(&mut self) -> Result<(), RunError> {
        self.replays.poll(|group| {
            let is_in_play = self.in_progress.iter().any(|of| of.group == group);
            !is_in_play && self.state.results().is_group_over(group)
        })
    }

    /// Starts matches until `concurrency` matches are in progress.
    fn start_matches(&mut self) -> Result<(), RunError> {
        let ahead = GROUPS_AHEAD.saturating_mul(self.concurrency as u64);
        while self.running.len() < self.concurrency
            && let Some((group, of)) = self.state.results().next_match(&self.in_progress, ahead)
        {
            let attempt = self.state.results().attempts(of);
            let slot = self.free_slots.pop_first().unwrap_or_default();
            let group_matches = group.seatings.len();
            let seating = group.seatings.into_iter().nth(of.number as usize);
            let seating = seating.unwrap_or_default();
            let assigned = Assignment {
                of,
                attempt,
                group_matches,
                slot,
                seed: if self.runner.spec.has_own_seeds(&seating) {
                    seeds::match_seed(
                        &group.seed,
                        of,
                        &seeds::random_hex::<SEED_BYTES>().ok_or(RunError::NoRandomness)?,
                    )
                } else {
                    group.seed
                },
                seating,
            };
            self.slots.insert(of, slot);
            self.in_progress.insert(of);
            self.running.spawn(Arc::clone(&self.runner).play(assigned));
        }
        Ok(())
    }

    /// Cancels the contest's matches on the server. If the contest is complete, also closes the
    /// queue and downloads all replays. The replays of an incomplete contest stay withheld, since
    /// it can be resumed with the same seeds, unless the server stops after this run and would take
    /// them with it.
    pub(crate) async fn shut_down(&mut self, is_own_server: bool) -> Result<(), RunError> {
        let is_complete = self.state.is_complete();
        let fetcher = &self.replays.fetcher;
        fetcher.cancel_matches().await?;
        self.runner.shut_down_reused_bots(is_complete).await?;
        let spec = &self.runner.spec;
        if spec.has_attending_bots() && is_complete {
            fetcher.client.close_queue(spec.queue()).await?;
        }
        self.replays.finish(is_complete || is_own_server).await
    }
}

/// Ignores replays that the server did not return, since the results count without them. A replay
/// that cannot be written is an error.
pub(crate) fn ignore_missing_replays(fetched: Result<(), RunError>) -> Result<(), RunError> {
    match fetched {
        Err(RunError::Folder(error)) => Err(RunError::Folder(error)),
        _ => Ok(()),
    }
}
