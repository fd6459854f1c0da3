//! `bridgemaster demo` and `bridgemaster replay` in every game of the catalogue.

use std::{fs, path::Path};

use bridgemaster_games::{ChanceStream, GAME_IDS, NoEvents, Seat, SeatCount, Seed, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{GameChance, GameSetup, Record, Replay, record::Record as Entry},
};
use bridgemaster_replay::{decode, encode_unsigned};
use serde_json::Value;

use crate::kit::program::{assert_has, run, succeed};

/// Plays a match with built-in bots and returns its replay.
fn play(game: &str, flags: &str, file: &Path) -> Replay {
    let line = format!("demo --quiet --game {game} --seed every-game {flags}");
    succeed(format!("{line} --replay {}", file.display()));
    decode(&fs::read(file).unwrap()).unwrap().replay
}

#[test]
fn a_match_of_every_game_at_every_number_of_seats_leaves_a_replay_that_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.replay");
    for game in GAME_IDS {
        for seats in with_game!(*game, G => G::SEATS).unwrap() {
            let replay = play(game, &format!("--seats {seats}"), &file);
            let verified = succeed(format!("replay verify {}", file.display()));
            let result = replay.result.as_ref().unwrap();
            assert_eq!(
                (&*replay.game_id, result.seats.len()),
                (*game, usize::from(seats))
            );
            assert!(
                result.seats.iter().all(|seat| seat.fault_count == 0),
                "{game}"
            );
            let counted = format!("{} decisions and 0 faults", result.decisions);
            assert_has(&verified, &[&counted]);
            if seats == 2 {
                assert_shown(game, &replay, &file);
                assert_forgeries_refused(game, &replay);
            }
        }
    }
}

/// Checks that a transcript has every decision and chance result in notation, and that exported
/// JSON names the game in config, setup and decisions.
fn assert_shown(game: &str, replay: &Replay, file: &Path) {
    let shown = succeed(format!("replay show {}", file.display()));
    with_game!(game, G => {
        assert!(shown.contains(G::NAME));
        assert!(G::NOTES.iter().all(|note| shown.contains(note)));
        for record in &replay.records {
            if let Some(line) = line_of::<G>(record) {
                assert!(shown.contains(&line), "{line:?} is missing");
            }
        }
    })
    .unwrap();
    let json = succeed(format!("replay export --json {}", file.display()));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["gameId"], game);
    let mut records = json["records"].as_array().unwrap().iter();
    let decision = records.find_map(|record| record.get("decision")).unwrap();
    for entry in [
        &json["config"]["game"],
        &json["setup"],
        &decision["decision"],
    ] {
        let entries: Vec<&String> = entry.as_object().unwrap().keys().collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!(entries[0].to_lowercase(), game.replace('_', ""));
    }
}

fn line_of<G: WireGame>(record: &Record) -> Option<String> {
    match record.record.as_ref()? {
        Entry::Decision(decision) => {
            let notation = G::decision_from_wire(decision.decision.as_ref()?).unwrap();
            Some(format!("seat {}: {notation}  (", decision.seat))
        }
        Entry::Chance(chance) => {
            let notation = G::chance_from_wire(chance.chance.as_ref()?).unwrap();
            Some(format!("chance: {notation}  (stream {})", chance.stream))
        }
        _ => None,
    }
}

/// Forges a replay, seals it again, and checks that the flaw is named.
#[track_caller]
fn assert_refused(replay: &Replay, place: &str, forge: impl FnOnce(&mut Replay)) {
    let mut forged = replay.clone();
    forge(&mut forged);
    assert_ne!(&forged, replay, "{place}: nothing was forged");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, encode_unsigned(&forged)).unwrap();
    run(format!("replay verify {}", file.path().display())).fails(1, &[place]);
}

fn assert_forgeries_refused(game: &str, replay: &Replay) {
    let decisions: Vec<usize> = (0..replay.records.len())
        .filter(|&n| matches!(replay.records[n].record, Some(Entry::Decision(_))))
        .collect();
    let (middle, last) = (decisions[decisions.len() / 2], *decisions.last().unwrap());
    for place in [middle, last] {
        assert_refused(
            replay,
            &format!("record {place}: decision.digest"),
            |replay| {
                let Some(Entry::Decision(decision)) = &mut replay.records[place].record else {
                    unreachable!("it is a decision");
                };
                decision.digest ^= 1;
            },
        );
    }
    assert_refused(replay, &format!("record {middle}: number"), |replay| {
        replay.records.remove(middle);
    });
    let setup = setup_of_another_seed(game);
    assert_refused(replay, "setup: ", |replay| replay.setup = setup);
    assert_refused(replay, "result.seats", |replay| {
        replay.result.as_mut().unwrap().seats[0].score += 1;
    });
}

fn setup_of_another_seed(game: &str) -> Option<GameSetup> {
    with_game!(game, G => {
        let seats = SeatCount::new(2).unwrap();
        G::setup_to_wire(&G::draw_setup(&Default::default(), seats, &Seed::from(2)).unwrap())
    })
}

#[test]
fn a_forged_or_missing_chance_result_is_refused() {
    let mut found = 0;
    let folder = tempfile::tempdir().unwrap();
    for game in GAME_IDS {
        // A full table of random bots uses up most.
        let seats = with_game!(*game, G => *G::SEATS.end()).unwrap();
        let bots = format!("--bots {}", vec!["random"; seats.into()].join(","));
        let replay = play(game, &bots, &folder.path().join("match.replay"));
        let is_chance = |record: &Record| matches!(record.record, Some(Entry::Chance(_)));
        let Some(place) = replay.records.iter().position(is_chance) else {
            continue;
        };
        found += 1;
        let forged = with_game!(*game, G => drawn_elsewhere::<G>(&replay, place));
        assert_refused(
            &replay,
            &format!("record {place}: chance.chance"),
            |replay| {
                let Some(Entry::Chance(chance)) = &mut replay.records[place].record else {
                    unreachable!("it is a chance result");
                };
                chance.chance = forged;
            },
        );
        assert_refused(&replay, &format!("record {place}: "), |replay| {
            replay.records.remove(place);
        });
    }
    assert!(found > 0, "no game drew a chance result after its setup");
}

/// A chance result that another seed draws where the match had this one.
fn drawn_elsewhere<G: WireGame>(replay: &Replay, place: usize) -> GameChance {
    let config = replay.config.as_ref().unwrap();
    let seats = SeatCount::new(config.seats as u8).unwrap();
    let config = G::config_from_wire(config.game.as_ref().unwrap()).unwrap();
    let setup = G::setup_from_wire(replay.setup.as_ref().unwrap(), &config).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    for record in &replay.records[..place] {
        if let Some(Entry::Decision(record)) = &record.record {
            let seat = Seat::new(record.seat as u8).unwrap();
            let decision = G::decision_from_wire(record.decision.as_ref().unwrap()).unwrap();
            G::apply(&mut state, seat, &decision, &mut NoEvents).unwrap();
        }
    }
    let stream = G::chance_due(&state).unwrap();
    let mut chance = ChanceStream::new(&Seed::from(1), stream);
    G::chance_to_wire(&G::draw_chance(&state, &mut chance).unwrap())
}
