//! A contest that is played.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    future::pending,
    path::Path,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::Queue;
use bridgemaster_sdk::KEY_VARIABLE;
use parking_lot::Mutex;
use rand::{TryRng as _, rngs::SysRng};
use thiserror::Error;
use tokio::{
    task::{JoinSet, spawn_blocking},
    time::timeout,
};

use crate::{
    BuiltInBots, ContestSpec, Exit, ExitReason, FolderError, JournalError, MatchNumber, MatchRow,
    PlayError, Seeds, ServerAddress, SpecError, Standing,
    desk::{Desk, DeskError},
    exit::{end_by, ending, exit, stopped},
    folder::Folder,
    held_back::{HeldBack, Vault, VaultError},
    journal::Journal,
    launch::Launch,
    play::{Assignment, Court},
    seeds,
};

/// Groups, for each match at once, that may be begun while an earlier one is not complete.
const GROUPS_AHEAD: u64 = 4;
/// Bytes of the name of a contest: no two contests of a server draw the same.
const ID_BYTES: usize = 16;
/// Time to call matches off when a contest ends early: somebody waits for its end, and a server
/// that is away may stay so.
const FAREWELL_TIME: Duration = Duration::from_secs(10);

/// Why a contest cannot begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// What was asked for makes no contest.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server cannot be reached.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// A finished match cannot be stored.
    #[error("a finished match cannot be stored")]
    Journal(#[from] JournalError),
    /// The statistics refuse a result.
    #[error(transparent)]
    Statistics(#[from] bridgemaster_contest::ContestError),
    /// The system gives no random numbers for a seed.
    #[error("the system gives no random numbers; give a seed")]
    NoRandomness,
    /// A task of the program failed.
    #[error("a task of the program failed")]
    Task(#[from] tokio::task::JoinError),
}

/// News of a contest.
#[derive(Debug)]
pub enum News<'a> {
    /// It begins, or goes on after so many finished matches.
    Begun {
        /// Matches at once.
        concurrency: usize,
    },
    /// A match was played to its end, or annulled.
    Match(&'a MatchRow),
}

/// A contest that can be played.
#[derive(Debug)]
pub struct Contest {
    folder: Folder,
    journal: Journal,
    standing: Standing,
    known: HashSet<usize>,
    /// Replays of finished matches that the folder does not have.
    held: HeldBack,
}

impl Contest {
    /// A new contest, kept in this folder, which is made. A spec without seeds gets one.
    ///
    /// # Errors
    /// [`RunError::Spec`] and [`RunError::Folder`].
    pub fn create(root: &Path, mut spec: ContestSpec) -> Result<Self, RunError> {
        if spec.seeds.is_none() {
            spec.seeds = Some(Seeds::From(drawn::<8>()?));
        }
        let standing = Standing::new(spec, root.to_owned())?;
        let id = drawn::<ID_BYTES>()?;
        let (folder, journal) = Folder::create(root, id, standing.spec())?;
        Ok(Self {
            folder,
            journal,
            standing,
            known: HashSet::new(),
            held: HeldBack::default(),
        })
    }

    /// Goes on with the contest of a folder: matches that were finished are not played again.
    ///
    /// # Errors
    /// [`RunError::Folder`].
    pub fn resume(root: &Path) -> Result<Self, RunError> {
        let (folder, journal, standing, rows) = Folder::resume(root)?;
        let seats = standing.counted().flat_map(|row| &row.seats);
        let known = seats.filter(|seat| seat.answered > 0).map(|seat| seat.bot);
        let known = known.collect();
        let held = HeldBack::missing(&folder, &rows);
        Ok(Self {
            folder,
            journal,
            standing,
            known,
            held,
        })
    }

    /// The contest as far as it has come.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Makes sure, before anything starts, that each bot can be started.
    ///
    /// # Errors
    /// [`SpecError::Bot`] with what to do.
    pub fn check_bots(spec: &ContestSpec, built_in: &BuiltInBots) -> Result<(), SpecError> {
        Launch::new(spec, built_in.clone()).map(drop)
    }

    /// Plays until the verdict has fallen, all is played, `stop` completes, or something fails that
    /// would fail again. `tell` hears of each finished match after it was stored.
    ///
    /// # Errors
    /// [`RunError`] for what is no end of a contest: what cannot be stored or reached at the
    /// beginning. A bot or a server that fails later is an end: [`ExitReason::BotFault`],
    /// [`ExitReason::RefereeFault`].
    pub async fn play(
        self,
        server: &ServerAddress,
        built_in: BuiltInBots,
        stop: impl Future<Output = ()>,
        mut tell: impl FnMut(&Standing, News<'_>),
    ) -> Result<(Standing, Exit), RunError> {
        let Self {
            folder,
            mut journal,
            mut standing,
            known,
            mut held,
        } = self;
        if server.is_own {
            // Another server had them, and it is gone.
            held = HeldBack::default();
        }
        if standing.is_complete() && held.is_empty() {
            let exit = exit(&standing);
            return Ok((standing, exit));
        }
        let spec = standing.spec().clone();
        let key = server.key.as_ref().map(|key| key.metadata());
        let key = key.and_then(|key| key.to_str().ok().map(str::to_owned));
        let launch = Launch::new(&spec, built_in)?.with_key(KEY_VARIABLE, key);
        let folder = Arc::new(folder);
        let vault = Vault {
            desk: Desk::connect(server).await?,
            folder: Arc::clone(&folder),
        };
        let court = Arc::new(Court {
            launch,
            desk: vault.desk.clone(),
            server_url: server.url.clone(),
            known: Mutex::new(known),
            folder,
            spec,
        });
        if !server.is_own {
            // Those that a run left there which was killed.
            kept(vault.call_off().await)?;
        }
        if court.spec.has_attending_bots() {
            vault.desk.open_queue(queue_of(&court.spec, server)).await?;
        }
        let concurrency = court.launch.concurrency(&court.spec);
        let mut places: BTreeSet<usize> = (0..concurrency).collect();
        tell(&standing, News::Begun { concurrency });
        let begun = Instant::now();
        let before_ms = standing.elapsed_ms();
        let mut playing = JoinSet::new();
        let mut numbers: HashSet<MatchNumber> = HashSet::new();
        let mut placed: HashMap<MatchNumber, usize> = HashMap::new();
        let mut fetching = JoinSet::new();
        let mut is_stopped = false;
        tokio::pin!(stop);
        let ended = loop {
            while let Some(fetched) = fetching.try_join_next() {
                kept(fetched?)?;
            }
            let is_over = |group| {
                let is_in_play = numbers.iter().any(|of| of.group == group);
                !is_in_play && standing.ledger().is_group_over(group)
            };
            for replays in held.extract_over(is_over) {
                fetching.spawn(vault.clone().open(replays));
            }
            if standing.is_complete() {
                break None;
            }
            let ahead = GROUPS_AHEAD.saturating_mul(concurrency as u64);
            while playing.len() < concurrency
                && let Some((group, of)) = standing.ledger().next_match(&numbers, ahead)
            {
                let attempt = standing.ledger().attempts(of);
                let place = places.pop_first().unwrap_or_default();
                placed.insert(of, place);
                let of_matches = group.seatings.len();
                let seating = group.seatings.into_iter().nth(of.number as usize);
                let seating = seating.unwrap_or_default();
                let assigned = Assignment {
                    of,
                    attempt,
                    of_matches,
                    place,
                    seed: match court.spec.has_own_seeds(&seating) {
                        true => seeds::of_match(&group.seed, of),
                        false => group.seed,
                    },
                    seating,
                };
                numbers.insert(of);
                playing.spawn(Arc::clone(&court).play(assigned));
            }
            let played = tokio::select! {
                biased;
                () = &mut stop => {
                    is_stopped = true;
                    break Some(stopped(&standing));
                }
                Some(played) = playing.join_next() => played?,
                // Nothing runs and nothing is to be run, and yet groups are missing: none can come.
                else => break None,
            };
            let mut row = match played {
                Ok(row) => row,
                Err(error) => break Some(failed(error)?),
            };
            numbers.remove(&row.of);
            places.extend(placed.remove(&row.of));
            let spent = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            row.elapsed_ms = before_ms.saturating_add(spent);
            let stored = row.clone();
            journal = spawn_blocking(move || journal.append(&stored).map(|()| journal)).await??;
            standing.add(row.clone())?;
            held.add(&row);
            tell(&standing, News::Match(&row));
            if let Some(end) = end_by(&row) {
                break Some(end);
            }
        };
        // Matches that the verdict does not need are dropped with their bots.
        playing.shutdown().await;
        let is_complete = standing.is_complete();
        let closed = court.spec.has_attending_bots() && is_complete;
        let queue_id = court.spec.queue().to_owned();
        let farewell = async {
            vault.call_off().await?;
            if closed {
                vault.desk.close_queue(&queue_id).await?;
            }
            // What is not complete may go on there with the same seeds.
            if is_complete || server.is_own {
                vault.open_all(held).await?;
            }
            while let Some(fetched) = fetching.join_next().await {
                // A task ends otherwise only when it is aborted.
                fetched.unwrap_or(Ok(()))?;
            }
            Ok(())
        };
        let patience = (!is_complete).then_some(FAREWELL_TIME);
        let stop = (!is_stopped).then_some(stop);
        kept(within(patience, stop, farewell).await)?;
        let exit = ended.unwrap_or_else(|| exit(&standing));
        Ok((standing, exit))
    }
}

/// The queue that the bots of a contest attend which are not started.
fn queue_of(spec: &ContestSpec, server: &ServerAddress) -> Queue {
    let attending = spec.bots.iter().filter_map(|bot| bot.attends.clone());
    Queue {
        queue_id: spec.queue().to_owned(),
        game_id: spec.rules.game.clone(),
        rules_version: spec.rules.rules_version,
        // Without a key the server asks for none, and has no names of keys.
        key_names: match server.key {
            Some(_) => attending.collect(),
            None => Vec::new(),
        },
        ..Queue::default()
    }
}

/// Waits for what ends a contest, but not longer than `patience`, nor than until it is stopped.
async fn within(
    patience: Option<Duration>,
    stop: Option<Pin<&mut impl Future<Output = ()>>>,
    farewell: impl Future<Output = Result<(), VaultError>>,
) -> Result<(), VaultError> {
    let stopped = async {
        match stop {
            Some(stop) => stop.await,
            None => pending().await,
        }
    };
    let farewell = async {
        match patience {
            Some(patience) => timeout(patience, farewell).await.unwrap_or(Ok(())),
            None => farewell.await,
        }
    };
    tokio::select! {
        biased;
        ended = farewell => ended,
        () = stopped => Ok(()),
    }
}

/// Lets a replay be missing that the server does not give: the result counts all the same. A
/// replay that cannot be written is an error.
fn kept(fetched: Result<(), VaultError>) -> Result<(), RunError> {
    match fetched {
        Err(VaultError::Folder(error)) => Err(RunError::Folder(error)),
        _ => Ok(()),
    }
}

/// So many random bytes in hex.
fn drawn<const BYTES: usize>() -> Result<String, RunError> {
    let mut bytes = [0; BYTES];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|_| RunError::NoRandomness)?;
    Ok(hex::encode(bytes))
}

/// The end that a failure is; an error when it is a mistake in what was asked for.
fn failed(error: PlayError) -> Result<Exit, RunError> {
    let text = error.to_string();
    Ok(match error {
        PlayError::Start { .. }
        | PlayError::Left { .. }
        | PlayError::OutOfMemory { .. }
        | PlayError::NeverConnected { .. } => ending(ExitReason::BotFault, text),
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
        PlayError::Spec(error) => return Err(RunError::Spec(error)),
    })
}
