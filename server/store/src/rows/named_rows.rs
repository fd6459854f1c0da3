//! Rows that are a name, a value and a checksum over both.

use std::collections::BTreeMap;

use super::{StoredRow, Unreadable};
use crate::{
    Damage, DamagedValue,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// A table of such rows, selected in this order: name, value, checksum.
pub(crate) struct NamedTable {
    /// Its name: checksums cover it, so that a row is of no other table.
    name: &'static str,
    /// What a row of this name is when it cannot be read.
    damaged: fn(String) -> DamagedValue,
}

/// Notes.
pub(crate) const NOTES: NamedTable = NamedTable {
    name: "note",
    damaged: DamagedValue::Note,
};

/// Secrets of the server.
pub(crate) const SECRETS: NamedTable = NamedTable {
    name: "secret",
    damaged: DamagedValue::Secret,
};

/// The values of such a table, and what is wrong with those that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct NamedValues {
    /// By their names.
    pub(crate) sound: BTreeMap<String, Vec<u8>>,
    pub(crate) damaged: Vec<Damage>,
}

impl NamedValues {
    /// The value of a name.
    ///
    /// # Errors
    /// A damaged one, if there is none of this name: it may be the one, though its name is another
    /// now.
    pub(crate) fn get(mut self, name: &str) -> Result<Option<Vec<u8>>, Damage> {
        match (self.sound.remove(name), self.damaged.pop()) {
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
                    values.sound.insert(name, value);
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
    ) -> Result<(String, Vec<u8>), Damage> {
        let read = || -> Result<_, Unreadable> {
            let name = row.any_text(0)?;
            let value: Vec<u8> = row.value(1)?;
            let is_sound = row.value::<i64>(2)? == self.checksum(store, &name, &value);
            Ok(((name, value), is_sound))
        };
        let detail = match read() {
            Ok((named, true)) => return Ok(named),
            Ok((_, false)) => CHECKSUM_DIFFERS.to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Damage {
            value: (self.damaged)(row.any_text(0).unwrap_or_default()),
            detail,
        })
    }

    pub(crate) fn checksum(&self, store: StoreId, name: &str, value: &[u8]) -> i64 {
        store.row(self.name).text(name).bytes(value).finish()
    }
}
