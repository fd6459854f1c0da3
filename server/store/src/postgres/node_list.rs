//! The nodes of a database, for commands that run beside its servers.

use super::{address::Address, failure::Fault, node_rows, opening};
use crate::{Durability, StoreError, StoredNode};

/// The nodes that there have been of a database, by name. It takes nothing over.
///
/// # Errors
/// As for a server that opens it.
pub async fn stored_nodes(url: &str) -> Result<Vec<StoredNode>, StoreError> {
    let address = Address::parse(url, Durability::Power)?;
    let work = async {
        let mut connection = opening::believed(&address).await?;
        node_rows::all(&mut connection).await
    };
    work.await.map_err(|fault: Fault| fault.at(address.shown()))
}
