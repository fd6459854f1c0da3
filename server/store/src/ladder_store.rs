//! Ladders in named rows, for every store.

use async_trait::async_trait;

use crate::{
    LadderId, LadderRows, LadderStore, StoreError, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    limits::MAX_PAGE_LADDER_MATCHES,
    named_rows::{
        self, DamagedRow, NameRange, NamedRow, NamedTable, RowChange, RowResult, RowStore,
        Selection, match_name, parse_match_name, parse_version_name, read_one, version_name,
    },
    rows::Unreadable,
};

/// Returns the change that stores a ladder: its term, followed by its description.
pub(crate) fn put_ladder(id: &LadderId, term: u64, description: &[u8]) -> RowChange {
    let value = [&term.to_le_bytes()[..], description].concat();
    NamedTable::Ladder.put(id.as_str(), value)
}

/// Returns the change that stores a bot version.
pub(crate) fn put_version(
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> RowChange {
    let name = version_name(id, bot_name, bot_version);
    NamedTable::LadderVersion.put(name, value.to_vec())
}

/// Returns the change that stores a match: whether it is over, followed by its record.
pub(crate) fn put_match(id: &LadderId, number: u64, is_over: bool, value: &[u8]) -> RowChange {
    let value = [&[u8::from(is_over)][..], value].concat();
    NamedTable::LadderMatch.put(match_name(id, number), value)
}

/// Returns the changes that delete a ladder with its versions and matches.
pub(crate) fn delete(id: &LadderId) -> [RowChange; 3] {
    let delete_range = |table| RowChange::DeleteRange {
        table,
        range: NameRange::of_ladder(id),
    };
    let ladder = RowChange::Delete {
        table: NamedTable::Ladder,
        name: id.to_string(),
    };
    let [versions, matches] =
        [NamedTable::LadderVersion, NamedTable::LadderMatch].map(delete_range);
    [ladder, versions, matches]
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
        Some(StoredLadderVersion {
            bot_name,
            bot_version,
            value: row.value.clone(),
        })
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
    let row = row?;
    decode(&row).ok_or_else(|| {
        let problem = Unreadable::new("the value cannot be decoded");
        row.into_damaged(table, &problem)
    })
}

/// Decodes rows, and separates the damaged rows.
fn decode_all<T>(
    rows: Vec<RowResult>,
    decode: impl Fn(RowResult) -> Result<T, DamagedRow>,
) -> LadderRows<T> {
    let mut all = LadderRows::default();
    for row in rows {
        match decode(row) {
            Ok(intact) => all.intact.push(intact),
            Err(damaged) => all.damaged.push(damaged.into_report()),
        }
    }
    all
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
        let selection = Selection::First(NameRange::of_ladder(id), u32::MAX);
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
        let range = NameRange::of_ladder(id).starting_at(match_name(id, from));
        // One extra row shows whether there is a next page.
        let query = NamedTable::LadderMatch.query(Selection::First(range, limit + 1));
        let mut rows = read_one(self, query).await?;
        let next = rows.get(limit as usize).and_then(|extra| {
            // A damaged number must neither move the next page backwards nor hide it.
            match_number(extra).filter(|next| *next > from).or_else(|| {
                let mut page = rows.iter().take(limit as usize).rev();
                let last = page.find_map(match_number);
                last.filter(|last| *last >= from)?.checked_add(1)
            })
        });
        rows.truncate(limit as usize);
        Ok(LadderRows {
            next,
            ..decode_all(rows, match_from_row)
        })
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
    use crate::{MemoryStore, named_rows::Decision};

    #[tokio::test]
    async fn an_unreadable_number_does_not_hide_the_next_page() {
        let store = MemoryStore::new();
        let fill = |_, _| -> Decision<()> {
            let ladder = LadderId::new("spring").unwrap();
            let unreadable = NamedTable::LadderMatch.put("spring/000000000000000g", vec![0]);
            let matches = [0, 1, 16].map(|number| put_match(&ladder, number, false, b"a match"));
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
