//! Time that the referee costs bots: many short matches of bots that answer at once, under a clock
//! that leaves no room for a server that is late.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use bridgemaster_proto::v1::{
    ClockRules, FaultReason, GetMatchRequest, MatchConfig, MatchResult,
    match_service_client::MatchServiceClient,
};
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::{
    Referees, SEATS,
    load::{Counters, create_match, default_match, play_seats},
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

/// What happened in some matches.
#[derive(Default)]
struct Tally {
    matches: u32,
    decisions: u64,
    late: u32,
    other_faults: u32,
    spoiled: u32,
    longest_charge_us: u64,
    longest_lag_us: u64,
}

/// Plays so many matches, perhaps beside a caller of the rules who takes all that there is; whether
/// no seat lost time and no match was spoiled.
pub(crate) async fn measure(game: &'static str, matches: u32, beside_rules: bool) -> bool {
    let server = match beside_rules {
        true => Referees::with_rules().await,
        false => Referees::start().await,
    };
    let load = match beside_rules {
        true => Some(RulesLoad::begin(&server.url, game).await),
        false => None,
    };
    let cap_ms = match beside_rules {
        true => CAP_BESIDE_RULES_MS,
        false => CAP_MS,
    };
    let begun = Instant::now();
    let channels = server.connect().await;
    let (counters, next) = (Arc::new(Counters::default()), Arc::new(AtomicU32::new(0)));
    let mut tables = JoinSet::new();
    for table in 0..AT_ONCE {
        let channel = channels[table % channels.len()].clone();
        let (counters, next) = (Arc::clone(&counters), Arc::clone(&next));
        tables.spawn(async move {
            let mut tally = Tally::default();
            while next.fetch_add(1, Ordering::Relaxed) < matches {
                tally.count(&play_match(&channel, game, cap_ms, &counters).await);
            }
            tally
        });
    }
    let tally = tables
        .join_all()
        .await
        .into_iter()
        .fold(Tally::default(), Tally::with);
    let name = format!("losses.{game}.cap{cap_ms}ms");
    if let Some(load) = load {
        let a_second = load.playouts() as f64 / begun.elapsed().as_secs_f64();
        println!("{name}.playouts_beside {a_second:.0} /s");
    }
    println!("{name}.matches {} 1", tally.matches);
    println!("{name}.decisions {} 1", tally.decisions);
    println!("{name}.late {} 1", tally.late);
    println!("{name}.other_faults {} 1", tally.other_faults);
    println!("{name}.spoiled {} 1", tally.spoiled);
    println!("{name}.longest_charge {} us", tally.longest_charge_us);
    println!("{name}.longest_referee_lag {} us", tally.longest_lag_us);
    tally.matches == matches && tally.late + tally.other_faults + tally.spoiled == 0
}

async fn play_match(
    channel: &Channel,
    game: &str,
    cap_ms: u32,
    counters: &Arc<Counters>,
) -> MatchResult {
    let config = MatchConfig {
        clock: Some(ClockRules {
            bank_ms: Some(BANK_MS),
            cap_ms: Some(cap_ms),
            ..ClockRules::default()
        }),
        ..default_match(game, SEATS)
    };
    let made = create_match(channel, config).await;
    play_seats(channel, made.tickets, counters).await;
    let request = GetMatchRequest {
        match_id: made.match_id,
        ..GetMatchRequest::default()
    };
    let info = MatchServiceClient::new(channel.clone())
        .get_match(request)
        .await
        .unwrap()
        .into_inner();
    info.r#match.unwrap().result.expect("the bots saw its end")
}

impl Tally {
    fn count(&mut self, result: &MatchResult) {
        self.matches += 1;
        self.decisions += u64::from(result.decisions);
        self.spoiled += u32::from(result.spoiled_by_referee);
        for seat in &result.seats {
            for fault in &seat.faults {
                match fault.reason() {
                    FaultReason::Late => self.late += 1,
                    _ => self.other_faults += 1,
                }
            }
            let clock = seat.clock_use.unwrap_or_default();
            self.longest_charge_us = self.longest_charge_us.max(clock.longest_us);
            self.longest_lag_us = self.longest_lag_us.max(clock.longest_referee_lag_us);
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            matches: self.matches + other.matches,
            decisions: self.decisions + other.decisions,
            late: self.late + other.late,
            other_faults: self.other_faults + other.other_faults,
            spoiled: self.spoiled + other.spoiled,
            longest_charge_us: self.longest_charge_us.max(other.longest_charge_us),
            longest_lag_us: self.longest_lag_us.max(other.longest_lag_us),
        }
    }
}
