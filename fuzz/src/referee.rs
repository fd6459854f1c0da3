//! Fuzzes the referee with arbitrary inputs, checked by the oracle of the simulation.

use bridgemaster_games::{GAME_IDS, Game, Seat, SeatCount, with_game};
use bridgemaster_referee::{
    Answer, BotIdentity, ClockRules, FaultAction, FaultPolicy, ForwardingLag, HousePolicy, Input,
    MatchPhase, MatchRules, Output, Referee, SeatMessage, Time, TimeControl,
};

use crate::{
    oracle::Oracle,
    toy::{
        hands::{Hands, HandsConfig},
        heap::{Heap, HeapConfig},
    },
};

/// The number of ticks within which a match must end by its deadlines alone.
const MAX_TICKS: u32 = 20_000;

/// Runs the target. The bytes are the rules of a match and its inputs.
pub fn run(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let first = bytes.next();
    match first % 8 {
        0..=2 => {
            let config =
                HeapConfig { stones: Some(bytes.next().max(1)), most: bytes.next() % 7 + 1 };
            drive::<Heap>(config, bytes);
        }
        3..=5 => {
            let config = HandsConfig {
                rounds: bytes.next() % 12 + 1,
                first_settles: bytes.next() % 2 == 1,
                draws_prizes: bytes.next() % 2 == 1,
            };
            drive::<Hands>(config, bytes);
        }
        _ => {
            let id = GAME_IDS[usize::from(first / 8) % GAME_IDS.len()];
            with_game!(id, G => drive::<G>(Default::default(), bytes));
        }
    }
}

/// An endless source of bytes: zeros follow the last byte.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// Reads one byte and spreads its values from 0 to 15 * 2^30.
    fn spread(&mut self) -> u64 {
        let byte = self.next();
        u64::from(byte & 15) << (u64::from(byte >> 4) * 2)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::from(self.next()) % items.len()]
    }
}

fn rules<G: Game>(config: G::Config, bytes: &mut Bytes<'_>) -> MatchRules<G> {
    use FaultAction::{Forfeit, Refuse, Strike, Substitute};
    let range = G::SEATS;
    // With one seat, no other seat of a toy game could decide.
    let fewest = (*range.start()).max(2);
    let seats = fewest + bytes.next() % (*range.end() - fewest + 1);
    let any = [Refuse, Strike, Substitute, Forfeit];
    let lasting = [Strike, Substitute, Forfeit];
    let mut ms = |most: u64| bytes.spread().clamp(1, most) as u32;
    let clock = ClockRules {
        time_control: TimeControl::Fischer {
            bank_ms: ms(86_400_000),
            increment_ms: ms(3_600_000) - 1,
            cap_ms: ms(86_400_000),
        },
        startup_ms: ms(3_600_000),
        reconnect_ms: ms(3_600_000) - 1,
        round_trip_credit_ms: ms(1000),
        referee_lag_limit_ms: ms(1000),
    };
    let mut rules = MatchRules {
        config,
        seats: SeatCount::new(seats).expect("within the game's range"),
        seed: 7.into(),
        clock,
        odds: Vec::new(),
        faults: FaultPolicy {
            illegal: bytes.pick(&any),
            late: bytes.pick(&lasting),
            disconnected: bytes.pick(&lasting),
            never_connected: bytes.pick(&[Substitute, Forfeit]),
            flood: bytes.pick(&any),
            garbage: bytes.pick(&any),
            strikes_to_forfeit: u32::from(bytes.next() % 8) + 1,
        },
        house: bytes.pick(&[HousePolicy::Random, HousePolicy::First]),
        ask_forced: false,
        fork: None,
    };
    let last = bytes.next();
    rules.ask_forced = last % 2 == 1;
    let delay_ms = u32::from(last / 2) * 100;
    rules.clock.time_control = with_delay(rules.clock.time_control, delay_ms);
    rules
}

/// Adds a delay below the cap; none if `delay_ms` is 0 or the cap has no room for one.
fn with_delay(control: TimeControl, delay_ms: u32) -> TimeControl {
    match delay_ms.min(control.cap_ms() - 1) {
        0 => control,
        delay_ms => TimeControl::FischerDelay {
            bank_ms: control.bank_ms(),
            increment_ms: control.increment_ms(),
            delay_ms,
            cap_ms: control.cap_ms(),
        },
    }
}

/// A referee, its oracle, and the last request of each seat.
struct Match<G: Game> {
    referee: Referee<G>,
    oracle: Oracle<G>,
    asked: Vec<(u32, Option<G::Decision>)>,
}

impl<G: Game> Match<G> {
    fn input(&mut self, now: Time, input: Input<G>) {
        let what = format!("{input:?}");
        self.oracle.before(now, &input);
        let mut outputs = Vec::new();
        self.referee.handle(now, input, &mut outputs);
        if let Err(violation) = self.oracle.after(&outputs, &self.referee) {
            panic!("{what} at {now:?}: {violation}");
        }
        for output in &outputs {
            if let Output::Send { seat, message: SeatMessage::Request(request), .. } = output {
                let first = request.content.legal.first().cloned();
                self.asked[seat.index()] = (request.request_id, first);
            }
        }
    }
}

fn drive<G: Game>(config: G::Config, mut bytes: Bytes<'_>) {
    let rules = rules::<G>(config, &mut bytes);
    let seats = rules.seats;
    let mut now = Time(1_000_000);
    let referee = Referee::new(rules, now).expect("rules within their ranges");
    let mut played = Match {
        oracle: Oracle::new(&referee).unwrap_or_else(|violation| panic!("{violation}")),
        referee,
        asked: vec![(0, None); usize::from(seats.get())],
    };
    while !bytes.0.is_empty() {
        let seat = Seat::new(bytes.next() % seats.get()).expect("a seat of the match");
        // The clock can also run backwards.
        now = match bytes.next() {
            255 => Time(now.0.saturating_sub(bytes.spread())),
            0..=127 => now,
            _ => now.plus_us(bytes.spread()),
        };
        let input = input::<G>(seat, &played.asked[seat.index()], &mut bytes);
        played.input(now, input);
    }
    for _ in 0..MAX_TICKS {
        let Some(deadline) = played.referee.deadline() else {
            break;
        };
        now = now.max(deadline);
        played.input(now, Input::Tick);
    }
    assert_eq!(played.referee.phase(), MatchPhase::Ended, "deadlines alone do not end the match");
}

fn input<G: Game>(
    seat: Seat,
    (asked, first): &(u32, Option<G::Decision>),
    bytes: &mut Bytes<'_>,
) -> Input<G> {
    let detail = || "of no use".to_owned();
    let op = bytes.next();
    let request_id = match op >> 6 {
        0 | 1 => *asked,
        2 => asked.wrapping_sub(1),
        _ => asked.wrapping_add(1),
    };
    match op % 16 {
        0 | 1 => Input::Connected {
            seat,
            bot: BotIdentity { name: format!("bot{}", bytes.next() % 2), version: "1".to_owned() },
            last_sequence: match bytes.next() {
                255 => None,
                254 => Some(u32::MAX),
                last => Some(u32::from(last)),
            },
        },
        2 => Input::Disconnected { seat },
        3 | 4 => Input::HandedOver { seat, request_id },
        5..=7 => Input::Answer {
            seat,
            request_id,
            answer: Answer::Index(u32::from(bytes.next() % 6)),
            note: "n".repeat(usize::from(request_id as u8) * 5),
        },
        8 => match first {
            Some(decision) => Input::Answer {
                seat,
                request_id,
                answer: Answer::Decision(decision.clone()),
                note: String::new(),
            },
            None => Input::Tick,
        },
        9 => Input::BadAnswer { seat, request_id, field: "choice".to_owned(), detail: detail() },
        10 => Input::Garbage { seat, detail: detail() },
        11 | 12 => Input::Useless { seat },
        13 => Input::RoundTrip { seat, round_trip_us: bytes.spread() },
        14 => Input::RefereeLag {
            lag_us: bytes.spread(),
            forwarding: vec![ForwardingLag { seat, lag_us: bytes.spread() }],
        },
        _ => match bytes.next() % 8 {
            0 => Input::Resign { seat },
            1 | 2 => Input::Restarted,
            3 => Input::ConnectionRefused { seat },
            4 => Input::Expired { seat, why: detail() },
            _ => Input::Tick,
        },
    }
}
