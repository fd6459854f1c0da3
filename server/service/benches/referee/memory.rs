//! The server process's memory for each waiting match.

use std::time::Duration;

use crate::{connect, load, server_process::ServerProcess};

/// Number of concurrent waiting matches.
const MATCHES: usize = 1_000;
/// Number of seats in each match.
const SEATS: u32 = 2;

pub(crate) async fn measure(game: &'static str) {
    let server = ServerProcess::of_matches();
    let channels = connect(&server.url).await;
    // The first match loads everything that is loaded only once.
    load::message_sizes(&channels[0], game, SEATS).await;
    let before = server.resident_kib();
    let mut tickets = Vec::new();
    for table in 0..MATCHES {
        let channel = &channels[table % channels.len()];
        let created = load::create_match(channel, load::default_match(game, SEATS)).await;
        tickets.extend(created.tickets);
    }
    let waiting = server.resident_kib();
    let mut seats = Vec::new();
    for (index, ticket) in tickets.into_iter().enumerate() {
        seats.push(load::join_and_wait(&channels[index % channels.len()], ticket).await);
    }
    // Gives the transport time to send the last requests.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let playing = server.resident_kib();
    let each = |kib: f64| kib / MATCHES as f64;
    println!("referee.{game}.memory_per_match {:.1} KiB", each(waiting - before));
    println!("referee.{game}.memory_per_match_with_bots {:.1} KiB", each(playing - before));
}
