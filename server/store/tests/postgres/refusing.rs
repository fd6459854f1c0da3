//! Databases that are not accepted.

use bridgemaster_store::{Durability, PostgresStore, StoreError};

use crate::{fence::store, postgres_server::PostgresServer};

async fn refused(url: &str) -> StoreError {
    PostgresStore::open(url, Durability::Disk)
        .await
        .unwrap_err()
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
    assert!(
        matches!(error, StoreError::ForeignTables { .. }),
        "{error:?}"
    );
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
    let error = refused(&url).await;
    let is_newer = matches!(error, StoreError::NewerSchema { version: 9, .. });
    assert!(is_newer, "{error:?}");
    server.run(&format!(
        "DELETE FROM {schema}._sqlx_migrations WHERE version = 9;
         UPDATE {schema}._sqlx_migrations SET checksum = 'other'"
    ));
    let error = refused(&url).await;
    let is_other = matches!(error, StoreError::DifferentSchema { version: 1, .. });
    assert!(is_other, "{error:?}");
}
