//! Forged replays: the verification names the field. The forgeries are not signed, so the rules
//! alone have to find them.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use bridgemaster_games::{
    GAME_IDS, SeatCount, Seed, old_london_bridge::OldLondonBridge, with_game,
};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        Charge, ClockUse, DecidedBy, DecisionRecord, Fault, FaultAction, FaultReason, FaultRecord,
        GameDecision, GameEvent, GameSetup, MatchResult, Record, Replay, SeatInfo, SeatResult,
        game_chance, record,
    },
};
use bridgemaster_replay::wire::SeedSalt;
use bridgemaster_replay::{decode, verify};

/// Returns a match of two seats with a signature, which is not checked here.
fn file_of(game: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/replay");
    fs::read(corpus.join(format!("{game}_signed"))).unwrap()
}

fn file() -> Vec<u8> {
    file_of("old_london_bridge")
}

fn sample() -> Replay {
    decode(&file()).unwrap().replay
}

/// Forges the sample, and checks that the flaw is named.
fn assert_refused(place: &str, forge: impl FnOnce(&mut Replay)) {
    assert_refused_of(sample(), place, forge);
}

fn assert_refused_of(sample: Replay, place: &str, forge: impl FnOnce(&mut Replay)) {
    let mut replay = sample.clone();
    verify(&replay).unwrap();
    forge(&mut replay);
    assert_ne!(replay, sample, "{place}: the forgery changed nothing");
    let error = verify(&replay).unwrap_err().to_string();
    assert!(error.contains(place), "{place:?} is missing in: {error}");
}

/// The position of the first decision for which `wanted` holds.
fn position(wanted: impl Fn(&DecisionRecord) -> bool) -> usize {
    let position = sample().records.iter().position(
        |record| matches!(&record.record, Some(record::Record::Decision(decision)) if wanted(decision)),
    );
    position.unwrap()
}

fn decision_at(replay: &mut Replay, position: usize) -> &mut DecisionRecord {
    match &mut replay.records[position].record {
        Some(record::Record::Decision(decision)) => decision,
        other => panic!("record {position} is not a decision: {other:?}"),
    }
}

fn decision(notation: &str) -> Option<GameDecision> {
    Some(OldLondonBridge::decision_to_wire(&notation.parse().unwrap()))
}

fn is_by(wanted: DecidedBy) -> impl Fn(&DecisionRecord) -> bool {
    move |decision| decision.decided_by() == wanted
}

/// Forges the decision at this position, and checks that the field is named.
fn assert_refused_decision(at: usize, field: &str, forge: impl FnOnce(&mut DecisionRecord)) {
    let place = format!("record {at}: decision.{field}");
    assert_refused(&place, |replay| forge(decision_at(replay, at)));
}

/// Forges the result and checks that the error names the field.
fn assert_refused_result(field: &str, forge: impl FnOnce(&mut MatchResult)) {
    let place = format!("result.{field}");
    assert_refused(&place, |replay| forge(replay.result.as_mut().unwrap()));
}

#[test]
fn unverifiable_data_is_limited() {
    assert_refused("server_version: 65 characters", |replay| {
        replay.server_version = "x".repeat(65);
    });
    assert_refused("data_notes: 17 entries", |replay| replay.data_notes = vec![String::new(); 17]);
    assert_refused("labels: 17 entries", |replay| {
        replay.labels = (0..17).map(|n| (n.to_string(), String::new())).collect();
    });
    assert_refused("seat.seat.bot_name: 65 characters", |replay| {
        let seats = replay.records.iter_mut().filter_map(|record| match &mut record.record {
            Some(record::Record::Seat(seat)) => seat.seat.as_mut(),
            _ => None,
        });
        seats.for_each(|seat| seat.bot_name = "x".repeat(65));
    });
}

#[test]
fn a_replaced_legal_decision_is_detected_by_its_results() {
    // The first decision is the choice of two cards to play, and at that time every hand has a 0, a
    // 1 and a 2.
    assert_refused_decision(position(|_| true), "digest", |played| {
        let low = decision("play 1 0");
        let is_low = played.decision == low;
        played.decision = if is_low { decision("play 2 0") } else { low };
    });
}

#[test]
fn an_illegal_decision_is_named_in_notation() {
    let first = position(|_| true);
    assert_refused_decision(first, "decision: `end` is not legal", |played| {
        played.decision = decision("end");
    });
}

#[test]
fn an_event_that_is_changed_missing_or_too_many_is_named() {
    let eventful = position(|decision| decision.events.len() > 2);
    let count = decision_at(&mut sample(), eventful).events.len();
    let refuse = |number: usize, forge: fn(&mut Vec<GameEvent>)| {
        let field = format!("events[{number}]");
        assert_refused_decision(eventful, &field, |decision| forge(&mut decision.events));
    };
    refuse(0, |events| events.swap(0, 1));
    refuse(count - 1, |events| {
        events.pop();
    });
    refuse(count, |events| events.push(events[0].clone()));
}

/// A setup that another seed draws for the match.
fn setup_of_another_seed(replay: &Replay) -> Option<GameSetup> {
    let config = replay.config.as_ref().unwrap();
    let seats = SeatCount::new(u8::try_from(config.seats).unwrap()).unwrap();
    with_game!(&*replay.game_id, G => {
        let config = G::config_from_wire(config.game.as_ref().unwrap()).unwrap();
        (0_u64..)
            .map(|seed| G::draw_setup(&config, seats, &Seed::from(seed)).unwrap())
            .map(|setup| G::setup_to_wire(&setup))
            .find(|setup| Some(setup) != replay.setup.as_ref())
    })
    .flatten()
}

#[test]
fn a_forged_digest_record_setup_or_score_is_named_in_every_game() {
    type Forgery = Box<dyn FnOnce(&mut Replay)>;
    for game in GAME_IDS {
        let sample = decode(&file_of(game)).unwrap().replay;
        let is_decision = |at: &usize| {
            let record = &sample.records[*at].record;
            matches!(record, Some(record::Record::Decision(_)))
        };
        let decisions: Vec<usize> = (0..sample.records.len()).filter(is_decision).collect();
        let (middle, last) = (decisions[decisions.len() / 2], *decisions.last().unwrap());
        let digest =
            |at: usize| -> Forgery { Box::new(move |replay| decision_at(replay, at).digest ^= 1) };
        let setup = setup_of_another_seed(&sample);
        let forgeries: [(String, Forgery); 5] = [
            (format!("record {middle}: decision.digest"), digest(middle)),
            (format!("record {last}: decision.digest"), digest(last)),
            (
                format!("record {middle}: number"),
                Box::new(move |replay| {
                    replay.records.remove(middle);
                }),
            ),
            (
                "setup: expected the setup drawn from the seed".to_owned(),
                Box::new(move |replay| replay.setup = setup),
            ),
            (
                "result.seats[0].score".to_owned(),
                Box::new(|replay| replay.result.as_mut().unwrap().seats[0].score += 1),
            ),
        ];
        for (place, forge) in forgeries {
            assert_refused_of(sample.clone(), &place, forge);
        }
    }
}

#[test]
fn a_changed_digest_of_the_opening_is_named() {
    assert_refused("opening_digest", |replay| replay.opening_digest ^= 1);
}

#[test]
fn a_note_without_a_bot_or_over_the_budget_is_named() {
    let too_long = "note: 1025 bytes exceed the limit: at most 1024,";
    assert_refused_decision(position(is_by(DecidedBy::Bot)), too_long, |decision| {
        decision.note = "n".repeat(1025);
    });
    let of_nobody = "note: must be empty, because no bot decided";
    assert_refused_decision(position(is_by(DecidedBy::Referee)), of_nobody, |decision| {
        decision.note = "mine".to_owned();
    });
}

#[test]
fn a_forged_decider_is_named_where_the_rules_determine_it() {
    for (recorded, forged) in
        [(DecidedBy::Bot, DecidedBy::Referee), (DecidedBy::Referee, DecidedBy::Bot)]
    {
        assert_refused_decision(position(is_by(recorded)), "decided_by", |decision| {
            decision.set_decided_by(forged);
        });
    }
    assert_refused("result.seats[", |replay| {
        let by_house = decision_at(replay, position(is_by(DecidedBy::Bot)));
        by_house.set_decided_by(DecidedBy::House);
        by_house.charge = None;
    });
}

#[test]
fn a_record_that_is_missing_or_out_of_order_is_named() {
    assert_refused("after the last record: the match is not over", |replay| {
        replay.records.truncate(20);
    });
    assert_refused("record 8: at_ms", |replay| replay.records[7].at_ms = u64::MAX);
    assert_refused("record 6: record", |replay| replay.records[6].record = None);
}

#[test]
fn a_forged_or_missing_chance_result_is_named() {
    let sample = decode(&file_of("alhambra")).unwrap().replay;
    let mut records = sample.records.iter();
    let is_chance = |record: &Record| matches!(record.record, Some(record::Record::Chance(_)));
    let at = records.position(is_chance).unwrap();
    let refuse = |place: String, forge: &dyn Fn(&mut Replay)| {
        assert_refused_of(sample.clone(), &place, forge);
    };
    refuse(format!("record {at}: chance.chance: expected the result drawn"), &|replay| {
        let Some(record::Record::Chance(chance)) = &mut replay.records[at].record else {
            panic!("record {at} is not a chance result");
        };
        let Some(game_chance::Game::Alhambra(shuffle)) =
            chance.chance.as_mut().and_then(|chance| chance.game.as_mut())
        else {
            panic!("record {at} is of another game");
        };
        shuffle.cards.reverse();
    });
    refuse(format!("record {at}: "), &|replay| {
        replay.records.remove(at);
    });
}

#[test]
fn a_seed_that_was_not_committed_to_is_named() {
    assert_refused("seed_commitment: expected ", |replay| {
        replay.config.as_mut().unwrap().seed = Some("other".to_owned());
    });
    assert_refused("seed_commitment: expected ", |replay| {
        replay.seed_salt = "00".repeat(32);
    });
    assert_refused("seed_commitment: expected ", |replay| {
        replay.seed_commitment.make_ascii_uppercase();
    });
    assert_refused(", got \"\"", |replay| {
        replay.seed_commitment.clear();
    });
    for salt in ["", "00", "the salt of the sea"] {
        assert_refused("seed_salt: must have 64 lower-case hex digits", |replay| {
            replay.seed_salt = salt.to_owned();
        });
    }
}

#[test]
fn a_replay_without_a_time_control_is_refused() {
    let missing = "config.clock.time_control: is missing; verify the replay with the release that";
    assert_refused(missing, |replay| {
        let clock = &mut replay.config.as_mut().unwrap().clock;
        clock.as_mut().unwrap().time_control = None;
    });
}

#[test]
fn a_charge_that_breaks_the_time_rules_or_is_not_its_sum_is_named() {
    type Forgery = fn(&mut Charge);
    let asked = position(is_by(DecidedBy::Bot));
    let forgeries: [(&str, Forgery); 6] = [
        ("elapsed_us is", |charge| charge.elapsed_us += 1),
        ("elapsed_us is", |charge| charge.referee_lag_us += 1),
        ("elapsed_us is", |charge| charge.credit_us = u64::MAX),
        ("charged_us + uncharged_us is 20000000, which exceeds the limit of 10000000", |charge| {
            charge.charged_us = 20_000_000;
            charge.elapsed_us = 20_000_000 + charge.credit_us + charge.referee_lag_us;
        }),
        ("credit_us is 100001, which exceeds the limit of 100000", |charge| {
            charge.credit_us = 100_001;
            charge.elapsed_us = 100_001 + charge.charged_us + charge.referee_lag_us;
        }),
        ("charged_us is", |charge| {
            charge.charged_us -= 1;
            charge.uncharged_us += 1;
        }),
    ];
    for (problem, forge) in forgeries {
        assert_refused_decision(asked, &format!("charge: {problem}"), |decision| {
            forge(decision.charge.as_mut().unwrap());
        });
    }
}

#[test]
fn referee_lag_that_does_not_add_up_is_named() {
    assert_refused_result("referee_lag_us", |result| result.referee_lag_us += 1);
    assert_refused_result("longest_referee_lag_us", |result| {
        result.longest_referee_lag_us += 1;
    });
    assert_refused_result("spoiled_by_referee", |result| {
        result.spoiled_by_referee = !result.spoiled_by_referee;
    });
    assert_refused_result("spoiled_by_referee: expected true, got false", |result| {
        // The match was spoiled, but the result is not marked as spoiled.
        result.spoiled_by_referee = false;
        let clock = result.seats[0].clock_use.as_mut().unwrap();
        clock.referee_lag_us += 5_000_000;
        clock.longest_referee_lag_us = 5_000_000;
        result.referee_lag_us += 5_000_000;
        result.longest_referee_lag_us = 5_000_000;
    });
}

#[test]
fn a_setup_seed_or_opening_that_does_not_fit_is_named() {
    assert_refused("setup: expected the setup drawn from the seed", |replay| {
        // The forger commits to the other seed too.
        let salt = SeedSalt::from_hex(&replay.seed_salt).unwrap();
        replay.seed_commitment = salt.commit(&"other".parse().unwrap());
        replay.config.as_mut().unwrap().seed = Some("other".to_owned());
    });
    assert_refused("opening_events", |replay| {
        replay.opening_events.pop();
    });
    assert_refused("setup", |replay| replay.setup = None);
    assert_refused("config", |replay| replay.config = None);
    assert_refused("config.seats", |replay| replay.config.as_mut().unwrap().seats = 9);
    assert_refused("; verify the replay with the release that wrote it", |replay| {
        replay.rules_version += 1
    });
    assert_refused("game_id", |replay| replay.game_id = "chess".to_owned());
}

#[test]
fn a_forged_result_is_named_by_its_field() {
    type Forgery = fn(&mut SeatResult);
    let forgeries: [(&str, Forgery); 8] = [
        ("score", |seat| seat.score += 1),
        ("place", |seat| seat.place += 1),
        ("place_by_score", |seat| seat.place_by_score += 1),
        ("breakdown", |seat| seat.breakdown[0].points += 1),
        ("forfeit", |seat| seat.set_forfeit(FaultReason::Late)),
        ("fault_count", |seat| seat.fault_count += 1),
        ("house_decisions", |seat| seat.house_decisions += 1),
        ("forced_decisions", |seat| seat.forced_decisions += 1),
    ];
    for (field, forge) in forgeries {
        assert_refused_result(&format!("seats[1].{field}"), |result| {
            forge(&mut result.seats[1]);
        });
    }
    type ClockForgery = fn(&mut ClockUse);
    let forgeries: [(&str, ClockForgery); 5] = [
        ("charged_us", |clock| clock.charged_us = 0),
        ("charged_us", |clock| clock.charged_us = u64::MAX),
        ("longest_us", |clock| clock.longest_us = 10_000_001),
        ("bank_left_ms", |clock| clock.bank_left_ms += 1),
        ("longest_referee_lag_us", |clock| clock.longest_referee_lag_us = u64::MAX),
    ];
    for (field, forge) in forgeries {
        assert_refused_result(&format!("seats[1].clock_use.{field}"), |result| {
            forge(result.seats[1].clock_use.as_mut().unwrap());
        });
    }
    assert_refused_result("decisions", |result| result.decisions += 1);
    assert_refused_result("seats", |result| {
        result.seats.pop();
    });
    assert_refused("result", |replay| replay.result = None);
}

/// The sample with a fault of seat 1 before the first decision, and the position of its record.
fn sample_with_fault() -> (Replay, usize) {
    let mut replay = sample();
    let at = position(|_| true);
    let rules = replay.config.as_ref().unwrap().faults.as_ref().unwrap();
    let fault = Fault {
        reason: FaultReason::Illegal.into(),
        action: rules.illegal,
        request_id: 1,
        at_ms: 0,
        detail: "the decision is not legal".to_owned(),
    };
    let scored = &mut replay.result.as_mut().unwrap().seats[1];
    scored.faults.push(fault.clone());
    scored.fault_count += 1;
    let record = Record {
        at_ms: replay.records[at].at_ms,
        record: Some(record::Record::Fault(FaultRecord { seat: 1, fault: Some(fault) })),
        ..Record::default()
    };
    replay.records.insert(at, record);
    for (number, record) in (0..).zip(&mut replay.records) {
        record.number = number;
    }
    (replay, at)
}

fn fault_at(replay: &mut Replay, at: usize) -> &mut FaultRecord {
    match &mut replay.records[at].record {
        Some(record::Record::Fault(fault)) => fault,
        other => panic!("record {at} is not a fault: {other:?}"),
    }
}

#[test]
fn a_forged_fault_is_named() {
    let (sample, at) = sample_with_fault();
    let cost = sample.result.as_ref().unwrap().seats[1].faults[0].action();
    let refuse = |place: &str, forge: &dyn Fn(&mut FaultRecord)| {
        assert_refused_of(sample.clone(), place, |replay| forge(fault_at(replay, at)));
    };
    let actions = [
        FaultAction::Unspecified,
        FaultAction::Refuse,
        FaultAction::Strike,
        FaultAction::Substitute,
        FaultAction::Forfeit,
    ];
    let of_record = |field: &str| format!("record {at}: fault.{field}");
    for action in actions.into_iter().filter(|action| *action != cost) {
        refuse(&of_record("fault.action: got "), &|record| {
            record.fault.as_mut().unwrap().set_action(action);
        });
    }
    refuse(&of_record("fault.reason"), &|record| {
        record.fault.as_mut().unwrap().reason = 99;
    });
    refuse(&of_record("seat"), &|record| record.seat = 7);
    refuse(&of_record("fault: is missing"), &|record| {
        record.fault = None;
    });
    let differs = "].faults: expected the faults of the records";
    refuse(differs, &|record| record.seat = 0);
    refuse(differs, &|record| {
        record.fault.as_mut().unwrap().detail = "another".to_owned();
    });
}

#[test]
fn a_forged_name_or_version_of_a_bot_is_named() {
    let name = "seats[1].bot_name: expected ";
    let version = "seats[1].bot_version: expected ";
    assert_refused_result(name, |result| {
        result.seats[1].bot_name = "stronger".to_owned();
    });
    assert_refused_result(version, |result| {
        result.seats[1].bot_version = "2".to_owned();
    });
    // The last record about the seat names its bot.
    let refuse = |place: &str, forge: fn(&mut Option<SeatInfo>)| {
        assert_refused(place, |replay| {
            let records = replay.records.iter_mut().rev();
            let mut seats = records.filter_map(|record| match &mut record.record {
                Some(record::Record::Seat(seat)) => Some(&mut seat.seat),
                _ => None,
            });
            let is_seat_1 = |seat: &&mut Option<SeatInfo>| seat.as_ref().unwrap().seat == 1;
            forge(seats.find(is_seat_1).unwrap());
        });
    };
    refuse(name, |seat| seat.as_mut().unwrap().bot_name.push('2'));
    refuse(version, |seat| seat.as_mut().unwrap().bot_version.push('2'));
    refuse("seat.seat: is missing", |seat| *seat = None);
}

#[test]
fn every_cut_and_every_altered_byte_of_a_file_is_noticed() {
    let bytes = file();
    let mut altered = bytes.clone();
    for position in 0..bytes.len() {
        assert!(decode(&bytes[..position]).is_err(), "cut to {position} bytes");
        altered[position] ^= 1;
        assert!(decode(&altered).is_err(), "byte {position} altered");
        altered[position] ^= 1;
    }
}
