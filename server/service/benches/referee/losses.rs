//! The time that bots lose because of the referee. Bots that answer at once play many short
//! matches, under a clock that does not tolerate server delays.

mod apart;
mod counts;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use bridgemaster_proto::v1::{
    ClockRules, GetMatchRequest, MatchConfig, MatchResult, TimeControl,
    match_service_client::MatchServiceClient,
};
use tokio::task::JoinSet;
use tonic::transport::Channel;

pub(crate) use self::apart::play_if_requested;
use self::counts::MatchCounts;
use crate::{
    Referees, SEATS,
    load::{Counters, SlowAnswers, create_match, default_match, play_seats},
    rules_load::RulesLoad,
};

/// Number of concurrent matches.
const AT_ONCE: usize = 64;
/// Maximum time for a decision, in ms.
const CAP_MS: u32 = 50;
/// Maximum time for a decision, in ms, with concurrent load on the rules service.
const CAP_WITH_RULES_LOAD_MS: u32 = 200;
/// Time bank, in ms: large enough for the cap to be the only limit.
const BANK_MS: u32 = 3_600_000;

/// The load besides the matches, and the processes in which the bots run.
#[derive(Clone, Copy, Default)]
pub(crate) struct BackgroundLoad {
    /// Whether a caller uses the rules service as much as its quota permits.
    pub(crate) rules: bool,
    /// Whether the bots run in separate processes instead of the server process.
    pub(crate) bots_apart: bool,
    /// Number of processes that only use processor time.
    pub(crate) busy_loops: usize,
}

/// Plays `matches` matches. Returns `true` if no seat lost time and no match was spoiled.
pub(crate) async fn measure(game: &'static str, matches: u32, background: BackgroundLoad) -> bool {
    let _busy = apart::busy_loops(background.busy_loops);
    let counts = if background.bots_apart {
        apart::play(game, matches).await
    } else {
        play_with_load(game, matches, background.rules).await
    };
    let cap_ms = cap_ms(background.rules);
    counts.print(&format!("losses.{game}.cap{cap_ms}ms"));
    counts.is_lossless_of(matches)
}

fn cap_ms(with_rules_load: bool) -> u32 {
    if with_rules_load { CAP_WITH_RULES_LOAD_MS } else { CAP_MS }
}

/// Plays with bots in the server's process.
async fn play_with_load(game: &'static str, matches: u32, with_rules_load: bool) -> MatchCounts {
    let server =
        if with_rules_load { Referees::with_rules().await } else { Referees::start().await };
    let load = if with_rules_load { Some(RulesLoad::begin(&server.url, game).await) } else { None };
    let begun = Instant::now();
    let cap_ms = cap_ms(with_rules_load);
    let counts = play_tables(&server.connect().await, game, matches, AT_ONCE, cap_ms).await;
    if let Some(load) = load {
        let a_second = load.playouts() as f64 / begun.elapsed().as_secs_f64();
        println!("losses.{game}.cap{cap_ms}ms.playouts_beside {a_second:.0} /s");
    }
    counts
}

/// Plays `matches` matches at `at_once` concurrent tables.
async fn play_tables(
    channels: &[Channel],
    game: &'static str,
    matches: u32,
    at_once: usize,
    cap_ms: u32,
) -> MatchCounts {
    let (counters, next) = (Arc::new(Counters::default()), Arc::new(AtomicU32::new(0)));
    let mut tables = JoinSet::new();
    for table in 0..at_once {
        let channel = channels[table % channels.len()].clone();
        let (counters, next) = (Arc::clone(&counters), Arc::clone(&next));
        tables.spawn(async move {
            let mut counts = MatchCounts::default();
            while next.fetch_add(1, Ordering::Relaxed) < matches {
                let (result, slow) = play_match(&channel, game, cap_ms, &counters).await;
                counts.count(&result, &slow);
            }
            counts
        });
    }
    tables.join_all().await.into_iter().sum()
}

/// Plays a match, and returns its result and the slow answers of each bot.
async fn play_match(
    channel: &Channel,
    game: &str,
    cap_ms: u32,
    counters: &Arc<Counters>,
) -> (MatchResult, Vec<SlowAnswers>) {
    let config = MatchConfig {
        clock: Some(ClockRules {
            time_control: Some(TimeControl::fischer(BANK_MS, 500, cap_ms)),
            ..ClockRules::default()
        }),
        ..default_match(game, SEATS)
    };
    let created = create_match(channel, config).await;
    let slow = play_seats(channel, created.tickets, counters).await;
    let request = GetMatchRequest { match_id: created.match_id, ..GetMatchRequest::default() };
    let info =
        MatchServiceClient::new(channel.clone()).get_match(request).await.unwrap().into_inner();
    let result = info.r#match.unwrap().result;
    (result.expect("the match has a result"), slow)
}
