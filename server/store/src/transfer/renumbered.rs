//! Matches in play on their way to a store that one server has. Each server that shares a database
//! numbers its matches and its batches by itself; in the copy all are numbered from 1.

use super::rows::{Row, Value};
use crate::{
    OpenMatch,
    checksum::StoreId,
    journal_batch::{self, Part},
    rows::open_rows::checksum_of,
};

/// The rows of a match in play.
pub(crate) struct OpenRows {
    /// Of the table `open_match`.
    pub(crate) open: Row,
    /// Of the table `journal`: one batch with its whole journal. `None` if that has no entries.
    pub(crate) batch: Option<Row>,
}

impl OpenRows {
    /// The rows of the match that gets this number.
    pub(crate) fn of(store: StoreId, number: i64, open: OpenMatch) -> Self {
        let OpenMatch {
            match_id,
            opened_at_unix_ms,
            header,
            journal,
        } = open;
        let id = match_id.as_str();
        let checksum = checksum_of(store, number, id, opened_at_unix_ms, &header);
        let part = Part {
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
