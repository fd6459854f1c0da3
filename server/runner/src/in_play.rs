//! The matches of a contest that is played: as many at once as asked for, each stored when it is
//! finished.

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
    Exit, ExitReason, MatchNumber, MatchRow, News, PlayError, RunError, SpecError, Standing,
    calls::DeskError,
    drawn::drawn,
    exit::{end_by, ending},
    held_back::VaultError,
    journal::Journal,
    play::{Assignment, Court},
    replays::Replays,
    seeds,
};

/// Bytes that are drawn for the seed of a match whose bots may remember others: nobody guesses them.
const SEED_BYTES: usize = 16;
/// Groups, for each match at once, that may be begun while an earlier one is not complete.
const GROUPS_AHEAD: u64 = 4;

/// Least time between two writings of results, if matches end as fast: to bring them to the disk costs
/// the same for many as for one.
const STORING_INTERVAL: Duration = Duration::from_millis(20);

/// Matches that have ended and are to be stored.
#[derive(Default)]
struct Gathered {
    rows: Vec<MatchRow>,
    /// The first that failed.
    failure: Option<PlayError>,
}

/// A contest with the matches that are in play.
pub(crate) struct InPlay {
    pub(crate) standing: Standing,
    /// Locked only where it is written, on a thread for that.
    journal: Arc<Mutex<Journal>>,
    court: Arc<Court>,
    /// Matches at once.
    concurrency: usize,
    begun: Instant,
    /// When matches were last stored.
    stored_at: Option<Instant>,
    /// Time that earlier runs of this contest took.
    before_ms: u64,
    playing: JoinSet<Result<MatchRow, PlayError>>,
    /// The matches that are played now, or are being stored.
    numbers: HashSet<MatchNumber>,
    /// Where each of them is played among those at once.
    placed: HashMap<MatchNumber, usize>,
    free_places: BTreeSet<usize>,
    replays: Replays,
}

/// Why no more matches are played.
pub(crate) enum Ended {
    /// Nothing is left to be played.
    Whole,
    /// Somebody stopped it.
    Stopped,
    /// One match, or a failure, ended it.
    Early(Exit),
}

impl InPlay {
    pub(crate) fn new(
        replays: Replays,
        court: Arc<Court>,
        concurrency: usize,
        standing: Standing,
        journal: Journal,
    ) -> Self {
        Self {
            before_ms: standing.elapsed_ms(),
            standing,
            journal: Arc::new(Mutex::new(journal)),
            court,
            concurrency,
            begun: Instant::now(),
            stored_at: None,
            playing: JoinSet::new(),
            numbers: HashSet::new(),
            placed: HashMap::new(),
            free_places: (0..concurrency).collect(),
            replays,
        }
    }

    /// Plays until the verdict has fallen, all is played, `stop` completes, or something fails that
    /// would fail again. Matches that are not finished then are dropped with their bots.
    ///
    /// # Errors
    /// What is no end of a contest: what cannot be stored, for instance. The matches that are in play
    /// at the server are still to be cancelled then, by [`Self::take_leave`].
    pub(crate) async fn play(
        &mut self,
        stop: Pin<&mut impl Future<Output = ()>>,
        tell: &mut impl FnMut(&Standing, News<'_>),
    ) -> Result<Ended, RunError> {
        let ended = self.play_on(stop, tell).await;
        // Matches that the verdict does not need are dropped with their bots.
        self.playing.shutdown().await;
        ended
    }

    async fn play_on(
        &mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        tell: &mut impl FnMut(&Standing, News<'_>),
    ) -> Result<Ended, RunError> {
        loop {
            self.bring_replays()?;
            if self.standing.is_complete() {
                return Ok(Ended::Whole);
            }
            self.begin_matches()?;
            let played = tokio::select! {
                biased;
                () = &mut stop => return Ok(Ended::Stopped),
                Some(played) = self.playing.join_next() => played?,
                // Nothing runs and nothing is to be run, and yet groups are missing: none can come.
                else => return Ok(Ended::Whole),
            };
            let gathered = self.gather(played).await?;
            if let Some(exit) = self.take_in(gathered, tell).await? {
                return Ok(Ended::Early(exit));
            }
        }
    }

    /// Gathers the matches that end until it is time to store some again, with the one that has just
    /// ended. Others are played in their places meanwhile.
    async fn gather(&mut self, played: Result<MatchRow, PlayError>) -> Result<Gathered, RunError> {
        let mut gathered = Gathered::default();
        self.add_to(&mut gathered, played)?;
        let store_at = self.stored_at.map(|at| at + STORING_INTERVAL);
        loop {
            // Those that have ended already are stored with it.
            while let Some(played) = self.playing.try_join_next() {
                self.add_to(&mut gathered, played?)?;
            }
            let store_at = store_at.filter(|at| *at > Instant::now());
            let Some(store_at) = store_at.filter(|_| gathered.failure.is_none()) else {
                return Ok(gathered);
            };
            tokio::select! {
                played = self.playing.join_next() => match played {
                    Some(played) => self.add_to(&mut gathered, played?)?,
                    None => return Ok(gathered),
                },
                () = sleep_until(store_at.into()) => {}
            }
        }
    }

    /// Adds a match that has ended. Another one begins in its place, unless it failed.
    fn add_to(
        &mut self,
        gathered: &mut Gathered,
        played: Result<MatchRow, PlayError>,
    ) -> Result<(), RunError> {
        match played {
            Ok(row) => gathered.rows.push(self.has_ended(row)),
            Err(error) => gathered.failure = gathered.failure.take().or(Some(error)),
        }
        match gathered.failure {
            Some(_) => Ok(()),
            None => self.begin_matches(),
        }
    }

    /// Stores matches that have ended, and counts them. Tells whether they end the contest.
    async fn take_in(
        &mut self,
        Gathered { rows, failure }: Gathered,
        tell: &mut impl FnMut(&Standing, News<'_>),
    ) -> Result<Option<Exit>, RunError> {
        self.stored_at = Some(Instant::now());
        let (stored, journal) = (rows.clone(), Arc::clone(&self.journal));
        spawn_blocking(move || journal.lock().append(&stored)).await??;
        let mut end = None;
        for row in rows {
            self.numbers.remove(&row.of);
            self.standing.add(row.clone())?;
            self.replays.add(&row);
            tell(&self.standing, News::Match(&row));
            end = end.or_else(|| end_by(&row));
        }
        match failure {
            Some(error) => failed(error).map(Some),
            None => Ok(end),
        }
    }

    /// Another match can be played in its place.
    fn has_ended(&mut self, mut row: MatchRow) -> MatchRow {
        self.free_places.extend(self.placed.remove(&row.of));
        let spent = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        row.elapsed_ms = self.before_ms.saturating_add(spent);
        row
    }

    /// Fetches and keeps the replays of groups that are over.
    fn bring_replays(&mut self) -> Result<(), RunError> {
        self.replays.go_on(|group| {
            let is_in_play = self.numbers.iter().any(|of| of.group == group);
            !is_in_play && self.standing.ledger().is_group_over(group)
        })
    }

    /// Begins as many matches as may be played at once.
    fn begin_matches(&mut self) -> Result<(), RunError> {
        let ahead = GROUPS_AHEAD.saturating_mul(self.concurrency as u64);
        while self.playing.len() < self.concurrency
            && let Some((group, of)) = self.standing.ledger().next_match(&self.numbers, ahead)
        {
            let attempt = self.standing.ledger().attempts(of);
            let place = self.free_places.pop_first().unwrap_or_default();
            let of_matches = group.seatings.len();
            let seating = group.seatings.into_iter().nth(of.number as usize);
            let seating = seating.unwrap_or_default();
            let assigned = Assignment {
                of,
                attempt,
                of_matches,
                place,
                seed: match self.court.spec.has_own_seeds(&seating) {
                    true => seeds::of_match(&group.seed, of, &drawn::<SEED_BYTES>()?),
                    false => group.seed,
                },
                seating,
            };
            self.placed.insert(of, place);
            self.numbers.insert(of);
            self.playing.spawn(Arc::clone(&self.court).play(assigned));
        }
        Ok(())
    }

    /// Ends the contest's matches at the server. For a contest that is complete it also closes the
    /// queue and fetches all replays. What is not complete may go on there with the same seeds, so
    /// its replays stay, unless the server ends with the contest.
    pub(crate) async fn take_leave(&mut self, is_own_server: bool) -> Result<(), VaultError> {
        let is_complete = self.standing.is_complete();
        let vault = &self.replays.vault;
        vault.cancel_matches().await?;
        let spec = &self.court.spec;
        if spec.has_attending_bots() && is_complete {
            vault.desk.close_queue(spec.queue()).await?;
        }
        self.replays.finish(is_complete || is_own_server).await
    }
}

/// Lets a replay be missing that the server does not give: the result counts all the same. A
/// replay that cannot be written is an error.
pub(crate) fn kept(fetched: Result<(), VaultError>) -> Result<(), RunError> {
    match fetched {
        Err(VaultError::Folder(error)) => Err(RunError::Folder(error)),
        _ => Ok(()),
    }
}

/// The end that a failure is; an error when it is a mistake in what was asked for.
fn failed(error: PlayError) -> Result<Exit, RunError> {
    let text = error.to_string();
    Ok(match error {
        PlayError::Start { .. } => ending(ExitReason::BotNotStarted, text),
        PlayError::Left { .. } => ending(ExitReason::BotEnded, text),
        PlayError::OtherGame { .. } => ending(ExitReason::BotOfOtherGames, text),
        PlayError::OutOfMemory { .. } => ending(ExitReason::BotOutOfMemory, text),
        PlayError::NeverConnected { .. } => ending(ExitReason::BotNeverConnected, text),
        PlayError::Desk(DeskError::Refused { status, .. })
            if status.code() == tonic::Code::InvalidArgument =>
        {
            return Err(RunError::Spec(SpecError::Refused(
                status.message().to_owned(),
            )));
        }
        PlayError::Desk(_) | PlayError::Server(_) => ending(
            ExitReason::RefereeFault,
            format!("{text}. Go on with --resume when the server answers again"),
        ),
        PlayError::Folder(error) => return Err(RunError::Folder(error)),
    })
}
