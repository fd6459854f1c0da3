//! Creates the tables of a database, and migrates them, while other nodes use it.

use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection};
use tokio::time::sleep;

use super::{address::Address, write_connection};
use crate::{
    StoreError,
    db_error::DbError,
    rows::{SqlConnection as _, StoredRow as _, scalar},
    schema::{Migration, Schema, SchemaUse},
};

/// Key of the advisory lock under which the tables are created and migrated: `BMst` in ASCII.
const CREATION_LOCK: i64 = 0x424d_7374;

/// The maximum number of times that a migration is tried while other transactions use its tables.
const MAX_MIGRATION_TRIES: u32 = 10;

/// The pause between two attempts, in which the statements that waited behind the migration run.
const MIGRATION_RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(super) const STORED_VERSION: &str = "SELECT version FROM bridgemaster_schema";

/// Checks the version of the schema, and migrates it if the caller does so. Creates the tables in
/// an empty database. No other server does the same at the same time.
pub(super) async fn ensure_schema(
    connection: &mut PgConnection,
    address: &Address,
    schema: &Schema,
    schema_use: SchemaUse,
) -> Result<(), DbError> {
    let mut tries_left = MAX_MIGRATION_TRIES;
    loop {
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({CREATION_LOCK})");
        sqlx::raw_sql(AssertSqlSafe(begin)).execute(&mut *connection).await?;
        let checked = check_tables(connection, address, schema, schema_use).await;
        let ensured = write_connection::commit(connection, checked).await;
        tries_left -= 1;
        match ensured {
            Err(error) if error.leaves_session_idle() && tries_left > 0 => {
                sleep(MIGRATION_RETRY_INTERVAL).await;
            }
            ensured => return ensured,
        }
    }
}

/// One attempt of [`ensure_schema`], in an open transaction.
async fn check_tables(
    connection: &mut PgConnection,
    address: &Address,
    schema: &Schema,
    schema_use: SchemaUse,
) -> Result<(), DbError> {
    let (has_schema, is_empty): (bool, bool) = sqlx::query_as(
        "SELECT to_regclass('bridgemaster_schema') IS NOT NULL,
             NOT EXISTS (
                 SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE nspname = current_schema() AND relkind IN ('r', 'p'))",
    )
    .fetch_one(&mut *connection)
    .await?;
    if has_schema {
        let version = scalar(connection, STORED_VERSION, &[]).await?;
        let version = version.unwrap_or_default();
        let migrations = schema.check(version, schema_use, address.redacted())?;
        migrate_tables(connection, address, migrations).await?;
    } else if !is_empty {
        let database = address.redacted().to_owned();
        return Err(StoreError::ForeignTables(database).into());
    } else {
        let (tables, version) = (schema.postgres, schema.version);
        let create = format!(
            "{tables} INSERT INTO bridgemaster_schema (only_row, version) VALUES (1, {version})"
        );
        sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn migrate_tables(
    connection: &mut PgConnection,
    address: &Address,
    migrations: &[Migration],
) -> Result<(), DbError> {
    let Some(last) = migrations.last() else {
        return Ok(());
    };
    // Waits for takeovers of nodes, which lock the version and then the row of the node. No table
    // is locked before the rows, since the transactions that hold these use the tables. Each wait
    // for a lock is short, since commits and renewals of running nodes queue behind it.
    sqlx::raw_sql(
        "SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = 0;
         SELECT version FROM bridgemaster_schema FOR UPDATE",
    )
    .execute(&mut *connection)
    .await?;
    exclude_older_nodes(connection, address, last.to).await?;
    for Migration { to, postgres, .. } in migrations {
        let change = format!("{postgres}; UPDATE bridgemaster_schema SET version = {to}");
        sqlx::raw_sql(AssertSqlSafe(change)).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Checks that no running node needs what the migration to a version removes, and prevents a paused
/// node from continuing with an older version.
async fn exclude_older_nodes(
    connection: &mut PgConnection,
    address: &Address,
    to: i64,
) -> Result<(), DbError> {
    // A program also uses databases of the next version. The lock waits for commits in progress.
    let older = "SELECT node_id, schema_version, lease_until > clock_timestamp() FROM node
         WHERE schema_version < $1 ORDER BY node_id FOR UPDATE";
    for row in connection.query(older, &[(to - 1).into()]).await? {
        if row.value(2)? {
            return Err(StoreError::NodeTooOld {
                database: address.redacted().to_owned(),
                node: row.value(0)?,
                version: row.value(1)?,
                supported: to,
            }
            .into());
        }
    }
    let end = "UPDATE node SET epoch = epoch + 1 WHERE schema_version < $1";
    connection.execute(end, &[(to - 1).into()]).await?;
    Ok(())
}

/// Checks the version again in the transaction that takes over a node. Until that transaction ends,
/// no migration can begin, and later migrations find the version of the node.
pub(super) async fn check_again(
    connection: &mut PgConnection,
    address: &Address,
    schema: &Schema,
) -> Result<(), DbError> {
    let select = "SELECT version FROM bridgemaster_schema FOR SHARE";
    let version: Option<i64> = scalar(connection, select, &[]).await?;
    schema.check(version.unwrap_or_default(), SchemaUse::Use, address.redacted())?;
    Ok(())
}
