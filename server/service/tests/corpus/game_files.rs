//! The corpus files of every game: the messages, notation and replays of one match.

use std::{collections::BTreeMap, fs, path::Path};

use bridgemaster_games::{
    ChanceStream, GAME_IDS, SeatCount, Seed, Viewer, resolve_chance, with_game,
};
use bridgemaster_proto::{
    games::WireGame,
    v1::{Decision, MatchConfig, PlayRequest, decision::Choice, play_request},
};
use bridgemaster_referee::{Input, MatchRules, Output, Referee, Time};
use bridgemaster_replay::wire::{SeedSalt, result_to_wire};
use bridgemaster_replay::{ReplayWriter, SigningKey, decode, encode_unsigned};
use prost::Message;

use crate::editions::file_options;

/// A corpus file: its target, name and content.
type File = (&'static str, String, Vec<u8>);

/// Checks that each target that uses data of games has a file for every game. If `BLESS` is set,
/// writes the missing files of games.
pub(crate) fn check(game: &str) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let files = with_game!(game, G => files::<G>()).unwrap();
    let has_file = |target: &str| {
        let mut entries = fs::read_dir(corpus.join(target)).unwrap();
        entries.any(|file| file.unwrap().file_name().to_str().unwrap().starts_with(game))
    };
    let is_new = !files.iter().any(|(target, ..)| has_file(target));
    for (target, name, bytes) in files {
        if is_new && std::env::var_os("BLESS").is_some() {
            fs::write(corpus.join(target).join(name), bytes).unwrap();
        } else {
            assert!(
                has_file(target),
                "{target}/{name} is missing; BLESS=1 writes the files of a new game"
            );
        }
    }
}

fn files<G: WireGame>() -> Vec<File> {
    let mut files = messages::<G>();
    let replay = replay::<G>();
    let unsigned = encode_unsigned(&decode(&replay).unwrap().replay);
    files.push(("replay", G::ID.to_owned(), unsigned));
    files.push(("replay", format!("{}_signed", G::ID), replay));
    for (option, (id, _)) in file_options().into_iter().enumerate() {
        let folder = format!("{}/../../games/data/{id}", env!("CARGO_MANIFEST_DIR"));
        for file in fs::read_dir(folder).into_iter().flatten().filter(|_| id == G::ID) {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let bytes = [&[option as u8][..], &fs::read(&path).unwrap()].concat();
            files.push(("editions", format!("{id}_{name}"), bytes));
        }
    }
    files
}

/// Returns the messages of a match with uniformly random decisions: one decision and one event of
/// each kind. The kind is the first word of the text.
fn messages<G: WireGame>() -> Vec<File> {
    let seed = Seed::from(7);
    let mut chance = ChanceStream::new(&seed, 1 << 40);
    let (config, seats) = (G::Config::default(), SeatCount::new(*G::SEATS.start()).unwrap());
    let setup = G::draw_setup(&config, seats, &seed).unwrap();
    let (mut events, mut legal) = (Vec::new(), Vec::new());
    let (mut decisions, mut chances) = (BTreeMap::new(), Vec::new());
    let mut state = G::start(&config, seats, &setup, &mut events).unwrap();
    let mut observation = G::observe(&state, Viewer::Spectator);
    let word = |text: String| text.split(' ').next().unwrap_or_default().to_owned();
    loop {
        chances.extend(G::draw_chance(&state, &mut chance.clone()));
        resolve_chance::<G>(&mut state, &mut chance, &mut events);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        observation = G::observe(&state, Viewer::Seat(seat));
        G::legal(&state, seat, &mut legal);
        let decision = legal[chance.below(legal.len() as u32) as usize].clone();
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
        decisions.insert(word(decision.to_string()), decision);
    }
    let events: BTreeMap<_, _> =
        events.iter().map(|event| (word(event.to_string()), event)).collect();

    let id = G::ID;
    let message = |kind: u8, name: &str, message: Vec<u8>| {
        ("decoder", format!("{id}_{name}"), [vec![kind], message].concat())
    };
    let config = MatchConfig {
        game: Some(G::config_to_wire(&config)),
        seats: seats.get().into(),
        ..MatchConfig::default()
    };
    let mut files = vec![
        message(1, "config", config.encode_to_vec()),
        message(2, "setup", G::setup_to_wire(&setup).encode_to_vec()),
        message(3, "observation", G::observation_to_wire(&observation).encode_to_vec()),
    ];
    if let Some(drawn) = chances.first() {
        files.push(message(5, "chance", G::chance_to_wire(drawn).encode_to_vec()));
    }
    for (number, event) in (1..).zip(events.values()) {
        let bytes = G::event_to_wire(event).encode_to_vec();
        files.push(message(4, &format!("event_{number}"), bytes));
    }
    let game_index = GAME_IDS.iter().position(|other| *other == id).unwrap() as u8;
    for (number, decision) in (1..).zip(decisions.values()) {
        let choice = Some(Choice::Decision(G::decision_to_wire(decision)));
        let answer = play_request::Message::Decision(Decision { choice, ..Decision::default() });
        let request = PlayRequest { message: Some(answer) };
        files.push(message(0, &format!("decision_{number}"), request.encode_to_vec()));
        let text = [&[game_index][..], decision.to_string().as_bytes()].concat();
        files.push(("notation", format!("{id}_{number}"), text));
    }
    files
}

/// Returns the replay of a match that no bot joined, which the house policy plays.
fn replay<G: WireGame>() -> Vec<u8> {
    let seats = SeatCount::new(*G::SEATS.start()).unwrap();
    let rules = MatchRules::<G>::standard(seats, Seed::from(7));
    let mut referee = Referee::new(rules, Time(0)).unwrap();
    let mut writer = ReplayWriter::default();
    while let Some(deadline) = referee.deadline() {
        let mut outputs = Vec::new();
        referee.handle(deadline, Input::Tick, &mut outputs);
        for output in outputs {
            if let Output::Record(record) = output {
                writer.push(&record);
            }
        }
    }
    let result = result_to_wire("corpus", referee.result().unwrap());
    let (salt, key) = (SeedSalt::new([7; 32]), SigningKey::new(&[7; 32]));
    writer.finish("corpus", &referee, &salt, result, &key)
}
