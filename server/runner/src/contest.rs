//! A contest that is played.

use std::{
    collections::HashSet, path::Path, sync::Arc, thread::available_parallelism, time::Instant,
};

use bridgemaster_sdk::KEY_VARIABLE;
use parking_lot::Mutex;
use rand::{TryRng as _, rngs::SysRng};
use thiserror::Error;
use tokio::task::{JoinSet, spawn_blocking};

use crate::{
    BuiltInBots, ContestSpec, Exit, ExitReason, FolderError, JournalError, MatchNumber, MatchRow,
    PlayError, Seeds, ServerAddress, SpecError, Standing,
    desk::{Desk, DeskError},
    exit::{end_by, ending, exit, stopped},
    folder::Folder,
    journal::Journal,
    launch::Launch,
    play::{Assignment, Court},
};

/// Groups, for each match at once, that may be begun while an earlier one is not complete.
const GROUPS_AHEAD: u64 = 4;

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
}

impl Contest {
    /// A new contest, kept in this folder, which is made. A spec without seeds gets one.
    ///
    /// # Errors
    /// [`RunError::Spec`] and [`RunError::Folder`].
    pub fn create(root: &Path, mut spec: ContestSpec) -> Result<Self, RunError> {
        if spec.seeds.is_none() {
            let mut bytes = [0; 8];
            SysRng
                .try_fill_bytes(&mut bytes)
                .map_err(|_| RunError::NoRandomness)?;
            spec.seeds = Some(Seeds::From(hex::encode(bytes)));
        }
        let standing = Standing::new(spec, root.to_owned())?;
        let (folder, journal) = Folder::create(root, standing.spec())?;
        Ok(Self {
            folder,
            journal,
            standing,
            known: HashSet::new(),
        })
    }

    /// Goes on with the contest of a folder: matches that were finished are not played again.
    ///
    /// # Errors
    /// [`RunError::Folder`].
    pub fn resume(root: &Path) -> Result<Self, RunError> {
        let (folder, journal, standing) = Folder::resume(root)?;
        let seats = standing.counted().flat_map(|row| &row.seats);
        let known = seats.filter(|seat| seat.answered > 0).map(|seat| seat.bot);
        let known = known.collect();
        Ok(Self {
            folder,
            journal,
            standing,
            known,
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
        } = self;
        if standing.is_complete() {
            let exit = exit(&standing);
            return Ok((standing, exit));
        }
        let spec = standing.spec().clone();
        let key = server.key.as_ref().map(|key| key.metadata());
        let key = key.and_then(|key| key.to_str().ok().map(str::to_owned));
        let court = Arc::new(Court {
            launch: Launch::new(&spec, built_in)?.with_key(KEY_VARIABLE, key),
            desk: Desk::connect(server).await?,
            server_url: server.url.clone(),
            known: Mutex::new(known),
            folder,
            spec,
        });
        let concurrency = concurrency(&court.spec);
        tell(&standing, News::Begun { concurrency });
        let begun = Instant::now();
        let before_ms = standing.elapsed_ms();
        let mut playing = JoinSet::new();
        let mut numbers: HashSet<MatchNumber> = HashSet::new();
        tokio::pin!(stop);
        let ended = loop {
            if standing.is_complete() {
                break None;
            }
            let ahead = GROUPS_AHEAD.saturating_mul(concurrency as u64);
            while playing.len() < concurrency
                && let Some((group, of)) = standing.ledger().next_match(&numbers, ahead)
            {
                let attempt = standing.ledger().attempts(of);
                let assigned = Assignment {
                    of,
                    attempt,
                    seed: group.seed,
                    seating: group
                        .seatings
                        .into_iter()
                        .nth(of.number as usize)
                        .unwrap_or_default(),
                };
                numbers.insert(of);
                playing.spawn(Arc::clone(&court).play(assigned));
            }
            let played = tokio::select! {
                biased;
                () = &mut stop => break Some(stopped(&standing)),
                Some(played) = playing.join_next() => played?,
                // Nothing runs and nothing is to be run, and yet groups are missing: none can come.
                else => break None,
            };
            let mut row = match played {
                Ok(row) => row,
                Err(error) => break Some(failed(error)?),
            };
            numbers.remove(&row.of);
            let spent = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            row.elapsed_ms = before_ms.saturating_add(spent);
            let stored = row.clone();
            journal = spawn_blocking(move || journal.append(&stored).map(|()| journal)).await??;
            standing.add(row.clone())?;
            tell(&standing, News::Match(&row));
            if let Some(end) = end_by(&row) {
                break Some(end);
            }
        };
        // Matches that the verdict does not need are dropped with their bots.
        playing.shutdown().await;
        let exit = ended.unwrap_or_else(|| exit(&standing));
        Ok((standing, exit))
    }
}

/// Matches at once: as asked for, or one for each core but one, which the server has.
fn concurrency(spec: &ContestSpec) -> usize {
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    spec.concurrency.map_or_else(
        || cores.saturating_sub(1).max(1),
        |asked| asked.try_into().unwrap_or(usize::MAX),
    )
}

/// The end that a failure is; an error when it is a mistake in what was asked for.
fn failed(error: PlayError) -> Result<Exit, RunError> {
    let text = error.to_string();
    Ok(match error {
        PlayError::Start { .. } | PlayError::Left { .. } | PlayError::NeverConnected { .. } => {
            ending(ExitReason::BotFault, text)
        }
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
