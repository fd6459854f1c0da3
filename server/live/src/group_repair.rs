//! Restores open groups whose records are damaged. The state of such a group is rebuilt from its
//! finished matches, and until then no seed of the group is revealed.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_store::{DamagedValue, Store, StoreError, Write, limits::MAX_PAGE_MATCHES};

use super::{
    Groups, StoredMatch,
    groups::{GroupKey, OVER_RECORD_PREFIX},
};

/// The writes that repair a store's damaged records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordRepair {
    /// The number of damaged records.
    pub damaged: usize,
    /// The number of groups whose records are rewritten.
    pub groups: usize,
    /// The writes to commit.
    pub writes: Vec<Write>,
}

/// Plans the repair of damaged records: it removes them, and rebuilds each group's record from the
/// group's matches, so that no seed is revealed. The repair does not restore whether a group was
/// closed.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn repair_records(store: &dyn Store) -> Result<RecordRepair, StoreError> {
    let records = store.records("").await?;
    let mut repair = RecordRepair::default();
    for damage in &records.damaged {
        let DamagedValue::Record(name) = &damage.value else {
            continue;
        };
        repair.damaged += 1;
        let name = name.clone();
        // This record's existence marks the group as ended; its value is unused, so it can be
        // empty.
        repair.writes.push(if name.starts_with(OVER_RECORD_PREFIX) {
            Write::PutRecord { name, value: Vec::new() }
        } else {
            Write::RemoveRecord { name }
        });
    }
    let groups = Arc::new(Groups::default());
    if groups.load_authoritative(records) {
        return Ok(repair);
    }
    let found = find_lost_groups(store, &groups).await?;
    repair.groups = found.len();
    repair.writes.extend(groups.records_of(&found));
    Ok(repair)
}

/// Searches all finished matches for groups that have not ended and are not in `groups`, and adds
/// these groups with a state that is rebuilt from their matches. Called when a record is
/// unreadable, because even the name of the record might be damaged.
pub(super) async fn find_lost_groups(
    store: &dyn Store,
    groups: &Arc<Groups>,
) -> Result<Vec<GroupKey>, StoreError> {
    let mut is_lost: HashMap<GroupKey, bool> = HashMap::new();
    let mut after = None;
    loop {
        let page = store.finished(after, MAX_PAGE_MATCHES).await?;
        // An unreadable match is skipped, since its seed is not revealed either.
        let ended = page.matches.iter();
        for ended in ended.filter_map(|one| StoredMatch::read(one, groups).ok()) {
            let Some((key, group, counted)) = ended.withheld_group() else {
                continue;
            };
            if !is_lost.contains_key(key) {
                let lost = !groups.is_open(key) && !is_group_over(store, key).await?;
                is_lost.insert(key.clone(), lost);
            }
            if is_lost.get(key) == Some(&true) {
                groups.add_ended(key, group, counted);
            }
        }
        if page.next.is_none() {
            break;
        }
        after = page.next;
    }
    let lost = is_lost.into_iter().filter(|(_, lost)| *lost);
    Ok(lost.map(|(key, _)| key).collect())
}

async fn is_group_over(store: &dyn Store, key: &GroupKey) -> Result<bool, StoreError> {
    match store.record(&key.over_record_name()).await {
        Ok(record) => Ok(record.is_some()),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(failure) => Err(failure),
    }
}
