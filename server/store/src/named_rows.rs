//! Tables whose rows consist of a name, a value, and a checksum: API keys, secrets, records, and
//! ladders. Each store only has to read rows and apply changes. All other code is shared, in
//! `key_store`, `record_store` and `ladders`.

use std::path::PathBuf;

pub(crate) use crate::named_table::NamedTable;
use crate::{
    DamageReport, DamagedValue, KeyId, KeysVersion, LadderId, StoreError,
    checksum::{CHECKSUM_MISMATCH, StoreId},
    rows::{StoredRow, Unreadable},
};

/// The prefix of a substitute id for a key whose id cannot be read. A hash of the stored id
/// follows.
const SUBSTITUTE_ID_PREFIX: &str = "damaged-key-";

/// Separates a ladder id from the rest of a row's name. No ladder id contains this character.
const SEPARATOR: char = '/';

impl NamedTable {
    pub(crate) fn checksum(self, store: StoreId, name: &str, value: &[u8]) -> i64 {
        store.start_row_checksum(self.sql_name()).add_text(name).add_bytes(value).finish()
    }

    /// Reads a row with the columns name, value and checksum.
    pub(crate) fn read(self, store: StoreId, row: &impl StoredRow) -> RowResult {
        let read = || -> Result<_, Unreadable> {
            let (name, value): (_, Vec<u8>) = (row.text_with_nul(0)?, row.value(1)?);
            let is_sound = row.value::<i64>(2)? == self.checksum(store, &name, &value);
            Ok((NamedRow { name, value }, is_sound))
        };
        let detail = match read() {
            Ok((row, true)) => return Ok(row),
            Ok((_, false)) => CHECKSUM_MISMATCH.to_owned(),
            Err(error) => error.to_string(),
        };
        Err(DamagedRow {
            table: self,
            name: row.value(0).unwrap_or_default(),
            value: row.value(1).unwrap_or_default(),
            detail,
            is_missing: false,
        })
    }

    /// Decodes a row of the table.
    pub(crate) fn decode<T>(
        self,
        row: RowResult,
        decode: impl FnOnce(&NamedRow) -> Result<T, Unreadable>,
    ) -> Result<T, DamagedRow> {
        let row = row?;
        decode(&row).map_err(|problem| DamagedRow {
            table: self,
            name: row.name.into_bytes(),
            value: row.value,
            detail: problem.to_string(),
            is_missing: false,
        })
    }

    pub(crate) fn read_all(self, store: StoreId, rows: &[impl StoredRow]) -> Vec<RowResult> {
        rows.iter().map(|row| self.read(store, row)).collect()
    }

    /// Returns a query for all rows of the table.
    pub(crate) fn all(self) -> RowQuery {
        self.query(RowSelection::All)
    }

    /// Returns a query for the row with this name.
    pub(crate) fn named(self, name: impl Into<String>) -> RowQuery {
        self.query(RowSelection::Named(vec![name.into()]))
    }

    pub(crate) fn query(self, selection: RowSelection) -> RowQuery {
        RowQuery { table: self, selection }
    }

    /// Returns the change that inserts or replaces a row.
    pub(crate) fn put(self, name: impl Into<String>, value: Vec<u8>) -> RowChange {
        RowChange::Put { table: self, name: name.into(), value }
    }
}

/// A row whose checksum is correct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedRow {
    pub(crate) name: String,
    pub(crate) value: Vec<u8>,
}

/// A row that cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct DamagedRow {
    pub(crate) table: NamedTable,
    /// The stored name, which might be damaged too.
    pub(crate) name: Vec<u8>,
    /// The stored value, which might be damaged too.
    pub(crate) value: Vec<u8>,
    pub(crate) detail: String,
    /// True if the row stands for rows that are missing.
    pub(crate) is_missing: bool,
}

pub(crate) type RowResult = Result<NamedRow, DamagedRow>;

impl DamagedRow {
    /// Returns a stand-in for missing rows of a table.
    pub(crate) fn missing(table: NamedTable, detail: String) -> Self {
        Self { table, name: Vec::new(), value: Vec::new(), detail, is_missing: true }
    }

    /// Returns the API key to which the row belongs, or a substitute if its id cannot be read.
    pub(crate) fn key_id(&self) -> KeyId {
        let id = self.readable_name().and_then(|id| KeyId::new(id).ok());
        id.unwrap_or_else(|| {
            let hash = xxhash_rust::xxh64::xxh64(&self.name, 0);
            KeyId::new(format!("{SUBSTITUTE_ID_PREFIX}{hash:016x}"))
                .expect("letters, '-' and digits form an id")
        })
    }

    fn readable_name(&self) -> Option<&str> {
        std::str::from_utf8(&self.name).ok()
    }

    pub(crate) fn into_report(self) -> DamageReport {
        let name = self.readable_name().unwrap_or_default();
        let value = match self.table {
            table if self.is_missing => DamagedValue::Table(table.sql_name()),
            NamedTable::Key | NamedTable::KeyUse => DamagedValue::Key(self.key_id()),
            NamedTable::Secret => DamagedValue::Secret(name.to_owned()),
            NamedTable::Record => DamagedValue::Record(name.to_owned()),
            NamedTable::Ladder => DamagedValue::Ladder(name.to_owned()),
            NamedTable::LadderVersion => {
                let (bot_name, bot_version) = parse_version_name(name).unwrap_or_default();
                DamagedValue::LadderVersion {
                    ladder: ladder_part(name).to_owned(),
                    bot_name,
                    bot_version,
                }
            }
            NamedTable::LadderMatch => DamagedValue::LadderMatch {
                ladder: ladder_part(name).to_owned(),
                number: parse_match_name(name).unwrap_or_default(),
            },
        };
        DamageReport { value, detail: self.detail }
    }
}

/// Returns the name of a bot version's row.
pub(crate) fn version_name(ladder: &LadderId, bot_name: &str, bot_version: &str) -> String {
    let length = bot_name.len();
    format!("{ladder}{SEPARATOR}{length}{SEPARATOR}{bot_name}{bot_version}")
}

/// Returns the bot name and the version in a row's name.
pub(crate) fn parse_version_name(name: &str) -> Option<(String, String)> {
    let mut parts = name.splitn(3, SEPARATOR);
    let (_, length, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (bot_name, bot_version) = rest.split_at_checked(length.parse().ok()?)?;
    Some((bot_name.to_owned(), bot_version.to_owned()))
}

/// Returns the name of a ladder match's row. The order of the names is the order of the numbers.
pub(crate) fn match_name(ladder: &LadderId, number: u64) -> String {
    format!("{ladder}{SEPARATOR}{number:016x}")
}

/// Returns the number of the match in a row's name.
pub(crate) fn parse_match_name(name: &str) -> Option<u64> {
    let (_, number) = name.split_once(SEPARATOR)?;
    u64::from_str_radix(number, 16).ok()
}

fn ladder_part(name: &str) -> &str {
    name.split_once(SEPARATOR).map_or(name, |(ladder, _)| ladder)
}

/// Rows to be read from a table.
#[derive(Clone, Debug)]
pub(crate) struct RowQuery {
    pub(crate) table: NamedTable,
    pub(crate) selection: RowSelection,
}

/// The rows that a query selects.
#[derive(Clone, Debug)]
pub(crate) enum RowSelection {
    /// All rows, including those with unreadable names, in any order.
    All,
    /// Rows with these names.
    Named(Vec<String>),
    /// The first rows in a range, in the order of their names, up to this number.
    First(NameRange, u32),
    /// The last row in a range.
    Last(NameRange),
}

/// A range of names. Names are compared byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct NameRange {
    /// The first name.
    pub(crate) from: String,
    /// The end of the range, exclusive; `None` if the range has no end.
    pub(crate) before: Option<String>,
}

impl NameRange {
    /// Returns the range of names with this prefix.
    pub(crate) fn with_prefix(prefix: &str) -> Self {
        let mut before = prefix.to_owned();
        let next = loop {
            let Some(last) = before.pop() else {
                break None;
            };
            // Uses the next character, if there is one. Surrogates are not characters.
            if let Some(next) = (last..=char::MAX).nth(1) {
                before.push(next);
                break Some(before);
            }
        };
        Self { from: prefix.to_owned(), before: next }
    }

    /// Returns the range of the names of a ladder's versions or matches.
    pub(crate) fn for_ladder(ladder: &LadderId) -> Self {
        Self::with_prefix(&format!("{ladder}{SEPARATOR}"))
    }

    #[must_use]
    pub(crate) fn starting_at(self, from: String) -> Self {
        Self { from, ..self }
    }

    #[cfg(test)]
    fn contains(&self, name: &str) -> bool {
        *name >= *self.from && self.before.as_ref().is_none_or(|before| *name < **before)
    }
}

/// A change to a table.
#[derive(Clone, Debug)]
pub(crate) enum RowChange {
    /// Inserts or replaces a row.
    Put { table: NamedTable, name: String, value: Vec<u8> },
    /// Deletes a row, if it exists.
    Delete { table: NamedTable, name: String },
    /// Deletes the rows in a range of names.
    DeleteRange { table: NamedTable, range: NameRange },
    /// Deletes every row of a table.
    DeleteAll { table: NamedTable },
    /// Deletes a damaged row by its stored name, which might not be valid.
    DeleteDamaged { table: NamedTable, name: Vec<u8> },
}

impl RowChange {
    pub(crate) fn table(&self) -> NamedTable {
        match self {
            Self::Put { table, .. }
            | Self::Delete { table, .. }
            | Self::DeleteRange { table, .. }
            | Self::DeleteAll { table }
            | Self::DeleteDamaged { table, .. } => *table,
        }
    }
}

/// The result of each query, in order.
pub(crate) type QueryResults = Vec<Vec<RowResult>>;

/// The changes derived from the queried rows, and the result for the caller.
pub(crate) type RowDecision<T> = Result<(Vec<RowChange>, T), StoreError>;

/// A store's access to its tables of named rows.
pub(crate) trait RowStore: Send + Sync {
    /// Reads rows. Reads of API keys wait neither for other reads nor for commits of matches.
    fn read_rows(
        &self,
        queries: Vec<RowQuery>,
    ) -> impl Future<Output = Result<QueryResults, StoreError>> + Send;

    fn read_keys_version(&self) -> impl Future<Output = Result<KeysVersion, StoreError>> + Send;

    /// Reads rows, and commits the changes that `decide` derives from them, in one transaction. No
    /// other transaction changes the tables of the queries in between. If it is unknown whether a
    /// transaction was committed, it is repeated, and `decide` is called with `true`. The change is
    /// completed even if the caller stops waiting.
    fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// The path or address of the store, for errors.
    fn location(&self) -> PathBuf;
}

/// Separates the damaged rows.
pub(crate) fn separate<T>(
    rows: impl IntoIterator<Item = Result<T, DamagedRow>>,
) -> (Vec<T>, Vec<DamagedRow>) {
    let (mut intact, mut damaged) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            Ok(row) => intact.push(row),
            Err(row) => damaged.push(row),
        }
    }
    (intact, damaged)
}

/// Returns the error for a damaged row.
pub(crate) fn damaged(location: PathBuf, row: DamagedRow) -> StoreError {
    StoreError::Damaged { path: location, damage: Box::new(row.into_report()) }
}

/// Reads the rows of one query.
pub(crate) async fn read_one(
    store: &impl RowStore,
    query: RowQuery,
) -> Result<Vec<RowResult>, StoreError> {
    let results = store.read_rows(vec![query]).await?;
    Ok(results.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_names_with_its_prefix() {
        let range = NameRange::with_prefix("ab/");
        assert!(range.contains("ab/") && range.contains("ab/\u{10ffff}z"));
        assert!(!range.contains("ab") && !range.contains("ab0") && !range.contains("b"));
        let last = NameRange::with_prefix("a\u{10ffff}");
        assert!(last.contains("a\u{10ffff}\u{10ffff}") && !last.contains("b"));
        let before_surrogates = NameRange::with_prefix("\u{d7ff}");
        assert!(before_surrogates.contains("\u{d7ff}z"));
        assert!(!before_surrogates.contains("\u{e000}"));
        assert!(NameRange::with_prefix("").contains("\u{10ffff}"));
    }

    #[test]
    fn names_of_versions_and_matches_are_unambiguous() {
        let ladder = LadderId::new("spring").unwrap();
        for (bot, version) in [("a/b", "c"), ("a", "/bc"), ("", ""), ("\0", "a\0")] {
            let name = version_name(&ladder, bot, version);
            let parsed = parse_version_name(&name).unwrap();
            assert_eq!(parsed, (bot.to_owned(), version.to_owned()));
        }
        for number in [0, 7, u64::MAX] {
            assert_eq!(parse_match_name(&match_name(&ladder, number)), Some(number));
        }
        assert!(match_name(&ladder, 9) < match_name(&ladder, 10));
    }
}
