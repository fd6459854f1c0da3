//! Time that the referee costs bots: many short matches of bots that answer at once, under a clock
//! that leaves no room for a server that is late.

mod apart;
mod tally;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use bridgemaster_proto::v1::{
    ClockRules, GetMatchRequest, MatchConfig, MatchResult, match_service_client::MatchServiceClient,
};
use tokio::task::JoinSet;
use tonic::transport::Channel;

pub(crate) use self::apart::play_if_asked;
use self::tally::Tally;
use crate::{
    Referees, SEATS,
    load::{Counters, SlowAnswers, create_match, default_match, play_seats},
    rules_load::RulesLoad,
};

/// Matches at once.
const AT_ONCE: usize = 64;
/// Longest time for a decision, in ms.
const CAP_MS: u32 = 50;
/// The same beside somebody who has the rules by call work.
const CAP_BESIDE_RULES_MS: u32 = 200;
/// Time in the bank, in ms: enough that only the cap counts.
const BANK_MS: u32 = 3_600_000;

/// What is beside the server.
#[derive(Clone, Copy, Default)]
pub(crate) struct Beside {
    /// A caller of the rules who takes all that there is.
    pub(crate) rules: bool,
    /// Bots in processes of their own, instead of the server's.
    pub(crate) bots_apart: bool,
    /// Processes that do nothing but take processor time.
    pub(crate) busy_loops: usize,
}

/// Plays so many matches; whether no seat lost time and no match was spoiled.
pub(crate) async fn measure(game: &'static str, matches: u32, beside: Beside) -> bool {
    let _busy = apart::busy_loops(beside.busy_loops);
    let tally = match beside.bots_apart {
        true => apart::play(game, matches).await,
        false => play_beside(game, matches, beside.rules).await,
    };
    let cap_ms = cap_ms(beside.rules);
    tally.print(&format!("losses.{game}.cap{cap_ms}ms"));
    tally.is_lossless_of(matches)
}

fn cap_ms(beside_rules: bool) -> u32 {
    match beside_rules {
        true => CAP_BESIDE_RULES_MS,
        false => CAP_MS,
    }
}

/// Plays by bots in the server's process.
async fn play_beside(game: &'static str, matches: u32, beside_rules: bool) -> Tally {
    let server = match beside_rules {
        true => Referees::with_rules().await,
        false => Referees::start().await,
    };
    let load = match beside_rules {
        true => Some(RulesLoad::begin(&server.url, game).await),
        false => None,
    };
    let begun = Instant::now();
    let cap_ms = cap_ms(beside_rules);
    let tally = play_tables(&server.connect().await, game, matches, AT_ONCE, cap_ms).await;
    if let Some(load) = load {
        let a_second = load.playouts() as f64 / begun.elapsed().as_secs_f64();
        println!("losses.{game}.cap{cap_ms}ms.playouts_beside {a_second:.0} /s");
    }
    tally
}

/// Plays so many matches at so many tables.
async fn play_tables(
    channels: &[Channel],
    game: &'static str,
    matches: u32,
    at_once: usize,
    cap_ms: u32,
) -> Tally {
    let (counters, next) = (Arc::new(Counters::default()), Arc::new(AtomicU32::new(0)));
    let mut tables = JoinSet::new();
    for table in 0..at_once {
        let channel = channels[table % channels.len()].clone();
        let (counters, next) = (Arc::clone(&counters), Arc::clone(&next));
        tables.spawn(async move {
            let mut tally = Tally::default();
            while next.fetch_add(1, Ordering::Relaxed) < matches {
                let (result, slow) = play_match(&channel, game, cap_ms, &counters).await;
                tally.count(&result, &slow);
            }
            tally
        });
    }
    tables.join_all().await.into_iter().sum()
}

/// The result of a match, and what each bot was slow at.
async fn play_match(
    channel: &Channel,
    game: &str,
    cap_ms: u32,
    counters: &Arc<Counters>,
) -> (MatchResult, Vec<SlowAnswers>) {
    let config = MatchConfig {
        clock: Some(ClockRules {
            bank_ms: Some(BANK_MS),
            cap_ms: Some(cap_ms),
            ..ClockRules::default()
        }),
        ..default_match(game, SEATS)
    };
    let made = create_match(channel, config).await;
    let slow = play_seats(channel, made.tickets, counters).await;
    let request = GetMatchRequest {
        match_id: made.match_id,
        ..GetMatchRequest::default()
    };
    let info = MatchServiceClient::new(channel.clone())
        .get_match(request)
        .await
        .unwrap()
        .into_inner();
    let result = info.r#match.unwrap().result;
    (result.expect("the bots saw its end"), slow)
}
