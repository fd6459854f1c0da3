use bridgemaster_store::Store as _;

use crate::{append, finish, open, open_match, raw};

/// Tables at which one match follows another.
const TABLES: u64 = 16;

async fn journal_rows(folder: &std::path::Path) -> u64 {
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM journal")
        .fetch_one(&mut raw(folder).await)
        .await
        .unwrap();
    rows.unsigned_abs()
}

/// Plays rounds in which every match gains an entry; matches last 40 to 70 of them. Returns the
/// rows that the matches in play have at the end.
async fn play(folder: &std::path::Path, rounds: u64, with_a_long_match: bool) -> u64 {
    let store = open(folder).await.unwrap();
    let mut matches: Vec<(String, u64)> = (0..TABLES).map(|n| (format!("t{n}-0"), 0)).collect();
    let mut batch: Vec<_> = matches.iter().map(|(name, _)| open_match(name)).collect();
    if with_a_long_match {
        batch.push(open_match("long"));
        batch.extend((0..10).map(|n| append("long", n)));
    }
    store.commit(batch).await.unwrap();
    for round in 0..rounds {
        let mut batch = Vec::new();
        for (table, (name, entries)) in (0..).zip(&mut matches) {
            batch.push(append(name, *entries));
            *entries += 1;
            if *entries == 40 + 2 * table {
                batch.push(finish(name, 10));
                *name = format!("t{table}-{round}");
                *entries = 0;
                batch.push(open_match(name));
            }
        }
        store.commit(batch).await.unwrap();
    }
    matches.iter().map(|(_, entries)| entries).sum::<u64>() + if with_a_long_match { 10 } else { 0 }
}

#[tokio::test]
async fn the_journal_stays_in_proportion_to_the_matches_in_play() {
    for with_a_long_match in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        // Each of the 16 matches has at most 70 rows.
        let most_in_play = TABLES * 70 + 10;
        play(folder.path(), 1_000, with_a_long_match).await;
        let rows = journal_rows(folder.path()).await;
        assert!(rows < 2 * most_in_play, "{rows} rows of 16,000");
    }
}

#[tokio::test]
async fn opening_sweeps_everything_that_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let in_play = play(folder.path(), 100, true).await;
    assert!(journal_rows(folder.path()).await > in_play);
    drop(open(folder.path()).await.unwrap());
    assert_eq!(journal_rows(folder.path()).await, in_play);
}

#[tokio::test]
async fn the_journal_is_empty_when_the_last_match_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store
        .commit(vec![open_match("a"), open_match("b")])
        .await
        .unwrap();
    store
        .commit((0..700).map(|n| append("a", n)).collect())
        .await
        .unwrap();
    store
        .commit((0..700).map(|n| append("b", n)).collect())
        .await
        .unwrap();
    store.commit(vec![finish("a", 10)]).await.unwrap();
    store.commit(vec![finish("b", 10)]).await.unwrap();
    assert_eq!(journal_rows(folder.path()).await, 0);
}
