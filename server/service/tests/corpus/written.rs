//! What the corpus has of every game: what one match sends, says and leaves.

use std::{collections::BTreeMap, fs, path::Path};

use bridgemaster_games::{ChanceStream, GAME_IDS, SeatCount, Seed, Viewer, settle, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{Decision, MatchConfig, PlayRequest, decision::Choice, play_request},
};
use bridgemaster_referee::{Input, MatchRules, Output, Referee, Time};
use bridgemaster_replay::{ReplayWriter, SigningKey, decode, encode_unsigned};
use bridgemaster_wire::{SeedSalt, result_to_wire};
use prost::Message;

use crate::editions::file_options;

/// A file: the target, its name, its bytes.
type File = (&'static str, String, Vec<u8>);

/// Checks that each target that reads something of a game has a file of it. With `BLESS` set, the
/// files of a game that has none at all are written.
pub(crate) fn check(game: &str) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let files = with_game!(game, G => files::<G>()).unwrap();
    let is_there = |target: &str| {
        let mut there = fs::read_dir(corpus.join(target)).unwrap();
        there.any(|file| {
            file.unwrap()
                .file_name()
                .to_str()
                .unwrap()
                .starts_with(game)
        })
    };
    let is_new = !files.iter().any(|(target, ..)| is_there(target));
    for (target, name, bytes) in files {
        if is_new && std::env::var_os("BLESS").is_some() {
            fs::write(corpus.join(target).join(name), bytes).unwrap();
        } else {
            assert!(
                is_there(target),
                "no {target}/{name}; BLESS=1 writes those of a new game"
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
        for file in fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter(|_| id == G::ID)
        {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let bytes = [&[option as u8][..], &fs::read(&path).unwrap()].concat();
            files.push(("editions", format!("{id}_{name}"), bytes));
        }
    }
    files
}

/// The messages of a match of uniform random decisions: of decisions and events one of each kind,
/// by the first word of their text.
fn messages<G: WireGame>() -> Vec<File> {
    let seed = Seed::from(7);
    let mut chance = ChanceStream::new(&seed, 1 << 40);
    let (config, seats) = (
        G::Config::default(),
        SeatCount::new(*G::SEATS.start()).unwrap(),
    );
    let setup = G::draw_setup(&config, seats, &seed).unwrap();
    let (mut events, mut legal) = (Vec::new(), Vec::new());
    let (mut decisions, mut chances) = (BTreeMap::new(), Vec::new());
    let mut state = G::start(&config, seats, &setup, &mut events).unwrap();
    let mut observation = G::observe(&state, Viewer::Spectator);
    let word = |text: String| text.split(' ').next().unwrap_or_default().to_owned();
    loop {
        chances.extend(G::draw_chance(&state, &mut chance.clone()));
        settle::<G>(&mut state, &mut chance, &mut events);
        let Some(seat) = G::owing(&state).iter().next() else {
            break;
        };
        observation = G::observe(&state, Viewer::Seat(seat));
        G::legal(&state, seat, &mut legal);
        let decision = legal[chance.below(legal.len() as u32) as usize].clone();
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
        decisions.insert(word(decision.to_string()), decision);
    }
    let events: BTreeMap<_, _> = events
        .iter()
        .map(|event| (word(event.to_string()), event))
        .collect();

    let id = G::ID;
    let message = |kind: u8, name: &str, message: Vec<u8>| {
        (
            "decoder",
            format!("{id}_{name}"),
            [vec![kind], message].concat(),
        )
    };
    let config = MatchConfig {
        game: Some(G::config_to_wire(&config)),
        seats: seats.get().into(),
        ..MatchConfig::default()
    };
    let mut files = vec![
        message(1, "config", config.encode_to_vec()),
        message(2, "setup", G::setup_to_wire(&setup).encode_to_vec()),
        message(
            3,
            "observation",
            G::observation_to_wire(&observation).encode_to_vec(),
        ),
    ];
    if let Some(drawn) = chances.first() {
        files.push(message(
            5,
            "chance",
            G::chance_to_wire(drawn).encode_to_vec(),
        ));
    }
    for (number, event) in (1..).zip(events.values()) {
        let bytes = G::event_to_wire(event).encode_to_vec();
        files.push(message(4, &format!("event_{number}"), bytes));
    }
    let place = GAME_IDS.iter().position(|other| *other == id).unwrap() as u8;
    for (number, decision) in (1..).zip(decisions.values()) {
        let choice = Some(Choice::Decision(G::decision_to_wire(decision)));
        let answer = play_request::Message::Decision(Decision {
            choice,
            ..Decision::default()
        });
        let request = PlayRequest {
            message: Some(answer),
        };
        files.push(message(
            0,
            &format!("decision_{number}"),
            request.encode_to_vec(),
        ));
        let text = [&[place][..], decision.to_string().as_bytes()].concat();
        files.push(("notation", format!("{id}_{number}"), text));
    }
    files
}

/// The replay of a match to which no bot came: the house policy plays it.
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
