use std::path::Path;

use bridgemaster_store::Store as _;

use crate::{append, finish, id, open, open_match, raw};

/// The number of tables. At each table, one match is played after another.
const TABLES: u64 = 16;

/// The number of commits of a match.
const ENTRIES: u64 = 40;

fn batches(folder: &Path) -> u64 {
    let count = "SELECT count(*) FROM journal";
    let rows: i64 = raw(folder).query_one(count, (), |row| row.get(0)).unwrap();
    rows.unsigned_abs()
}

/// Plays rounds in which every match gains an entry. Matches last for 40 to 70 rounds; a long match
/// may have entries in the first 10 batches.
async fn play(folder: &Path, rounds: u64, with_a_long_match: bool) {
    let store = open(folder).await.unwrap();
    let mut matches: Vec<(String, u64)> = (0..TABLES).map(|n| (format!("t{n}-0"), 0)).collect();
    let mut batch: Vec<_> = matches.iter().map(|(name, _)| open_match(name)).collect();
    if with_a_long_match {
        batch.push(open_match("long"));
    }
    store.commit(batch).await.unwrap();
    for round in 0..rounds {
        let mut batch = Vec::new();
        if with_a_long_match && round < 10 {
            batch.push(append("long", round));
        }
        for (table, (name, entries)) in (0..).zip(&mut matches) {
            batch.push(append(name, *entries));
            *entries += 1;
            if *entries == ENTRIES + 2 * table {
                batch.push(finish(name, 10));
                *name = format!("t{table}-{round}");
                *entries = 0;
                batch.push(open_match(name));
            }
        }
        store.commit(batch).await.unwrap();
    }
}

#[tokio::test]
async fn the_journal_stays_in_proportion_to_the_matches_in_play() {
    for with_a_long_match in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        play(folder.path(), 1_000, with_a_long_match).await;
        // A match has entries in at most 70 rounds. The long match keeps 10 more batches alive, and
        // up to 63 unneeded batches may not be deleted yet.
        let rows = batches(folder.path());
        assert!(rows < 70 + 10 + 64, "{rows} batches of 1,000");
        let store = open(folder.path()).await.unwrap();
        if with_a_long_match {
            let long = store.open_match(&id("long")).await.unwrap().unwrap();
            assert_eq!(long.journal.len(), 10);
        }
    }
}

#[tokio::test]
async fn opening_sweeps_all_unneeded_batches() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![open_match("a"), open_match("b"), append("a", 0)]).await.unwrap();
    for n in 0..20 {
        store.commit(vec![append("b", n)]).await.unwrap();
    }
    store.commit(vec![finish("b", 10)]).await.unwrap();
    drop(store);
    assert!(batches(folder.path()) > 20);
    let store = open(folder.path()).await.unwrap();
    // The batch of `a`, and the batch that was written when the store was opened.
    assert_eq!(batches(folder.path()), 2);
    let found = store.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len(), 1);
}

#[tokio::test]
async fn the_journal_has_no_entries_when_the_last_match_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![open_match("a"), open_match("b")]).await.unwrap();
    for n in 0..70 {
        store.commit(vec![append("a", n), append("b", n)]).await.unwrap();
    }
    store.commit(vec![finish("a", 10)]).await.unwrap();
    store.commit(vec![finish("b", 10)]).await.unwrap();
    // The row of the last commit remains, because it holds the number of commits.
    assert_eq!(batches(folder.path()), 1);
}
