//! The referee's own share of a decision: it accepts an answer, plays it and sends the next
//! request, without transport or encoding.

use std::time::Instant;

use bridgemaster_games::{SeatCount, Seed, with_game};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    Answer, BotIdentity, Input, MatchRules, Output, Referee, SeatMessage, Time,
};

/// Number of measured answers.
const SAMPLES: usize = 200_000;

pub(crate) fn measure(game: &str) {
    with_game!(game, G => measure_game::<G>());
}

fn measure_game<G: WireGame>() {
    let mut nanos = Vec::with_capacity(SAMPLES);
    for number in 0.. {
        if nanos.len() >= SAMPLES {
            break;
        }
        play::<G>(Seed::from(number), &mut nanos);
    }
    nanos.sort_unstable();
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let value = nanos[(nanos.len() as f64 * share) as usize];
        println!("referee.{}.share.{name} {:.2} us", G::ID, value as f64 / 1000.0);
    }
}

fn play<G: WireGame>(seed: Seed, nanos: &mut Vec<u64>) {
    let seats = SeatCount::new(*G::SEATS.end()).unwrap();
    let mut referee = Referee::<G>::new(MatchRules::standard(seats, seed), Time(0)).unwrap();
    let mut outputs = Vec::new();
    for seat in seats.seats() {
        let bot = BotIdentity::default();
        let input = Input::Connected { seat, bot, last_sequence: None };
        referee.handle(Time(0), input, &mut outputs);
    }
    let mut chooser = 0x2545_f491_4f6c_dd1d_u64;
    let mut open = Vec::new();
    loop {
        for output in outputs.drain(..) {
            if let Output::Send { seat, message: SeatMessage::Request(request), .. } = output {
                open.push((seat, request.request_id, request.content.legal.len() as u64));
            }
        }
        let Some((seat, request_id, legal)) = open.pop() else {
            return;
        };
        chooser ^= chooser << 13;
        chooser ^= chooser >> 7;
        chooser ^= chooser << 17;
        let answer = Answer::Index((chooser % legal) as u32);
        let start = Instant::now();
        referee.handle(Time(0), Input::HandedOver { seat, request_id }, &mut outputs);
        let input = Input::Answer { seat, request_id, answer, note: String::new() };
        referee.handle(Time(0), input, &mut outputs);
        nanos.push(start.elapsed().as_nanos() as u64);
    }
}
