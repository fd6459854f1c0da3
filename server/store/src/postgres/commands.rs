//! Access of commands to a database: to its nodes, and its migration. It takes over no node.

use sqlx::PgConnection;

use super::{
    address::Address, migrations::STORED_VERSION, node_number::NodeNumber, nodes, opening,
    takeover::has_match_in_play, write_connection::commit,
};
use crate::{
    Durability, NodeName, StoreError, StoredNode,
    db_error::DbError,
    rows::{SqlConnection as _, StoredRow as _, first, scalar},
    schema::{self, MigrationReport, Schema, SchemaUse},
};

/// Returns all nodes that have ever used a database, by name.
///
/// # Errors
/// Returns the errors of [`PostgresStore::open`](crate::PostgresStore::open), and
/// [`StoreError::NoStore`] and [`StoreError::NotMigrated`].
pub async fn stored_nodes(url: &str) -> Result<Vec<StoredNode>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection =
            opening::open_existing(&address, &schema::CURRENT, SchemaUse::Use).await?;
        nodes::all_nodes(&mut connection).await
    };
    address.at(work).await
}

/// Removes a node that has ended, so that it is no longer listed. A server that starts with its
/// name is a new node.
///
/// # Errors
/// Returns [`StoreError::UnknownNode`] and [`StoreError::NodeInUse`]; or as [`stored_nodes`].
pub async fn remove_node(url: &str, name: &NodeName) -> Result<(), StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection =
            opening::open_existing(&address, &schema::CURRENT, SchemaUse::Use).await?;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
        let removed = remove(&mut connection, name).await;
        commit(&mut connection, removed).await
    };
    address.at(work).await
}

async fn remove(connection: &mut PgConnection, name: &NodeName) -> Result<(), DbError> {
    let in_use = |detail| StoreError::NodeInUse { name: name.clone(), detail };
    // The lock waits for commits of the node, and for takeovers from it.
    let select = "SELECT number, lease_until > clock_timestamp() - interval '1 minute', leads
         FROM node WHERE node_id = $1 FOR UPDATE";
    let row = first(connection, select, &[name.as_str().into()]).await?;
    let row = row.ok_or_else(|| StoreError::UnknownNode(name.clone()))?;
    let number = NodeNumber::new(row.value(0)?)?;
    if row.value(1)? {
        let detail = "its lease was valid within the last minute; stop its server and wait";
        return Err(in_use(detail).into());
    }
    if row.value(2)? {
        let detail = "it is the leader; start another node, which takes over the leadership";
        return Err(in_use(detail).into());
    }
    if has_match_in_play(connection, number).await? {
        let detail = "it has matches in play; start another node, which takes them over, or \
                      remove unreadable ones with `serve --drop-match`";
        return Err(in_use(detail).into());
    }
    // Node numbers are never reused, so the last batch is not needed any more.
    let delete = "DELETE FROM journal WHERE batch > $1 AND batch <= $2";
    let range = [number.base().into(), number.last().into()];
    connection.execute(delete, &range).await?;
    let delete = "DELETE FROM node WHERE number = $1";
    connection.execute(delete, &[number.get().into()]).await?;
    Ok(())
}

/// Migrates a database to the schema version of this program, as a server does when it starts.
///
/// # Errors
/// Returns the errors of [`PostgresStore::open`](crate::PostgresStore::open), and
/// [`StoreError::NoStore`].
pub async fn migrate_database(url: &str) -> Result<MigrationReport, StoreError> {
    migrate(url, &schema::CURRENT).await
}

pub(super) async fn migrate(url: &str, schema: &Schema) -> Result<MigrationReport, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection = address.connect().await?;
        // Fails in a database without a store, which is refused below.
        let from = scalar(&mut connection, STORED_VERSION, &[]).await;
        let mut connection = opening::open_existing(&address, schema, SchemaUse::Migrate).await?;
        let to: Option<i64> = scalar(&mut connection, STORED_VERSION, &[]).await?;
        let from: Option<i64> = from?;
        Ok(MigrationReport { from: from.unwrap_or_default(), to: to.unwrap_or_default() })
    };
    address.at(work).await
}
