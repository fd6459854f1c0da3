//! Tests `bridgemaster demo` and `bridgemaster replay` in every game of the catalogue.

use std::{fs, path::Path};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{Record, Replay, record::Record as Entry},
};
use bridgemaster_replay::decode;
use serde_json::Value;

use crate::kit::program::{assert_has, succeed};

/// Plays a match with built-in bots and returns its replay.
fn play(game: &str, flags: &str, file: &Path) -> Replay {
    let line = format!("demo --quiet --game {game} --seed every-game {flags}");
    succeed(format!("{line} --replay {}", file.display()));
    decode(&fs::read(file).unwrap()).unwrap().replay
}

#[test]
fn every_game_at_every_number_of_seats_has_a_valid_replay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.replay");
    for game in GAME_IDS {
        for seats in with_game!(*game, G => G::SEATS).unwrap() {
            let replay = play(game, &format!("--seats {seats}"), &file);
            let verified = succeed(format!("replay verify {}", file.display()));
            let result = replay.result.as_ref().unwrap();
            assert_eq!((&*replay.game_id, result.seats.len()), (*game, usize::from(seats)));
            assert!(result.seats.iter().all(|seat| seat.fault_count == 0), "{game}");
            let counted = format!("{} decisions and 0 faults", result.decisions);
            assert_has(&verified, &[&counted]);
            if seats == 2 {
                assert_shown(game, &replay, &file);
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
    for entry in [&json["config"]["game"], &json["setup"], &decision["decision"]] {
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
