//! Tables whose rows consist of a name, a value, and a checksum over the name and value.

use std::collections::BTreeMap;

use super::{StoredRow, Unreadable};
use crate::{
    DamageReport, DamagedValue,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// A table with the columns name, value and checksum.
pub(crate) struct NamedTable {
    /// Name of the table. The checksum covers it, so that a row is not valid in another table.
    name: &'static str,
    /// Returns the damaged value to report for an unreadable row with this name.
    damaged: fn(String) -> DamagedValue,
}

pub(crate) const RECORDS: NamedTable = NamedTable {
    name: "note",
    damaged: DamagedValue::Record,
};

pub(crate) const SECRETS: NamedTable = NamedTable {
    name: "secret",
    damaged: DamagedValue::Secret,
};

/// The values in a named table, and the damage in its unreadable rows.
#[derive(Debug, Default)]
pub(crate) struct NamedValues {
    pub(crate) intact: BTreeMap<String, Vec<u8>>,
    pub(crate) damaged: Vec<DamageReport>,
}

impl NamedValues {
    /// Returns the value with this name.
    ///
    /// # Errors
    /// If no row has this name but some row is damaged, since the damage might be in that row's
    /// name.
    pub(crate) fn get(mut self, name: &str) -> Result<Option<Vec<u8>>, DamageReport> {
        match (self.intact.remove(name), self.damaged.pop()) {
            (Some(value), _) => Ok(Some(value)),
            (None, Some(damage)) => Err(damage),
            (None, None) => Ok(None),
        }
    }
}

impl NamedTable {
    pub(crate) fn read_all(&self, store: StoreId, rows: &[impl StoredRow]) -> NamedValues {
        let mut values = NamedValues::default();
        for row in rows {
            match self.read(store, row) {
                Ok((name, value)) => {
                    values.intact.insert(name, value);
                }
                Err(damage) => values.damaged.push(damage),
            }
        }
        values
    }

    pub(crate) fn read(
        &self,
        store: StoreId,
        row: &impl StoredRow,
    ) -> Result<(String, Vec<u8>), DamageReport> {
        let read = || -> Result<_, Unreadable> {
            let name = row.any_text(0)?;
            let value: Vec<u8> = row.value(1)?;
            let is_sound = row.value::<i64>(2)? == self.checksum(store, &name, &value);
            Ok(((name, value), is_sound))
        };
        let detail = match read() {
            Ok((named, true)) => return Ok(named),
            Ok((_, false)) => CHECKSUM_MISMATCH.to_owned(),
            Err(error) => error.to_string(),
        };
        Err(DamageReport {
            value: (self.damaged)(row.any_text(0).unwrap_or_default()),
            detail,
        })
    }

    pub(crate) fn checksum(&self, store: StoreId, name: &str, value: &[u8]) -> i64 {
        store
            .row_checksum(self.name)
            .add_text(name)
            .add_bytes(value)
            .finish()
    }
}
