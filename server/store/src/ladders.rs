//! Ladders as stored: opaque bytes, identified by names and numbers.
//!
//! One process leads a ladder: it pairs the matches and counts their results. The leader is the
//! process that has started the newest **term** of the ladder. Every change contains the term of
//! its writer. So if two processes both act as leader, the changes of the older one are refused.

use async_trait::async_trait;

use crate::{
    DamageReport, LadderId, StoreError,
    limits::MAX_PAGE_LADDER_MATCHES,
    named_rows::{
        self, DamagedRow, NameRange, NamedRow, NamedTable, RowChange, RowResult, RowSelection,
        RowStore, match_name, parse_match_name, parse_version_name, read_one, separate,
        version_name,
    },
    rows::Unreadable,
};

/// A change to a ladder, as part of [`Write::ChangeLadder`](crate::Write::ChangeLadder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderChange {
    /// Creates a ladder in term 0, without versions and matches.
    Open {
        /// Description of the ladder, at most [`MAX_LADDER_BYTES`](crate::limits::MAX_LADDER_BYTES)
        /// long.
        value: Vec<u8>,
    },
    /// Starts a term. From then on, the writer leads the ladder.
    StartTerm {
        /// The new term: the current term plus 1.
        term: u64,
    },
    /// Replaces the ladder's description.
    Update {
        /// The current term of the ladder.
        term: u64,
        /// New description of the ladder, with the same size limit as in `Open`.
        value: Vec<u8>,
    },
    /// Inserts or replaces a bot version.
    PutVersion {
        /// The current term of the ladder.
        term: u64,
        /// Name of the bot, at most [`MAX_LADDER_NAME_BYTES`](crate::limits::MAX_LADDER_NAME_BYTES)
        /// long.
        bot_name: String,
        /// Name of the version, with the same length limit.
        bot_version: String,
        /// Stored record of the version, at most
        /// [`MAX_LADDER_VERSION_BYTES`](crate::limits::MAX_LADDER_VERSION_BYTES) long.
        value: Vec<u8>,
    },
    /// Adds a match that is paired, but has not ended yet.
    Pair {
        /// The current term of the ladder.
        term: u64,
        /// Number of the match: the number of matches that the ladder has so far, 0 for the first.
        number: u64,
        /// Pairing of the match, at most
        /// [`MAX_LADDER_MATCH_BYTES`](crate::limits::MAX_LADDER_MATCH_BYTES) long.
        value: Vec<u8>,
    },
    /// Ends a match. A match can end only once, so no match counts twice.
    End {
        /// The current term of the ladder.
        term: u64,
        /// A match that has not ended.
        number: u64,
        /// Pairing and result, with the same size limit.
        value: Vec<u8>,
    },
    /// Adds an organiser's action, whose number must be free. It is stored as a
    /// [record](crate::RecordStore::records) with the prefix [`ladder_action_prefix`].
    PutAction {
        /// The current term of the ladder.
        term: u64,
        /// Number of the action, from 1.
        number: u64,
        /// Stored record of the action, at most
        /// [`MAX_LADDER_ACTION_BYTES`](crate::limits::MAX_LADDER_ACTION_BYTES) long.
        value: Vec<u8>,
    },
    /// Deletes the ladder with its versions, matches and actions, even if it is damaged. Has no
    /// effect if the ladder does not exist.
    Drop,
}

/// A ladder, without versions and matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadder {
    /// Unique name of the ladder.
    pub ladder_id: LadderId,
    /// The newest term that was started; 0 before the first.
    pub term: u64,
    /// Description of the ladder, opaque to the store.
    pub value: Vec<u8>,
}

/// A bot version on a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderVersion {
    /// Name of the bot, unique together with the version.
    pub bot_name: String,
    /// Name of the version, chosen by the author of the bot.
    pub bot_version: String,
    /// Stored record of the version, opaque to the store.
    pub value: Vec<u8>,
}

/// A match of a ladder, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderMatch {
    /// Number of the match on the ladder, from 0, in pairing order.
    pub number: u64,
    /// True once the match has ended.
    pub is_over: bool,
    /// The pairing and, once the match has ended, the result; opaque to the store.
    pub value: Vec<u8>,
}

/// A ladder's readable rows, and the damage in its unreadable rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderRows<T> {
    /// Readable rows, ordered by name or number.
    pub intact: Vec<T>,
    /// Rows that cannot be read.
    pub damaged: Vec<DamageReport>,
    /// Start of the next page; `None` at the end.
    pub next: Option<u64>,
}

/// Read access to a server's ladders. [`Store::commit`](crate::Store::commit) changes them.
#[async_trait]
pub trait LadderStore: Send + Sync {
    /// Returns every ladder.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError>;

    /// Returns all bot versions on a ladder; no rows if the ladder does not exist.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError>;

    /// Returns a page of a ladder's matches, starting at number `from`. The page has at most
    /// `limit` matches, clamped to
    /// `1..=`[`MAX_PAGE_LADDER_MATCHES`](crate::limits::MAX_PAGE_LADDER_MATCHES). Matches that
    /// cannot be read count towards the page.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError>;

    /// Returns the match with this number, if it exists.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the match cannot be read; or a storage failure.
    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError>;
}

/// Returns the change that stores a ladder: its term, followed by its description.
pub(crate) fn ladder_row_change(id: &LadderId, term: u64, description: &[u8]) -> RowChange {
    let value = [&term.to_le_bytes()[..], description].concat();
    NamedTable::Ladder.put(id.as_str(), value)
}

/// Returns the change that stores a bot version.
pub(crate) fn version_row_change(
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> RowChange {
    let name = version_name(id, bot_name, bot_version);
    NamedTable::LadderVersion.put(name, value.to_vec())
}

/// Returns the change that stores a match: whether it is over, followed by its record.
pub(crate) fn match_row_change(
    id: &LadderId,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> RowChange {
    let value = [&[u8::from(is_over)][..], value].concat();
    NamedTable::LadderMatch.put(match_name(id, number), value)
}

/// Returns the prefix of the names of the records with a ladder's actions, whose order is that of
/// the numbers.
pub fn ladder_action_prefix(id: &LadderId) -> String {
    format!("ladder-action/{id}/")
}

/// Returns the name of the record with an organiser's action.
pub(crate) fn action_name(id: &LadderId, number: u64) -> String {
    format!("{}{number:016x}", ladder_action_prefix(id))
}

/// Returns the changes that delete a ladder with its versions, matches and actions.
pub(crate) fn ladder_deletion(id: &LadderId) -> [RowChange; 4] {
    let delete_range = |table| RowChange::DeleteRange { table, range: NameRange::for_ladder(id) };
    let ladder = RowChange::Delete { table: NamedTable::Ladder, name: id.to_string() };
    let [versions, matches] =
        [NamedTable::LadderVersion, NamedTable::LadderMatch].map(delete_range);
    let actions = RowChange::DeleteRange {
        table: NamedTable::Record,
        range: NameRange::with_prefix(&ladder_action_prefix(id)),
    };
    [ladder, versions, matches, actions]
}

/// Decodes the row of a ladder.
pub(crate) fn ladder_from_row(row: RowResult) -> Result<StoredLadder, DamagedRow> {
    decode(NamedTable::Ladder, row, |row| {
        let (term, value) = row.value.split_first_chunk()?;
        Some(StoredLadder {
            ladder_id: LadderId::new(&*row.name).ok()?,
            term: u64::from_le_bytes(*term),
            value: value.to_vec(),
        })
    })
}

fn version_from_row(row: RowResult) -> Result<StoredLadderVersion, DamagedRow> {
    decode(NamedTable::LadderVersion, row, |row| {
        let (bot_name, bot_version) = parse_version_name(&row.name)?;
        Some(StoredLadderVersion { bot_name, bot_version, value: row.value.clone() })
    })
}

/// Decodes the row of a ladder match.
pub(crate) fn match_from_row(row: RowResult) -> Result<StoredLadderMatch, DamagedRow> {
    decode(NamedTable::LadderMatch, row, |row| {
        let (is_over, value) = row.value.split_first()?;
        Some(StoredLadderMatch {
            number: parse_match_name(&row.name)?,
            is_over: *is_over != 0,
            value: value.to_vec(),
        })
    })
}

fn decode<T>(
    table: NamedTable,
    row: RowResult,
    decode: impl FnOnce(&NamedRow) -> Option<T>,
) -> Result<T, DamagedRow> {
    let problem = || Unreadable::new("the value cannot be decoded");
    table.decode(row, |row| decode(row).ok_or_else(problem))
}

/// Decodes rows, and separates the damaged rows.
fn decode_all<T>(
    rows: Vec<RowResult>,
    decode: impl Fn(RowResult) -> Result<T, DamagedRow>,
) -> LadderRows<T> {
    let (intact, damaged) = separate(rows.into_iter().map(decode));
    let damaged = damaged.into_iter().map(DamagedRow::into_report).collect();
    LadderRows { intact, damaged, next: None }
}

#[async_trait]
impl<B: RowStore> LadderStore for B {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        let rows = read_one(self, NamedTable::Ladder.all()).await?;
        let mut ladders = decode_all(rows, ladder_from_row);
        ladders.intact.sort_by(|a, b| a.ladder_id.cmp(&b.ladder_id));
        Ok(ladders)
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        let selection = RowSelection::First(NameRange::for_ladder(id), u32::MAX);
        let rows = read_one(self, NamedTable::LadderVersion.query(selection)).await?;
        let mut versions = decode_all(rows, version_from_row);
        let order = |a: &StoredLadderVersion, b: &StoredLadderVersion| {
            (&a.bot_name, &a.bot_version).cmp(&(&b.bot_name, &b.bot_version))
        };
        versions.intact.sort_by(order);
        Ok(versions)
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_LADDER_MATCHES);
        let range = NameRange::for_ladder(id).starting_at(match_name(id, from));
        // One extra row shows whether there is a next page.
        let query = NamedTable::LadderMatch.query(RowSelection::First(range, limit + 1));
        let mut rows = read_one(self, query).await?;
        let next = rows.get(limit as usize).and_then(|extra| {
            // A damaged number must neither move the start of the next page backwards nor hide that
            // page.
            match_number(extra).filter(|next| *next > from).or_else(|| {
                let mut page = rows.iter().take(limit as usize).rev();
                let last = page.find_map(match_number);
                last.filter(|last| *last >= from)?.checked_add(1)
            })
        });
        rows.truncate(limit as usize);
        Ok(LadderRows { next, ..decode_all(rows, match_from_row) })
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        let query = NamedTable::LadderMatch.named(match_name(id, number));
        let row = read_one(self, query).await?.pop();
        let found = row.map(match_from_row).transpose();
        found.map_err(|row| named_rows::damaged(self.location(), row))
    }
}

/// Returns the number of a match, which can be readable although the row is damaged.
pub(crate) fn match_number(row: &RowResult) -> Option<u64> {
    match row {
        Ok(row) => parse_match_name(&row.name),
        Err(row) => parse_match_name(std::str::from_utf8(&row.name).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryStore, named_rows::RowDecision};

    #[tokio::test]
    async fn an_unreadable_number_does_not_hide_the_next_page() {
        let store = MemoryStore::new();
        let fill = |_, _| -> RowDecision<()> {
            let ladder = LadderId::new("spring").unwrap();
            let unreadable = NamedTable::LadderMatch.put("spring/000000000000000g", vec![0]);
            let matches =
                [0, 1, 16].map(|number| match_row_change(&ladder, number, false, b"a match"));
            Ok((matches.into_iter().chain([unreadable]).collect(), ()))
        };
        store.update_rows(Vec::new(), fill).await.unwrap();
        let ladder = LadderId::new("spring").unwrap();
        let page = store.ladder_matches(&ladder, 0, 2).await.unwrap();
        assert_eq!((page.intact.len(), page.next), (2, Some(2)));
        let page = store.ladder_matches(&ladder, 2, 2).await.unwrap();
        assert_eq!((page.intact[0].number, page.damaged.len()), (16, 1));
        assert_eq!(page.next, None);
    }
}
