//! The bots of the seats: started, killed on order, and started again with the same ticket.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use bridgemaster_bot_process::BotCommand;
use bridgemaster_games::Seed;
use tokio::{
    select,
    sync::{mpsc, watch},
};

use super::{plan::Player, sequence_watch::SequenceWatch, watched_bot::WatchedBot};
use crate::{kit::program::PROGRAM, tool::workspace};

/// A seat of a match.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) player: Player,
    pub(crate) ticket: String,
    /// Of its bot's own chance.
    pub(crate) bot_seed: u32,
    pub(crate) may_be_killed: bool,
}

/// Settings that all seats share.
pub(crate) struct Seats {
    url: String,
    python: Option<PathBuf>,
    /// Counts the requests of all watched bots.
    progress: Arc<watch::Sender<u64>>,
    /// Kill switches of running bots that may be killed, by number.
    killable: Mutex<BTreeMap<u32, mpsc::Sender<()>>>,
}

/// Outcome of a seat.
#[derive(Debug)]
pub(crate) struct PlayedSeat {
    /// Number of kills of its bot.
    pub(crate) kills: u32,
    /// Received messages, if the seat was watched.
    pub(crate) watch: Option<SequenceWatch>,
}

impl Seats {
    pub(crate) fn new(url: &str, python: Option<&Path>, progress: Arc<watch::Sender<u64>>) -> Self {
        Self {
            url: url.to_owned(),
            python: python.map(Path::to_owned),
            progress,
            killable: Mutex::default(),
        }
    }

    /// Kills one of the bots that may be killed, and returns whether there was one.
    pub(crate) fn kill(&self, pick: u32) -> bool {
        let killable = self.killable.lock().unwrap();
        let order = killable.values().nth(pick as usize % killable.len().max(1));
        // A bot that has an order already is as good as dead.
        order.is_some_and(|order| order.try_send(()).is_ok())
    }

    /// Plays a seat to the end of its match.
    ///
    /// # Errors
    /// With the mistake of its bot or the server.
    pub(crate) async fn play(&self, seat: &Seat) -> Result<PlayedSeat, String> {
        let (order, mut ordered) = mpsc::channel(1);
        if seat.may_be_killed {
            let mut killable = self.killable.lock().unwrap();
            killable.insert(seat.bot_seed, order.clone());
        }
        let watch = Arc::new(Mutex::new(SequenceWatch::new()));
        let mut kills = 0;
        let played = loop {
            let life = async {
                match self.command(seat) {
                    None => self.watched(seat, kills, &watch).play().await,
                    Some(command) => self.process(&command, &seat.ticket).await,
                }
            };
            // The bot of the life that loses is dropped, and so killed.
            select! {
                played = life => break played,
                _ = ordered.recv() => kills += 1,
            }
        };
        self.killable.lock().unwrap().remove(&seat.bot_seed);
        played?;
        let watch = Arc::into_inner(watch).and_then(|watch| watch.into_inner().ok());
        Ok(PlayedSeat {
            kills,
            watch: watch.filter(|_| seat.player == Player::Watched),
        })
    }

    /// The bot of a life of a watched seat.
    fn watched(&self, seat: &Seat, life: u32, watch: &Arc<Mutex<SequenceWatch>>) -> WatchedBot {
        let seed = Seed::from(u64::from(seat.bot_seed) << 32 | u64::from(life));
        let (watch, progress) = (Arc::clone(watch), Arc::clone(&self.progress));
        WatchedBot::new(&self.url, &seat.ticket, &seed, watch, progress)
    }

    async fn process(&self, command: &BotCommand, ticket: &str) -> Result<(), String> {
        let bot = command.start(&self.url, ticket).await;
        let mut bot = bot.map_err(|error| error.to_string())?;
        let status = bot.ended().await.map_err(|error| error.to_string())?;
        if status.success() {
            return Ok(());
        }
        let said = bot.final_stderr().await;
        Err(format!("its process ended by itself with {status}: {said}"))
    }

    /// Command of the bot; `None` for one inside this program.
    fn command(&self, seat: &Seat) -> Option<BotCommand> {
        let house = BotCommand::new(PROGRAM).with(["bot"]);
        let command = match seat.player {
            Player::Watched => return None,
            Player::Greedy => house.with(["greedy"]),
            Player::Random => house.with(["random"]),
            Player::PythonSample => {
                let python = self.python.as_ref();
                BotCommand::new(python.expect("plans have Python bots only where there is Python"))
                    .with([workspace().join("bots/python/sample_bot.py")])
            }
        };
        Some(command.with(["--seed", &seat.bot_seed.to_string()]))
    }
}
