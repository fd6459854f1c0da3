//! Rows of ladders, of the versions of their bots and of their matches, as they are read, and their
//! checksums.

use super::{StoredRow, Unreadable};
use crate::{
    Damage, DamagedValue, LadderId, LadderRows, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// Reads each row.
pub(crate) fn read<R: StoredRow, T>(
    rows: &[R],
    read: impl Fn(&R) -> Result<T, Damage>,
) -> LadderRows<T> {
    let mut all = LadderRows::default();
    for row in rows {
        match read(row) {
            Ok(sound) => all.kept.push(sound),
            Err(damage) => all.damaged.push(damage),
        }
    }
    all
}

/// A ladder, from a row with its name, term, value and checksum.
pub(crate) fn ladder_of(store: StoreId, row: &impl StoredRow) -> Result<StoredLadder, Damage> {
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
    sound(read(), || {
        DamagedValue::Ladder(row.value(0).unwrap_or_default())
    })
}

/// A version, from a row with both names, its value and checksum.
pub(crate) fn version_of(
    store: StoreId,
    id: &LadderId,
    row: &impl StoredRow,
) -> Result<StoredLadderVersion, Damage> {
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
    sound(read(), || DamagedValue::LadderVersion {
        ladder: id.to_string(),
        bot_name: row.any_text(0).unwrap_or_default(),
        bot_version: row.any_text(1).unwrap_or_default(),
    })
}

/// A match, from a row with its number, whether it is over, its value and checksum.
pub(crate) fn match_of(
    store: StoreId,
    id: &LadderId,
    row: &impl StoredRow,
) -> Result<StoredLadderMatch, Damage> {
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
    sound(read(), || DamagedValue::LadderMatch {
        ladder: id.to_string(),
        number: number_of(row),
    })
}

pub(crate) fn number_of(row: &impl StoredRow) -> u64 {
    row.value::<i64>(0).unwrap_or_default().cast_unsigned()
}

fn sound<T>(
    read: Result<(T, bool), Unreadable>,
    damaged: impl FnOnce() -> DamagedValue,
) -> Result<T, Damage> {
    let detail = match read {
        Ok((value, true)) => return Ok(value),
        Ok((_, false)) => CHECKSUM_DIFFERS.to_owned(),
        Err(error) => error.to_string(),
    };
    let value = damaged();
    Err(Damage { value, detail })
}

pub(crate) fn checksum_of_ladder(store: StoreId, name: &str, term: u64, value: &[u8]) -> i64 {
    let row = store.row("ladder").text(name);
    row.number(term.cast_signed()).bytes(value).finish()
}

pub(crate) fn checksum_of_version(
    store: StoreId,
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> i64 {
    let row = store.row("ladder_version").text(id.as_str());
    row.text(bot_name).text(bot_version).bytes(value).finish()
}

pub(crate) fn checksum_of_match(
    store: StoreId,
    ladder: &str,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> i64 {
    let row = store.row("ladder_match").text(ladder);
    let row = row.number(number.cast_signed()).number(is_over.into());
    row.bytes(value).finish()
}
