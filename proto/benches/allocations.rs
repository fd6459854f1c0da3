//! Counts the allocations per request during encoding and decoding, for every game. The steps are
//! the same as in the `codec` bench, which measures CPU time. Run `cargo bench -p
//! bridgemaster-proto --features games --bench allocations`.

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
use requests::{RequestParts, read, requests};

/// Mean number of allocations that `each` makes per item.
fn each<T>(items: &[T], each: impl FnMut(&T)) -> f64 {
    let counted = count(|| items.iter().for_each(each));
    counted.count_total as f64 / items.len() as f64
}

fn measure<G: WireGame>() {
    let config = G::Config::default();
    let seats = SeatCount::new(*G::SEATS.end()).expect("a game has seats");
    let requests: Vec<RequestParts<G>> = requests(seats);
    let messages: Vec<DecisionRequest> = requests.iter().map(RequestParts::to_wire).collect();
    let encoded: Vec<Vec<u8>> = messages.iter().map(Message::encode_to_vec).collect();
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut writer = Writer::default();
    requests.iter().for_each(|request| request.put(&mut writer));
    let steps = [
        ("build", each(&requests, |request| drop(black_box(request.to_wire())))),
        (
            "encode",
            each(&messages, |message| {
                buffer.clear();
                black_box(message.encode(&mut buffer).is_ok());
            }),
        ),
        (
            "write",
            each(&requests, |request| {
                writer.clear();
                request.put(&mut writer);
            }),
        ),
        (
            "decode",
            each(&encoded, |bytes| {
                black_box(DecisionRequest::decode(&bytes[..]).is_ok());
            }),
        ),
        ("read", each(&messages, |message| drop(black_box(read::<G>(message, &config))))),
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
