//! Databases that are not believed.

use bridgemaster_store::{Durability, PostgresStore, StoreError};

use crate::{fence::store, postgres_server::PostgresServer};

async fn refused(url: &str) -> StoreError {
    PostgresStore::open(url, Durability::Power)
        .await
        .unwrap_err()
}

pub(crate) async fn what_is_no_database_is_told_as_that() {
    let told = refused("postgres://tester:hush@127.0.0.1:1/nothing").await;
    assert!(matches!(told, StoreError::Unreachable { .. }), "{told:?}");
    assert!(told.to_string().contains("127.0.0.1:1/nothing"), "{told}");
    assert!(!format!("{told} {told:?}").contains("hush"), "{told:?}");
    let url = PostgresServer::shared().fresh();
    let url = url.replace("/postgres?", "/no_such_database?");
    let told = refused(&url).await;
    assert!(told.to_string().contains("no_such_database"), "{told}");
}

pub(crate) async fn tables_of_another_program_are_left_alone() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!("CREATE TABLE {schema}.theirs (a INT)"));
    let told = refused(&url).await;
    assert!(matches!(told, StoreError::ForeignTables { .. }), "{told:?}");
    let tables = format!("SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'");
    assert_eq!(server.run(&tables), "1");
}

pub(crate) async fn a_newer_and_another_schema_are_refused() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    store(&url).await;
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!(
        "INSERT INTO {schema}._sqlx_migrations
             (version, description, success, checksum, execution_time)
         VALUES (9, 'of the future', true, '', 0)"
    ));
    let told = refused(&url).await;
    let is_newer = matches!(told, StoreError::NewerSchema { version: 9, .. });
    assert!(is_newer, "{told:?}");
    server.run(&format!(
        "DELETE FROM {schema}._sqlx_migrations WHERE version = 9;
         UPDATE {schema}._sqlx_migrations SET checksum = 'other'"
    ));
    let told = refused(&url).await;
    let is_other = matches!(told, StoreError::DifferentSchema { version: 1, .. });
    assert!(is_other, "{told:?}");
}
