//! Lists the nodes of a database, for commands that run while servers use it.

use super::{address::Address, db_error::DbError, node_rows, opening};
use crate::{Durability, StoreError, StoredNode};

/// Returns all nodes that have ever used a database, by name. Takes over no node.
///
/// # Errors
/// As [`PostgresStore::open`](crate::PostgresStore::open).
pub async fn stored_nodes(url: &str) -> Result<Vec<StoredNode>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection = opening::open(&address).await?;
        node_rows::all(&mut connection).await
    };
    work.await
        .map_err(|error: DbError| error.at(address.redacted()))
}
