//! Stored results of a contest.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

/// A lag limit that not even a busy machine exceeds.
pub(crate) const LAGGING: &str = "--referee-lag-limit-ms 10000";

pub(crate) fn read_json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the finished matches of a contest, without an incomplete last line.
pub(crate) fn rows(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    let lines = text.split_inclusive('\n');
    let whole = lines.filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str::<Value>(line).unwrap()["row"].take()).collect()
}

/// Returns the seats of all rows.
pub(crate) fn seats(rows: &[Value]) -> impl Iterator<Item = &Value> {
    rows.iter().flat_map(|row| row["seats"].as_array().unwrap())
}

/// Returns the scores of each match by its number. Panics if a match counts twice.
pub(crate) fn scores(folder: &Path) -> BTreeMap<(u64, u64), Vec<i64>> {
    let mut scores = BTreeMap::new();
    for row in rows(folder) {
        if row["annulled"].is_null() {
            let of = ["group", "number"].map(|name| row[name].as_u64().unwrap());
            let seats = row["seats"].as_array().unwrap().iter();
            let of_seats = seats.map(|seat| seat["score"].as_i64().unwrap()).collect();
            let earlier = scores.insert((of[0], of[1]), of_seats);
            assert!(earlier.is_none(), "match {of:?} counts twice");
        }
    }
    scores
}
