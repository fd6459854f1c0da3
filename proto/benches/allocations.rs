//! Allocations of a mean request between the rules and its bytes, for every game; the steps are
//! those of the bench `codec`, which measures their time without counting:
//! `cargo bench -p bridgemaster-proto --features games --bench allocations`.

#![allow(clippy::print_stdout)]

mod requests;

use std::hint::black_box;

use allocation_counter::measure as count;
use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::DecisionRequest,
};
use prost::Message;
use requests::{Question, questions, read};

/// Allocations of doing something with each item, for one item.
fn each<T>(items: &[T], each: impl FnMut(&T)) -> f64 {
    let counted = count(|| items.iter().for_each(each));
    counted.count_total as f64 / items.len() as f64
}

fn measure<G: WireGame>() {
    let config = G::Config::default();
    let seats = SeatCount::new(*G::SEATS.end()).expect("a game has seats");
    let questions: Vec<Question<G>> = questions(seats);
    let messages: Vec<DecisionRequest> = questions.iter().map(Question::to_wire).collect();
    let encoded: Vec<Vec<u8>> = messages.iter().map(Message::encode_to_vec).collect();
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut writer = Writer::default();
    questions
        .iter()
        .for_each(|question| question.put(&mut writer));
    let steps = [
        (
            "build",
            each(&questions, |question| drop(black_box(question.to_wire()))),
        ),
        (
            "encode",
            each(&messages, |message| {
                buffer.clear();
                black_box(message.encode(&mut buffer).is_ok());
            }),
        ),
        (
            "write",
            each(&questions, |question| {
                writer.clear();
                question.put(&mut writer);
            }),
        ),
        (
            "decode",
            each(&encoded, |bytes| {
                black_box(DecisionRequest::decode(&bytes[..]).is_ok());
            }),
        ),
        (
            "read",
            each(&messages, |message| {
                drop(black_box(read::<G>(message, &config)))
            }),
        ),
    ];
    for (step, allocations) in steps {
        println!("allocations.{}.seats{seats}.{step} {allocations:.1}", G::ID);
    }
}

fn main() {
    for id in GAME_IDS {
        with_game!(*id, G => measure::<G>());
    }
}
