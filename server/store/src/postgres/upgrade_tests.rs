//! The upgrade of a cluster node by node, and back. Schemas of other versions stand for the
//! programs of these versions.

use bridgemaster_lease::names::NodeName;

use super::{PostgresKeys, PostgresStore, migrate_database, stored_nodes};
use crate::{
    Durability, MatchId, MigrationReport, NodeIdentity, NodeStatus, Nodes as _, Store as _,
    StoreError, Write,
    postgres_server::{PostgresServer, absent},
    schema::{CURRENT, Migration, Schema},
};

/// Adds a column that only newer programs use.
const EXPANSION: Migration = Migration {
    to: CURRENT.version + 1,
    sqlite: "",
    postgres: "ALTER TABLE finished_match ADD COLUMN note TEXT",
};

/// Removes it again, as if only the program of [`EXPANSION`] needed it.
const CONTRACTION: Migration = Migration {
    to: CURRENT.version + 2,
    sqlite: "",
    postgres: "ALTER TABLE finished_match DROP COLUMN note",
};

const NEXT: Schema = Schema {
    version: EXPANSION.to,
    migrations: &[EXPANSION],
    ..CURRENT
};

const SECOND_NEXT: Schema = Schema {
    version: CONTRACTION.to,
    migrations: &[EXPANSION, CONTRACTION],
    ..CURRENT
};

/// Opens a node with the program of a version.
async fn open(url: &str, name: &str, schema: &Schema) -> Result<PostgresStore, StoreError> {
    let identity = NodeIdentity {
        name: NodeName::new(name).unwrap(),
        address: None,
    };
    PostgresStore::open_with(url, Durability::Disk, &identity, schema).await
}

/// Runs a statement in the tables of a database.
fn run(url: &str, statement: &str) -> String {
    let schema = url.rsplit('=').next().unwrap();
    let statement = format!("SET search_path = {schema}; {statement}");
    PostgresServer::shared().run(&statement)
}

fn version(url: &str) -> String {
    run(url, "SELECT version FROM bridgemaster_schema")
}

fn id(text: &str) -> MatchId {
    MatchId::new(text).unwrap()
}

fn open_match(match_id: &str) -> Vec<Write> {
    vec![Write::OpenMatch {
        match_id: id(match_id),
        opened_at_unix_ms: 0,
        header: b"header".to_vec(),
    }]
}

fn entry(match_id: &str, number: u64) -> Vec<Write> {
    vec![Write::Append {
        match_id: id(match_id),
        number,
        entry: b"entry".to_vec(),
    }]
}

#[tokio::test]
async fn a_cluster_is_upgraded_node_by_node_and_back() {
    if absent().is_some() {
        return;
    }
    let url = PostgresServer::shared().fresh();
    let one = open(&url, "one", &CURRENT).await.unwrap();
    let two = open(&url, "two", &CURRENT).await.unwrap();
    one.commit(open_match("a")).await.unwrap();
    two.commit(open_match("b")).await.unwrap();

    // The first node is upgraded. The second continues, and can restart.
    let one = open(&url, "one", &NEXT).await.unwrap();
    assert_eq!(version(&url), NEXT.version.to_string());
    one.commit(entry("a", 0)).await.unwrap();
    two.renew_lease(NodeStatus::default()).await.unwrap();
    two.commit(entry("b", 0)).await.unwrap();
    let two = open(&url, "two", &CURRENT).await.unwrap();
    two.commit(entry("b", 1)).await.unwrap();

    // The upgrade is rolled back: the first node goes back to the previous version of the program.
    let one = open(&url, "one", &CURRENT).await.unwrap();
    one.commit(entry("a", 1)).await.unwrap();
    for (node, match_id) in [(&one, "a"), (&two, "b")] {
        let journal = node.open_match(&id(match_id)).await.unwrap().unwrap();
        assert_eq!(journal.journal.len(), 2, "{match_id}");
    }

    // No version is skipped while a node needs what the second migration removes.
    let one = open(&url, "one", &NEXT).await.unwrap();
    two.renew_lease(NodeStatus::default()).await.unwrap();
    let refused = open(&url, "three", &SECOND_NEXT).await.unwrap_err();
    let StoreError::NodeTooOld {
        node,
        version: of_node,
        ..
    } = &refused
    else {
        panic!("{refused}");
    };
    assert_eq!((node.as_str(), *of_node), ("two", CURRENT.version));
    assert_eq!(version(&url), NEXT.version.to_string());
    one.renew_lease(NodeStatus::default()).await.unwrap();
    one.commit(entry("a", 2)).await.unwrap();

    let _two = open(&url, "two", &NEXT).await.unwrap();
    let _three = open(&url, "three", &SECOND_NEXT).await.unwrap();
    assert_eq!(version(&url), SECOND_NEXT.version.to_string());
    one.renew_lease(NodeStatus::default()).await.unwrap();
    one.commit(entry("a", 3)).await.unwrap();
    let refused = open(&url, "four", &CURRENT).await.unwrap_err();
    let StoreError::NewerSchema {
        version: found,
        supported,
        ..
    } = refused
    else {
        panic!("{refused}");
    };
    assert_eq!((found, supported), (SECOND_NEXT.version, NEXT.version));
}

#[tokio::test]
async fn a_paused_node_does_not_continue_after_the_removal_of_what_it_needs() {
    if absent().is_some() {
        return;
    }
    let url = PostgresServer::shared().fresh();
    let paused = open(&url, "paused", &CURRENT).await.unwrap();
    run(
        &url,
        "UPDATE node SET lease_until = now() - interval '1 second'",
    );
    open(&url, "new", &SECOND_NEXT).await.unwrap();
    let refused = paused.renew_lease(NodeStatus::default()).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::EpochEnded { .. }),
        "{refused}"
    );
}

/// The columns of all tables with their types, and the storage parameters.
fn description(url: &str) -> String {
    run(
        url,
        "SELECT string_agg(c::text, ' ' ORDER BY c::text) FROM (
             SELECT table_name, column_name, data_type, column_default, is_nullable, collation_name
             FROM information_schema.columns WHERE table_schema = current_schema()) AS c
         UNION ALL SELECT string_agg(relname || reloptions::text, ' ' ORDER BY relname)
         FROM pg_class WHERE relnamespace = current_schema()::regnamespace",
    )
}

#[tokio::test]
async fn only_a_server_and_its_command_migrate_a_database() {
    if absent().is_some() {
        return;
    }
    let (new, old) = (
        PostgresServer::shared().fresh(),
        PostgresServer::shared().fresh(),
    );
    for url in [&new, &old] {
        open(url, "one", &CURRENT).await.unwrap();
    }
    run(
        &old,
        "ALTER TABLE node DROP COLUMN schema_version, DROP COLUMN clock_skew_ms,
             DROP COLUMN peer_problems, RESET (fillfactor, autovacuum_vacuum_scale_factor,
                 autovacuum_vacuum_threshold);
         ALTER TABLE journal RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
         ALTER TABLE open_match RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
         ALTER TABLE record RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
         UPDATE bridgemaster_schema SET version = 7",
    );
    let before = description(&old);
    assert_ne!(before, description(&new));
    for refused in [
        PostgresKeys::open(&old).await.map(|_| ()),
        stored_nodes(&old).await.map(|_| ()),
    ] {
        let refused = refused.unwrap_err();
        let is_it = matches!(refused, StoreError::NotMigrated { version: 7, .. });
        assert!(is_it, "{refused}");
    }
    assert_eq!(description(&old), before);
    let report = migrate_database(&old).await.unwrap();
    let (from, to) = (7, CURRENT.version);
    assert_eq!(report, MigrationReport { from, to });
    assert_eq!(description(&old), description(&new));
    let report = migrate_database(&old).await.unwrap();
    assert_eq!(report, MigrationReport { from: to, to });
    assert_eq!(stored_nodes(&old).await.unwrap().len(), 1);

    let empty = PostgresServer::shared().fresh();
    for refused in [
        migrate_database(&empty).await.map(|_| ()),
        stored_nodes(&empty).await.map(|_| ()),
    ] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, StoreError::NoStore { .. }), "{refused}");
    }
}
