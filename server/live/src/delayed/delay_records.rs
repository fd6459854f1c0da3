//! Stored records about finished matches that spectators still see with a delay. A starting server
//! uses these records to determine which finished matches to read. In a cluster, each record also
//! names the node that serves the delayed view.

use bridgemaster_match::MatchId;
use bridgemaster_proto::internal::v1::DelayedMatchNote;
use bridgemaster_store::{Store, StoreError, Write};
use prost::Message as _;

/// The name prefix of delay records.
const DELAY_RECORD_PREFIX: &str = "late\n";

/// A finished match that spectators still see with a delay.
pub(crate) struct DelayRecord {
    pub(crate) id: MatchId,
    /// The node that serves the delayed view; empty for a server that is not in a cluster.
    pub(crate) node: String,
}

/// Creates the write for a record. The record says that `node` serves a match's delayed view, and
/// is stored together with the match's end.
pub(crate) fn put_record(id: &MatchId, node: &str) -> Write {
    let record = DelayedMatchNote { node: node.to_owned() };
    Write::PutRecord { name: record_name(id), value: record.encode_to_vec() }
}

/// Creates the write that removes a match's record. The write is committed once the delay has
/// ended.
pub(crate) fn remove_record(id: &MatchId) -> Write {
    Write::RemoveRecord { name: record_name(id) }
}

/// Reads the delay records of a store. Skips unreadable ones: a match without a record is still
/// delayed when it is requested.
pub(crate) async fn read_records(store: &dyn Store) -> Result<Vec<DelayRecord>, StoreError> {
    let records = store.records(DELAY_RECORD_PREFIX).await?;
    let read = records.intact.into_iter().filter_map(|(name, value)| {
        Some(DelayRecord {
            id: MatchId::new(name.strip_prefix(DELAY_RECORD_PREFIX)?).ok()?,
            node: serving_node(&value)?,
        })
    });
    Ok(read.collect())
}

/// Returns the node that, according to a record, serves the delayed view.
pub(crate) fn serving_node(record: &[u8]) -> Option<String> {
    Some(DelayedMatchNote::decode(record).ok()?.node)
}

/// Returns the name of a match's record.
pub(crate) fn record_name(id: &MatchId) -> String {
    format!("{DELAY_RECORD_PREFIX}{id}")
}
