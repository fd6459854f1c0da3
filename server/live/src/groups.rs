//! Match groups whose seeds are withheld until the last match has ended.
//!
//! Open groups are kept in memory, and in the store as records that are committed together with the
//! matches that change them. So after a crash the state of a group is consistent with its matches.

mod group;

use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

use bridgemaster_edge::{
    limits::{Limits, MAX_GROUP_MATCHES},
    refusal::Refusal,
};
use bridgemaster_proto::v1::{MatchGroup, RefusalReason};
use bridgemaster_store::{DamageReport, DamagedValue, KeyName, Records, Write};
use parking_lot::{Mutex, MutexGuard};
use tracing::error;

use self::group::{Group, group_record_writes};
pub(super) use self::group::{GroupKey, OPEN_RECORD_PREFIX, OVER_RECORD_PREFIX};
use crate::journal::CommitGate;

/// The maximum number of recently closed groups that are kept in memory, so that the store need not
/// be read for them.
const MAX_CLOSED_GROUPS: usize = 10_000;

#[derive(Default)]
pub struct Groups(Mutex<GroupTable>);

#[derive(Default)]
struct GroupTable {
    open: HashMap<GroupKey, Group>,
    /// Recently closed groups, oldest first.
    over: VecDeque<GroupKey>,
    /// Whether this server owns the groups. If not, another node owns them.
    is_authoritative: bool,
    /// When the records behind this server's current copy of the groups were requested; `None` if
    /// this server owns the groups or has no copy yet.
    requested_at: Option<Instant>,
}

impl GroupTable {
    fn read(&mut self, records: Records) -> bool {
        let mut is_all_read = records.damaged.is_empty();
        let damaged = records.damaged.into_iter();
        let damaged = damaged.filter_map(|DamageReport { value, detail }| match value {
            DamagedValue::Record(name) => Some((name, Err(detail))),
            _ => None,
        });
        let intact = records.intact.into_iter();
        let intact = intact.map(|(name, bytes)| (name, Group::read(&bytes)));
        for (name, group) in intact.chain(damaged) {
            let Some(key) = GroupKey::from_open_record_name(&name) else {
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
                        "cannot read the stored record of a group; restored the group from its \
                         matches (repeat CloseGroup if the group was closed)"
                    );
                }
            }
        }
        is_all_read
    }

    /// Moves a group that has ended to the list of closed groups.
    fn prune(&mut self, key: &GroupKey) {
        if self.open.get(key).is_some_and(Group::is_end_committed) {
            self.open.remove(key);
            if self.over.len() >= MAX_CLOSED_GROUPS {
                self.over.pop_front();
            }
            self.over.push_back(key.clone());
        }
    }
}

impl Groups {
    /// Returns whether a group is open in memory, without reading the store.
    pub(super) fn is_open(&self, key: &GroupKey) -> bool {
        self.lock_pruned(key).open.contains_key(key)
    }

    /// Returns whether the seeds of a group are revealed.
    pub(super) fn is_revealed(&self, key: &GroupKey) -> bool {
        !self.is_open(key)
    }

    /// Adds a match that is about to be created.
    ///
    /// # Errors
    /// Returns an error if the group does not accept the match.
    pub(super) fn add_match(
        &self,
        key: &GroupKey,
        group: &MatchGroup,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        let mut table = self.lock_pruned(key);
        if table.over.contains(key) {
            return Err(group_over());
        }
        if let Some(open) = table.open.get_mut(key) {
            if open.is_closed || open.over.is_some() {
                return Err(group_over());
            }
            if open.matches != group.matches {
                let detail = format!("the group has {} matches; use the same number", open.matches);
                return Err(Refusal::field("config.group.matches", detail));
            }
            open.in_play += 1;
            return Ok(());
        }
        if table.open.len() >= limits.open_groups {
            return Err(Refusal::server_limit("open_groups", limits.open_groups));
        }
        let of_maker = table.open.keys().filter(|open| open.maker() == key.maker());
        let limit = limits.open_groups_per_key();
        if !key.maker().is_empty() && of_maker.count() >= limit {
            return Err(Refusal::limit("open_groups_per_key", limit));
        }
        let mut open = Group::new(group.matches);
        open.in_play = 1;
        table.open.insert(key.clone(), open);
        Ok(())
    }

    /// Removes a match whose creation failed.
    pub(super) fn cancel_match(&self, key: &GroupKey) {
        let mut table = self.0.lock();
        if let Some(open) = table.open.get_mut(key) {
            open.in_play = open.in_play.saturating_sub(1);
            let is_unused = open.in_play == 0 && !open.played.contains(&true);
            if is_unused && !open.is_closed {
                table.open.remove(key);
            }
        }
    }

    /// Stores a match together with the state of its group.
    pub(super) fn store_with_record(
        &self,
        key: &GroupKey,
        store: impl FnOnce(Option<Write>) -> CommitGate,
    ) -> CommitGate {
        // The record is queued under the lock, so that the last queued record is the newest.
        let table = self.0.lock();
        let record = table.open.get(key).map(|open| open.put_record(key));
        store(record)
    }

    /// Records that a match of the group has ended; `number` is its number if its result counts. If
    /// there is a store, `store` commits the match together with the state of the group.
    pub(super) fn finish_match(
        &self,
        key: &GroupKey,
        number: Option<u32>,
        store: impl FnOnce(Vec<Write>) -> Option<CommitGate>,
    ) -> Option<CommitGate> {
        self.change(key, store, |open| {
            open.in_play = open.in_play.saturating_sub(1);
            if let Some(number) = number {
                open.mark_played(number);
            }
        })
    }

    /// Closes the group, so that no more matches can be added.
    pub(super) fn close(
        &self,
        key: &GroupKey,
        store: impl FnOnce(Vec<Write>) -> Option<CommitGate>,
    ) -> Option<CommitGate> {
        self.change(key, store, |open| open.is_closed = true)
    }

    fn change(
        &self,
        key: &GroupKey,
        store: impl FnOnce(Vec<Write>) -> Option<CommitGate>,
        change: impl FnOnce(&mut Group),
    ) -> Option<CommitGate> {
        let mut table = self.lock_pruned(key);
        let Some(open) = table.open.get_mut(key) else {
            return store(Vec::new());
        };
        change(open);
        let is_complete = open.is_complete();
        let gate = store(group_record_writes(key, open));
        if is_complete {
            open.over.get_or_insert_with(|| gate.clone());
        }
        gate
    }

    /// Loads the open groups from the records of an earlier server, and makes this server the owner
    /// of the groups. Returns whether all records could be read. An unreadable record can belong to
    /// any group, since its name might be damaged too. Does nothing if this server already owns the
    /// groups, since their state in memory is newer than the records.
    pub(super) fn load_authoritative(&self, records: Records) -> bool {
        let mut table = self.0.lock();
        if table.is_authoritative {
            return true;
        }
        *table = GroupTable { is_authoritative: true, ..GroupTable::default() };
        table.read(records)
    }

    /// Replaces the replica of groups that another node owns. Does nothing if these records were
    /// requested before those of the current replica.
    pub(super) fn load_replica(&self, records: Records, started: Instant) -> bool {
        let mut table = self.0.lock();
        let is_newer = |requested_at: Instant| requested_at > started;
        if table.is_authoritative || table.requested_at.is_some_and(is_newer) {
            return true;
        }
        *table = GroupTable { requested_at: Some(started), ..GroupTable::default() };
        table.read(records)
    }

    /// Adds a finished match to a group whose record cannot be read. `number` is the match number
    /// if the result counts.
    pub(super) fn add_ended(&self, key: &GroupKey, group: &MatchGroup, counted: Option<u32>) {
        let mut table = self.0.lock();
        let open = table.open.entry(key.clone());
        let open = open.or_insert_with(|| Group::new(group.matches.min(MAX_GROUP_MATCHES)));
        if let Some(number) = counted {
            open.mark_played(number);
        }
    }

    /// Returns the writes that store the open groups' records.
    pub(super) fn records_of(&self, keys: &[GroupKey]) -> Vec<Write> {
        let table = self.0.lock();
        let open = keys.iter().filter_map(|key| table.open.get_key_value(key));
        open.map(|(key, group)| group.put_record(key)).collect()
    }

    /// Adds a match that an earlier server played and that continues here.
    pub(super) fn add_recovered(&self, key: &GroupKey, group: &MatchGroup) {
        let mut table = self.0.lock();
        let open = table.open.entry(key.clone());
        open.or_insert_with(|| Group::new(group.matches)).in_play += 1;
    }

    /// Returns the groups that are complete. Call this once all of an earlier server's matches have
    /// been added.
    pub(super) fn complete_groups(&self) -> Vec<GroupKey> {
        let table = self.0.lock();
        let complete = table.open.iter().filter(|(_, open)| open.is_complete());
        complete.map(|(key, _)| key.clone()).collect()
    }

    fn lock_pruned(&self, key: &GroupKey) -> MutexGuard<'_, GroupTable> {
        let mut table = self.0.lock();
        table.prune(key);
        table
    }
}

/// Returns the refusal of a match whose group has ended or was closed.
pub(super) fn group_over() -> Refusal {
    Refusal::field(
        "config.group.group_id",
        "the group with this identifier has ended or was closed; use another identifier",
    )
}

/// Returns the refusal of data that an unfinished group withholds.
pub(super) fn group_running_refusal() -> Refusal {
    Refusal::new(
        RefusalReason::GroupRunning,
        "the match's group has not ended, and the seeds of the group's matches are withheld until then",
    )
}

/// Returns the name of the key that created a match, in the form that group keys contain.
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
        let key = GroupKey::if_seeds_withheld(Some(&group), Some("ada"));
        (key.unwrap_or_else(|| panic!("its seeds are withheld")), group)
    }

    fn add_match(groups: &Groups, key: &GroupKey, group: &MatchGroup) -> Result<(), Refusal> {
        groups.add_match(key, group, &Limits::default())
    }

    fn finish(groups: &Groups, key: &GroupKey, number: Option<u32>) {
        groups.finish_match(key, number, |_| None);
    }

    #[test]
    fn a_group_ends_when_all_numbers_are_played_and_no_match_is_in_play() {
        let groups = Groups::default();
        let (key, group) = group(2);
        for _ in 0..3 {
            add_match(&groups, &key, &group).unwrap_or_else(|_| panic!("it is accepted"));
        }
        finish(&groups, &key, Some(0));
        finish(&groups, &key, None);
        assert!(groups.is_open(&key));
        add_match(&groups, &key, &group).unwrap_or_else(|_| panic!("it is accepted"));
        finish(&groups, &key, Some(1));
        assert!(groups.is_open(&key), "one is in play, though all were played");
        finish(&groups, &key, Some(1));
        assert!(groups.is_revealed(&key));
        assert!(add_match(&groups, &key, &group).is_err(), "it is over for good");
    }

    #[test]
    fn a_closed_group_ends_when_no_match_is_in_play() {
        let groups = Groups::default();
        let (key, group) = group(9);
        add_match(&groups, &key, &group).unwrap_or_else(|_| panic!("it is accepted"));
        groups.close(&key, |_| None);
        assert!(groups.is_open(&key));
        assert!(add_match(&groups, &key, &group).is_err());
        finish(&groups, &key, None);
        assert!(groups.is_revealed(&key));
    }

    #[test]
    fn a_group_is_restored_from_its_record_or_its_matches() {
        let groups = Groups::default();
        let (key, group) = group(2);
        add_match(&groups, &key, &group).unwrap_or_else(|_| panic!("it is accepted"));
        let mut stored = Vec::new();
        groups.finish_match(&key, Some(1), |records| {
            stored = records;
            None
        });
        let [Write::PutRecord { name, value }] = &stored[..] else {
            panic!("{stored:?}");
        };
        let again = Groups::default();
        assert!(again.load_authoritative(Records {
            intact: [(name.clone(), value.clone())].into(),
            damaged: Vec::new(),
        }));
        again.add_recovered(&key, &group);
        finish(&again, &key, Some(0));
        assert!(again.is_revealed(&key));

        let damaged = Groups::default();
        let is_all_read = damaged.load_authoritative(Records {
            intact: [(name.clone(), vec![0xff])].into(),
            damaged: Vec::new(),
        });
        assert!(!is_all_read);
        damaged.add_ended(&key, &group, None);
        damaged.add_ended(&key, &group, Some(1));
        assert!(damaged.is_open(&key));
        let [Write::PutRecord { value: restored, .. }] = &damaged.records_of(&[key])[..] else {
            panic!("it has a record");
        };
        assert_eq!(restored, value);
    }

    #[test]
    fn a_replica_follows_the_newest_records_until_this_server_owns_the_groups() {
        let (key, group) = group(2);
        let records = |is_open: bool| Records {
            intact: is_open
                .then(|| (key.open_record_name(), Group::new(group.matches).record()))
                .into_iter()
                .collect(),
            damaged: Vec::new(),
        };
        let groups = Groups::default();
        let older = Instant::now();
        let newer = older + Duration::from_millis(1);
        assert!(groups.load_replica(records(true), newer));
        assert!(groups.load_replica(records(false), older));
        assert!(groups.is_open(&key), "older records are ignored");
        let newest = newer + Duration::from_millis(1);
        assert!(groups.load_replica(records(false), newest));
        assert!(groups.is_revealed(&key));

        assert!(groups.load_authoritative(records(true)));
        groups.add_recovered(&key, &group);
        for is_read in [
            groups.load_replica(records(false), newest + Duration::from_millis(1)),
            groups.load_authoritative(records(false)),
        ] {
            assert!(is_read && groups.is_open(&key));
        }
    }
}
