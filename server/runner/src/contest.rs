//! A contest that is played.

use std::{collections::HashSet, future::pending, path::Path, pin::Pin, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{MatchConfig, Queue};
use bridgemaster_sdk::KEY_VARIABLE;
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::{
    BuiltInBots, ContestSpec, Exit, News, RunError, Seeds, ServerAddress, SpecError, Standing,
    desk::Desk,
    drawn::drawn,
    exit::{exit, stopped},
    folder::Folder,
    fork::Forked,
    held_back::{HeldBack, Vault, VaultError},
    in_play::{Ended, InPlay, kept},
    journal::Journal,
    launch::Launch,
    play::Court,
    replays::Replays,
};

/// Bytes of the name of a contest: no two contests of a server draw the same.
const ID_BYTES: usize = 16;
/// Time to cancel matches when a contest ends early: somebody waits for its end, and a server
/// that is away may stay so.
const FAREWELL_TIME: Duration = Duration::from_secs(10);

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

    /// A new contest that plays on from a position of this replay file, which is kept with it.
    ///
    /// # Errors
    /// Those of [`Contest::create`].
    pub fn fork(root: &Path, spec: ContestSpec, replay_file: &[u8]) -> Result<Self, RunError> {
        let contest = Self::create(root, spec)?;
        contest.folder.keep_fork(replay_file)?;
        Ok(contest)
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
    /// beginning. A bot or a server that fails later is an end:
    /// [`BotFault`](crate::ExitReason::BotFault), [`RefereeFault`](crate::ExitReason::RefereeFault).
    pub async fn play(
        self,
        server: &ServerAddress,
        built_in: BuiltInBots,
        stop: impl Future<Output = ()>,
        mut tell: impl FnMut(&Standing, News<'_>),
    ) -> Result<(Standing, Exit), RunError> {
        let Self {
            folder,
            journal,
            standing,
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
        let (vault, court) = connect(folder, standing.spec(), known, server, built_in).await?;
        if !server.is_own {
            // Those that a run left there which was killed.
            kept(vault.cancel_matches().await)?;
        }
        if court.spec.has_attending_bots() {
            vault.desk.open_queue(queue_of(&court.spec, server)).await?;
        }
        let concurrency = court.launch.concurrency(&court.spec);
        tell(&standing, News::Begun { concurrency });
        tokio::pin!(stop);
        let replays = Replays::new(vault, held);
        let mut in_play = InPlay::new(replays, court, concurrency, standing, journal);
        let ended = in_play.play(stop.as_mut(), &mut tell).await;
        let is_stopped = matches!(ended, Ok(Ended::Stopped));
        let patience = (!in_play.standing.is_complete()).then_some(FAREWELL_TIME);
        let farewell = in_play.take_leave(server.is_own);
        let taken = kept(within(patience, (!is_stopped).then_some(stop), farewell).await);
        // Whatever failed, matches are left in play nowhere.
        let ended = ended?;
        taken?;
        let standing = in_play.standing;
        let exit = match ended {
            Ended::Whole => exit(&standing),
            Ended::Stopped => stopped(&standing),
            Ended::Early(exit) => exit,
        };
        Ok((standing, exit))
    }
}

/// Connects to the server of a contest. The result is what fetches its replays and what plays its
/// matches.
async fn connect(
    folder: Folder,
    spec: &ContestSpec,
    known: HashSet<usize>,
    server: &ServerAddress,
    built_in: BuiltInBots,
) -> Result<(Vault, Arc<Court>), RunError> {
    let key = server.key.as_ref().map(|key| key.metadata());
    let key = key.and_then(|key| key.to_str().ok().map(str::to_owned));
    let launch = Launch::new(spec, built_in)?;
    let launch = launch.with_key(KEY_VARIABLE, key).with_groups();
    let folder = Arc::new(folder);
    let vault = Vault {
        desk: Desk::connect(server).await?,
        folder: Arc::clone(&folder),
    };
    let forked = Forked::of(spec, &folder)?;
    let config = match forked {
        Some(_) => MatchConfig::default(),
        None => spec.rules.config("")?,
    };
    let court = Arc::new(Court {
        launch,
        desk: vault.desk.clone(),
        server_url: server.url.clone(),
        forked,
        known: Mutex::new(known),
        folder,
        config,
        spec: spec.clone(),
    });
    Ok((vault, court))
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
