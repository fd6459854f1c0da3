//! New numbers for matches in play that are copied from a shared database. Each node numbers its
//! matches and batches independently, but the copy numbers the matches and batches of all nodes
//! from 1.

use super::rows::{Row, Value};
use crate::{
    OpenMatch,
    checksum::StoreId,
    journal_batch::{self, BatchPart},
    rows::open_rows::checksum_of,
};

/// The rows of one match in play.
pub(crate) struct OpenRows {
    /// Row of the `open_match` table.
    pub(crate) open: Row,
    /// Row of the `journal` table: one batch with the whole journal. `None` if the journal is
    /// empty.
    pub(crate) batch: Option<Row>,
}

impl OpenRows {
    /// Builds the rows of a match with a new number.
    pub(crate) fn new(store: StoreId, number: i64, open: OpenMatch) -> Self {
        let OpenMatch {
            match_id,
            opened_at_unix_ms,
            header,
            journal,
        } = open;
        let id = match_id.as_str();
        let checksum = checksum_of(store, number, id, opened_at_unix_ms, &header);
        let part = BatchPart {
            match_key: number,
            first_entry: 0,
            previous_batch: None,
            entries: journal,
        };
        let batch = (!part.entries.is_empty()).then(|| {
            let body = journal_batch::write(store, number, number, vec![part]);
            vec![Value::Number(Some(number)), Value::Bytes(Some(body))]
        });
        let open = vec![
            Value::Number(Some(number)),
            Value::Bytes(Some(id.into())),
            Value::Number(Some(opened_at_unix_ms)),
            Value::Bytes(Some(header)),
            Value::Number(Some(checksum)),
        ];
        Self { open, batch }
    }
}
