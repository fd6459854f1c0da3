//! `bridgemaster demo` and `bridgemaster replay` in every game of the catalogue.

use std::{fs, path::Path};

use bridgemaster_games::{ChanceStream, GAME_IDS, NoEvents, Seat, SeatCount, Seed, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{GameChance, Record, Replay, record::Record as Entry},
};
use bridgemaster_replay::{decode, encode_unsigned};

use crate::program::{run, succeed};

/// Plays a match with built-in bots and gives its replay.
fn play(game: &str, seats: u8, folder: &Path) -> Replay {
    let file = folder.join("match.replay");
    let seats = seats.to_string();
    let flags = ["demo", "--quiet", "--game", game, "--seats", &seats];
    let files = ["--seed", "every-game", "--replay", file.to_str().unwrap()];
    succeed(flags.iter().chain(&files));
    decode(&fs::read(file).unwrap()).unwrap().replay
}

/// Every game with each of its numbers of seats.
fn tables() -> impl Iterator<Item = (&'static str, u8)> {
    GAME_IDS.iter().flat_map(|game| {
        let seats = with_game!(*game, G => G::SEATS).unwrap();
        seats.map(move |seats| (*game, seats))
    })
}

#[test]
fn a_match_of_every_game_at_every_number_of_seats_leaves_a_replay_that_holds() {
    for (game, seats) in tables() {
        let folder = tempfile::tempdir().unwrap();
        let replay = play(game, seats, folder.path());
        assert_eq!(replay.game_id, game);
        let result = replay.result.unwrap();
        assert_eq!(result.seats.len(), usize::from(seats), "{game}");
        assert!(
            result.seats.iter().all(|seat| seat.fault_count == 0),
            "{game}"
        );
        let file = folder.path().join("match.replay");
        let said = succeed(["replay", "verify", file.to_str().unwrap()]);
        let counted = format!("{} decisions and 0 faults", result.decisions);
        assert!(said.contains(&counted), "{game}: {said}");
    }
}

#[test]
fn a_transcript_of_every_game_has_every_decision_and_chance_result_in_notation() {
    for game in GAME_IDS {
        let folder = tempfile::tempdir().unwrap();
        let replay = play(game, 2, folder.path());
        let file = folder.path().join("match.replay");
        let shown = succeed(["replay", "show", file.to_str().unwrap()]);
        with_game!(*game, G => {
            assert!(shown.contains(G::NAME));
            assert!(G::NOTES.iter().all(|note| shown.contains(note)));
            for record in &replay.records {
                if let Some(line) = line_of::<G>(record) {
                    assert!(shown.contains(&line), "{line:?} is missing");
                }
            }
        })
        .unwrap();
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

#[test]
fn exported_json_of_every_game_names_it_in_config_setup_and_decisions() {
    for game in GAME_IDS {
        let folder = tempfile::tempdir().unwrap();
        play(game, 2, folder.path());
        let file = folder.path().join("match.replay");
        let json = succeed(["replay", "export", "--json", file.to_str().unwrap()]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["gameId"], *game);
        let first = json["records"].as_array().unwrap().iter();
        let decision = first
            .filter_map(|record| record.get("decision"))
            .next()
            .unwrap();
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
}

/// Forges a replay, seals it again, and checks that the flaw is named.
#[track_caller]
fn refused(replay: &Replay, place: &str, forge: impl FnOnce(&mut Replay)) {
    let mut forged = replay.clone();
    forge(&mut forged);
    assert_ne!(&forged, replay, "{place}: nothing was forged");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forged.replay");
    fs::write(&file, encode_unsigned(&forged)).unwrap();
    let ran = run(["replay", "verify", file.to_str().unwrap()]);
    assert_eq!(
        ran.code,
        Some(1),
        "{}: {place}: {}",
        replay.game_id,
        ran.out
    );
    assert!(
        ran.err.contains(place),
        "{}: {place:?}: {}",
        replay.game_id,
        ran.err
    );
}

#[test]
fn a_forged_replay_of_any_game_is_refused_with_the_place_of_the_forgery() {
    for game in GAME_IDS {
        let folder = tempfile::tempdir().unwrap();
        let replay = play(game, 2, folder.path());
        let decisions: Vec<usize> = (0..replay.records.len())
            .filter(|&n| matches!(replay.records[n].record, Some(Entry::Decision(_))))
            .collect();
        let (middle, last) = (decisions[decisions.len() / 2], *decisions.last().unwrap());
        for place in [middle, last] {
            refused(
                &replay,
                &format!("record {place}: decision.digest"),
                |replay| {
                    let Some(Entry::Decision(decision)) = &mut replay.records[place].record else {
                        unreachable!("it is a decision");
                    };
                    decision.digest ^= 1;
                },
            );
        }
        refused(&replay, &format!("record {middle}: number"), |replay| {
            replay.records.remove(middle);
        });
        refused(&replay, "setup: ", |replay| {
            replay.setup = setup_of_another_seed(game)
        });
        refused(&replay, "result.seats", |replay| {
            replay.result.as_mut().unwrap().seats[0].score += 1;
        });
    }
}

fn setup_of_another_seed(game: &str) -> Option<bridgemaster_proto::v1::GameSetup> {
    with_game!(game, G => {
        let seats = bridgemaster_games::SeatCount::new(2).unwrap();
        let seed = bridgemaster_games::Seed::from(2);
        G::setup_to_wire(&G::draw_setup(&Default::default(), seats, &seed).unwrap())
    })
}

#[test]
fn a_forged_or_missing_chance_result_is_refused() {
    let mut found = 0;
    for game in GAME_IDS {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("match.replay");
        // A full table of random bots uses up most.
        let seats = with_game!(*game, G => *G::SEATS.end()).unwrap();
        let bots = vec!["random"; seats.into()].join(",");
        let flags = ["demo", "--quiet", "--game", *game, "--bots", &bots];
        let files = ["--seed", "shuffled", "--replay", file.to_str().unwrap()];
        succeed(flags.iter().chain(&files));
        let replay = decode(&fs::read(&file).unwrap()).unwrap().replay;
        let is_chance = |record: &Record| matches!(record.record, Some(Entry::Chance(_)));
        let Some(place) = replay.records.iter().position(is_chance) else {
            continue;
        };
        found += 1;
        let forged = with_game!(*game, G => drawn_elsewhere::<G>(&replay, place));
        refused(
            &replay,
            &format!("record {place}: chance.chance"),
            |replay| {
                let Some(Entry::Chance(chance)) = &mut replay.records[place].record else {
                    unreachable!("it is a chance result");
                };
                chance.chance = forged;
            },
        );
        refused(&replay, &format!("record {place}: "), |replay| {
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
