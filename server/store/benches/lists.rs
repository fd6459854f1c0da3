//! The duration of one page of the list of finished matches, by each filter, in a data folder with
//! a million matches.
//!
//! `cargo bench -p bridgemaster-store --bench lists` prints lines of `filter p50 max unit`, and
//! fails if the median of a filter is not below the limit. `-- --quick` stores fewer matches.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use bridgemaster_store::{
    DataDir, Durability, IndexKey, KeyName, MatchId, SqliteOptions, SqliteStore, Store, Write,
};
use tokio::runtime::Runtime;

const MATCHES: u64 = 1_000_000;
const QUICK_MATCHES: u64 = 20_000;
const MATCHES_PER_COMMIT: u64 = 500;
const SUMMARY_BYTES: usize = 400;
/// Matches per page: the default of the protocol, and its maximum.
const PAGES: [u32; 2] = [50, 500];
/// The number of pages that are read by each filter, from positions all over the list.
const READS: u64 = 100;
/// The longest median time of a page.
const LIMIT: Duration = Duration::from_millis(50);

fn main() {
    // Cargo passes `--bench`.
    let quick = std::env::args().any(|argument| argument == "--quick");
    let matches = if quick { QUICK_MATCHES } else { MATCHES };
    Runtime::new().unwrap().block_on(run(matches));
}

async fn run(matches: u64) {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options = SqliteOptions { durability: Durability::Process, ..SqliteOptions::default() };
    let store = SqliteStore::open(&dir, options).await.unwrap();
    let begin = Instant::now();
    for first in (0..matches).step_by(MATCHES_PER_COMMIT as usize) {
        let numbers = first..matches.min(first + MATCHES_PER_COMMIT);
        store.commit(numbers.flat_map(whole_match).collect()).await.unwrap();
    }
    println!("fill {:.1} s", begin.elapsed().as_secs_f64());
    let mut is_too_slow = false;
    for (name, keys) in filters() {
        for limit in PAGES {
            let mut times = Vec::new();
            let mut found = 0;
            for read in 0..READS {
                let before = (read > 0).then(|| match_id(matches - matches * read / READS));
                let begin = Instant::now();
                let page = store.list(before.as_ref(), limit, &keys).await.unwrap();
                times.push(begin.elapsed());
                found += page.matches.len() as u64;
            }
            times.sort();
            let (p50, max) = (times[times.len() / 2], times[times.len() - 1]);
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let (p50_ms, max_ms, mean) = (ms(p50), ms(max), found / READS);
            println!("{name}_page_{limit} {p50_ms:.2} {max_ms:.2} ms, {mean} matches");
            is_too_slow |= p50 >= LIMIT;
        }
    }
    assert!(!is_too_slow, "a page takes {LIMIT:?} or longer");
    store.close().await.unwrap();
}

/// The properties of a match: common and rare ones, some of which exclude each other.
fn properties(number: u64) -> Vec<(&'static str, String)> {
    let mut properties = vec![
        ("game", format!("{}", number % 4)),
        ("maker", format!("maker-{}", number % 20)),
        ("label", format!("kind={}", number % 2)),
        ("label", format!("run={}", number / 1_000)),
        ("bot", format!("bot-{}", number % 199)),
        ("bot", format!("bot-{}", number % 211)),
        ("group", format!("{}", number / 8)),
    ];
    if number.is_multiple_of(100) {
        properties.push(("cancelled", String::new()));
    }
    if number.is_multiple_of(10_007) {
        properties.push(("annulled", String::new()));
    }
    properties
}

fn filters() -> Vec<(&'static str, Vec<IndexKey>)> {
    let key = |name: &str, value: &str| IndexKey::of_property(name, value);
    let party = IndexKey::from(&KeyName::new("bot-7").unwrap());
    vec![
        ("all", Vec::new()),
        ("party", vec![party.clone()]),
        ("game", vec![key("game", "1")]),
        ("maker", vec![key("maker", "maker-3")]),
        ("common_label", vec![key("label", "kind=1")]),
        ("rare_label", vec![key("label", "run=5")]),
        ("bot", vec![key("bot", "bot-7")]),
        ("group", vec![key("group", "40")]),
        ("cancelled", vec![key("cancelled", "")]),
        ("annulled", vec![key("annulled", "")]),
        ("unknown_bot", vec![key("bot", "nobody")]),
        ("bot_and_opponent", vec![key("bot", "bot-7"), key("bot", "bot-8")]),
        ("game_and_label", vec![key("game", "1"), key("label", "kind=1")]),
        ("game_and_party", vec![key("game", "1"), party]),
        // Both are common, and no match has both.
        ("labels_that_exclude_each_other", vec![key("label", "kind=0"), key("label", "kind=1")]),
    ]
}

fn whole_match(number: u64) -> [Write; 2] {
    let match_id = match_id(number);
    let properties = properties(number);
    let bots = properties.iter().filter(|(name, _)| *name == "bot");
    let parties = bots.map(|(_, bot)| KeyName::new(bot.as_str()).unwrap());
    let open =
        Write::OpenMatch { match_id: match_id.clone(), opened_at_unix_ms: 0, header: Vec::new() };
    let keys = properties.iter();
    let finish = Write::FinishMatch {
        match_id,
        ended_at_unix_ms: 1,
        summary: vec![0x73; SUMMARY_BYTES],
        replay: Vec::new(),
        parties: parties.collect(),
        index_keys: keys.map(|(name, value)| IndexKey::of_property(name, value)).collect(),
    };
    [open, finish]
}

fn match_id(number: u64) -> MatchId {
    MatchId::new(format!("{number:016x}")).unwrap()
}
