//! What a request costs between the rules and its bytes, for every game on one core:
//! `cargo bench -p bridgemaster-proto --features games --bench codec`; `-- GAME` measures only
//! that game.
//!
//! The requests are those of random play: observation, legal list and events since the last one.
//! Prints for each game and number of seats the bytes of a mean request, and of each step the CPU
//! time, which other programs do not disturb much: in nanoseconds a byte and in microseconds a
//! request, the median of several passes after a warm-up:
//!
//! * `build`: from the values of the rules to the message, as prost has it;
//! * `encode`: from the message to bytes, into a buffer that is large enough;
//! * `write`: from the values of the rules to bytes at once, into such a buffer: instead of `build`
//!   and `encode`, without what surrounds the part of the game;
//! * `decode`: from the bytes to the message;
//! * `read`: from the message to the values of the rules.

#![allow(clippy::print_stdout)]

mod requests;

use std::{hint::black_box, time::Duration};

use bridgemaster_games::{GAME_IDS, SeatCount, with_game};
use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::DecisionRequest,
};
use prost::Message;
use requests::{Question, questions, read};

/// Passes, odd for the median.
const PASSES: usize = 7;
/// Time of the warm-up and of each pass.
const PASS_TIME: Duration = Duration::from_millis(150);

/// CPU time of this thread so far.
fn cpu_time() -> Duration {
    let mut time = uapi::c::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    uapi::clock_gettime(uapi::c::CLOCK_THREAD_CPUTIME_ID, &mut time)
        .expect("a thread has a CPU clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nanoseconds a byte of doing something with each item, of which all together have `bytes`.
fn nanos_a_byte<T>(items: &[T], bytes: usize, mut each: impl FnMut(&T)) -> f64 {
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
        let questions: Vec<Question<G>> = questions(seats);
        let messages: Vec<DecisionRequest> = questions.iter().map(Question::to_wire).collect();
        let encoded: Vec<Vec<u8>> = messages.iter().map(Message::encode_to_vec).collect();
        let bytes: usize = encoded.iter().map(Vec::len).sum();
        let mut buffer = Vec::with_capacity(64 * 1024);

        let name = format!("codec.{}.seats{seats}", G::ID);
        println!("{name}.bytes {}", bytes / encoded.len());
        let build = nanos_a_byte(&questions, bytes, |question| {
            black_box(question.to_wire());
        });
        let encode = nanos_a_byte(&messages, bytes, |message| {
            buffer.clear();
            black_box(message.encode(&mut buffer).is_ok());
        });
        let mut writer = Writer::default();
        let write = nanos_a_byte(&questions, bytes, |question| {
            writer.clear();
            question.put(&mut writer);
            black_box(writer.as_bytes());
        });
        let decode = nanos_a_byte(&encoded, bytes, |bytes| {
            black_box(DecisionRequest::decode(&bytes[..]).is_ok());
        });
        let read = nanos_a_byte(&messages, bytes, |message| {
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
    // Cargo passes `--bench` as well.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for id in GAME_IDS {
        if wanted.is_empty() || wanted.iter().any(|name| name == id) {
            with_game!(*id, G => measure::<G>());
        }
    }
}
