//! Checks the crates of which more than one version is built.

use std::collections::{BTreeMap, BTreeSet};

use crate::cargo::tree;

/// Crates that are needed in several versions, and the crates that need the older ones. Each extra
/// version costs build time, so its row must be removed once it is no longer needed.
const SEVERAL: &[(&str, &str)] = &[
    ("base64", "tonic and sqlx have 0.22; in tests rcgen has a newer one"),
    ("block-buffer", "sqlx has sha2 0.10"),
    ("cpufeatures", "sqlx has sha2 0.10"),
    ("crypto-common", "sqlx has sha2 0.10"),
    ("digest", "sqlx has sha2 0.10"),
    ("foldhash", "hashbrown 0.15"),
    ("getrandom", "ring has 0.2, opentelemetry_sdk has rand with 0.3"),
    (
        "hashbrown",
        "prost-build has petgraph with 0.15, sqlx has 0.16; in tests stateright has dashmap with 0.14",
    ),
    ("rand", "opentelemetry_sdk has 0.9, in tests stateright too"),
    ("rand_chacha", "opentelemetry_sdk has 0.9, in tests stateright too"),
    ("rand_core", "opentelemetry_sdk has 0.9, in tests stateright too"),
    ("sha2", "sqlx has 0.10"),
    ("syn", "prost, tracing and pin-project have 2"),
    ("unicode-width", "protox has miette with 0.1"),
];

#[test]
fn each_crate_in_several_versions_has_a_reason() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for built in tree(None) {
        versions.entry(built.name).or_default().insert(built.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    for (name, versions) in &versions {
        let is_known = SEVERAL.iter().any(|(known, _)| known == name);
        assert!(
            is_known,
            "{name} is built in {versions:?}; see `cargo tree --workspace -i {name}@VERSION`, \
             and name the reason in versions.rs if there is one",
        );
    }
    for (name, _) in SEVERAL {
        assert!(versions.contains_key(*name), "{name} is built only once: remove its row");
    }
}
