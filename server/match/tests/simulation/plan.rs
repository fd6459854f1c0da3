//! The plan of a match: its rules, and the behaviour of bots, networks and server. It follows from
//! a seed.

use std::ops::Range;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    ClockRules, FaultAction, FaultPolicy, FaultReason, HousePolicy, MatchRules, SeatOdds,
    TimeControl,
};

use crate::dice::{Dice, Purpose};

/// One second, in µs.
const SECOND: u64 = 1_000_000;
/// One millisecond, in µs.
const MS: u64 = 1000;

/// The kind of bot in a seat, which determines the faults that it can commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Answers every request promptly over a reliable network.
    Reliable,
    /// Reliable too, but its streams are cut, and it reconnects soon.
    Reconnecting,
    /// Reliable too, but its process restarts without any state.
    Restarting,
    /// Thinks long, sometimes too long.
    Slow,
    /// Leaves requests unanswered.
    Silent,
    /// Connects late, often too late for the start of the match, or never.
    Absent,
    /// Leaves and reconnects late or never.
    Leaving,
    /// Gives illegal answers.
    Illegal,
    /// Gives stale, repeated and unsolicited answers, and those of other matches.
    Stray,
    /// Sends many useless messages.
    Flooding,
    /// Sends bytes that are not a message.
    Garbling,
    /// Resigns.
    Resigning,
    /// Opens a second stream while it has one.
    Doubling,
    /// Stops reading for a while or forever.
    Deaf,
    /// Mixes all of these.
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

    /// The faults that a bot of this kind can commit with enough time.
    pub(crate) fn faults(self) -> &'static [FaultReason] {
        use FaultReason::{Disconnected, Flood, Garbage, Illegal, Late, NeverConnected, Resigned};
        match self {
            Self::Reliable | Self::Reconnecting | Self::Restarting | Self::Doubling => &[],
            Self::Slow | Self::Silent => &[Late],
            Self::Absent => &[NeverConnected],
            Self::Leaving => &[Disconnected],
            Self::Illegal => &[Illegal],
            // Useless messages add up if a seat rarely gets a request.
            Self::Stray | Self::Flooding => &[Flood],
            Self::Garbling => &[Garbage],
            Self::Resigning => &[Resigned],
            Self::Deaf => &[Late, Disconnected],
            Self::Wild => &[Illegal, Late, Disconnected, NeverConnected, Flood, Garbage, Resigned],
        }
    }
}

/// The behaviour of a bot and its network. Chances are in thousandths per request.
#[derive(Clone, Debug)]
pub(crate) struct BotBehaviour {
    pub(crate) kind: Kind,
    /// Time of its first connection, in µs; `None` for never.
    pub(crate) comes_after_us: Option<Range<u64>>,
    pub(crate) think_us: Range<u64>,
    /// Delay before it reconnects, in µs.
    pub(crate) backoff_us: Range<u64>,
    /// Latency of a message, in µs.
    pub(crate) latency_us: Range<u64>,
    /// Time until the server detects a cut stream, in µs.
    pub(crate) half_open_us: Range<u64>,
    pub(crate) cut: u32,
    /// Chance that it restarts instead of answering.
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

impl BotBehaviour {
    /// Returns random behaviour within the limits of a kind of bot.
    pub(crate) fn new(kind: Kind, dice: &mut Dice) -> Self {
        let latency = dice.pick(&[0, 100, 5 * MS, 30 * MS]);
        let mut behaviour = Self {
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
        behaviour.cut = chance(&[Kind::Reconnecting], &[50, 200, 600]);
        behaviour.restart = chance(&[Kind::Restarting], &[50, 200]);
        behaviour.late = chance(&[Kind::Slow], &[50, 300]);
        behaviour.silent = chance(&[Kind::Silent], &[50, 300, 1000]);
        behaviour.leave = chance(&[Kind::Leaving], &[30, 100, 1000]);
        behaviour.illegal = chance(&[Kind::Illegal], &[50, 300, 1000]);
        behaviour.stray = chance(&[Kind::Stray], &[100, 500]);
        behaviour.flood = chance(&[Kind::Flooding], &[30, 100]);
        behaviour.garbage = chance(&[Kind::Garbling], &[50, 200]);
        behaviour.resign = chance(&[Kind::Resigning], &[20, 100]);
        behaviour.second_stream = chance(&[Kind::Doubling], &[100, 400]);
        behaviour.deaf = chance(&[Kind::Deaf], &[50, 200]);
        match kind {
            Kind::Absent => {
                behaviour.comes_after_us = dice.happens(500).then_some(SECOND..90 * SECOND);
            }
            Kind::Slow => behaviour.think_us = 0..2 * SECOND,
            Kind::Wild => {
                behaviour.comes_after_us = (!dice.happens(100)).then_some(0..40 * SECOND);
                behaviour.think_us = 0..dice.pick(&[MS, SECOND, 12 * SECOND]);
                behaviour.backoff_us = MS..dice.pick(&[100 * MS, 15 * SECOND]);
            }
            _ => {}
        }
        behaviour
    }
}

/// The behaviour of the server.
#[derive(Clone, Debug)]
pub(crate) struct ServerBehaviour {
    /// Interval between two freezes, in µs; `None` for never.
    pub(crate) stall_every_us: Option<Range<u64>>,
    /// Duration of a freeze, in µs.
    pub(crate) stall_us: Range<u64>,
    /// The unnoticed part of a freeze, in µs: less than the referee's margin.
    pub(crate) unnoticed_us: Range<u64>,
    /// Delay before a report is handled, in µs.
    pub(crate) handling_us: Range<u64>,
    /// Delay of the timer, in µs.
    pub(crate) tick_late_us: Range<u64>,
    /// Interval between two Pings, in µs.
    pub(crate) ping_every_us: u64,
    /// Time to store journal entries, in µs.
    pub(crate) store_us: Range<u64>,
    /// Time from a start to a kill, in µs; `None` for never.
    pub(crate) killed_after_us: Option<Range<u64>>,
    /// Time from a kill to the next start, in µs.
    pub(crate) away_us: Range<u64>,
    /// Interval between two periods at capacity, in µs; `None` for never.
    pub(crate) full_every_us: Option<Range<u64>>,
    /// Duration at capacity, in µs.
    pub(crate) full_us: Range<u64>,
    /// The chance that a restarted server finds less than was stored, in thousandths: after a power
    /// failure, or from a backup.
    pub(crate) loses_tail: u32,
    /// Time from the start to the cancellation, in µs; `None` for never.
    pub(crate) cancelled_after_us: Option<Range<u64>>,
}

/// A planned match.
#[derive(Debug)]
pub(crate) struct Plan<G: WireGame> {
    pub(crate) seed: u64,
    pub(crate) rules: MatchRules<G>,
    /// Whether the time control is long enough for every bot that does not waste time.
    pub(crate) is_roomy: bool,
    pub(crate) bots: Vec<BotBehaviour>,
    pub(crate) server: ServerBehaviour,
}

impl<G: WireGame> Plan<G> {
    /// Plans a match with all faults: any kinds of bots and any rules.
    pub(crate) fn with_every_fault(seed: u64) -> Self {
        let mut dice = Dice::new(seed, Purpose::Plan);
        let is_roomy = dice.happens(600);
        let rules = Self::rules(seed, is_roomy, &mut dice);
        let bots = rules
            .seats
            .seats()
            .map(|_| {
                let kind = dice.pick(&Kind::ALL);
                BotBehaviour::new(kind, &mut dice)
            })
            .collect();
        Self { seed, is_roomy, rules, bots, server: server(&mut dice) }
    }

    /// Plans a match of reliable bots. If it is `disturbed`, streams are cut, processes end and the
    /// server is killed; everything else is the same.
    pub(crate) fn with_recovered_faults(seed: u64, disturbed: bool) -> Self {
        let mut dice = Dice::new(seed, Purpose::Plan);
        let rules = Self::rules(seed, true, &mut dice);
        let bots = rules
            .seats
            .seats()
            .map(|_| {
                let kind = dice.pick(&[Kind::Reconnecting, Kind::Restarting, Kind::Doubling]);
                let mut behaviour = BotBehaviour::new(kind, &mut dice);
                if !disturbed {
                    behaviour.kind = Kind::Reliable;
                    (behaviour.cut, behaviour.restart, behaviour.second_stream) = (0, 0, 0);
                }
                behaviour
            })
            .collect();
        let mut server = server(&mut dice);
        server.cancelled_after_us = None;
        if !disturbed {
            server.killed_after_us = None;
            server.full_every_us = None;
        }
        Self { seed, is_roomy: true, rules, bots, server }
    }

    fn rules(seed: u64, is_roomy: bool, dice: &mut Dice) -> MatchRules<G> {
        // At least two seats, because a match with a single kind of bot shows little.
        let fewest = u64::from(*G::SEATS.start()).max(2);
        let range = fewest..u64::from(*G::SEATS.end()) + 1;
        let seats = SeatCount::new(dice.within(range) as u8).expect("within the game's range");
        let mut number = |range: Range<u64>| dice.within(range) as u32;
        let mut clock = if is_roomy {
            ClockRules {
                time_control: TimeControl::Fischer {
                    bank_ms: 120_000,
                    increment_ms: 3000,
                    cap_ms: number(20_000..30_000),
                },
                startup_ms: number(2000..30_000),
                reconnect_ms: number(5000..15_000),
                round_trip_credit_ms: number(0..100),
                referee_lag_limit_ms: number(0..500),
            }
        } else {
            ClockRules {
                time_control: TimeControl::Fischer {
                    bank_ms: number(1..5000),
                    increment_ms: number(0..200),
                    cap_ms: number(1..1500),
                },
                startup_ms: number(1..2000),
                reconnect_ms: number(0..2000),
                round_trip_credit_ms: number(0..100),
                referee_lag_limit_ms: number(0..50),
            }
        };
        clock.time_control = with_delay(seed, clock.time_control);
        MatchRules {
            config: G::Config::default(),
            seats,
            seed: Seed::from(seed),
            clock,
            odds: odds(seed, seats, clock.time_control),
            faults: policy(dice),
            house: dice.pick(&[HousePolicy::Random, HousePolicy::First]),
            ask_forced: dice.happens(200),
            fork: None,
        }
    }
}

/// Adds a delay to the time control of some matches.
fn with_delay(seed: u64, control: TimeControl) -> TimeControl {
    let mut dice = Dice::new(seed, Purpose::Delay);
    if !dice.happens(300) {
        return control;
    }
    let delay_ms = dice.within(1..1000) as u32;
    match delay_ms.min(control.cap_ms() - 1) {
        // The cap is too short for a delay.
        0 => control,
        delay_ms => TimeControl::FischerDelay {
            bank_ms: control.bank_ms(),
            increment_ms: control.increment_ms(),
            delay_ms,
            cap_ms: control.cap_ms(),
        },
    }
}

/// Gives one seat twice the bank and the cap in some matches.
fn odds(seed: u64, seats: SeatCount, of_match: TimeControl) -> Vec<SeatOdds> {
    let mut dice = Dice::new(seed, Purpose::Odds);
    let odd = dice.happens(250).then(|| dice.within(0..seats.get().into()));
    let seat = odd.and_then(|number| Seat::new(u8::try_from(number).ok()?));
    let odds = seat.map(|seat| SeatOdds {
        seat,
        time_control: match of_match {
            TimeControl::Fischer { bank_ms, increment_ms, cap_ms } => {
                TimeControl::Fischer { bank_ms: bank_ms * 2, increment_ms, cap_ms: cap_ms * 2 }
            }
            TimeControl::FischerDelay { bank_ms, increment_ms, delay_ms, cap_ms } => {
                TimeControl::FischerDelay {
                    bank_ms: bank_ms * 2,
                    increment_ms,
                    delay_ms,
                    cap_ms: cap_ms * 2,
                }
            }
        },
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

fn server(dice: &mut Dice) -> ServerBehaviour {
    ServerBehaviour {
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
        cancelled_after_us: dice.happens(100).then(|| 0..dice.pick(&[SECOND, 20 * SECOND])),
    }
}
