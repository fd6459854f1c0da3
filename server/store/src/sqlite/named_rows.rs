//! Rows that are a name, a value and a checksum over both.

use std::collections::BTreeMap;

use sqlx::{Row as _, sqlite::SqliteRow};

use crate::{
    Damage, DamagedValue,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// A table of such rows, selected in this order: name, value, checksum.
pub(super) struct NamedTable {
    /// Its name: checksums cover it, so that a row is of no other table.
    pub(super) name: &'static str,
    /// What a row of this name is when it cannot be read.
    pub(super) damaged: fn(String) -> DamagedValue,
}

/// The values of such a table, and what is wrong with those that cannot be read.
#[derive(Debug, Default)]
pub(super) struct NamedValues {
    /// By their names.
    pub(super) sound: BTreeMap<String, Vec<u8>>,
    pub(super) damaged: Vec<Damage>,
}

impl NamedTable {
    pub(super) fn read_all(&self, store: StoreId, rows: &[SqliteRow]) -> NamedValues {
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

    pub(super) fn read(
        &self,
        store: StoreId,
        row: &SqliteRow,
    ) -> Result<(String, Vec<u8>), Damage> {
        let read = || -> Result<_, sqlx::Error> {
            let name: String = row.try_get(0)?;
            let value: Vec<u8> = row.try_get(1)?;
            let is_sound = row.try_get::<i64, _>(2)? == self.checksum(store, &name, &value);
            Ok(((name, value), is_sound))
        };
        let detail = match read() {
            Ok((named, true)) => return Ok(named),
            Ok((_, false)) => CHECKSUM_DIFFERS.to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Damage {
            value: (self.damaged)(row.try_get(0).unwrap_or_default()),
            detail,
        })
    }

    pub(super) fn checksum(&self, store: StoreId, name: &str, value: &[u8]) -> i64 {
        store.row(self.name).text(name).bytes(value).finish()
    }
}
