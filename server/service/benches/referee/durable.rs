//! The cost of storing events before they take effect. Measures in turns: matches in memory,
//! matches in a store, bare tables without and with a store, and a ping-pong.

use std::{path::Path, sync::Arc, time::Duration};

use bridgemaster_server::{KeepReplays, Storage};
use bridgemaster_store::{DataDir, Durability, SqliteOptions, SqliteStore};

use crate::{
    Referees, SEATS, TURNS,
    commits::Commits,
    connect,
    load::{self, MessageSizes},
    median, ping_pong, relay,
    turn::process_cpu_time,
};

/// Number of concurrent matches, tables and ping-pongs.
const MATCHES: usize = 64;

/// A server and relays without a game, with the same durability.
struct Durable {
    name: &'static str,
    server: Referees,
    tables: String,
    /// Results of all turns.
    rates: Vec<f64>,
    costs: Vec<f64>,
    ratios: Vec<f64>,
    table_rates: Vec<f64>,
    ratios_of_tables: Vec<f64>,
}

impl Durable {
    /// Stores data in `folder`; a request has `bytes` bytes.
    async fn start(
        name: &'static str,
        folder: &Path,
        durability: Option<Durability>,
        bytes: usize,
    ) -> Self {
        let (mut storage, mut commits) = (None, None);
        if let Some(durability) = durability {
            storage = Some(Storage {
                store: Arc::new(store(&folder.join(name), durability).await),
                dropped_matches: Vec::new(),
                keep_replays: KeepReplays::All,
                shared: None,
            });
            let store = store(&folder.join(format!("{name}-tables")), durability).await;
            commits = Some(Commits::start(store).await);
        }
        Self {
            name,
            server: Referees::over(storage).await,
            tables: relay::serve(bytes, commits).await,
            rates: Vec::new(),
            costs: Vec::new(),
            ratios: Vec::new(),
            table_rates: Vec::new(),
            ratios_of_tables: Vec::new(),
        }
    }

    /// Measures one turn, for comparison with a ping-pong of this number of round trips per second.
    async fn measure_turn(
        &mut self,
        game: &'static str,
        sizes: MessageSizes,
        turn: Duration,
        round_trips: f64,
    ) {
        let cpu = process_cpu_time;
        let channels = self.server.connect().await;
        let decisions = load::decisions(&channels, game, SEATS, MATCHES, turn, cpu).await;
        let channels = connect(&self.tables).await;
        let messages = (sizes.answer_bytes, sizes.of_a_seat());
        let passed_on = relay::turns(&channels, messages, MATCHES, turn, cpu).await;
        let (rate, passed_on) = (decisions.per_second(), passed_on.per_second());
        self.rates.push(rate);
        self.costs.push(decisions.cpu_us());
        self.ratios.push(rate / round_trips);
        self.table_rates.push(passed_on);
        self.ratios_of_tables.push(rate / passed_on);
    }

    fn print(self, game: &str) {
        let name = format!("referee.{game}.matches{MATCHES}.durable.{}", self.name);
        println!("{name}.decisions {:.0} /s", median(self.rates));
        println!("{name}.cpu {:.1} us", median(self.costs));
        println!("{name}.ratio {:.3} 1", median(self.ratios));
        println!("{name}.tables {:.0} /s", median(self.table_rates));
        println!("{name}.ratio_of_tables {:.3} 1", median(self.ratios_of_tables));
    }
}

/// Measures matches in memory, matches in a store, relays without a game, and ping-pong, in turns.
pub(crate) async fn measure(game: &'static str, turn: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let in_memory = Referees::start().await;
    let sizes = load::message_sizes(&in_memory.connect().await[0], game, SEATS).await;
    drop(in_memory);
    let mut durable = Vec::new();
    for (name, durability) in [
        ("memory", None),
        ("process", Some(Durability::Process)),
        ("power", Some(Durability::Disk)),
    ] {
        let bytes = sizes.request_bytes;
        durable.push(Durable::start(name, folder.path(), durability, bytes).await);
    }
    let ping_pong = ping_pong::serve(sizes.request_bytes).await;
    for _ in 0..TURNS {
        let channels = connect(&ping_pong).await;
        let pings = (sizes.answer_bytes, u64::MAX);
        let cpu = process_cpu_time;
        let round_trips = ping_pong::round_trips(&channels, pings, MATCHES, turn, cpu).await;
        for durable in &mut durable {
            let round_trips = round_trips.per_second();
            durable.measure_turn(game, sizes, turn, round_trips).await;
        }
    }
    for durable in durable {
        durable.print(game);
    }
}

/// Creates a store in a new folder.
async fn store(folder: &Path, durability: Durability) -> SqliteStore {
    let options = SqliteOptions { durability, ..SqliteOptions::default() };
    let dir = DataDir::prepare(folder).unwrap();
    SqliteStore::open(&dir, options).await.unwrap()
}
