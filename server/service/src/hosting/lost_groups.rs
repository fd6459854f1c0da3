//! Groups of which the store has no sound note although they are not over: how they stand is read
//! from their finished matches, so that a damaged note reveals no chance.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_store::{DamagedValue, Store, StoreError, Write, limits::MAX_PAGE_MATCHES};

use super::{
    Groups, StoredMatch,
    groups::{GroupKey, OVER_NOTES},
};

/// What mends the notes of a store of which some are damaged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteRepair {
    /// Notes that are damaged.
    pub damaged: usize,
    /// Groups whose notes are written anew.
    pub groups: usize,
    /// To be committed.
    pub writes: Vec<Write>,
}

/// What removes the damaged notes of a store. Notes of groups are written anew, from the matches of
/// each, so that no chance is revealed. That a group was closed is lost.
///
/// # Errors
/// A failure of the store.
pub async fn repair_notes(store: &dyn Store) -> Result<NoteRepair, StoreError> {
    let notes = store.notes("").await?;
    let mut repair = NoteRepair::default();
    for damage in &notes.damaged {
        let DamagedValue::Note(name) = &damage.value else {
            continue;
        };
        repair.damaged += 1;
        let name = name.clone();
        // That there is a note says that the group is over; what is in it is not read.
        repair.writes.push(match name.starts_with(OVER_NOTES) {
            true => Write::KeepNote {
                name,
                value: Vec::new(),
            },
            false => Write::DropNote { name },
        });
    }
    let groups = Arc::new(Groups::default());
    if groups.keep_all(notes) {
        return Ok(repair);
    }
    let found = find_lost(store, &groups).await?;
    repair.groups = found.len();
    repair.writes.extend(groups.notes_of(&found));
    Ok(repair)
}

/// Looks through all finished matches for groups that are neither among the open `groups` nor over,
/// and adds them, as their matches tell. To be called when some note cannot be read: even its name
/// may be another one now.
pub(super) async fn find_lost(
    store: &dyn Store,
    groups: &Arc<Groups>,
) -> Result<Vec<GroupKey>, StoreError> {
    let mut is_lost: HashMap<GroupKey, bool> = HashMap::new();
    let mut after = None;
    loop {
        let page = store.finished(after, MAX_PAGE_MATCHES, None).await?;
        // What cannot be read is not revealed either.
        let ended = page.matches.iter();
        for ended in ended.filter_map(|one| StoredMatch::read(one, groups).ok()) {
            let Some((key, group, counted)) = ended.held_back_in() else {
                continue;
            };
            if !is_lost.contains_key(key) {
                let lost = !groups.is_open(key) && !is_over(store, key).await?;
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

async fn is_over(store: &dyn Store, key: &GroupKey) -> Result<bool, StoreError> {
    match store.note(&key.over_note()).await {
        Ok(note) => Ok(note.is_some()),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(failure) => Err(failure),
    }
}
