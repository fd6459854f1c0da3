//! Plan of a run, generated from a seed: players of the matches, and the times of faults.

use std::time::Duration;

use bridgemaster_bots::greedy::Rate;
use bridgemaster_games::{ChanceStream, GAME_IDS, Seed, with_game};

use super::proxy::Cut;

/// Numbers of matches and of faults.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Decides everything but the outcomes of races.
    pub(crate) seed: u64,
    pub(crate) matches: usize,
    /// Times that the server is killed.
    pub(crate) server_kills: usize,
    /// Python bots take seats.
    pub(crate) with_python: bool,
    /// Some connections stay silent, which costs a bot a minute.
    pub(crate) with_endless_silence: bool,
    /// Matches that are played at once.
    pub(crate) at_once: usize,
    /// Longest time for each of the two runs.
    pub(crate) patience: Duration,
}

impl Order {
    /// Times that a bot is killed.
    fn bot_kills(&self) -> usize {
        self.matches / 2
    }

    /// Times that a connection is cut.
    fn cuts(&self) -> usize {
        self.matches * 2
    }
}

/// Player of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Player {
    /// A bot inside this program, which checks every message.
    Watched,
    /// `bridgemaster bot greedy`, a process.
    Greedy,
    /// `bridgemaster bot random`, a process.
    Random,
    /// The Python sample bot, a process.
    PythonSample,
}

impl Player {
    /// Its decisions depend on more than its requests, so that a bot that was started again
    /// decides differently.
    pub(crate) fn remembers(self, game: &str) -> bool {
        match self {
            Self::Watched => false,
            // It samples hidden facts in all games, but its ratings depend on them only in some.
            Self::Greedy => with_game!(game, G => <G as Rate>::RATES_HIDDEN_FACTS) == Some(true),
            // They decide at random; the sample bot among decisions that it rates equally.
            Self::Random | Self::PythonSample => true,
        }
    }
}

/// A match to be played.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlannedMatch {
    pub(crate) game: &'static str,
    pub(crate) seed: String,
    /// By seat.
    pub(crate) players: Vec<Player>,
    /// Bots that remember are not killed here, so that the match must end as if undisturbed.
    pub(crate) spares_memory: bool,
}

impl PlannedMatch {
    /// Returns whether the bot of this seat may be killed.
    pub(crate) fn may_kill(&self, seat: usize) -> bool {
        !(self.spares_memory && self.players[seat].remembers(self.game))
    }
}

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disturbance {
    /// When: the part of all requests to watched bots that were asked by then, in millionths.
    pub(crate) at: u64,
    pub(crate) what: Trouble,
}

/// A fault. A `pick` chooses among the current candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// SIGKILL for the server, and another in its place.
    KillServer {
        /// Delay after the disturbance's moment, which is always the moment of a request.
        after: Duration,
        /// Delays after the starts of the next servers, at which these are killed too.
        again_after: Vec<Duration>,
    },
    KillBot {
        pick: u32,
    },
    Cut {
        pick: u32,
        how: Cut,
    },
}

/// Plan of a run, generated from its seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) matches: Vec<PlannedMatch>,
    /// By their moments.
    pub(crate) disturbances: Vec<Disturbance>,
}

/// All requests, in the unit of [`Disturbance::at`].
pub(crate) const WHOLE: u64 = 1_000_000;
/// Before this part of the requests nothing goes wrong.
const FIRST_AT: u32 = 20_000;
/// From this part on nothing more goes wrong, so that all of it happens while matches are played.
const LAST_AT: u32 = 900_000;
/// One in this many kills of the server is followed by a kill of the next server as it starts.
const ONE_IN_KILLS_AGAIN: u32 = 4;
/// Longest time from the start of a server to a kill that hits it while it starts, in ms: it takes
/// some ten ms until it listens.
const STARTING_MS: u32 = 60;
/// Longest time from a request to a kill of the server, in ms: some requests go by in it.
const AFTER_REQUEST_MS: u32 = 20;
/// Longest silence of a link that is reset after it, in ms.
const SILENCE_MS: u32 = 1_500;

impl Plan {
    pub(crate) fn new(order: &Order) -> Self {
        let seed = Seed::from(order.seed);
        let mut chance = ChanceStream::new(&seed, 0);
        let matches = (0..order.matches)
            .map(|number| planned_match(number, order, &mut chance))
            .collect();
        let mut chance = ChanceStream::new(&seed, 1);
        let mut troubles = server_kills(order.server_kills, &mut chance);
        troubles.extend((0..order.bot_kills()).map(|_| Trouble::KillBot {
            pick: chance.below(u32::MAX),
        }));
        troubles.extend((0..order.cuts()).map(|_| Trouble::Cut {
            pick: chance.below(u32::MAX),
            how: cut(order, &mut chance),
        }));
        let mut disturbances: Vec<_> = troubles
            .into_iter()
            .map(|what| Disturbance {
                at: (FIRST_AT + chance.below(LAST_AT - FIRST_AT)).into(),
                what,
            })
            .collect();
        disturbances.sort_by_key(|disturbance| disturbance.at);
        Self {
            matches,
            disturbances,
        }
    }
}

/// Every game in turn, and every kind of bot against every other.
fn planned_match(number: usize, order: &Order, chance: &mut ChanceStream) -> PlannedMatch {
    const PROCESSES: [Player; 3] = [Player::Greedy, Player::Random, Player::PythonSample];
    let processes = &PROCESSES[..if order.with_python { 3 } else { 2 }];
    let game = GAME_IDS[number % GAME_IDS.len()];
    let round = number / GAME_IDS.len();
    let (least, most) =
        with_game!(game, G => (u32::from(*G::SEATS.start()), u32::from(*G::SEATS.end())))
            .expect("a game of the catalogue");
    let seats = least + chance.below(most - least + 1);
    let mut players: Vec<Player> = (1..seats as usize)
        .map(|companion| processes[(number + round + companion) % processes.len()])
        .collect();
    players.push(Player::Watched);
    chance.shuffle(&mut players);
    PlannedMatch {
        game,
        seed: format!("chaos-{}-{number}", order.seed),
        players,
        spares_memory: chance.below(2) == 0,
    }
}

fn server_kills(count: usize, chance: &mut ChanceStream) -> Vec<Trouble> {
    let mut kills = Vec::new();
    let mut left = count;
    while left > 0 {
        left -= 1;
        let mut again_after = Vec::new();
        while left > 0 && chance.below(ONE_IN_KILLS_AGAIN) == 0 {
            left -= 1;
            again_after.push(Duration::from_millis(chance.below(STARTING_MS).into()));
        }
        let after = Duration::from_millis(chance.below(AFTER_REQUEST_MS).into());
        kills.push(Trouble::KillServer { after, again_after });
    }
    kills
}

fn cut(order: &Order, chance: &mut ChanceStream) -> Cut {
    match chance.below(20) {
        0..=7 => Cut::Reset,
        8..=13 => Cut::Close,
        14 if order.with_endless_silence => Cut::Silence { then_reset: None },
        _ => {
            let silence = Duration::from_millis(chance.below(SILENCE_MS).into());
            Cut::Silence {
                then_reset: Some(silence),
            }
        }
    }
}
