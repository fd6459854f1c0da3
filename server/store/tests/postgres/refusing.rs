//! Databases that are not accepted.

use bridgemaster_store::{Durability, PostgresStore, StoreError};

use crate::{fence::store, postgres_server::PostgresServer};

async fn refused(url: &str) -> StoreError {
    PostgresStore::open(url, Durability::Disk).await.unwrap_err()
}

pub(crate) async fn an_unreachable_database_is_reported() {
    let error = refused("postgres://tester:hush@127.0.0.1:1/nothing").await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1:1/nothing"), "{error}");
    assert!(!format!("{error} {error:?}").contains("hush"), "{error:?}");
    let url = PostgresServer::shared().fresh();
    let url = url.replace("/postgres?", "/no_such_database?");
    let error = refused(&url).await;
    assert!(error.to_string().contains("no_such_database"), "{error}");
}

pub(crate) async fn tables_of_another_program_are_not_changed() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!("CREATE TABLE {schema}.theirs (a INT)"));
    let error = refused(&url).await;
    assert!(matches!(error, StoreError::ForeignTables { .. }), "{error:?}");
    let tables = format!("SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'");
    assert_eq!(server.run(&tables), "1");
}

pub(crate) async fn a_schema_of_another_version_is_refused() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    store(&url).await;
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!("UPDATE {schema}.bridgemaster_schema SET version = 99"));
    let error = refused(&url).await;
    let is_newer = matches!(error, StoreError::NewerSchema { version: 99, .. });
    assert!(is_newer, "{error:?}");
    server.run(&format!("UPDATE {schema}.bridgemaster_schema SET version = 1"));
    let error = refused(&url).await;
    let is_older = matches!(error, StoreError::OlderSchema { version: 1, .. });
    assert!(is_older, "{error:?}");
}
