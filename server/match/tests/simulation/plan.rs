//! What a match is going to be: its rules, and how its bots, networks and server behave. All of it
//! follows from a seed.

use std::ops::Range;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    ClockRules, FaultAction, FaultPolicy, FaultReason, HousePolicy, MatchRules, SeatOdds,
};

use crate::{
    cluster::plan::ClusterPlan,
    dice::{Dice, Purpose},
};

/// A second, in µs.
const SECOND: u64 = 1_000_000;
/// A millisecond, in µs.
const MS: u64 = 1000;
/// How long a bot may look for the server that has its match, in ms: some do not answer, and each is
/// waited for.
const MOST_SEARCH_MS: u32 = 60_000;

/// What kind of bot plays a seat. A kind says what its bot may be blamed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Answers every request soon over a network that holds.
    Reliable,
    /// As reliable, but its streams are cut, and it comes back soon.
    Reconnecting,
    /// As reliable, but its process ends and starts anew, knowing nothing.
    Restarting,
    /// Thinks long, now and then too long.
    Slow,
    /// Leaves requests without an answer.
    Silent,
    /// Comes when the match may have begun, or not at all.
    Absent,
    /// Leaves and comes back late or never.
    Leaving,
    /// Gives answers that are not legal.
    Illegal,
    /// Gives stale, repeated and unasked answers, and those of other matches.
    Stray,
    /// Sends much that answers nothing.
    Flooding,
    /// Sends bytes that are no message.
    Garbling,
    /// Gives up.
    Resigning,
    /// Opens a second stream while it has one.
    Doubling,
    /// Does not read for a while, or ever again.
    Deaf,
    /// All of it.
    Wild,
}

impl Kind {
    pub(crate) const ALL: [Self; 15] = [
        Self::Reliable,
        Self::Reconnecting,
        Self::Restarting,
        Self::Slow,
        Self::Silent,
        Self::Absent,
        Self::Leaving,
        Self::Illegal,
        Self::Stray,
        Self::Flooding,
        Self::Garbling,
        Self::Resigning,
        Self::Doubling,
        Self::Deaf,
        Self::Wild,
    ];

    /// The faults that a bot of this kind can commit when it has time enough.
    pub(crate) fn faults(self) -> &'static [FaultReason] {
        use FaultReason::{Disconnected, Flood, Garbage, Illegal, Late, NeverConnected, Resigned};
        match self {
            Self::Reliable | Self::Reconnecting | Self::Restarting | Self::Doubling => &[],
            Self::Slow | Self::Silent => &[Late],
            Self::Absent => &[NeverConnected],
            Self::Leaving => &[Disconnected],
            Self::Illegal => &[Illegal],
            // Useless messages add up where a seat is seldom asked.
            Self::Stray | Self::Flooding => &[Flood],
            Self::Garbling => &[Garbage],
            Self::Resigning => &[Resigned],
            Self::Deaf => &[Late, Disconnected],
            Self::Wild => &[
                Illegal,
                Late,
                Disconnected,
                NeverConnected,
                Flood,
                Garbage,
                Resigned,
            ],
        }
    }
}

/// How a bot and its network behave. Chances are in thousandths, for each request that the bot
/// gets.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) kind: Kind,
    /// When it comes, in µs; never when `None`.
    pub(crate) comes_after_us: Option<Range<u64>>,
    pub(crate) think_us: Range<u64>,
    /// How long it waits before it connects again, in µs.
    pub(crate) backoff_us: Range<u64>,
    /// Time of a message on its way, in µs.
    pub(crate) latency_us: Range<u64>,
    /// How long the server takes to find that a stream was cut, in µs.
    pub(crate) half_open_us: Range<u64>,
    pub(crate) cut: u32,
    /// It restarts when it should answer.
    pub(crate) restart: u32,
    pub(crate) late: u32,
    pub(crate) silent: u32,
    pub(crate) leave: u32,
    pub(crate) illegal: u32,
    pub(crate) stray: u32,
    pub(crate) flood: u32,
    pub(crate) garbage: u32,
    pub(crate) resign: u32,
    pub(crate) second_stream: u32,
    pub(crate) deaf: u32,
}

impl Habits {
    /// The habits of a kind of bot, drawn within what the kind allows.
    pub(crate) fn new(kind: Kind, dice: &mut Dice) -> Self {
        let latency = dice.pick(&[0, 100, 5 * MS, 30 * MS]);
        let mut habits = Self {
            kind,
            comes_after_us: Some(0..SECOND / 2),
            think_us: 0..dice.pick(&[1, MS, 50 * MS, 200 * MS]),
            backoff_us: MS..100 * MS,
            latency_us: latency / 2..latency + 1,
            half_open_us: 0..dice.pick(&[1, 50 * MS, 20 * SECOND]),
            cut: 0,
            restart: 0,
            late: 0,
            silent: 0,
            leave: 0,
            illegal: 0,
            stray: 0,
            flood: 0,
            garbage: 0,
            resign: 0,
            second_stream: 0,
            deaf: 0,
        };
        let wild = kind == Kind::Wild;
        let mut chance = |of: &[Kind], chances: &[u32]| {
            let chance = dice.pick(chances);
            match (of.contains(&kind), wild) {
                (true, _) => chance,
                (false, true) => chance / 8,
                (false, false) => 0,
            }
        };
        habits.cut = chance(&[Kind::Reconnecting], &[50, 200, 600]);
        habits.restart = chance(&[Kind::Restarting], &[50, 200]);
        habits.late = chance(&[Kind::Slow], &[50, 300]);
        habits.silent = chance(&[Kind::Silent], &[50, 300, 1000]);
        habits.leave = chance(&[Kind::Leaving], &[30, 100, 1000]);
        habits.illegal = chance(&[Kind::Illegal], &[50, 300, 1000]);
        habits.stray = chance(&[Kind::Stray], &[100, 500]);
        habits.flood = chance(&[Kind::Flooding], &[30, 100]);
        habits.garbage = chance(&[Kind::Garbling], &[50, 200]);
        habits.resign = chance(&[Kind::Resigning], &[20, 100]);
        habits.second_stream = chance(&[Kind::Doubling], &[100, 400]);
        habits.deaf = chance(&[Kind::Deaf], &[50, 200]);
        match kind {
            Kind::Absent => {
                habits.comes_after_us = dice.happens(500).then_some(SECOND..90 * SECOND);
            }
            Kind::Slow => habits.think_us = 0..2 * SECOND,
            Kind::Wild => {
                habits.comes_after_us = (!dice.happens(100)).then_some(0..40 * SECOND);
                habits.think_us = 0..dice.pick(&[MS, SECOND, 12 * SECOND]);
                habits.backoff_us = MS..dice.pick(&[100 * MS, 15 * SECOND]);
            }
            _ => {}
        }
        habits
    }
}

/// How the server behaves.
#[derive(Clone, Debug)]
pub(crate) struct ServerHabits {
    /// Between two times at which it stands still, in µs; it never does when `None`.
    pub(crate) stall_every_us: Option<Range<u64>>,
    /// How long it stands still, in µs.
    pub(crate) stall_us: Range<u64>,
    /// What of a stall it does not notice, in µs: less than the margin that the referee gives.
    pub(crate) unnoticed_us: Range<u64>,
    /// How long a report waits before it is handled, in µs.
    pub(crate) handling_us: Range<u64>,
    /// How late its timer wakes, in µs.
    pub(crate) tick_late_us: Range<u64>,
    /// Between two Pings, in µs.
    pub(crate) ping_every_us: u64,
    /// How long the journal takes to store what was written, in µs.
    pub(crate) store_us: Range<u64>,
    /// From the start to the kill, in µs; it is never killed when `None`.
    pub(crate) killed_after_us: Option<Range<u64>>,
    /// From the kill to the next start, in µs.
    pub(crate) away_us: Range<u64>,
    /// Between two times at which it has no room for a bot that comes, in µs; it always has some
    /// when `None`.
    pub(crate) full_every_us: Option<Range<u64>>,
    /// How long it then has none, in µs.
    pub(crate) full_us: Range<u64>,
    /// The chance, in thousandths, that a server finds less than the one before had stored: a
    /// power failure took the end, or a backup was restored.
    pub(crate) loses_tail: u32,
    /// From the start until somebody cancels the match, in µs; nobody does when `None`.
    pub(crate) cancelled_after_us: Option<Range<u64>>,
}

/// A match that is going to be played.
#[derive(Debug)]
pub(crate) struct Plan<G: WireGame> {
    pub(crate) seed: u64,
    pub(crate) rules: MatchRules<G>,
    /// Whether the clocks leave every bot time enough that does not dawdle.
    pub(crate) is_roomy: bool,
    pub(crate) bots: Vec<Habits>,
    pub(crate) server: ServerHabits,
    /// How several servers behave that share a database; one is alone when `None`.
    pub(crate) cluster: Option<ClusterPlan>,
}

impl<G: WireGame> Plan<G> {
    /// A match with every fault: any kinds of bots, any rules.
    pub(crate) fn with_every_fault(seed: u64, config: impl FnOnce(&mut Dice) -> G::Config) -> Self {
        let mut dice = Dice::new(seed, Purpose::Plan);
        let is_roomy = dice.happens(600);
        let rules = Self::rules(seed, is_roomy, config, &mut dice);
        let bots = rules
            .seats
            .seats()
            .map(|_| {
                let kind = dice.pick(&Kind::ALL);
                Habits::new(kind, &mut dice)
            })
            .collect();
        Self {
            seed,
            is_roomy,
            rules,
            bots,
            server: server(&mut dice),
            cluster: None,
        }
    }

    /// A match of reliable bots, whose streams are cut and whose processes end, under a server
    /// that is killed, if they are `disturbed`: what is drawn is the same but for that.
    pub(crate) fn with_recovered_faults(
        seed: u64,
        disturbed: bool,
        config: impl FnOnce(&mut Dice) -> G::Config,
    ) -> Self {
        let mut dice = Dice::new(seed, Purpose::Plan);
        let rules = Self::rules(seed, true, config, &mut dice);
        let bots = rules
            .seats
            .seats()
            .map(|_| {
                let kind = dice.pick(&[Kind::Reconnecting, Kind::Restarting, Kind::Doubling]);
                let mut habits = Habits::new(kind, &mut dice);
                if !disturbed {
                    habits.kind = Kind::Reliable;
                    (habits.cut, habits.restart, habits.second_stream) = (0, 0, 0);
                }
                habits
            })
            .collect();
        let mut server = server(&mut dice);
        server.cancelled_after_us = None;
        if !disturbed {
            server.killed_after_us = None;
            server.full_every_us = None;
        }
        Self {
            seed,
            is_roomy: true,
            rules,
            bots,
            server,
            cluster: None,
        }
    }

    /// The same over several servers that share a database, which fare as a cluster does.
    pub(crate) fn over(mut self, nodes: usize) -> Self {
        let mut dice = Dice::new(self.seed, Purpose::Cluster);
        self.cluster = Some(ClusterPlan::new(nodes, &mut dice));
        let server = &mut self.server;
        server.killed_after_us = None;
        server.full_every_us = None;
        server.loses_tail = 0;
        self.with_time_to_find_a_server()
    }

    /// With time for bots that go to servers one after the other, of which some do not answer.
    pub(crate) fn with_time_to_find_a_server(mut self) -> Self {
        if self.is_roomy {
            let clock = &mut self.rules.clock;
            clock.bank_ms = clock.bank_ms.max(MOST_SEARCH_MS * 6);
            clock.cap_ms = clock.cap_ms.max(MOST_SEARCH_MS);
            clock.startup_ms = clock.startup_ms.max(MOST_SEARCH_MS);
            clock.reconnect_ms = clock.reconnect_ms.max(MOST_SEARCH_MS);
        }
        self
    }

    fn rules(
        seed: u64,
        is_roomy: bool,
        config: impl FnOnce(&mut Dice) -> G::Config,
        dice: &mut Dice,
    ) -> MatchRules<G> {
        // Alone at a table a bot shows little.
        let fewest = u64::from(*G::SEATS.start()).max(2);
        let range = fewest..u64::from(*G::SEATS.end()) + 1;
        let seats = SeatCount::new(dice.within(range) as u8).expect("within the game's range");
        let mut number = |range: Range<u64>| dice.within(range) as u32;
        let clock = if is_roomy {
            ClockRules {
                bank_ms: 120_000,
                increment_ms: 3000,
                cap_ms: number(20_000..30_000),
                startup_ms: number(2000..30_000),
                reconnect_ms: number(5000..15_000),
                round_trip_credit_ms: number(0..100),
                referee_lag_limit_ms: number(0..500),
            }
        } else {
            ClockRules {
                bank_ms: number(1..5000),
                increment_ms: number(0..200),
                cap_ms: number(1..1500),
                startup_ms: number(1..2000),
                reconnect_ms: number(0..2000),
                round_trip_credit_ms: number(0..100),
                referee_lag_limit_ms: number(0..50),
            }
        };
        MatchRules {
            config: config(dice),
            seats,
            seed: Seed::from(seed),
            clock,
            odds: odds(seed, seats, &clock),
            faults: policy(dice),
            house: dice.pick(&[HousePolicy::Random, HousePolicy::First]),
            ask_forced: dice.happens(200),
            fork: None,
        }
    }
}

/// In some matches a seat that has twice the time.
fn odds(seed: u64, seats: SeatCount, clock: &ClockRules) -> Vec<SeatOdds> {
    let mut dice = Dice::new(seed, Purpose::Odds);
    let odd = dice
        .happens(250)
        .then(|| dice.within(0..seats.get().into()));
    let seat = odd.and_then(|number| Seat::new(u8::try_from(number).ok()?));
    let odds = seat.map(|seat| SeatOdds {
        seat,
        bank_ms: Some(clock.bank_ms * 2),
        increment_ms: None,
        cap_ms: Some(clock.cap_ms * 2),
    });
    odds.into_iter().collect()
}

fn policy(dice: &mut Dice) -> FaultPolicy {
    use FaultAction::{Forfeit, Refuse, Strike, Substitute};
    let any = [Refuse, Strike, Substitute, Forfeit];
    let lasting = [Strike, Substitute, Forfeit];
    FaultPolicy {
        illegal: dice.pick(&any),
        late: dice.pick(&lasting),
        disconnected: dice.pick(&lasting),
        never_connected: dice.pick(&[Substitute, Forfeit]),
        flood: dice.pick(&any),
        garbage: dice.pick(&any),
        strikes_to_forfeit: dice.pick(&[1, 2, 3, 8]),
    }
}

fn server(dice: &mut Dice) -> ServerHabits {
    ServerHabits {
        stall_every_us: dice.happens(500).then_some(10 * MS..3 * SECOND),
        stall_us: 0..dice.pick(&[2 * MS, 60 * MS, 400 * MS]),
        unnoticed_us: 0..10 * MS,
        handling_us: 0..dice.pick(&[1, 300, 3 * MS]),
        tick_late_us: 0..dice.pick(&[1, MS, 15 * MS]),
        ping_every_us: dice.pick(&[SECOND, 5 * SECOND]),
        store_us: 0..dice.pick(&[1, MS, 30 * MS, 300 * MS]),
        killed_after_us: dice
            .happens(600)
            .then(|| 0..dice.pick(&[SECOND, 5 * SECOND, 20 * SECOND])),
        away_us: 0..dice.pick(&[50 * MS, 5 * SECOND, 60 * SECOND]),
        full_every_us: dice.happens(400).then_some(0..2 * SECOND),
        full_us: 0..dice.pick(&[20 * MS, 3 * SECOND, 60 * SECOND]),
        loses_tail: dice.pick(&[0, 0, 500]),
        cancelled_after_us: dice
            .happens(100)
            .then(|| 0..dice.pick(&[SECOND, 20 * SECOND])),
    }
}
