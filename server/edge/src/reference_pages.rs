//! Tests that the reference documents every limit with a name and every metric.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use bridgemaster_store::NodeName;
use serde::{
    Deserialize as _,
    de::value::{Error, MapDeserializer},
};

use crate::{limits::Limits, metrics::Metrics};

const LIMITS: &str = include_str!("../../../docs/reference/limits.md");
const METRICS: &str = include_str!("../../../docs/reference/metrics.md");

/// Returns the texts in backticks.
fn texts_in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the rows of the table below a line of a page.
fn table_rows(page: &'static str, heading: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let (_, rest) = page.split_once(heading).unwrap();
    let lines = rest.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').map(str::trim).collect())
}

#[test]
fn the_table_of_limits_has_every_limit_of_the_config_file_and_no_other() {
    let unknown = MapDeserializer::<_, Error>::new([("unknown", 1_u32)].into_iter());
    let refused = Limits::deserialize(unknown).unwrap_err().to_string();
    let known: BTreeSet<&str> = texts_in_backticks(&refused).skip(1).collect();
    assert!(known.contains("open_matches"), "{refused}");
    let rows: Vec<_> = table_rows(LIMITS, "## Limits of the config file\n").collect();
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| texts_in_backticks(row[3])).collect();
    // Documented separately.
    let apart = BTreeSet::from(["drain_time", "[limits]"]);
    assert_eq!(&named - &apart, known);
}

#[test]
fn the_table_of_metrics_has_every_metric() {
    let page = Metrics::for_node(NodeName::new("one").ok().as_ref());
    let page = page.encode().unwrap();
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE bridgemaster_"));
    let rows: Vec<_> = table_rows(METRICS, "| metric, each after `bridgemaster_` |").collect();
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| texts_in_backticks(row[1])).collect();
    let mut seen = 0;
    for line in types {
        let (name, kind) = line.split_once(' ').unwrap();
        let suffix = match kind {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        let name = format!("{name}{suffix}");
        assert!(named.contains(name.as_str()), "{name}");
        seen += 1;
    }
    assert!(seen > 5, "{page}");
}
