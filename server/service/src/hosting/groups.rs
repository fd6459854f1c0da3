//! Groups of matches whose chance is held back until the last of them is over.
//!
//! Kept in memory while they are not over, and in the store as notes, which are committed with the
//! matches that change them. So after a crash a group stands as its matches do.

mod group;

use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

use bridgemaster_proto::v1::{MatchGroup, RefusalReason};
use bridgemaster_store::{Damage, DamagedValue, KeyName, Notes, Write};
use parking_lot::{Mutex, MutexGuard};
use tracing::error;

use self::group::{Group, notes};
pub(super) use self::group::{GroupKey, OPEN_NOTES, OVER_NOTES};
use crate::{
    journal::Gate,
    limits::{Limits, MAX_GROUP_MATCHES},
    refusal::Refusal,
};

/// Groups that were over a short time ago, so that their names are known without the store.
const MAX_REMEMBERED: usize = 10_000;

/// The groups of a server that are not over.
#[derive(Default)]
pub(crate) struct Groups(Mutex<Known>);

#[derive(Default)]
struct Known {
    open: HashMap<GroupKey, Group>,
    /// The oldest first.
    over: VecDeque<GroupKey>,
    /// This server keeps the groups.
    is_kept: bool,
    /// When the notes were asked for that it was read from again.
    read_at: Option<Instant>,
}

impl Known {
    fn read(&mut self, notes: Notes) -> bool {
        let mut is_all_read = notes.damaged.is_empty();
        let damaged = notes.damaged.into_iter();
        let damaged = damaged.filter_map(|Damage { value, detail }| match value {
            DamagedValue::Note(name) => Some((name, Err(detail))),
            _ => None,
        });
        let kept = notes.kept.into_iter();
        let kept = kept.map(|(name, bytes)| (name, Group::read(&bytes)));
        for (name, group) in kept.chain(damaged) {
            let Some(key) = GroupKey::of_open_note(&name) else {
                continue;
            };
            match group {
                Ok(group) => {
                    self.open.insert(key, group);
                }
                Err(problem) => {
                    is_all_read = false;
                    error!(
                        group = ?key,
                        problem,
                        "what is stored of a group cannot be read: how it stands is taken from \
                         its matches, and if it was closed, CloseGroup has to be called again"
                    );
                }
            }
        }
        is_all_read
    }

    /// Forgets a group that is over.
    fn settle(&mut self, key: &GroupKey) {
        if self.open.get(key).is_some_and(Group::is_over_for_all) {
            self.open.remove(key);
            if self.over.len() >= MAX_REMEMBERED {
                self.over.pop_front();
            }
            self.over.push_back(key.clone());
        }
    }
}

impl Groups {
    /// Whether it can be told without the store that a group is not over.
    pub(super) fn is_open(&self, key: &GroupKey) -> bool {
        self.settled(key).open.contains_key(key)
    }

    /// Whether the chance of the matches of a group is revealed.
    pub(super) fn is_revealed(&self, key: &GroupKey) -> bool {
        !self.is_open(key)
    }

    /// Takes in a match that is about to be made.
    ///
    /// # Errors
    /// When the group does not take it.
    pub(super) fn enter(
        &self,
        key: &GroupKey,
        group: &MatchGroup,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        let mut known = self.settled(key);
        if known.over.contains(key) {
            return Err(is_over());
        }
        if let Some(open) = known.open.get_mut(key) {
            if open.is_closed || open.over.is_some() {
                return Err(is_over());
            }
            if open.matches != group.matches {
                let detail = format!("the group has {} matches", open.matches);
                return Err(Refusal::field("config.group.matches", detail));
            }
            open.in_play += 1;
            return Ok(());
        }
        if known.open.len() >= limits.open_groups {
            return Err(Refusal::server_limit("open_groups", limits.open_groups));
        }
        let of_maker = known.open.keys().filter(|open| open.maker() == key.maker());
        if !key.maker().is_empty() && of_maker.count() >= limits.open_groups_per_key {
            let limit = limits.open_groups_per_key;
            return Err(Refusal::limit("open_groups_per_key", limit));
        }
        let mut open = Group::new(group.matches);
        open.in_play = 1;
        known.open.insert(key.clone(), open);
        Ok(())
    }

    /// A match that was taken in is not made.
    pub(super) fn leave(&self, key: &GroupKey) {
        let mut known = self.0.lock();
        if let Some(open) = known.open.get_mut(key) {
            open.in_play = open.in_play.saturating_sub(1);
            let is_unused = open.in_play == 0 && !open.played.contains(&true);
            if is_unused && !open.is_closed {
                known.open.remove(key);
            }
        }
    }

    /// Has a match of the group stored together with how the group stands.
    pub(super) fn keep(&self, key: &GroupKey, store: impl FnOnce(Option<Write>) -> Gate) -> Gate {
        // Under the lock, so that the last note that is queued is the newest.
        let known = self.0.lock();
        let note = known.open.get(key).map(|open| Write::KeepNote {
            name: key.open_note(),
            value: open.note(),
        });
        store(note)
    }

    /// A match of the group is over, with this number if it counts; `store` has that stored
    /// together with how the group stands, where there is a store.
    pub(super) fn leave_play(
        &self,
        key: &GroupKey,
        number: Option<u32>,
        store: impl FnOnce(Vec<Write>) -> Option<Gate>,
    ) -> Option<Gate> {
        self.change(key, store, |open| {
            open.in_play = open.in_play.saturating_sub(1);
            if let Some(number) = number {
                open.has_played(number);
            }
        })
    }

    /// No more matches of the group will be made.
    pub(super) fn close(
        &self,
        key: &GroupKey,
        store: impl FnOnce(Vec<Write>) -> Option<Gate>,
    ) -> Option<Gate> {
        self.change(key, store, |open| open.is_closed = true)
    }

    fn change(
        &self,
        key: &GroupKey,
        store: impl FnOnce(Vec<Write>) -> Option<Gate>,
        change: impl FnOnce(&mut Group),
    ) -> Option<Gate> {
        let mut known = self.settled(key);
        let Some(open) = known.open.get_mut(key) else {
            return store(Vec::new());
        };
        change(open);
        let is_complete = open.is_complete();
        let gate = store(notes(key, open));
        if is_complete {
            open.over.get_or_insert_with(|| gate.clone());
        }
        gate
    }

    /// Takes in the groups of the notes of an earlier server that are not over, for a server that
    /// keeps them from now on. Whether all notes can be read: one that cannot be may be of a group,
    /// whatever its name is now. Once it keeps them nothing is changed: what it knows is newer than
    /// any note.
    pub(super) fn keep_all(&self, notes: Notes) -> bool {
        let mut known = self.0.lock();
        if known.is_kept {
            return true;
        }
        *known = Known {
            is_kept: true,
            ..Known::default()
        };
        known.read(notes)
    }

    /// The same in place of all that was known, of groups that another server keeps. The notes were
    /// asked for at `begun`; older ones change nothing.
    pub(super) fn read_again(&self, notes: Notes, begun: Instant) -> bool {
        let mut known = self.0.lock();
        if known.is_kept || known.read_at.is_some_and(|read_at| read_at > begun) {
            return true;
        }
        *known = Known {
            read_at: Some(begun),
            ..Known::default()
        };
        known.read(notes)
    }

    /// A finished match of a group of which no note can be read, with its number if it counts.
    pub(super) fn add_ended(&self, key: &GroupKey, group: &MatchGroup, counted: Option<u32>) {
        let mut known = self.0.lock();
        let open = known.open.entry(key.clone());
        let open = open.or_insert_with(|| Group::new(group.matches.min(MAX_GROUP_MATCHES)));
        if let Some(number) = counted {
            open.has_played(number);
        }
    }

    /// The notes of these groups, of those that are not over.
    pub(super) fn notes_of(&self, keys: &[GroupKey]) -> Vec<Write> {
        let known = self.0.lock();
        let open = keys.iter().filter_map(|key| known.open.get_key_value(key));
        let notes = open.map(|(key, group)| Write::KeepNote {
            name: key.open_note(),
            value: group.note(),
        });
        notes.collect()
    }

    /// A match of an earlier server goes on.
    pub(super) fn goes_on(&self, key: &GroupKey, group: &MatchGroup) {
        let mut known = self.0.lock();
        let open = known.open.entry(key.clone());
        open.or_insert_with(|| Group::new(group.matches)).in_play += 1;
    }

    /// Groups that need nothing more to be over, once all matches of an earlier server go on.
    pub(super) fn complete(&self) -> Vec<GroupKey> {
        let known = self.0.lock();
        let complete = known.open.iter().filter(|(_, open)| open.is_complete());
        complete.map(|(key, _)| key.clone()).collect()
    }

    fn settled(&self, key: &GroupKey) -> MutexGuard<'_, Known> {
        let mut known = self.0.lock();
        known.settle(key);
        known
    }
}

/// The refusal of a match for a group that takes none any more.
pub(super) fn is_over() -> Refusal {
    Refusal::field(
        "config.group.group_id",
        "the group of this identifier is over or closed; name another",
    )
}

/// The refusal of what a group holds back.
pub(super) fn still_running() -> Refusal {
    Refusal::new(
        RefusalReason::GroupRunning,
        "the group of the match is not over, and the chance of its matches is held back until then",
    )
}

/// The maker of a match as groups name it.
pub(super) fn maker_name(maker: Option<&KeyName>) -> Option<&str> {
    maker.map(KeyName::as_str)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bridgemaster_proto::v1::SeedReveal;

    use super::*;

    fn group(matches: u32) -> (GroupKey, MatchGroup) {
        let group = MatchGroup {
            group_id: "g".to_owned(),
            number: 0,
            matches,
            seed_reveal: SeedReveal::WithGroup.into(),
        };
        let key = GroupKey::of(Some(&group), Some("ada"));
        (
            key.unwrap_or_else(|| panic!("its chance is held back")),
            group,
        )
    }

    fn enter(groups: &Groups, key: &GroupKey, group: &MatchGroup) -> Result<(), Refusal> {
        groups.enter(key, group, &Limits::default())
    }

    fn leave(groups: &Groups, key: &GroupKey, number: Option<u32>) {
        groups.leave_play(key, number, |_| None);
    }

    #[test]
    fn a_group_is_over_when_each_number_was_played_and_nothing_is_in_play() {
        let groups = Groups::default();
        let (key, group) = group(2);
        for _ in 0..3 {
            enter(&groups, &key, &group).unwrap_or_else(|_| panic!("it is taken in"));
        }
        leave(&groups, &key, Some(0));
        leave(&groups, &key, None);
        assert!(groups.is_open(&key));
        enter(&groups, &key, &group).unwrap_or_else(|_| panic!("it is taken in"));
        leave(&groups, &key, Some(1));
        assert!(
            groups.is_open(&key),
            "one is in play, though all were played"
        );
        leave(&groups, &key, Some(1));
        assert!(groups.is_revealed(&key));
        assert!(enter(&groups, &key, &group).is_err(), "it is over for good");
    }

    #[test]
    fn a_group_that_is_closed_is_over_when_nothing_is_in_play() {
        let groups = Groups::default();
        let (key, group) = group(9);
        enter(&groups, &key, &group).unwrap_or_else(|_| panic!("it is taken in"));
        groups.close(&key, |_| None);
        assert!(groups.is_open(&key));
        assert!(enter(&groups, &key, &group).is_err());
        leave(&groups, &key, None);
        assert!(groups.is_revealed(&key));
    }

    #[test]
    fn a_group_is_read_back_from_its_note_or_from_its_matches_where_that_is_damaged() {
        let groups = Groups::default();
        let (key, group) = group(2);
        enter(&groups, &key, &group).unwrap_or_else(|_| panic!("it is taken in"));
        let mut stored = Vec::new();
        groups.leave_play(&key, Some(1), |notes| {
            stored = notes;
            None
        });
        let [Write::KeepNote { name, value }] = &stored[..] else {
            panic!("{stored:?}");
        };
        let again = Groups::default();
        assert!(again.keep_all(Notes {
            kept: [(name.clone(), value.clone())].into(),
            damaged: Vec::new(),
        }));
        again.goes_on(&key, &group);
        leave(&again, &key, Some(0));
        assert!(again.is_revealed(&key));

        let damaged = Groups::default();
        let is_all_read = damaged.keep_all(Notes {
            kept: [(name.clone(), vec![0xff])].into(),
            damaged: Vec::new(),
        });
        assert!(!is_all_read);
        damaged.add_ended(&key, &group, None);
        damaged.add_ended(&key, &group, Some(1));
        assert!(damaged.is_open(&key));
        let [Write::KeepNote { value: anew, .. }] = &damaged.notes_of(&[key])[..] else {
            panic!("it has a note");
        };
        assert_eq!(anew, value);
    }

    #[test]
    fn a_server_learns_of_groups_of_another_by_the_newest_notes_and_none_once_it_keeps_them() {
        let (key, group) = group(2);
        let notes = |is_open: bool| Notes {
            kept: is_open
                .then(|| (key.open_note(), Group::new(group.matches).note()))
                .into_iter()
                .collect(),
            damaged: Vec::new(),
        };
        let groups = Groups::default();
        let older = Instant::now();
        let newer = older + Duration::from_millis(1);
        assert!(groups.read_again(notes(true), newer));
        assert!(groups.read_again(notes(false), older));
        assert!(groups.is_open(&key), "what was asked for before is older");
        let newest = newer + Duration::from_millis(1);
        assert!(groups.read_again(notes(false), newest));
        assert!(groups.is_revealed(&key));

        assert!(groups.keep_all(notes(true)));
        groups.goes_on(&key, &group);
        for is_read in [
            groups.read_again(notes(false), newest + Duration::from_millis(1)),
            groups.keep_all(notes(false)),
        ] {
            assert!(is_read && groups.is_open(&key));
        }
    }
}
