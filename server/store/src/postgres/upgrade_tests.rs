//! The upgrade of a cluster node by node, and back. Schemas of other versions stand for the
//! programs of these versions.

use bridgemaster_lease::names::NodeName;
use tokio::{join, task::yield_now};

use super::{
    PostgresKeys, PostgresStore, address::Address, migrate_database, opening, stored_nodes,
};
use crate::{
    Durability, MatchId, MigrationReport, NodeIdentity, NodeStatus, Nodes as _, Store as _,
    StoreError, Write,
    postgres_server::{PostgresServer, absent},
    schema::{CURRENT, Migration, Schema, SchemaUse},
};

/// Adds a column that only newer versions use.
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

const NEXT: Schema = Schema { version: EXPANSION.to, migrations: &[EXPANSION], ..CURRENT };

const SECOND_NEXT: Schema =
    Schema { version: CONTRACTION.to, migrations: &[EXPANSION, CONTRACTION], ..CURRENT };

/// Opens a node with the program of a version.
async fn open(url: &str, name: &str, schema: &Schema) -> Result<PostgresStore, StoreError> {
    let identity = NodeIdentity { name: NodeName::new(name).unwrap(), address: None };
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
    vec![Write::Append { match_id: id(match_id), number, entry: b"entry".to_vec() }]
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
    let StoreError::NodeTooOld { node, version: of_node, .. } = &refused else {
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
    let StoreError::NewerSchema { version: found, supported, .. } = refused else {
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
    run(&url, "UPDATE node SET lease_until = now() - interval '1 second'");
    open(&url, "new", &SECOND_NEXT).await.unwrap();
    let refused = paused.renew_lease(NodeStatus::default()).await.unwrap_err();
    assert!(matches!(refused, StoreError::EpochEnded { .. }), "{refused}");
}

#[tokio::test]
async fn commits_continue_while_a_migration_waits_for_a_table() {
    if absent().is_some() {
        return;
    }
    let server = PostgresServer::shared();
    let url = server.fresh();
    let one = open(&url, "one", &CURRENT).await.unwrap();
    one.commit(open_match("a")).await.unwrap();
    let tables = url.rsplit('=').next().unwrap();
    let reader = server.open_transaction(&format!("SELECT 1 FROM {tables}.finished_match"));
    let commit = async {
        let waiting = "SELECT count(*) FROM pg_locks
             WHERE NOT granted AND relation = 'finished_match'::regclass";
        while run(&url, waiting) == "0" {
            yield_now().await;
        }
        one.renew_lease(NodeStatus::default()).await.unwrap();
        one.commit(vec![Write::FinishMatch {
            match_id: id("a"),
            ended_at_unix_ms: 1,
            summary: b"summary".to_vec(),
            replay: Vec::new(),
            parties: Vec::new(),
            index_keys: Vec::new(),
        }])
        .await
        .unwrap();
        reader.commit();
    };
    let (migrated, ()) = join!(open(&url, "two", &NEXT), commit);
    migrated.unwrap();
    assert_eq!(version(&url), NEXT.version.to_string());
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
async fn a_database_is_migrated_only_by_a_caller_that_asks_for_it() {
    if absent().is_some() {
        return;
    }
    let url = PostgresServer::shared().fresh();
    open(&url, "one", &CURRENT).await.unwrap();
    let before = description(&url);
    let address = Address::parse(&url, Durability::Disk).unwrap();
    for schema_use in [SchemaUse::Use, SchemaUse::Copy] {
        let opened = opening::open(&address, &NEXT, schema_use).await;
        let refused = opened.unwrap_err().at(address.redacted());
        let StoreError::NotMigrated { version, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!(version, CURRENT.version);
    }
    assert_eq!(description(&url), before);
    let migrated = opening::open(&address, &NEXT, SchemaUse::Migrate).await;
    migrated.unwrap();
    assert_eq!(version(&url), NEXT.version.to_string());
    assert_ne!(description(&url), before);
}

#[tokio::test]
async fn a_database_that_is_too_old_is_refused_unchanged() {
    if absent().is_some() {
        return;
    }
    let url = PostgresServer::shared().fresh();
    open(&url, "one", &CURRENT).await.unwrap();
    let (from, to) = (CURRENT.version, CURRENT.version);
    let report = migrate_database(&url).await.unwrap();
    assert_eq!(report, MigrationReport { from, to });
    run(&url, "UPDATE bridgemaster_schema SET version = 7");
    let before = description(&url);
    for refused in [
        open(&url, "one", &CURRENT).await.map(|_| ()),
        PostgresKeys::open(&url).await.map(|_| ()),
        stored_nodes(&url).await.map(|_| ()),
        migrate_database(&url).await.map(|_| ()),
    ] {
        let refused = refused.unwrap_err();
        let is_it = matches!(refused, StoreError::OlderSchema { version: 7, .. });
        assert!(is_it, "{refused}");
    }
    assert_eq!(description(&url), before);

    let empty = PostgresServer::shared().fresh();
    for refused in
        [migrate_database(&empty).await.map(|_| ()), stored_nodes(&empty).await.map(|_| ())]
    {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, StoreError::NoStore { .. }), "{refused}");
    }
}
