//! Measures a server whose store contains a ladder with a large number of matches: its startup
//! time, and its read calls over loopback.
//!
//! `cargo bench -p bridgemaster-server --bench ladder_answers` prints lines of `name value unit`;
//! for calls, the median and the 99th percentile of several hundred. `-- --matches N` sets the
//! number of matches, a million by default.
//!
//! Standings and head-to-head records are answered from memory, independently of the store; only
//! pages of matches are read from the store. Their match numbers are the primary key in SQLite and
//! in PostgreSQL.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
#![allow(clippy::disallowed_methods, reason = "benchmarks read the clock")]

use std::{path::Path, sync::Arc, time::Instant};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    internal::v1::{LadderMatchEnd, LadderMatchRecord, LadderSeatRecord, LadderVersionRecord},
    v1::{
        CreateLadderRequest, Ladder, LadderBotRef, ListHeadToHeadsRequest,
        ListLadderMatchesRequest, ListStandingsRequest, MatchConfig, OfferPurpose,
        ladder_service_client::LadderServiceClient,
    },
};
use bridgemaster_server::{KeepReplays, Limits, Rate, Server, ServerOptions, Storage};
use bridgemaster_store::{
    DataDir, LadderChange, LadderId, SqliteOptions, SqliteStore, Store, Write,
};
use prost::Message as _;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{runtime::Runtime, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

const NAME: &str = "league";
/// Number of bots on the ladder: the size of a class. With fewer bots, each head-to-head record
/// covers more matches.
const BOTS: usize = 20;
/// Number of matches in one commit while the store is filled.
const AT_ONCE: u64 = 1_000;
/// Number of calls of each kind.
const CALLS: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = arguments.iter().position(|argument| argument == "--matches");
    let matches = option.and_then(|place| arguments.get(place + 1));
    let matches = matches.map_or(1_000_000, |text| text.parse().expect("a number of matches"));
    Runtime::new().unwrap().block_on(measure(matches));
}

async fn measure(matches: u64) {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    fill(folder.path(), matches).await;
    let database = folder.path().join("data/bridgemaster.db");
    if let Ok(file) = std::fs::metadata(database) {
        row("database", file.len() as f64 / f64::from(1 << 20), "MiB");
    }
    let began = Instant::now();
    let served = Served::over(folder.path()).await;
    row("start", began.elapsed().as_secs_f64() * 1_000.0, "ms");
    let client = served.client().await;
    let bot = LadderBotRef { bot_name: name(7), bot_version: "1".to_owned() };
    let ladder_id = NAME.to_owned();
    let request =
        ListStandingsRequest { ladder_id: ladder_id.clone(), ..ListStandingsRequest::default() };
    calls("standings", async || {
        let answer = client.clone().list_standings(request.clone()).await;
        assert_eq!(answer.unwrap().into_inner().standings.len(), BOTS);
    })
    .await;
    let request = ListHeadToHeadsRequest {
        ladder_id: ladder_id.clone(),
        bot: Some(bot.clone()),
        ..ListHeadToHeadsRequest::default()
    };
    calls("head_to_head", async || {
        let answer = client.clone().list_head_to_heads(request.clone()).await;
        assert_eq!(answer.unwrap().into_inner().entries.len(), BOTS - 1);
    })
    .await;
    let request = ListLadderMatchesRequest {
        ladder_id,
        bot_name: bot.bot_name,
        against_bot_name: name(3),
        page_size: 5,
        ..ListLadderMatchesRequest::default()
    };
    calls("last_5_matches_of_a_pair", async || {
        let answer = client.clone().list_ladder_matches(request.clone()).await;
        assert_eq!(answer.unwrap().into_inner().matches.len(), 5);
    })
    .await;
    served.stop().await;
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{name} {value:.2} {unit}");
}

/// Measures repeated calls.
async fn calls(name: &str, mut call: impl AsyncFnMut()) {
    let mut took_ms = Vec::new();
    for _ in 0..CALLS {
        let began = Instant::now();
        call().await;
        took_ms.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    took_ms.sort_by(f64::total_cmp);
    let quantile = |share: f64| took_ms[((took_ms.len() - 1) as f64 * share) as usize];
    row(&format!("{name}_p50"), quantile(0.5), "ms");
    row(&format!("{name}_p99"), quantile(0.99), "ms");
}

async fn store(folder: &Path) -> Arc<dyn Store> {
    let dir = DataDir::prepare(folder.join("data")).unwrap();
    let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
    Arc::new(store.unwrap())
}

/// Starts a server whose store is in this folder.
struct Served {
    url: String,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Served {
    async fn over(folder: &Path) -> Self {
        let storage = Storage {
            shared: None,
            store: store(folder).await,
            dropped_matches: Vec::new(),
            keep_replays: KeepReplays::All,
        };
        let calls_per_address = Rate { per_second: 100_000, burst: 100_000 };
        let options = ServerOptions {
            limits: Limits { calls_per_address, ..Limits::default() },
            storage: Some(storage),
            ..ServerOptions::default()
        };
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await;
        let server = server.unwrap();
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let running = tokio::spawn(async move { server.run(stopped).await.unwrap() });
        Self { url, stop, running }
    }

    async fn client(&self) -> LadderServiceClient<Channel> {
        let channel = Channel::from_shared(self.url.clone()).unwrap();
        LadderServiceClient::new(channel.connect().await.unwrap())
    }

    async fn stop(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }
}

/// Starts a server that creates the ladder.
async fn create(folder: &Path) {
    let served = Served::over(folder).await;
    let config = MatchConfig {
        game: with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default())),
        seats: 2,
        ..MatchConfig::default()
    };
    let ladder = Ladder { ladder_id: NAME.to_owned(), config: Some(config), ..Ladder::default() };
    let request = CreateLadderRequest { ladder: Some(ladder) };
    let made = served.client().await.create_ladder(request).await;
    made.unwrap();
    served.stop().await;
}

fn name(bot: usize) -> String {
    format!("bot-{bot:03}")
}

/// Stores matches as a server would, between random bots in a range of 400 Elo.
async fn fill(folder: &Path, matches: u64) {
    let store = store(folder).await;
    let ladder_id = LadderId::new(NAME).unwrap();
    // The server that created the ladder was its leader in the first term.
    let term = 2;
    let commit = async |changes: Vec<LadderChange>| {
        let writes = changes
            .into_iter()
            .map(|change| Write::ChangeLadder { ladder_id: ladder_id.clone(), change });
        store.commit(writes.collect()).await.unwrap();
    };
    let versions = (0..BOTS).map(|bot| {
        let record = LadderVersionRecord {
            is_validated: true,
            place: bot as u32,
            ..LadderVersionRecord::default()
        };
        LadderChange::PutVersion {
            term,
            bot_name: name(bot),
            bot_version: "1".to_owned(),
            value: record.encode_to_vec(),
        }
    });
    let lead = LadderChange::StartTerm { term };
    commit([lead].into_iter().chain(versions).collect()).await;
    let mut luck = SmallRng::seed_from_u64(1);
    let mut from = 0;
    while from < matches {
        let numbers = from..matches.min(from + AT_ONCE);
        let records = numbers.clone().map(|number| (number, record(number, &mut luck)));
        let records: Vec<(u64, LadderMatchRecord)> = records.collect();
        let paired = records.iter().map(|(number, record)| LadderChange::Pair {
            term,
            number: *number,
            value: LadderMatchRecord {
                match_id: String::new(),
                end: LadderMatchEnd::Unspecified.into(),
                ..record.clone()
            }
            .encode_to_vec(),
        });
        commit(paired.collect()).await;
        let ended = records.iter().map(|(number, record)| LadderChange::End {
            term,
            number: *number,
            value: record.encode_to_vec(),
        });
        commit(ended.collect()).await;
        from = numbers.end;
    }
    store.close().await.unwrap();
}

fn record(number: u64, luck: &mut SmallRng) -> LadderMatchRecord {
    let one = luck.random_range(0..BOTS);
    let other = (one + luck.random_range(1..BOTS)) % BOTS;
    let strength = |bot: usize| 2.3 * (bot as f64 / (BOTS - 1) as f64 - 0.5);
    let chance = 1.0 / (1.0 + (strength(other) - strength(one)).exp());
    let has_won = luck.random_bool(chance);
    let seat = |bot: usize, place: u32| LadderSeatRecord {
        bot_name: name(bot),
        bot_version: "1".to_owned(),
        place,
        score: 50 - 10 * place as i32,
        ..LadderSeatRecord::default()
    };
    let places = if has_won { (1, 2) } else { (2, 1) };
    LadderMatchRecord {
        purpose: OfferPurpose::Rated.into(),
        seats: vec![seat(one, places.0), seat(other, places.1)],
        paired_unix_ms: 1_700_000_000_000 + number,
        match_id: format!("match-{number:012}"),
        end: LadderMatchEnd::Played.into(),
        ended_unix_ms: 1_700_000_060_000 + number,
        ..LadderMatchRecord::default()
    }
}
