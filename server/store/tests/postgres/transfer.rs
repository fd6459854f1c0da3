//! Copies of a store from a data folder into a database, and back.

use std::path::Path;

use bridgemaster_store::{
    DataDir, KeyId, KeyStore as _, LadderChange, LadderId, LadderRows, NewKey, Nodes as _,
    OwnerName, RecordStore as _, SqliteOptions, SqliteStore, Store, StoreError, StoredLadder,
    StoredLadderMatch, StoredLadderVersion, Write, check, copy_from_postgres, copy_to_postgres,
};
use tempfile::TempDir;

use crate::{
    fence::{append, finish, id, key, open, store},
    nodes::{expire_lease, node, none_is_leader_only, take_over},
    postgres_server::PostgresServer,
    workload::{Contents, Workload},
};

const RECORDS: [&str; 3] = ["plain", "with\0zero", "Ælfric"];

/// The whole content of a store, read through its interface.
#[derive(Debug, PartialEq)]
struct Everything {
    matches: Contents,
    /// The keys as text, without the hashes of their secrets, which are covered by checksums.
    keys: String,
    records: Vec<Option<Vec<u8>>>,
    secret: Option<Vec<u8>>,
    ladders: LadderRows<StoredLadder>,
    versions: LadderRows<StoredLadderVersion>,
    ladder_matches: LadderRows<StoredLadderMatch>,
}

impl Everything {
    async fn of(store: &dyn Store) -> Self {
        let mut records = Vec::new();
        for name in RECORDS {
            records.push(store.record(name).await.unwrap());
        }
        let ladder = LadderId::new("spring").unwrap();
        Self {
            matches: Contents::of(store).await,
            keys: format!("{:?}", store.keys().await.unwrap()),
            records,
            secret: store.secret("signing").await.unwrap(),
            ladders: store.ladders().await.unwrap(),
            versions: store.ladder_versions(&ladder).await.unwrap(),
            ladder_matches: store.ladder_matches(&ladder, 0, 100).await.unwrap(),
        }
    }
}

async fn opened(dir: &DataDir) -> SqliteStore {
    let options = SqliteOptions::default();
    SqliteStore::open(dir, options).await.unwrap()
}

/// Adds rows to every table.
async fn fill(store: &dyn Store) {
    let mut workload = Workload::new(7);
    for _ in 0..60 {
        store.commit(workload.batch()).await.unwrap();
    }
    store.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    let keep = |name: &str| Write::PutRecord { name: name.to_owned(), value: name.into() };
    store.commit(RECORDS.map(keep).to_vec()).await.unwrap();
    store.get_or_insert_secret("signing", vec![5; 32]).await.unwrap();
    for name in ["north", "south"] {
        store.add_key(key(name)).await.unwrap();
    }
    let with_all = NewKey {
        owner: Some(OwnerName::new("school").unwrap()),
        expires_at_unix_ms: Some(1_999_999_999_999),
        ..key("west")
    };
    store.add_key(with_all).await.unwrap();
    let south = KeyId::new("south").unwrap();
    store.revoke_key(&south, 77).await.unwrap();
    store.record_key_uses(vec![(south, 70)]).await.unwrap();
    let value = || b"value".to_vec();
    let term = 1;
    let version = |name: &str| LadderChange::PutVersion {
        term,
        bot_name: name.to_owned(),
        bot_version: "1\0b".to_owned(),
        value: value(),
    };
    let pair = |number| LadderChange::Pair { term, number, value: value() };
    let changes = [
        LadderChange::Open { value: value() },
        LadderChange::StartTerm { term },
        version("Ælfric"),
        version("north"),
        pair(0),
        pair(1),
        LadderChange::End { term, number: 0, value: value() },
    ];
    let ladder_id = LadderId::new("spring").unwrap();
    for change in changes {
        let ladder_id = ladder_id.clone();
        let change = Write::ChangeLadder { ladder_id, change };
        store.commit(vec![change]).await.unwrap();
    }
}

/// A data folder with rows in every table.
async fn full(folder: &Path) -> (DataDir, Everything) {
    let dir = DataDir::prepare(folder).unwrap();
    let store = opened(&dir).await;
    fill(&store).await;
    let everything = Everything::of(&store).await;
    store.close().await.unwrap();
    (dir, everything)
}

pub(crate) async fn a_store_is_copied_completely_to_postgresql_and_back() {
    let folder = TempDir::new().unwrap();
    let (dir, everything) = full(&folder.path().join("there")).await;
    let url = PostgresServer::shared().fresh();
    let report = copy_to_postgres(&dir, &url).await.unwrap();
    assert_eq!(report.open as usize, everything.matches.open.len());
    assert_eq!(report.finished as usize, everything.matches.finished.len());
    assert_eq!((report.keys, report.ladders, report.ladder_matches), (3, 1, 2));

    let served = store(&url).await;
    assert!(served.open_report().damage_reports.is_empty());
    assert_eq!(Everything::of(&*served).await, everything);
    // The copy continues from the same state; numbers are not reused.
    served.commit(vec![append("a", 1)]).await.unwrap();
    served.commit(vec![open("z"), finish("z")]).await.unwrap();
    served.add_key(key("east")).await.unwrap();
    let later = Everything::of(&*served).await;
    assert_eq!(later.matches.finished[0].0.match_id, id("z"));

    let back = DataDir::prepare(folder.path().join("back")).unwrap();
    // The server continues during the copy.
    copy_from_postgres(&url, &back).await.unwrap();
    served.commit(vec![append("a", 2)]).await.unwrap();
    assert!(check(&back).await.unwrap().is_sound());
    let again = opened(&back).await;
    assert_eq!(Everything::of(&again).await, later);
    again.commit(vec![append("a", 2)]).await.unwrap();
    again.commit(vec![open("y"), finish("y")]).await.unwrap();
    let newest = again.finished(None, 1).await.unwrap();
    assert_eq!(newest.matches[0].match_id, id("y"));
    again.add_key(key("centre")).await.unwrap();
}

pub(crate) async fn matches_of_every_node_are_copied_to_one_folder_and_back() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    one.commit(vec![open("a"), open("b")]).await.unwrap();
    two.commit(vec![open("c"), open("d")]).await.unwrap();
    for number in 0..5 {
        one.commit(vec![append("b", number)]).await.unwrap();
        let batch = vec![append("c", number), append("d", number)];
        two.commit(batch).await.unwrap();
    }
    two.commit(vec![finish("d")]).await.unwrap();
    let mut expected = Contents::of(&one).await.open;
    expected.extend(Contents::of(&two).await.open);
    assert_eq!(expected.len(), 3);

    let folder = TempDir::new().unwrap();
    let dir = DataDir::prepare(folder.path().join("one")).unwrap();
    let report = copy_from_postgres(&url, &dir).await.unwrap();
    assert_eq!((report.open, report.finished), (3, 1));
    assert!(check(&dir).await.unwrap().is_sound());
    let store_of_folder = opened(&dir).await;
    assert_eq!(Contents::of(&store_of_folder).await.open, expected);
    let later = vec![append("a", 0), append("c", 5), open("e")];
    store_of_folder.commit(later).await.unwrap();
    store_of_folder.commit(vec![finish("b")]).await.unwrap();
    let expected = Contents::of(&store_of_folder).await.open;
    store_of_folder.close().await.unwrap();

    let url = PostgresServer::shared().fresh();
    copy_to_postgres(&dir, &url).await.unwrap();
    // The first server of the database gets all matches.
    let first = node(&url, "three").await;
    assert_eq!(Contents::of(&first).await.open, expected);
    first.commit(vec![append("c", 6)]).await.unwrap();
}

pub(crate) async fn a_copy_requires_an_empty_target() {
    let folder = TempDir::new().unwrap();
    let (dir, _) = full(&folder.path().join("full")).await;
    let server = PostgresServer::shared();
    let url = server.fresh();
    let empty = DataDir::prepare(folder.path().join("empty")).unwrap();
    let none = copy_from_postgres(&url, &empty).await;
    assert!(matches!(none, Err(StoreError::NoStore { .. })), "{none:?}");

    copy_to_postgres(&dir, &url).await.unwrap();
    let again = copy_to_postgres(&dir, &url).await;
    assert!(matches!(again, Err(StoreError::NotEmpty { .. })), "{again:?}");
    let onto = copy_from_postgres(&url, &dir).await;
    assert!(matches!(onto, Err(StoreError::AlreadyExists { .. })), "{onto:?}");
    // A database that a server has opened is not empty.
    let begun = server.fresh();
    store(&begun).await.close().await.unwrap();
    let onto = copy_to_postgres(&dir, &begun).await;
    assert!(matches!(onto, Err(StoreError::NotEmpty { .. })), "{onto:?}");
}

pub(crate) async fn a_damaged_store_is_not_copied() {
    let folder = TempDir::new().unwrap();
    let (dir, _) = full(&folder.path().join("full")).await;
    let server = PostgresServer::shared();
    let url = server.fresh();
    copy_to_postgres(&dir, &url).await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    let to = DataDir::prepare(folder.path().join("back")).unwrap();
    for (table, damage) in [
        ("open_match", "UPDATE open_match SET header = 'other' WHERE match_id = 'a'"),
        ("open_match", "DELETE FROM open_match WHERE match_id = 'a'"),
        ("record", "DELETE FROM record WHERE name = 'plain'"),
        ("api_key", "DELETE FROM api_key WHERE name = 'south'"),
        ("secret", "DELETE FROM secret"),
        ("ladder_match", "DELETE FROM ladder_match"),
        ("journal", "UPDATE journal SET sums = NULL"),
    ] {
        let run = |sql: &str| server.run(&format!("SET search_path = {schema}; {sql}"));
        run(&format!("CREATE TABLE was AS TABLE {table}"));
        run(damage);
        let damaged = copy_from_postgres(&url, &to).await;
        let is_damaged = matches!(damaged, Err(StoreError::Damaged { .. }));
        assert!(is_damaged, "{damage}: {damaged:?}");
        run(&format!("TRUNCATE {table}; INSERT INTO {table} TABLE was; DROP TABLE was"));
    }
    // The folder has no store, so an intact one can be copied there.
    copy_from_postgres(&url, &to).await.unwrap();
}

pub(crate) async fn a_missing_secret_is_not_replaced() {
    let url = PostgresServer::shared().fresh();
    let node = store(&url).await;
    let get = async || node.get_or_insert_secret("signing", vec![5; 32]).await;
    get().await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    PostgresServer::shared().run(&format!("DELETE FROM {schema}.secret"));
    let refused = get().await;
    let is_missing = matches!(refused, Err(StoreError::SecretMissing { .. }));
    assert!(is_missing, "{refused:?}");
}

/// A copy compares the rows with the sums of all nodes.
pub(crate) async fn rows_that_several_nodes_write_and_delete_are_counted() {
    let url = PostgresServer::shared().fresh();
    let (one, two) = (node(&url, "one").await, node(&url, "two").await);
    let put = |value: &str| Write::PutRecord { name: "note".to_owned(), value: value.into() };
    one.commit(vec![open("a"), open("b"), append("b", 0), put("one")]).await.unwrap();
    one.commit(vec![open("c"), finish("c")]).await.unwrap();
    two.commit(vec![open("d"), put("two")]).await.unwrap();
    let drop_match = |match_id: &str| Write::DropMatch { match_id: id(match_id) };
    two.commit(vec![drop_match("c"), finish("d")]).await.unwrap();
    one.commit(vec![put("one")]).await.unwrap();
    expire_lease(&url, "one");
    assert_eq!(take_over(&two, none_is_leader_only).await.len(), 2);
    two.commit(vec![append("b", 1), finish("a")]).await.unwrap();
    two.release(&[id("b")]).await.unwrap();
    let three = node(&url, "three").await;
    take_over(&three, none_is_leader_only).await;
    three.commit(vec![append("b", 2)]).await.unwrap();
    two.close().await.unwrap();
    let two = node(&url, "two").await;
    two.commit(vec![put("later"), open("e")]).await.unwrap();
    let folder = TempDir::new().unwrap();
    let dir = DataDir::prepare(folder.path().join("copy")).unwrap();
    let report = copy_from_postgres(&url, &dir).await.unwrap();
    assert_eq!((report.open, report.finished), (2, 2));
}

pub(crate) async fn every_column_is_copied() {
    let folder = TempDir::new().unwrap();
    let (dir, _) = full(&folder.path().join("full")).await;
    let server = PostgresServer::shared();
    let url = server.fresh();
    copy_to_postgres(&dir, &url).await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    // Tables that are specific to a database: its holder, assigned numbers, schema version, and its
    // id, which is checked when the database is opened.
    let empty = server.run(&format!(
        "WITH ours AS MATERIALIZED (
             SELECT table_name::text AS t, column_name::text AS c FROM information_schema.columns
             WHERE table_schema = '{schema}'
                 AND table_name NOT IN ('node', 'released_match', 'given_number', 'bridgemaster_schema', 'store'))
         SELECT string_agg(t || '.' || c, ' ' ORDER BY t, c) FROM ours
         WHERE (xpath('/row/n/text()', query_to_xml(
             format('SELECT count(%I) AS n FROM {schema}.%I', c, t), false, true, '')))[1]::text
             = '0'"
    ));
    assert_eq!(empty, "", "columns without any value in the copy");
}
