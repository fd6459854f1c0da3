//! A PostgreSQL database as the source or target of a copy.

use sqlx::{AssertSqlSafe, PgConnection};

use super::{
    address::Address,
    db_error::DbError,
    node_number::{NODE_OF_KEY, NodeNumber},
    opening, write_connection,
};
use crate::{Durability, StoreError, checksum::StoreId, rows::SqlConnection, transfer::side::Side};

/// Begins a read transaction on the store in a database.
pub(crate) async fn open_source(url: &str) -> Result<Side<PgConnection>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let no_store = || StoreError::NoStore {
        database: address.redacted().to_owned(),
    };
    let work = async {
        let mut connection = opening::open_existing(&address)
            .await?
            .ok_or_else(no_store)?;
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut connection)
            .await?;
        let store = opening::read_identity(&mut connection).await?;
        let nodes = format!("SELECT DISTINCT {NODE_OF_KEY} AS node FROM open_match ORDER BY node");
        let nodes = sqlx::query_scalar(AssertSqlSafe(nodes));
        let nodes: Vec<i64> = nodes.fetch_all(&mut connection).await?;
        let keys = nodes
            .into_iter()
            .map(|node| Ok(NodeNumber::new(node)?.range()));
        Ok(Side {
            connection,
            store: store.ok_or_else(no_store)?,
            location: address.redacted().into(),
            keys: keys.collect::<Result<_, DbError>>()?,
        })
    };
    work.await
        .map_err(|error: DbError| error.at(address.redacted()))
}

/// Creates the tables in a database, checks that they have no rows, and sets the id of the store.
/// The matches in play are added to the first node.
pub(crate) async fn open_target(
    url: &str,
    store: StoreId,
) -> Result<Side<PgConnection>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection = opening::open(&address).await?;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
        let is_ours = opening::set_identity(&mut connection, store).await?;
        if !is_ours || opening::has_rows(&mut connection).await? {
            let database = address.redacted().to_owned();
            return Err(StoreError::NotEmpty { database }.into());
        }
        Ok(Side {
            connection,
            store,
            location: address.redacted().into(),
            keys: vec![NodeNumber::new(0)?.range()],
        })
    };
    work.await
        .map_err(|error: DbError| error.at(address.redacted()))
}

/// Commits a copy.
pub(crate) async fn finish_target(mut target: Side<PgConnection>) -> Result<(), StoreError> {
    let committed = write_connection::commit(&mut target.connection, Ok(())).await;
    committed.map_err(|error| PgConnection::store_error(error, &target.location))
}
