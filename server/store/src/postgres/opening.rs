//! Opens a database: checks or creates its tables, and then takes over the node from an earlier
//! server or begins a copy.

use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use super::{
    address::Address,
    commit, migrations,
    node_number::{NODE_OF_KEY, NodeEpoch, NodeNumber},
    nodes, orphans,
    read_pool::ReadPool,
    session_settings, sql, write_connection,
};
use crate::{
    Durability, NodeIdentity, NodeStatus, StoreError,
    checksum::StoreId,
    db_error::DbError,
    journal::reader::LoadedJournal,
    journal_batch,
    limits::MIN_POSTGRES_VERSION,
    named_rows::NamedTable,
    row_sums::RowSums,
    rows::{SqlConnection as _, journal, open_matches, scalar},
    schema::{self, Schema, SchemaUse},
    transfer::side::CopySide,
};

/// Connects to a database, and checks or migrates its schema. Creates the tables in an empty
/// database.
pub(super) async fn open(
    address: &Address,
    schema: &Schema,
    schema_use: SchemaUse,
) -> Result<PgConnection, DbError> {
    let mut connection = address.connect().await?;
    let mut other = address.connect().await?;
    if session_settings::are_shared(&mut connection, &mut other).await? {
        return Err(StoreError::SharedSessions(address.redacted().to_owned()).into());
    }
    other.close().await?;
    let version: i32 = sqlx::query_scalar("SELECT current_setting('server_version_num')::int")
        .fetch_one(&mut connection)
        .await?;
    if version < MIN_POSTGRES_VERSION * 10_000 {
        return Err(StoreError::UnsupportedPostgres {
            database: address.redacted().to_owned(),
            version: version / 10_000,
        }
        .into());
    }
    migrations::ensure_schema(&mut connection, address, schema, schema_use).await?;
    Ok(connection)
}

/// Like [`open`] with the schema of this program, but fails if the database has no store.
pub(super) async fn open_existing(
    address: &Address,
    schema: &Schema,
    schema_use: SchemaUse,
) -> Result<PgConnection, DbError> {
    let mut connection = address.connect().await?;
    // A simple query without a prepared statement, because only `open` detects a pooler in
    // transaction mode.
    let select = sqlx::raw_sql("SELECT to_regclass('bridgemaster_schema') IS NOT NULL");
    let has_store: bool = select.fetch_one(&mut connection).await?.try_get(0)?;
    connection.close().await?;
    if has_store {
        return open(address, schema, schema_use).await;
    }
    let database = address.redacted().to_owned();
    Err(StoreError::NoStore(database).into())
}

/// State of the store after a server has taken over its node.
pub(super) struct OpenedStore {
    pub(super) store: StoreId,
    /// The node and epoch in which the server writes.
    pub(super) node: NodeEpoch,
    /// The number of commits, including the commit of the takeover.
    pub(super) commits: i64,
    pub(super) loaded: LoadedJournal,
}

/// Takes over a node in one transaction. A concurrent commit by an earlier server with the same
/// name is either seen by this transaction, or fails.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    address: &Address,
    identity: &NodeIdentity,
    schema: &Schema,
) -> Result<OpenedStore, DbError> {
    sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
    let work = async {
        // A migration locks the version before rows of nodes, so this transaction does the same.
        migrations::check_again(connection, address, schema).await?;
        let node = nodes::take_over(connection, identity, schema.version).await?;
        orphans::reclaim_released(connection, node.number).await?;
        let store = store_id(connection).await?;
        let range = node.number.range();
        let open = open_matches::select(connection, store, &range).await?;
        let mut loaded = journal::load(connection, store, open, range).await?;
        let last_match_key = &mut loaded.matches.last_match_key;
        *last_match_key = node.number.base().max(*last_match_key);
        let commits = commit::newest_batch(connection, node.number).await? + 1;
        let last_match_key = loaded.matches.last_match_key;
        let body = journal_batch::write(store, commits, last_match_key, Vec::new());
        let unchanged = RowSums::default();
        commit::add_batch(connection, node.number, commits, &unchanged, &body).await?;
        journal::sweep_all(connection, &mut loaded.matches.sweep).await?;
        // The last step, because it starts the lease.
        let matches = loaded.matches.by_id.len() as u64;
        nodes::renew(connection, node, matches, &NodeStatus::default()).await?;
        Ok(OpenedStore { store, node, commits, loaded })
    };
    let opened = work.await;
    let opened = write_connection::commit(connection, opened).await?;
    sql::raise_base(connection).await?;
    Ok(opened)
}

/// Returns the id of the store. Generates an id for a new store. Requires an open transaction.
pub(super) async fn store_id(connection: &mut PgConnection) -> Result<StoreId, DbError> {
    if let Some(store) = read_identity(connection).await? {
        return Ok(store);
    }
    let given = "SELECT EXISTS (SELECT 1 FROM given_number WHERE last > 0)";
    let has_numbers: Option<bool> = scalar(connection, given, &[]).await?;
    if has_numbers == Some(true) || has_rows(connection).await? {
        // Another command may have created the store and added rows in the meantime.
        let store = read_identity(connection).await?;
        let missing = "the row with the store id is missing";
        return store.ok_or_else(|| DbError::Inconsistent(missing.to_owned()));
    }
    let generated: Option<Vec<u8>> =
        scalar(connection, "SELECT uuid_send(gen_random_uuid())", &[]).await?;
    let generated = generated.as_deref().and_then(StoreId::from_bytes);
    let generated = generated.ok_or_else(|| {
        DbError::Inconsistent("PostgreSQL generated an id of unexpected length".to_owned())
    })?;
    // Another command may be creating the store at the same time.
    set_identity(connection, generated).await?;
    let stored = read_identity(connection).await?;
    stored
        .ok_or_else(|| DbError::Inconsistent("the row with the store id was not stored".to_owned()))
}

/// Returns whether the store has any matches, keys, secrets, records or ladders.
async fn has_rows(connection: &mut PgConnection) -> Result<bool, DbError> {
    let tables = ["open_match", "journal", "finished_match"];
    let named = NamedTable::ALL.map(NamedTable::sql_name);
    let tables = tables.into_iter().chain(named);
    let exist: Vec<_> = tables.map(|table| format!("EXISTS (SELECT 1 FROM {table})")).collect();
    let select = format!("SELECT {}", exist.join(" OR "));
    Ok(scalar(connection, &select, &[]).await? == Some(true))
}

/// Sets the id of the store if the database has none. Returns whether the id was set. Requires an
/// open transaction.
async fn set_identity(connection: &mut PgConnection, store: StoreId) -> Result<bool, DbError> {
    let insert = "INSERT INTO store (only_row, store_id, checksum) VALUES (1, $1, $2)
         ON CONFLICT DO NOTHING";
    let params = [store.0.as_slice().into(), checksum_of(store).into()];
    Ok(connection.execute(insert, &params).await? == 1)
}

async fn read_identity(connection: &mut PgConnection) -> Result<Option<StoreId>, DbError> {
    let row: Option<(Option<Vec<u8>>, Option<i64>)> =
        sqlx::query_as("SELECT store_id, checksum FROM store").fetch_optional(connection).await?;
    let Some((store_id, checksum)) = row else {
        return Ok(None);
    };
    let store = store_id.as_deref().and_then(StoreId::from_bytes);
    match store.filter(|store| checksum == Some(checksum_of(*store))) {
        Some(store) => Ok(Some(store)),
        None => Err(DbError::Inconsistent("the row with the store id is damaged".to_owned())),
    }
}

fn checksum_of(store: StoreId) -> i64 {
    store.start_row_checksum("store").finish()
}

/// The pools of read connections.
#[derive(Debug)]
pub(super) struct Readers {
    /// Pool for all reads except those of keys.
    pub(super) matches: Arc<ReadPool>,
    /// Pool for reads of keys. It is separate so that reads of matches do not delay authentication.
    pub(super) keys: ReadPool,
}

/// Begins a read transaction on the store in a database.
pub(crate) async fn open_source(url: &str) -> Result<CopySide<PgConnection>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let no_store = || StoreError::NoStore(address.redacted().to_owned());
    let work = async {
        let mut connection = open_existing(&address, &schema::CURRENT, SchemaUse::Copy).await?;
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut connection)
            .await?;
        let store = read_identity(&mut connection).await?;
        let nodes = format!("SELECT DISTINCT {NODE_OF_KEY} AS node FROM open_match ORDER BY node");
        let nodes = sqlx::query_scalar(AssertSqlSafe(nodes));
        let nodes: Vec<i64> = nodes.fetch_all(&mut connection).await?;
        let keys = nodes.into_iter().map(|node| Ok(NodeNumber::new(node)?.range()));
        let keys = keys.collect::<Result<_, DbError>>()?;
        Ok(CopySide::new(connection, store.ok_or_else(no_store)?, address.redacted(), keys))
    };
    address.at(work).await
}

/// Creates the tables in a database, checks that they have no rows, and sets the id of the store.
/// The matches in play are added to the first node.
pub(crate) async fn open_target(
    url: &str,
    store: StoreId,
) -> Result<CopySide<PgConnection>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection = open(&address, &schema::CURRENT, SchemaUse::Copy).await?;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
        let is_ours = set_identity(&mut connection, store).await?;
        if !is_ours || has_rows(&mut connection).await? {
            let database = address.redacted().to_owned();
            return Err(StoreError::NotEmpty(database).into());
        }
        let keys = vec![NodeNumber::new(0)?.range()];
        Ok(CopySide::new(connection, store, address.redacted(), keys))
    };
    address.at(work).await
}

/// Commits the transaction that has written a copy of a store.
pub(crate) async fn commit_target(mut target: CopySide<PgConnection>) -> Result<(), StoreError> {
    let committed = write_connection::commit(&mut target.connection, Ok(())).await;
    committed.map_err(|error| error.at(&target.location))
}
