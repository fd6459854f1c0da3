//! Invariants under any inputs, in any order, at any time.
#![allow(clippy::unwrap_used)]

mod script;
mod toy;

use bridgemaster_games::{Game, SeatCount, Seed};
use bridgemaster_referee::*;
use proptest::prelude::*;
use script::{Script, bot, seat};
use toy::{
    hands::{Hand, Hands, HandsConfig},
    heap::{Heap, HeapConfig, Take},
};

/// An input of the referee. Requests are identified relative to the last one of the seat.
#[derive(Clone, Debug)]
enum Action {
    Connect {
        identity: u8,
        last_sequence: Option<u32>,
    },
    Disconnect,
    HandOver {
        back: i8,
    },
    Index {
        back: i8,
        index: u32,
    },
    Full {
        back: i8,
        choice: u8,
    },
    Malformed {
        back: i8,
    },
    Garbage,
    Useless,
    Flood,
    RoundTrip(u64),
    RefereeLag(u64),
    ForwardingLag(u64),
    Resign,
    Restart,
    ConnectionRefused,
    Expired,
    Tick,
}

impl Action {
    /// The number of repetitions without a pause.
    fn times(&self) -> u32 {
        match self {
            Self::Flood => MAX_USELESS_MESSAGES,
            _ => 1,
        }
    }
}

/// An action of a seat after a delay in µs; time may also seem to run backwards.
#[derive(Clone, Debug)]
struct Step {
    number: u8,
    after_us: i64,
    action: Action,
}

fn action() -> impl Strategy<Value = Action> {
    let back = -1..3i8;
    let last_sequence = prop_oneof![
        Just(None),
        (0..12u32).prop_map(Some),
        any::<u32>().prop_map(Some)
    ];
    prop_oneof![
        4 => (0..2u8, last_sequence)
            .prop_map(|(identity, last_sequence)| Action::Connect { identity, last_sequence }),
        2 => Just(Action::Disconnect),
        6 => back.clone().prop_map(|back| Action::HandOver { back }),
        12 => (back.clone(), 0..5u32).prop_map(|(back, index)| Action::Index { back, index }),
        4 => (back.clone(), 0..6u8).prop_map(|(back, choice)| Action::Full { back, choice }),
        1 => back.prop_map(|back| Action::Malformed { back }),
        1 => Just(Action::Garbage),
        2 => Just(Action::Useless),
        1 => Just(Action::Flood),
        1 => any::<u64>().prop_map(Action::RoundTrip),
        2 => (0..200_000u64).prop_map(Action::RefereeLag),
        1 => any::<u64>().prop_map(Action::RefereeLag),
        2 => (0..200_000u64).prop_map(Action::ForwardingLag),
        1 => any::<u64>().prop_map(Action::ForwardingLag),
        1 => Just(Action::Resign),
        1 => Just(Action::Restart),
        2 => Just(Action::ConnectionRefused),
        1 => Just(Action::Expired),
        4 => Just(Action::Tick),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let after_us = prop_oneof![
        6 => 0..50_000i64,
        1 => 0..10_000_000i64,
        1 => -100_000..0i64,
    ];
    let step = (0..5u8, after_us, action()).prop_map(|(number, after_us, action)| Step {
        number,
        after_us,
        action,
    });
    prop::collection::vec(step, 0..120)
}

fn fault_policy() -> impl Strategy<Value = FaultPolicy> {
    use FaultAction::{Forfeit, Refuse, Strike, Substitute};
    let any_action = || prop::sample::select(vec![Refuse, Strike, Substitute, Forfeit]);
    let no_refuse = || prop::sample::select(vec![Strike, Substitute, Forfeit]);
    let never = prop::sample::select(vec![Substitute, Forfeit]);
    (
        any_action(),
        no_refuse(),
        no_refuse(),
        never,
        any_action(),
        any_action(),
        1..4u32,
    )
        .prop_map(
            |(illegal, late, disconnected, never_connected, flood, garbage, strikes_to_forfeit)| {
                FaultPolicy {
                    illegal,
                    late,
                    disconnected,
                    never_connected,
                    flood,
                    garbage,
                    strikes_to_forfeit,
                }
            },
        )
}

fn clock_rules() -> impl Strategy<Value = ClockRules> {
    (
        1..2000u32,
        0..100u32,
        1..500u32,
        1..2000u32,
        0..2000u32,
        0..100u32,
    )
        .prop_map(
            |(bank_ms, increment_ms, cap_ms, startup_ms, reconnect_ms, round_trip_credit_ms)| {
                ClockRules {
                    bank_ms,
                    increment_ms,
                    cap_ms,
                    startup_ms,
                    reconnect_ms,
                    round_trip_credit_ms,
                    referee_lag_limit_ms: 30,
                }
            },
        )
}

/// Optional time odds for a seat that every match has.
fn odds() -> impl Strategy<Value = Vec<SeatOdds>> {
    let ms = |range| prop::option::of(range);
    let odds = (0..2u8, ms(1..3000u32), ms(0..100u32), ms(1..500u32)).prop_map(
        |(number, bank_ms, increment_ms, cap_ms)| SeatOdds {
            seat: seat(number),
            bank_ms,
            increment_ms,
            cap_ms,
        },
    );
    prop::collection::vec(odds, 0..2)
}

fn match_rules<G: Game>(
    config: impl Strategy<Value = G::Config>,
) -> impl Strategy<Value = MatchRules<G>> {
    let house = prop::sample::select(vec![HousePolicy::Random, HousePolicy::First]);
    (
        config,
        2..=4u8,
        clock_rules(),
        odds(),
        fault_policy(),
        house,
        any::<bool>(),
    )
        .prop_map(
            |(config, seats, clock, odds, faults, house, ask_forced)| MatchRules {
                config,
                seats: SeatCount::new(seats).unwrap(),
                seed: Seed::from(3),
                clock,
                odds,
                faults,
                house,
                ask_forced,
                fork: None,
            },
        )
}

fn heaps() -> impl Strategy<Value = MatchRules<Heap>> {
    match_rules((1..60u8, 1..7u8).prop_map(|(stones, most)| HeapConfig {
        stones: Some(stones),
        most,
    }))
}

fn hands() -> impl Strategy<Value = MatchRules<Hands>> {
    match_rules((1..12u8, any::<bool>(), any::<bool>()).prop_map(
        |(rounds, first_settles, draws_prizes)| HandsConfig {
            rounds,
            first_settles,
            draws_prizes,
        },
    ))
}

/// A match under arbitrary steps, with seat 0 played by a bot that answers at once if it is
/// `faithful`.
struct Trial<G: Game> {
    script: Script<G>,
    decision: fn(u8) -> G::Decision,
    faithful: bool,
    /// The last request of each seat, and whether it was decided.
    requests: [(u32, bool); 8],
    /// All outputs as text, if they are to be compared.
    transcript: Option<String>,
}

impl<G: Game> Trial<G> {
    fn new(rules: MatchRules<G>, decision: fn(u8) -> G::Decision, faithful: bool) -> Self {
        let mut trial = Self {
            script: Script::new(rules),
            decision,
            faithful,
            requests: [(0, true); 8],
            transcript: (!faithful).then(String::new),
        };
        if faithful {
            trial.input(Input::Connected {
                seat: seat(0),
                bot: bot(0),
                last_sequence: None,
            });
        }
        trial
    }

    fn play(mut self, steps: &[Step]) -> Self {
        for step in steps {
            let number = if self.faithful {
                step.number.max(1)
            } else {
                step.number
            };
            let now = self.script.now.0.saturating_add_signed(step.after_us);
            self.script.now = Time(now);
            for _ in 0..step.action.times() {
                let input = self.input_of(number, &step.action);
                self.input(input);
            }
            if self.faithful && matches!(step.action, Action::Restart) {
                self.input(Input::Connected {
                    seat: seat(0),
                    bot: bot(0),
                    last_sequence: None,
                });
            }
            self.answer_faithfully();
        }
        let mut ticks = 0;
        while let Some(deadline) = self.script.referee.deadline() {
            self.script.now = self.script.now.max(deadline);
            self.input(Input::Tick);
            self.answer_faithfully();
            ticks += 1;
            assert!(ticks < 10_000, "the match does not end");
        }
        self
    }

    fn input_of(&self, number: u8, action: &Action) -> Input<G> {
        let seat = seat(number);
        let last = self.requests[seat.index()].0;
        let id = |back: i8| last.wrapping_add_signed(-i32::from(back));
        let bad = |request_id, reason| Input::BadAnswer {
            seat,
            request_id,
            reason,
            field: "choice".to_owned(),
            detail: "of no use".to_owned(),
        };
        match *action {
            Action::Connect {
                identity,
                last_sequence,
            } => Input::Connected {
                seat,
                bot: bot(identity),
                last_sequence,
            },
            Action::Disconnect => Input::Disconnected { seat },
            Action::HandOver { back } => Input::HandedOver {
                seat,
                request_id: id(back),
            },
            Action::Index { back, index } => Input::Answer {
                seat,
                request_id: id(back),
                answer: Answer::Index(index),
                note: String::new(),
            },
            Action::Full { back, choice } => {
                let answer = Answer::Decision((self.decision)(choice));
                Input::Answer {
                    seat,
                    request_id: id(back),
                    answer,
                    note: String::new(),
                }
            }
            Action::Malformed { back } => bad(id(back), BadAnswerReason::MalformedDecision),
            Action::Garbage => Input::Garbage {
                seat,
                detail: "noise".to_owned(),
            },
            Action::Useless | Action::Flood => Input::Useless { seat },
            Action::RoundTrip(round_trip_us) => Input::RoundTrip {
                seat,
                round_trip_us,
            },
            Action::RefereeLag(lag_us) => Input::RefereeLag {
                lag_us,
                forwarding: Vec::new(),
            },
            Action::ForwardingLag(lag_us) => Input::RefereeLag {
                lag_us: 0,
                forwarding: vec![ForwardingLag { seat, lag_us }],
            },
            Action::Resign => Input::Resign { seat },
            Action::Restart => Input::Restarted,
            Action::ConnectionRefused => Input::ConnectionRefused { seat },
            Action::Expired => Input::Expired {
                seat,
                why: "its process ended".to_owned(),
            },
            Action::Tick => Input::Tick,
        }
    }

    fn input(&mut self, input: Input<G>) {
        let recorded = self.script.records.len();
        self.script.step(input);
        if let Some(transcript) = &mut self.transcript {
            let records = &self.script.records[recorded..];
            transcript.push_str(&format!("{:?}\n{records:?}\n", self.script.last));
        }
        for record in &self.script.records[recorded..] {
            if let RecordEntry::Decision(record) = &record.entry {
                assert_eq!(record.decided_by == DecidedBy::Bot, record.charge.is_some());
                if let Some(charge) = record.charge {
                    assert_eq!(
                        charge.elapsed_us,
                        charge.charged_us + charge.credit_us + charge.referee_lag_us
                    );
                }
            }
        }
        self.check_requests(recorded);
    }

    /// A seat has one request at a time, and requests count without a gap.
    fn check_requests(&mut self, recorded: usize) {
        for record in &self.script.records[recorded..] {
            if let RecordEntry::Decision(record) = &record.entry
                && record.request_id != 0
            {
                let (last, decided) = &mut self.requests[record.seat.index()];
                // A request may be issued and decided within one input, before its message is
                // checked here.
                assert!(record.request_id >= *last, "an old request is decided");
                assert!(
                    record.request_id > *last || !*decided,
                    "a request is decided twice"
                );
                *last = record.request_id;
                *decided = true;
            }
        }
        for output in &self.script.last {
            if let Output::Send {
                seat,
                message: SeatMessage::Request(request),
                ..
            } = output
            {
                let (last, decided) = &mut self.requests[seat.index()];
                if request.request_id > *last {
                    *last = request.request_id;
                    *decided = false;
                }
                let clock = request.clock;
                let rules = self.script.referee.rules().clock_of(*seat);
                assert!(clock.decision_left_ms <= rules.cap_ms);
                assert!(clock.decision_left_ms <= clock.bank_left_ms);
            }
        }
    }

    fn answer_faithfully(&mut self) {
        while self.faithful {
            let (request_id, decided) = self.requests[0];
            if decided || self.script.referee.phase() == MatchPhase::Ended {
                return;
            }
            self.input(Input::HandedOver {
                seat: seat(0),
                request_id,
            });
            let answer = Answer::Index(0);
            self.input(Input::Answer {
                seat: seat(0),
                request_id,
                answer,
                note: String::new(),
            });
            if !self.requests[0].1 && self.requests[0].0 == request_id {
                // Withdrawn, because the decision of another seat made it obsolete.
                self.requests[0].1 = true;
            }
        }
    }

    /// Checks the invariants of every result.
    fn check_result(&self) {
        let rules = self.script.referee.rules();
        let result = self.script.result();
        assert_eq!(result.decisions as usize, self.script.decisions().len());
        let clocks = || result.seats.iter().map(|seat| seat.clock_use);
        let lag_us: u64 = clocks().map(|clock| clock.referee_lag_us).sum();
        let longest_us = clocks().map(|clock| clock.longest_referee_lag_us).max();
        assert_eq!(result.referee_lag_us, lag_us);
        assert_eq!(Some(result.longest_referee_lag_us), longest_us);
        assert_eq!(result.spoiled_by_referee, longest_us > Some(30_000));
        let forfeited = result
            .seats
            .iter()
            .filter(|seat| seat.forfeit.is_some())
            .count();
        for (number, seat_result) in (0..).zip(&result.seats) {
            let clock = seat_result.clock_use;
            let times = rules.clock_of(seat(number));
            let given = u64::from(times.bank_ms)
                + u64::from(clock.answered) * u64::from(times.increment_ms);
            assert!(clock.charged_us <= given * 1000, "the bank was overdrawn");
            assert_eq!(
                (given * 1000 - clock.charged_us) / 1000,
                u64::from(clock.bank_left_ms)
            );
            if seat_result.forfeit.is_some() {
                assert_eq!(
                    usize::from(seat_result.place),
                    result.seats.len() - forfeited + 1
                );
                assert_eq!(
                    seat_result.faults.last().map(|fault| fault.reason),
                    seat_result.forfeit
                );
            } else {
                assert!(usize::from(seat_result.place) <= result.seats.len() - forfeited);
            }
            assert!(seat_result.faults.len() <= seat_result.fault_count as usize);
        }
    }
}

fn check_trial<G: Game>(rules: MatchRules<G>, decision: fn(u8) -> G::Decision, steps: &[Step]) {
    let first = Trial::new(rules.clone(), decision, false).play(steps);
    first.check_result();
    let second = Trial::new(rules, decision, false).play(steps);
    assert_eq!(first.transcript, second.transcript);
}

fn check_faithful<G: Game>(rules: MatchRules<G>, decision: fn(u8) -> G::Decision, steps: &[Step]) {
    let trial = Trial::new(rules, decision, true).play(steps);
    trial.check_result();
    let seat = &trial.script.result().seats[0];
    assert_eq!(
        (seat.fault_count, seat.forfeit),
        (0, None),
        "{:?}",
        seat.faults
    );
    assert_eq!(seat.house_decisions, 0);
    assert_eq!(trial.script.strikes(0), 0);
}

fn hand(choice: u8) -> Hand {
    [Hand::Rock, Hand::Paper, Hand::Scissors][usize::from(choice % 3)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_inputs_lead_to_one_end_with_turns(rules in heaps(), steps in steps()) {
        check_trial(rules, Take, &steps);
    }

    #[test]
    fn any_inputs_lead_to_one_end_with_simultaneous_decisions(rules in hands(), steps in steps()) {
        check_trial(rules, hand, &steps);
    }

    #[test]
    fn nothing_that_others_do_makes_a_faithful_seat_faulty_with_turns(
        rules in heaps(), steps in steps()
    ) {
        check_faithful(rules, Take, &steps);
    }

    #[test]
    fn nothing_that_others_do_makes_a_faithful_seat_faulty_with_simultaneous_decisions(
        rules in hands(), steps in steps()
    ) {
        check_faithful(rules, hand, &steps);
    }
}
