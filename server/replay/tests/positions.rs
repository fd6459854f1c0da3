//! The contents of positions, and their secrecy.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use bridgemaster_games::{ChanceStream, GAME_IDS, Seat, SeatCount, Seed, Viewer, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, DecidedBy, FaultAction, FaultReason, Position, Record, Replay, record},
};
use bridgemaster_replay::wire::rules_from_wire;
use bridgemaster_replay::{
    Disclosure, Positions, RecordCursor, decode, decode_head, match_info, viewers_from_wire,
    write_transcript,
};

/// Returns the replay file of a match of this game with faults: the corpus has one for each game.
fn file(game: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/replay");
    let file = corpus.join(format!("{game}_signed"));
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn replay(game: &str) -> Replay {
    decode(&file(game)).unwrap().replay
}

fn seats(replay: &Replay) -> SeatCount {
    let seats = replay.config.as_ref().unwrap().seats;
    SeatCount::new(u8::try_from(seats).unwrap()).unwrap()
}

fn everybody(replay: &Replay) -> Vec<Viewer> {
    let seats = seats(replay).seats().map(Viewer::Seat);
    std::iter::once(Viewer::Spectator).chain(seats).collect()
}

fn positions(
    replay: &Replay,
    viewers: &[Viewer],
    from: u32,
    disclosure: Disclosure,
) -> Vec<Position> {
    let mut positions = Positions::open(replay, viewers, from, disclosure).unwrap();
    let mut all: Vec<Position> = positions.first().into_iter().collect();
    for record in &replay.records {
        all.extend(positions.after(record).unwrap());
    }
    all
}

fn decisions(replay: &Replay) -> impl Iterator<Item = &v1::DecisionRecord> {
    replay.records.iter().filter_map(|record| match &record.record {
        Some(record::Record::Decision(decision)) => Some(decision),
        _ => None,
    })
}

#[test]
fn each_decision_leads_to_a_position_with_the_same_lines_as_the_transcript() {
    for game in GAME_IDS {
        let replay = replay(game);
        let viewers = everybody(&replay);
        let all = positions(&replay, &viewers, 0, Disclosure::Everything);
        assert_eq!(all.len(), decisions(&replay).count() + 1);
        assert_eq!(all[0].played, None);
        for (number, (position, record)) in all[1..].iter().zip(decisions(&replay)).enumerate() {
            assert_eq!(position.number as usize, number + 1, "{game}");
            let played = position.played.as_ref().unwrap();
            assert_eq!(
                (played.seat, &played.decision, played.charge),
                (record.seat, &record.decision, record.charge)
            );
            assert!(!played.notation.is_empty());
            assert!(played.legal_decisions.contains(record.decision.as_ref().unwrap()));
        }
        for position in &all {
            assert_eq!(position.observations.len(), viewers.len());
            assert_eq!(position.lines.len(), position.events.len());
        }
        let mut text = String::new();
        write_transcript(&replay, &mut text).unwrap();
        let shown = text.lines().filter_map(|line| line.strip_prefix("      "));
        let shown: Vec<&str> = shown.collect();
        let lines = all.iter().flat_map(|position| &position.lines);
        let lines: Vec<&str> = lines.map(String::as_str).collect();
        // Other lines of the table may come first.
        assert!(shown.ends_with(&lines), "{game}");
        let faults = all.iter().map(|position| position.faults.len()).sum::<usize>();
        let recorded = replay.records.iter();
        let recorded = recorded.filter(|r| matches!(r.record, Some(record::Record::Fault(_))));
        assert_eq!(faults, recorded.count(), "{game}");
    }
}

#[test]
fn banks_follow_from_charges_and_increments_and_finally_equal_those_of_the_result() {
    for game in GAME_IDS {
        let whole = replay(game);
        let result = whole.result.as_ref().unwrap();
        let stated: Vec<u32> =
            result.seats.iter().map(|seat| seat.clock_use.unwrap().bank_left_ms).collect();
        let viewers = [Viewer::Spectator];
        let last =
            |replay: &Replay| positions(replay, &viewers, 0, Disclosure::Public).pop().unwrap();
        assert_eq!(last(&whole).bank_left_ms, stated);
        // Without a result, the banks are reconstructed from the records. Those of seats for which
        // the house never decided are exact.
        let live = Replay { result: None, ..whole.clone() };
        let computed = last(&live).bank_left_ms;
        for (seat, stated) in stated.iter().enumerate() {
            let house = decisions(&whole).filter(|decision| {
                decision.seat as usize == seat && decision.decided_by() == DecidedBy::House
            });
            if house.count() == 0 {
                assert_eq!(computed[seat], *stated, "{game}, seat {seat}");
            }
        }
    }
}

#[test]
fn positions_from_a_decision_on_are_the_tail_of_all_positions() {
    for game in GAME_IDS {
        let replay = replay(game);
        let viewers = everybody(&replay);
        let all = positions(&replay, &viewers, 0, Disclosure::Everything);
        let rest = positions(&replay, &viewers, 5, Disclosure::Everything);
        assert_eq!(rest, all[5..], "{game}");
        let none = positions(&replay, &viewers, u32::MAX, Disclosure::Everything);
        assert!(none.is_empty());
    }
}

#[test]
fn records_decoded_from_bytes_equal_those_of_the_message_and_the_head_is_the_rest() {
    for game in GAME_IDS {
        let (file, replay) = (file(game), replay(game));
        let mut place = RecordCursor::default();
        let mut records = Vec::new();
        while let Some(record) = place.next(&file).unwrap() {
            records.push(record);
        }
        assert_eq!(records, replay.records);
        assert_eq!(place.bytes(), file.len());
        let head = Replay { records: Vec::new(), ..replay };
        assert_eq!(decode_head(&file).unwrap(), head);
        let cut = &file[..file.len() / 2];
        let mut place = RecordCursor::default();
        let read = std::iter::from_fn(|| place.next(cut).transpose());
        assert!(read.take(records.len() + 1).any(|record| record.is_err()), "{game}");
    }
}

/// Returns a replay in which the facts that the setup hides from the viewer are drawn again.
fn with_other_secrets<G: WireGame>(replay: &Replay, viewer: Viewer, seed: u64) -> Replay {
    let config = replay.config.as_ref().unwrap();
    let seed = Seed::from(seed);
    let rules = rules_from_wire::<G>(config, seed.clone()).unwrap();
    let setup = G::setup_from_wire(replay.setup.as_ref().unwrap(), &rules.config).unwrap();
    let mut chance = ChanceStream::new(&seed, 1 << 40);
    let redealt = G::redeal(&rules.config, rules.seats, &setup, viewer, &mut chance);
    Replay { setup: Some(G::setup_to_wire(&redealt)), ..replay.clone() }
}

/// The positions of both matches for as long as their events are the same.
fn while_events_agree(
    first: &Replay,
    second: &Replay,
    viewer: Viewer,
) -> Vec<(Position, Position)> {
    let open = |replay| Positions::open(replay, &[viewer], 0, Disclosure::Public).unwrap();
    let (mut one, mut other) = (open(first), open(second));
    let mut pairs = vec![(one.first().unwrap(), other.first().unwrap())];
    for record in &first.records {
        // A decision may not be legal with other secrets.
        let (Ok(seen), Ok(seen_of_other)) = (one.after(record), other.after(record)) else {
            return pairs;
        };
        match (seen, seen_of_other) {
            (Some(seen), Some(other)) if seen.events == other.events => pairs.push((seen, other)),
            (None, None) => {}
            _ => return pairs,
        }
    }
    pairs
}

#[test]
fn facts_that_the_setup_hides_from_a_viewer_affect_none_of_its_positions() {
    for game in GAME_IDS {
        let replay = replay(game);
        let mut others = 0;
        for viewer in everybody(&replay) {
            for seed in 0..4 {
                let other =
                    with_game!(*game, G => with_other_secrets::<G>(&replay, viewer, seed)).unwrap();
                others += usize::from(other.setup != replay.setup);
                for (seen, of_other) in while_events_agree(&replay, &other, viewer) {
                    assert_eq!(seen, of_other, "{game}, {viewer:?} sees what is hidden");
                }
            }
        }
        assert!(others > 0, "{game} hides nothing, so nothing was swapped");
    }
}

#[test]
fn while_a_match_runs_a_decision_is_visible_only_to_its_own_seat() {
    for game in GAME_IDS {
        let mut replay = replay(game);
        for record in &mut replay.records {
            if let Some(record::Record::Decision(decision)) = &mut record.record {
                decision.note = "a secret plan".to_owned();
            }
        }
        for viewer in everybody(&replay) {
            for position in positions(&replay, &[viewer], 0, Disclosure::Public) {
                let Some(played) = position.played else {
                    continue;
                };
                let own =
                    viewer == Viewer::Seat(Seat::new(u8::try_from(played.seat).unwrap()).unwrap());
                assert_eq!(played.decision.is_some(), own, "{game}, {viewer:?}");
                assert_eq!(!played.notation.is_empty(), own);
                assert_eq!(!played.note.is_empty(), own);
                assert_eq!(!played.legal_decisions.is_empty(), own);
            }
        }
        let shown = positions(&replay, &[Viewer::Spectator], 0, Disclosure::Everything);
        for played in shown.into_iter().filter_map(|position| position.played) {
            assert!(played.decision.is_some() && played.note == "a secret plan");
            assert_eq!(played.legal_decisions, []);
        }
    }
}

#[test]
fn legal_decisions_are_visible_only_to_their_seat_even_after_the_match() {
    for game in GAME_IDS {
        let replay = replay(game);
        for viewer in everybody(&replay) {
            let all = positions(&replay, &[viewer], 0, Disclosure::Everything);
            let mut own = 0;
            for played in all.into_iter().filter_map(|position| position.played) {
                let seat = Seat::new(u8::try_from(played.seat).unwrap()).unwrap();
                let is_own = viewer == Viewer::Seat(seat);
                own += usize::from(is_own);
                assert_eq!(!played.legal_decisions.is_empty(), is_own, "{game}");
                assert!(is_own || !played.legal_decisions_cut);
            }
            assert_eq!(own > 0, viewer != Viewer::Spectator, "{game}, {viewer:?}");
        }
    }
}

/// A record of an illegal answer of seat 0, right at the start.
fn with_fault(replay: &Replay) -> Replay {
    let fault = v1::Fault {
        reason: FaultReason::Illegal.into(),
        action: FaultAction::Refuse.into(),
        request_id: 1,
        at_ms: 0,
        detail: "`play 4` is not in the hand".to_owned(),
    };
    let record = Record {
        number: 0,
        at_ms: 0,
        record: Some(record::Record::Fault(v1::FaultRecord { seat: 0, fault: Some(fault) })),
    };
    let mut faulty = replay.clone();
    faulty.records.insert(0, record);
    faulty
}

#[test]
fn the_detail_of_a_fault_is_visible_to_others_only_after_the_match() {
    let faulty = with_fault(&replay(GAME_IDS[0]));
    let is_detail_visible = |viewer, disclosure| {
        let first = positions(&faulty, &[viewer], 1, disclosure).swap_remove(0);
        let fault = first.faults[0].fault.clone().unwrap();
        assert_eq!(fault.reason(), FaultReason::Illegal);
        !fault.detail.is_empty()
    };
    let [own, other] = [0, 1].map(|number| Viewer::Seat(Seat::new(number).unwrap()));
    assert!(is_detail_visible(own, Disclosure::Public));
    assert!(!is_detail_visible(other, Disclosure::Public));
    assert!(!is_detail_visible(Viewer::Spectator, Disclosure::Public));
    assert!(is_detail_visible(Viewer::Spectator, Disclosure::Everything));
}

#[test]
fn the_info_of_a_match_is_that_of_its_file() {
    for game in GAME_IDS {
        let replay = replay(game);
        let info = match_info(&replay);
        assert_eq!(info.match_id, replay.match_id);
        assert_eq!(info.state(), v1::MatchState::Ended);
        let result = info.result.as_ref().unwrap();
        assert_eq!(info.decisions, result.decisions);
        let names = info.seats.iter().map(|seat| &seat.bot_name);
        assert!(names.eq(result.seats.iter().map(|seat| &seat.bot_name)));
        let seats = info.seats.iter().map(|seat| seat.seat);
        assert!(seats.eq(0..u32::from(seats_of(&replay))));
    }
}

fn seats_of(replay: &Replay) -> u8 {
    seats(replay).get()
}

#[test]
fn errors_name_the_invalid_field() {
    let replay = replay(GAME_IDS[0]);
    let open = |replay: &Replay| {
        let opened = Positions::open(replay, &[Viewer::Spectator], 0, Disclosure::Public);
        opened.err().unwrap().to_string()
    };
    let unknown = Replay { game_id: "chess".to_owned(), ..replay.clone() };
    assert!(
        open(&unknown).starts_with("game_id: \"chess\" is not a known game"),
        "{}",
        open(&unknown)
    );
    let without = Replay { setup: None, ..replay.clone() };
    assert_eq!(open(&without), "setup: is missing");

    let mut positions =
        Positions::open(&replay, &[Viewer::Spectator], 0, Disclosure::Public).unwrap();
    let empty = Record { number: 7, ..Record::default() };
    let refused = positions.after(&empty).unwrap_err().to_string();
    assert_eq!(refused, "records[7].record: is missing");

    let three = SeatCount::new(3).unwrap();
    let viewer = |seat| v1::Viewer { seat };
    let read = |viewers: &[v1::Viewer]| viewers_from_wire(viewers, three);
    assert_eq!(read(&[]).unwrap(), [Viewer::Spectator]);
    let seat = Seat::new(2).unwrap();
    assert_eq!(
        read(&[viewer(Some(2)), viewer(None)]).unwrap(),
        [Viewer::Seat(seat), Viewer::Spectator]
    );
    for number in [3, 255, 256, u32::MAX] {
        let refused = read(&[viewer(None), viewer(Some(number))]).unwrap_err();
        assert_eq!(refused.field, "viewers[1].seat");
        assert!(refused.problem.starts_with(&format!("{number} is out of range")));
    }
}
