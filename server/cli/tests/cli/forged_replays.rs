//! `bridgemaster replay`: what holds is shown and exported, what does not is refused by name. The
//! forgeries are not signed, so that the rules alone have to find them; `signed_replays` has those
//! that only the signature finds.

use std::{fs, path::Path};

use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{Charge, DecidedBy, DecisionRecord, FaultReason, GameDecision, Replay, record},
};
use bridgemaster_replay::{decode, encode_unsigned};
use bridgemaster_sdk::seed_commitment;

use crate::program::{Ran, run, sample_replay, succeed};

fn sample() -> Replay {
    decode(&fs::read(sample_replay()).unwrap()).unwrap().replay
}

fn verify(bytes: &[u8]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forged.replay");
    fs::write(&file, bytes).unwrap();
    run(["replay", "verify", file.to_str().unwrap()])
}

/// Forges the sample, makes its checksum anew, and checks that the flaw is named.
fn assert_refused(place: &str, forge: impl FnOnce(&mut Replay)) {
    let mut replay = sample();
    forge(&mut replay);
    assert_ne!(replay, sample(), "{place}: nothing was forged");
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(1), "{place}: {}", ran.out);
    assert!(
        ran.err.contains(place),
        "{place:?} is missing in: {}",
        ran.err
    );
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
        other => panic!("record {position} is no decision: {other:?}"),
    }
}

fn decision(notation: &str) -> Option<GameDecision> {
    Some(OldLondonBridge::decision_to_wire(
        &notation.parse().unwrap(),
    ))
}

fn is_by(wanted: DecidedBy) -> impl Fn(&DecisionRecord) -> bool {
    move |decision| decision.decided_by() == wanted
}

#[test]
fn another_legal_decision_is_noticed_by_what_comes_of_it() {
    // The first decision is a card to play, and every hand has a 0 and a 1 then.
    let first = position(|_| true);
    assert_refused(&format!("record {first}: decision.digest"), |replay| {
        let played = decision_at(replay, first);
        let zero = decision("play 0");
        played.decision = if played.decision == zero {
            decision("play 1")
        } else {
            zero
        };
    });
}

#[test]
fn an_illegal_decision_is_named_in_notation() {
    let first = position(|_| true);
    assert_refused(
        &format!("record {first}: decision.decision: `end` is not legal"),
        |replay| {
            decision_at(replay, first).decision = decision("end");
        },
    );
}

#[test]
fn an_event_that_is_changed_missing_or_too_many_is_named() {
    let eventful = position(|decision| decision.events.len() > 2);
    let count = decision_at(&mut sample(), eventful).events.len();
    assert_refused(
        &format!("record {eventful}: decision.events[0]"),
        |replay| {
            decision_at(replay, eventful).events.swap(0, 1);
        },
    );
    assert_refused(
        &format!("record {eventful}: decision.events[{}]", count - 1),
        |replay| {
            decision_at(replay, eventful).events.pop();
        },
    );
    assert_refused(
        &format!("record {eventful}: decision.events[{count}]"),
        |replay| {
            let events = &mut decision_at(replay, eventful).events;
            events.push(events[0].clone());
        },
    );
}

#[test]
fn a_changed_digest_is_named() {
    let last = sample().records.len() - 1;
    let last_decision = (0..=last).rev().find(|at| {
        matches!(
            sample().records[*at].record,
            Some(record::Record::Decision(_))
        )
    });
    let at = last_decision.unwrap();
    assert_refused(&format!("record {at}: decision.digest"), |replay| {
        decision_at(replay, at).digest ^= 1;
    });
    assert_refused("opening_digest", |replay| replay.opening_digest ^= 1);
}

#[test]
fn a_note_of_nobody_or_beyond_what_is_kept_is_named() {
    let asked = position(is_by(DecidedBy::Bot));
    let too_long = "n".repeat(1025);
    assert_refused(
        &format!("record {asked}: decision.note: 1025 bytes exceed the limit: at most 1024,"),
        |replay| too_long.clone_into(&mut decision_at(replay, asked).note),
    );
    let forced = position(is_by(DecidedBy::Referee));
    assert_refused(
        &format!("record {forced}: decision.note: must be empty, because no bot decided"),
        |replay| "mine".clone_into(&mut decision_at(replay, forced).note),
    );
}

#[test]
fn who_decided_cannot_be_forged_where_the_rules_tell() {
    let asked = position(is_by(DecidedBy::Bot));
    assert_refused(&format!("record {asked}: decision.decided_by"), |replay| {
        decision_at(replay, asked).set_decided_by(DecidedBy::Referee);
    });
    let forced = position(is_by(DecidedBy::Referee));
    assert_refused(&format!("record {forced}: decision.decided_by"), |replay| {
        decision_at(replay, forced).set_decided_by(DecidedBy::Bot);
    });
    assert_refused("result.seats[", |replay| {
        let by_house = decision_at(replay, asked);
        by_house.set_decided_by(DecidedBy::House);
        by_house.charge = None;
    });
}

#[test]
fn a_record_that_is_missing_or_out_of_order_is_named() {
    assert_refused("record 5: number", |replay| {
        replay.records.remove(5);
    });
    assert_refused("after the last record: the match is not over", |replay| {
        replay.records.truncate(20);
    });
    assert_refused("record 8: at_ms", |replay| {
        replay.records[7].at_ms = u64::MAX
    });
    assert_refused("record 6: record", |replay| replay.records[6].record = None);
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
fn a_replay_without_a_commitment_is_checked_from_its_seed_and_says_so() {
    let mut replay = sample();
    replay.seed_commitment.clear();
    replay.seed_salt.clear();
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("there is no commitment to the seed"),
        "{}",
        ran.out
    );
    let ran = verify(&encode_unsigned(&sample()));
    assert!(ran.out.contains("matches its commitment"), "{}", ran.out);
}

#[test]
fn a_charge_that_breaks_the_time_rules_or_is_not_its_sum_is_named() {
    type Forgery = fn(&mut Charge);
    let asked = position(is_by(DecidedBy::Bot));
    let forgeries: [(&str, Forgery); 5] = [
        ("elapsed_us is", |charge| charge.elapsed_us += 1),
        ("elapsed_us is", |charge| charge.referee_lag_us += 1),
        ("elapsed_us is", |charge| charge.credit_us = u64::MAX),
        (
            "charged_us is 20000000, which exceeds the limit of 10000000",
            |charge| {
                charge.charged_us = 20_000_000;
                charge.elapsed_us = 20_000_000 + charge.credit_us + charge.referee_lag_us;
            },
        ),
        (
            "credit_us is 100001, which exceeds the limit of 100000",
            |charge| {
                charge.credit_us = 100_001;
                charge.elapsed_us = 100_001 + charge.charged_us + charge.referee_lag_us;
            },
        ),
    ];
    for (problem, forge) in forgeries {
        assert_refused(
            &format!("record {asked}: decision.charge: {problem}"),
            |replay| forge(decision_at(replay, asked).charge.as_mut().unwrap()),
        );
    }
}

#[test]
fn referee_lag_that_does_not_add_up_is_named() {
    assert_refused("result.referee_lag_us", |replay| {
        replay.result.as_mut().unwrap().referee_lag_us += 1;
    });
    assert_refused("result.longest_referee_lag_us", |replay| {
        replay.result.as_mut().unwrap().longest_referee_lag_us += 1;
    });
    assert_refused("result.spoiled_by_referee", |replay| {
        let result = replay.result.as_mut().unwrap();
        result.spoiled_by_referee = !result.spoiled_by_referee;
    });
    assert_refused(
        "result.spoiled_by_referee: expected true, got false",
        |replay| {
            // Everything but the mark of a match that was spoiled.
            let result = replay.result.as_mut().unwrap();
            result.spoiled_by_referee = false;
            let clock = result.seats[0].clock_use.as_mut().unwrap();
            clock.referee_lag_us += 5_000_000;
            clock.longest_referee_lag_us = 5_000_000;
            result.referee_lag_us += 5_000_000;
            result.longest_referee_lag_us = 5_000_000;
        },
    );
}

#[test]
fn a_setup_seed_or_opening_that_does_not_fit_is_named() {
    assert_refused("setup: expected the setup drawn from the seed", |replay| {
        // The forger commits to the other seed too.
        replay.seed_commitment = seed_commitment("other", &replay.seed_salt).unwrap();
        replay.config.as_mut().unwrap().seed = Some("other".to_owned());
    });
    assert_refused("opening_events", |replay| {
        replay.opening_events.pop();
    });
    assert_refused("setup", |replay| replay.setup = None);
    assert_refused("config", |replay| replay.config = None);
    assert_refused("config.seats", |replay| {
        replay.config.as_mut().unwrap().seats = 9
    });
    assert_refused(
        "; verify the replay with the release that wrote it",
        |replay| replay.rules_version += 1,
    );
    assert_refused("game_id", |replay| replay.game_id = "chess".to_owned());
}

#[test]
fn a_replay_without_its_seed_is_checked_from_its_setup() {
    let mut replay = sample();
    replay.config.as_mut().unwrap().seed = None;
    let ran = verify(&encode_unsigned(&replay));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("the seed is not stored"), "{}", ran.out);
}

#[test]
fn a_forged_result_is_named_by_its_field() {
    type Forgery = fn(&mut bridgemaster_proto::v1::SeatResult);
    let forgeries: [(&str, Forgery); 13] = [
        ("score", |seat| seat.score += 1),
        ("place", |seat| seat.place += 1),
        ("place_by_score", |seat| seat.place_by_score += 1),
        ("breakdown", |seat| seat.breakdown[0].points += 1),
        ("forfeit", |seat| seat.set_forfeit(FaultReason::Late)),
        ("fault_count", |seat| seat.fault_count += 1),
        ("house_decisions", |seat| seat.house_decisions += 1),
        ("forced_decisions", |seat| seat.forced_decisions += 1),
        ("clock_use.charged_us", |seat| {
            seat.clock_use.as_mut().unwrap().charged_us = 0
        }),
        ("clock_use.charged_us", |seat| {
            seat.clock_use.as_mut().unwrap().charged_us = u64::MAX
        }),
        ("clock_use.longest_us", |seat| {
            seat.clock_use.as_mut().unwrap().longest_us = 10_000_001
        }),
        ("clock_use.bank_left_ms", |seat| {
            seat.clock_use.as_mut().unwrap().bank_left_ms += 1
        }),
        ("clock_use.longest_referee_lag_us", |seat| {
            seat.clock_use.as_mut().unwrap().longest_referee_lag_us = u64::MAX
        }),
    ];
    for (field, forge) in forgeries {
        assert_refused(&format!("result.seats[1].{field}"), |replay| {
            forge(&mut replay.result.as_mut().unwrap().seats[1]);
        });
    }
    assert_refused("result.decisions", |replay| {
        replay.result.as_mut().unwrap().decisions += 1
    });
    assert_refused("result.seats", |replay| {
        replay.result.as_mut().unwrap().seats.pop();
    });
    assert_refused("result", |replay| replay.result = None);
}

#[test]
fn every_cut_and_every_altered_byte_of_a_real_file_is_noticed() {
    let bytes = fs::read(sample_replay()).unwrap();
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "cut to {length} bytes");
    }
    let mut altered = bytes.clone();
    for position in 0..bytes.len() {
        altered[position] ^= 1;
        assert!(decode(&altered).is_err(), "byte {position} altered");
        altered[position] ^= 1;
    }
    let ran = verify(&bytes[..bytes.len() / 2]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("truncated"), "{}", ran.err);
    altered[100] ^= 1;
    let ran = verify(&altered);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("checksum"), "{}", ran.err);
}

#[test]
fn a_file_that_is_missing_is_named() {
    for command in [["verify"].as_slice(), &["show"], &["export", "--json"]] {
        let ran = run(["replay"].iter().chain(command).chain(&["no/such.replay"]));
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.err.contains("cannot open no/such.replay"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_transcript_has_the_table_every_decision_in_notation_and_the_result() {
    let replay = sample();
    let shown = succeed([Path::new("replay"), Path::new("show"), sample_replay()]);
    assert!(
        shown.contains("seed sample") && shown.contains("bonus stacks"),
        "{shown}"
    );
    for record in &replay.records {
        if let Some(record::Record::Decision(decision)) = &record.record {
            let wire = decision.decision.as_ref().unwrap();
            let notation = OldLondonBridge::decision_from_wire(wire).unwrap();
            let line = format!("seat {}: {notation}  (", decision.seat);
            assert!(shown.contains(&line), "{line:?} is missing");
        }
    }
    for seat in replay.result.unwrap().seats {
        assert!(shown.contains(&seat.score.to_string()), "{shown}");
    }
}

#[test]
fn exported_json_has_the_canonical_names_and_every_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("replay.json");
    let said = succeed([
        Path::new("replay"),
        Path::new("export"),
        Path::new("--json"),
        sample_replay(),
        Path::new("-o"),
        &file,
    ]);
    assert_eq!(said, "");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let replay = sample();
    assert_eq!(json["matchId"], replay.match_id.as_str());
    // 64-bit numbers are strings in canonical proto JSON.
    assert_eq!(json["openingDigest"], replay.opening_digest.to_string());
    assert_eq!(
        json["records"].as_array().unwrap().len(),
        replay.records.len()
    );
    assert!(json["setup"]["oldLondonBridge"].is_object());
}
