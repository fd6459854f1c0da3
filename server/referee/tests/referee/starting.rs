//! The time before the start: rules, connections, and the start-up time.

use crate::script::{Script, ShortMessage, rules, seat};
use crate::toy::{
    hands::{Hands, HandsConfig},
    heap::{Heap, HeapConfig, HeapEvent},
};
use bridgemaster_games::SeatCount;
use bridgemaster_referee::*;

fn refusal(change: impl FnOnce(&mut MatchRules<Heap>)) -> String {
    let mut rules = rules(2);
    change(&mut rules);
    let error = rules.check().unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&*error.field), "{text}");
    assert_eq!(Referee::new(rules, Time(0)).unwrap_err().to_string(), text);
    text
}

#[test]
fn standard_rules_are_valid() {
    assert!(rules::<Heap>(2).check().is_ok());
    assert!(rules::<Heap>(4).check().is_ok());
}

/// An error text, and the change of valid rules that causes it.
type Refused = (&'static str, fn(&mut MatchRules<Heap>));

fn control(bank_ms: u32) -> TimeControl {
    TimeControl::Fischer { bank_ms, increment_ms: 0, cap_ms: 1 }
}

#[test]
fn errors_of_rules_name_the_field_and_the_valid_values() {
    let odds = |number, bank_ms| SeatOdds { seat: seat(number), time_control: control(bank_ms) };
    let refused = |odds: &[SeatOdds]| refusal(|rules| rules.odds = odds.to_vec());
    assert_eq!(refused(&[odds(2, 1)]), "seat_clocks.seat: 2 is out of range (0..=1)");
    assert_eq!(
        refused(&[odds(0, 1), odds(1, 0)]),
        "seat_clocks.time_control.fischer.bank_ms: 0 is out of range (1..=86400000)"
    );
    assert_eq!(
        refused(&[odds(1, 1), odds(1, 2)]),
        "seat_clocks.seat: seat 1 has two entries; a seat has at most one"
    );
    let cases: [Refused; 14] = [
        ("seats: 5 is out of range (2..=4 for Heap)", |r| r.seats = SeatCount::new(5).unwrap()),
        ("clock.time_control.fischer.bank_ms: 0 is out of range (1..=86400000)", |r| {
            r.clock.time_control = control(0)
        }),
        (
            "clock.time_control.fischer_delay.delay_ms: 2 must be less than cap_ms, which is 2",
            |r| {
                r.clock.time_control = TimeControl::FischerDelay {
                    bank_ms: 1,
                    increment_ms: 0,
                    delay_ms: 2,
                    cap_ms: 2,
                };
            },
        ),
        ("clock.startup_ms: 0 is out of range (1..=3600000)", |r| r.clock.startup_ms = 0),
        ("clock.reconnect_ms: 3600001 is out of range (0..=3600000)", |r| {
            r.clock.reconnect_ms = 3_600_001;
        }),
        ("clock.round_trip_credit_ms: 1001 is out of range (0..=1000)", |r| {
            r.clock.round_trip_credit_ms = 1001;
        }),
        ("faults.strikes_to_forfeit: 0 is out of range (1..=1000)", |r| {
            r.faults.strikes_to_forfeit = 0;
        }),
        ("faults.strikes_to_forfeit: 1001 is out of range (1..=1000)", |r| {
            r.faults.strikes_to_forfeit = 1001;
        }),
        ("faults.late: REFUSE is not allowed; valid: STRIKE, SUBSTITUTE, FORFEIT", |r| {
            r.faults.late = FaultAction::Refuse;
        }),
        ("faults.disconnected: REFUSE is not allowed; valid: STRIKE, SUBSTITUTE, FORFEIT", |r| {
            r.faults.disconnected = FaultAction::Refuse;
        }),
        ("faults.never_connected: STRIKE is not allowed; valid: SUBSTITUTE, FORFEIT", |r| {
            r.faults.never_connected = FaultAction::Strike;
        }),
        ("faults.never_connected: REFUSE is not allowed; valid: SUBSTITUTE, FORFEIT", |r| {
            r.faults.never_connected = FaultAction::Refuse;
        }),
        ("game: most: 0 is out of range (1..=255)", |r| r.config.most = 0),
        ("game: stones: 0 is out of range (1..=255)", |r| {
            r.config.stones = Some(0);
        }),
    ];
    for (expected, change) in cases {
        assert_eq!(refusal(change), expected);
    }
}

#[test]
fn a_match_starts_when_all_seats_are_connected() {
    let mut script = Script::<Heap>::new(rules(2));
    assert_eq!(script.referee.phase(), MatchPhase::Waiting);
    assert_eq!(script.referee.observe_spectator(), None);
    script.connect(0, None);
    assert_eq!(script.messages(0), []);
    assert_eq!(script.referee.phase(), MatchPhase::Waiting);
    script.wait_ms(700).connect(1, None);
    assert_eq!(script.referee.phase(), MatchPhase::Running);
    assert_eq!(script.referee.started_at(), Some(script.now));
    assert_eq!(
        script.numbered_messages(0),
        [(1, ShortMessage::Started), (2, ShortMessage::Request(1))]
    );
    assert_eq!(script.numbered_messages(1), [(1, ShortMessage::Started)]);
    assert_eq!(script.request(0).content.events, [HeapEvent::Laid(10)]);
    assert_eq!(script.referee.opening_events(), [HeapEvent::Laid(10)]);
    assert!(script.referee.observe_spectator().is_some());
    assert!(script.records.iter().all(|record| record.at_ms == 0));
    assert_eq!(script.referee.seat_info(seat(2)), None);
}

#[test]
fn the_start_message_names_the_bot_of_each_seat() {
    let mut script = Script::<Heap>::new(rules(2));
    script.connect(1, None);
    script.connect(0, None);
    let started = script.last.iter().find_map(|output| match output {
        Output::Send { seat, message: SeatMessage::Started(started), .. } => {
            Some((*seat, started.clone()))
        }
        _ => None,
    });
    let (to, started) = started.unwrap();
    assert_eq!(started.seat, to);
    let names: Vec<_> = started.seats.iter().map(|info| info.bot.clone().unwrap().name).collect();
    assert_eq!(names, ["bot0", "bot1"]);
}

#[test]
fn a_seat_that_never_connects_forfeits_and_the_others_continue() {
    let mut script = Script::<Heap>::new(rules(2));
    script.connect(0, None);
    assert_eq!(script.referee.deadline(), Some(Time(5_000_000).plus_ms(30_000)));
    script.tick_at_deadline();
    assert_eq!(
        script.messages(0),
        [
            ShortMessage::Started,
            ShortMessage::Status(1, SeatState::Forfeited, Some(FaultReason::NeverConnected)),
            ShortMessage::Request(1),
        ]
    );
    assert_eq!(script.faults, [(1, FaultReason::NeverConnected, FaultAction::Forfeit)]);
    script.answer_index(0, 1, 0);
    assert_eq!(
        script.decisions(),
        [(0, DecidedBy::Bot, 1), (1, DecidedBy::House, 0)],
        "the house answers at once"
    );
    script.run_to_end();
    let result = script.result();
    assert_eq!(result.seats[1].forfeit, Some(FaultReason::NeverConnected));
    assert_eq!(result.seats[1].bot, None);
    assert_eq!((result.seats[0].place, result.seats[1].place), (1, 2));
}

#[test]
fn a_bot_that_connects_after_the_end_gets_start_and_end_under_their_numbers() {
    let mut rules = rules::<Heap>(2);
    rules.faults.never_connected = FaultAction::Substitute;
    let mut script = Script::new(rules);
    script.connect(0, None);
    script.run_to_end();
    assert_eq!(script.referee.phase(), MatchPhase::Ended);
    assert_eq!(script.referee.start_and_end_sequences(seat(1)), Some((None, 2)));
    script.connect(1, None);
    assert_eq!(script.numbered_messages(1), [(1, ShortMessage::Started), (2, ShortMessage::Ended)]);
}

#[test]
fn the_setup_is_drawn_from_the_seed() {
    let drawn = |seed: u64| {
        let mut rules = rules::<Heap>(2);
        rules.config = HeapConfig { stones: None, most: 3 };
        rules.seed = seed.into();
        *Referee::new(rules, Time(0)).unwrap().setup()
    };
    assert_eq!(drawn(1), drawn(1));
    assert!((2..20).any(|seed| drawn(seed) != drawn(1)));
}

#[test]
fn a_game_for_one_seat_starts_with_one_seat() {
    let mut rules = rules::<Hands>(1);
    rules.config = HandsConfig { rounds: 2, first_settles: false, draws_prizes: false };
    let mut script = Script::started(rules);
    script.answer_index(0, 1, 0);
    script.answer_index(0, 2, 0);
    assert_eq!(script.referee.phase(), MatchPhase::Ended);
}

#[test]
fn inputs_of_seats_out_of_range_change_nothing() {
    let mut script = Script::<Heap>::started(rules(2));
    let mut out = Vec::new();
    for input in [
        Input::Connected { seat: seat(7), bot: crate::script::bot(7), last_sequence: None },
        Input::Answer {
            seat: seat(7),
            request_id: 1,
            answer: Answer::Index(0),
            note: String::new(),
        },
        Input::Garbage { seat: seat(7), detail: String::new() },
        Input::Resign { seat: seat(7) },
    ] {
        script.referee.handle(script.now, input, &mut out);
    }
    assert!(out.is_empty(), "{out:?}");
}
