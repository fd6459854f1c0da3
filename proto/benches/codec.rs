//! Measures the CPU time for encoding and decoding a request, for every game on one core. Run
//! `cargo bench -p bridgemaster-proto --features games --bench codec`; `-- GAME` selects one game.
//!
//! The requests come from random play. Each has an observation, a list of legal decisions and the
//! events since the previous request. The bench prints the mean size of a request in bytes for each
//! game and number of seats. For each step it prints the CPU time in nanoseconds per byte and in
//! microseconds per request, as the median of several passes after a warm-up:
//!
//! * `build`: from rules values to the prost message;
//! * `encode`: from the message to bytes, into a buffer that is large enough;
//! * `write`: from rules values directly to bytes, instead of `build` and `encode`, without the
//!   fields around the game's part;
//! * `decode`: from the bytes to the message;
//! * `read`: from the message to rules values.

#![allow(clippy::print_stdout)]

mod requests;

use std::{hint::black_box, time::Duration};

use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::DecisionRequest,
};
use prost::Message;
use requests::{RequestParts, read, requests};

/// Number of measured passes: odd, so that the median is one of them.
const PASSES: usize = 7;
/// Duration of the warm-up and of each pass.
const PASS_TIME: Duration = Duration::from_millis(150);

/// Returns the CPU time of the current thread since its start.
fn cpu_time() -> Duration {
    let mut time = uapi::c::timespec { tv_sec: 0, tv_nsec: 0 };
    uapi::clock_gettime(uapi::c::CLOCK_THREAD_CPUTIME_ID, &mut time)
        .expect("a thread has a CPU clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns the median time of `each` in nanoseconds per byte. `bytes` is the total size of all
/// items.
fn nanos_per_byte<T>(items: &[T], bytes: usize, mut each: impl FnMut(&T)) -> f64 {
    let mut pass = || {
        let (began, mut rounds) = (cpu_time(), 0);
        loop {
            items.iter().for_each(&mut each);
            rounds += 1;
            let took = cpu_time() - began;
            if took >= PASS_TIME {
                return took.as_nanos() as f64 / (rounds * bytes) as f64;
            }
        }
    };
    pass();
    let mut passes: Vec<f64> = (0..PASSES).map(|_| pass()).collect();
    passes.sort_by(f64::total_cmp);
    passes[PASSES / 2]
}

fn measure<G: WireGame>() {
    let config = G::Config::default();
    let mut ends = vec![*G::SEATS.start(), *G::SEATS.end()];
    ends.dedup();
    for seats in ends.into_iter().filter_map(SeatCount::new) {
        let requests: Vec<RequestParts<G>> = requests(seats);
        let messages: Vec<DecisionRequest> = requests.iter().map(RequestParts::to_wire).collect();
        let encoded: Vec<Vec<u8>> = messages.iter().map(Message::encode_to_vec).collect();
        let bytes: usize = encoded.iter().map(Vec::len).sum();
        let mut buffer = Vec::with_capacity(64 * 1024);

        let name = format!("codec.{}.seats{seats}", G::ID);
        println!("{name}.bytes {}", bytes / encoded.len());
        let build = nanos_per_byte(&requests, bytes, |request| {
            black_box(request.to_wire());
        });
        let encode = nanos_per_byte(&messages, bytes, |message| {
            buffer.clear();
            black_box(message.encode(&mut buffer).is_ok());
        });
        let mut writer = Writer::default();
        let write = nanos_per_byte(&requests, bytes, |request| {
            writer.clear();
            request.put(&mut writer);
            black_box(writer.as_bytes());
        });
        let decode = nanos_per_byte(&encoded, bytes, |bytes| {
            black_box(DecisionRequest::decode(&bytes[..]).is_ok());
        });
        let read = nanos_per_byte(&messages, bytes, |message| {
            black_box(read::<G>(message, &config));
        });
        for (step, nanos) in [
            ("build", build),
            ("encode", encode),
            ("write", write),
            ("decode", decode),
            ("read", read),
        ] {
            println!("{name}.{step} {nanos:.2} ns/B");
            let micros = nanos * bytes as f64 / encoded.len() as f64 / 1000.0;
            println!("{name}.{step}_request {micros:.2} us");
        }
    }
}

fn main() {
    // Cargo adds the argument `--bench`.
    let games: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for id in GAME_IDS {
        if games.is_empty() || games.iter().any(|name| name == id) {
            with_game!(*id, G => measure::<G>());
        }
    }
}
