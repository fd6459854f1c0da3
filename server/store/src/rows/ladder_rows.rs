//! Reads ladder rows (descriptions, bot versions, and matches), and computes their checksums.

use super::{StoredRow, Unreadable};
use crate::{
    DamageReport, DamagedValue, LadderId, LadderRows, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// Reads rows, and separates the damaged rows.
pub(crate) fn read<R: StoredRow, T>(
    rows: &[R],
    read: impl Fn(&R) -> Result<T, DamageReport>,
) -> LadderRows<T> {
    let mut all = LadderRows::default();
    for row in rows {
        match read(row) {
            Ok(sound) => all.intact.push(sound),
            Err(damage) => all.damaged.push(damage),
        }
    }
    all
}

/// Reads a ladder from a row with the columns name, term, value and checksum.
pub(crate) fn ladder_from_row(
    store: StoreId,
    row: &impl StoredRow,
) -> Result<StoredLadder, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let name: String = row.value(0)?;
        let term = row.value::<i64>(1)?.cast_unsigned();
        let value: Vec<u8> = row.value(2)?;
        let computed = checksum_of_ladder(store, &name, term, &value);
        let ladder = StoredLadder {
            ladder_id: LadderId::new(name)?,
            term,
            value,
        };
        Ok((ladder, row.value::<i64>(3)? == computed))
    };
    verified(read(), || {
        DamagedValue::Ladder(row.value(0).unwrap_or_default())
    })
}

/// Reads a version from a row with the columns bot name, bot version, value and checksum.
pub(crate) fn version_from_row(
    store: StoreId,
    id: &LadderId,
    row: &impl StoredRow,
) -> Result<StoredLadderVersion, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let version = StoredLadderVersion {
            bot_name: row.any_text(0)?,
            bot_version: row.any_text(1)?,
            value: row.value(2)?,
        };
        let StoredLadderVersion {
            bot_name,
            bot_version,
            value,
        } = &version;
        let computed = checksum_of_version(store, id, bot_name, bot_version, value);
        Ok((version, row.value::<i64>(3)? == computed))
    };
    verified(read(), || DamagedValue::LadderVersion {
        ladder: id.to_string(),
        bot_name: row.any_text(0).unwrap_or_default(),
        bot_version: row.any_text(1).unwrap_or_default(),
    })
}

/// Reads a match from a row with the columns number, `is_over`, value and checksum.
pub(crate) fn match_from_row(
    store: StoreId,
    id: &LadderId,
    row: &impl StoredRow,
) -> Result<StoredLadderMatch, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let found = StoredLadderMatch {
            number: row.value::<i64>(0)?.cast_unsigned(),
            is_over: row.value(1)?,
            value: row.value(2)?,
        };
        let StoredLadderMatch {
            number,
            is_over,
            value,
        } = &found;
        let computed = checksum_of_match(store, id.as_str(), *number, *is_over, value);
        Ok((found, row.value::<i64>(3)? == computed))
    };
    verified(read(), || DamagedValue::LadderMatch {
        ladder: id.to_string(),
        number: match_number_from_row(row),
    })
}

pub(crate) fn match_number_from_row(row: &impl StoredRow) -> u64 {
    row.value::<i64>(0).unwrap_or_default().cast_unsigned()
}

fn verified<T>(
    read: Result<(T, bool), Unreadable>,
    damaged: impl FnOnce() -> DamagedValue,
) -> Result<T, DamageReport> {
    let detail = match read {
        Ok((value, true)) => return Ok(value),
        Ok((_, false)) => CHECKSUM_MISMATCH.to_owned(),
        Err(error) => error.to_string(),
    };
    let value = damaged();
    Err(DamageReport { value, detail })
}

pub(crate) fn checksum_of_ladder(store: StoreId, name: &str, term: u64, value: &[u8]) -> i64 {
    let row = store.row_checksum("ladder").add_text(name);
    row.add_number(term.cast_signed()).add_bytes(value).finish()
}

pub(crate) fn checksum_of_version(
    store: StoreId,
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> i64 {
    let row = store.row_checksum("ladder_version").add_text(id.as_str());
    row.add_text(bot_name)
        .add_text(bot_version)
        .add_bytes(value)
        .finish()
}

pub(crate) fn checksum_of_match(
    store: StoreId,
    ladder: &str,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> i64 {
    let row = store.row_checksum("ladder_match").add_text(ladder);
    let row = row
        .add_number(number.cast_signed())
        .add_number(is_over.into());
    row.add_bytes(value).finish()
}
