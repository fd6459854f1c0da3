//! The CPU time that the server process uses for a decision, while the bots run in another process.
//! It is compared with that of a bare ping-pong round trip with the same message sizes and numbers
//! of streams and connections. The CPU time of other programs is not included.

use std::time::Duration;

use crate::{
    SEATS, TURNS, connect,
    load::{self, MessageSizes},
    median, ping_pong,
    server_process::ServerProcess,
};

/// Number of concurrent matches, and of ping-pong streams.
const LOADS: &[usize] = &[64, 512];

pub(crate) async fn measure(game: &'static str, turn: Duration) {
    for &matches in LOADS {
        compare(game, matches, turn).await;
    }
}

async fn compare(game: &'static str, matches: usize, turn: Duration) {
    let server = ServerProcess::of_matches();
    let sizes = load::message_sizes(&connect(&server.url).await[0], game, SEATS).await;
    let MessageSizes { request_bytes, answer_bytes, decisions } = sizes;
    let echo = ServerProcess::of_echo(request_bytes);
    // A stream makes as many round trips as a bot makes decisions in a match.
    let a_stream = decisions / u64::from(SEATS);
    let (mut of_matches, mut of_echo, mut of_streams) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        // The end of a turn interrupts matches and resets their streams. A client closes a
        // connection after too many resets, so each turn has new connections.
        let channels = connect(&server.url).await;
        let echo_channels = connect(&echo.url).await;
        let cpu = || server.cpu_time();
        let turn_of_matches = load::decisions(&channels, game, SEATS, matches, turn, cpu).await;
        of_matches.push(turn_of_matches.cpu_us());
        for (costs, a_stream) in [(&mut of_echo, u64::MAX), (&mut of_streams, a_stream)] {
            let cpu = || echo.cpu_time();
            let pings = (answer_bytes, a_stream);
            let round_trips =
                ping_pong::round_trips(&echo_channels, pings, matches, turn, cpu).await;
            costs.push(round_trips.cpu_us());
        }
    }
    let ratio = |to: &[f64]| median(of_matches.iter().zip(to).map(|(m, e)| m / e).collect());
    let (ratio, ratio_of_streams) = (ratio(&of_echo), ratio(&of_streams));
    let name = format!("referee.{game}.matches{matches}");
    println!("{name}.server_cpu {:.2} us", median(of_matches));
    println!("{name}.echo.server_cpu {:.2} us", median(of_echo));
    println!("{name}.echo_reopened.server_cpu {:.2} us", median(of_streams));
    println!("{name}.cpu_ratio {ratio:.2} 1");
    println!("{name}.cpu_ratio_reopened {ratio_of_streams:.2} 1");
}
