//! Collects finished matches into groups, which count in the order of their numbers.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    GroupNumber, MatchNumber, MatchRow,
    plan::{NextGroup, PlannedGroup, Planner},
    row::AnnulmentCause,
};

/// A contest's finished matches, and the groups that are complete.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) planner: Planner,
    /// Rows in groups that [`Self::next_complete`] has not returned yet.
    open: BTreeMap<GroupNumber, BTreeMap<u32, MatchRow>>,
    /// Groups that are excluded because of a bot's fault.
    excluded: HashSet<GroupNumber>,
    /// The number of a match's annulled attempts.
    annulled: HashMap<MatchNumber, u32>,
    /// The next group to count.
    pub(crate) next: GroupNumber,
    /// The number of finished matches that were not annulled, including those that do not count.
    pub(crate) finished: u64,
    /// The number of annulled matches, by reason.
    annulled_because: HashMap<AnnulmentCause, u64>,
}

impl Results {
    pub(crate) fn new(planner: Planner) -> Self {
        Self {
            planner,
            open: BTreeMap::new(),
            excluded: HashSet::new(),
            annulled: HashMap::new(),
            next: GroupNumber(0),
            finished: 0,
            annulled_because: HashMap::new(),
        }
    }

    /// Returns the number of matches that were annulled for this reason.
    pub(crate) fn annulled(&self, because: AnnulmentCause) -> u64 {
        self.annulled_because.get(&because).copied().unwrap_or(0)
    }

    /// Returns the number of a match's annulled attempts.
    pub(crate) fn attempts(&self, of: MatchNumber) -> u32 {
        self.annulled.get(&of).copied().unwrap_or(0)
    }

    /// Returns whether a match is finished and will not be repeated.
    pub(crate) fn is_finished(&self, of: MatchNumber) -> bool {
        of.group < self.next
            || self.excluded.contains(&of.group)
            || self.open.get(&of.group).is_some_and(|group| group.contains_key(&of.number))
    }

    /// Returns whether no more of the group's matches will be started.
    pub(crate) fn is_group_over(&self, group: GroupNumber) -> bool {
        let Some(matches) = self.planner.matches_of(group) else {
            return false;
        };
        (0..matches).all(|number| self.is_finished(MatchNumber { group, number }))
    }

    /// Adds a finished or annulled match.
    pub(crate) fn add(&mut self, row: MatchRow) {
        let Some(annulled) = &row.annulled else {
            self.finished += 1;
            if row.of.group >= self.next {
                let group = self.open.entry(row.of.group).or_default();
                group.entry(row.of.number).or_insert(row);
            }
            return;
        };
        *self.annulled_because.entry(annulled.because).or_default() += 1;
        if annulled.because.is_played_again() {
            *self.annulled.entry(row.of).or_default() += 1;
        } else {
            self.excluded.insert(row.of.group);
        }
    }

    /// Returns the next group if it is complete. Groups count in order of their numbers, even if a
    /// later group is complete first. Excluded groups are skipped.
    pub(crate) fn next_complete(&mut self) -> Option<(GroupNumber, Vec<MatchRow>)> {
        loop {
            let group = self.next;
            if self.excluded.contains(&group) {
                self.open.remove(&group);
                self.next = GroupNumber(group.0 + 1);
                // In a Swiss contest, an excluded group counts as played but has no scores.
                self.planner.record_group(&[]);
                continue;
            }
            let NextGroup::Group(planned) = self.planner.group(group) else {
                return None;
            };
            if self.open.get(&group).map_or(0, BTreeMap::len) < planned.seatings.len() {
                return None;
            }
            let rows: Vec<MatchRow> = self.open.remove(&group)?.into_values().collect();
            self.next = GroupNumber(group.0 + 1);
            self.planner.record_group(&rows);
            return Some((group, rows));
        }
    }

    /// Returns the first match of the next `groups_ahead` groups that is neither finished nor in
    /// `playing`.
    pub(crate) fn next_match(
        &self,
        playing: &HashSet<MatchNumber>,
        groups_ahead: u64,
    ) -> Option<(PlannedGroup, MatchNumber)> {
        let open = |of: &MatchNumber| !playing.contains(of) && !self.is_finished(*of);
        for number in self.next.0..self.next.0.saturating_add(groups_ahead) {
            let group = GroupNumber(number);
            let matches = self.planner.matches_of(group)?;
            let mut all = (0..matches).map(|number| MatchNumber { group, number });
            if let Some(of) = all.find(open) {
                return match self.planner.group(group) {
                    NextGroup::Group(planned) => Some((planned, of)),
                    NextGroup::Pending | NextGroup::End => None,
                };
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Annulment, Seeds, TestSpec,
        samples_for_tests::{row, spec},
    };

    fn results(groups: u64) -> Results {
        let spec = spec(TestSpec::Fixed { groups });
        Results::new(Planner::new(&spec, &Seeds::From("s".to_owned())))
    }

    fn complete_groups(results: &mut Results) -> Vec<u64> {
        std::iter::from_fn(|| results.next_complete().map(|(group, _)| group.0)).collect()
    }

    #[test]
    fn groups_count_in_numeric_order() {
        let mut results = results(3);
        for (group, number) in [(2, 0), (2, 1), (1, 1), (0, 1), (1, 0)] {
            results.add(row(group, number, &[0, 1], &[1, 2]));
            assert_eq!(complete_groups(&mut results), [0; 0]);
        }
        results.add(row(0, 0, &[0, 1], &[1, 2]));
        assert_eq!(complete_groups(&mut results), [0, 1, 2]);
    }

    #[test]
    fn finished_and_running_matches_are_not_started_again() {
        let mut results = results(2);
        results.add(row(0, 1, &[1, 0], &[1, 2]));
        let of = |group, number| MatchNumber { group: GroupNumber(group), number };
        let next = |results: &Results, playing: &[MatchNumber]| {
            let playing = playing.iter().copied().collect();
            results.next_match(&playing, 8).map(|(_, of)| of)
        };
        assert_eq!(next(&results, &[]), Some(of(0, 0)));
        assert_eq!(next(&results, &[of(0, 0)]), Some(of(1, 0)));
        assert_eq!(next(&results, &[of(0, 0), of(1, 0), of(1, 1)]), None);
    }

    #[test]
    fn annulled_matches_are_repeated_and_duplicates_are_ignored() {
        let mut results = results(1);
        let mut spoiled = row(0, 0, &[0, 1], &[1, 2]);
        let of = spoiled.of;
        spoiled.annulled =
            Some(Annulment { because: AnnulmentCause::RefereeLag, detail: "lag".to_owned() });
        results.add(spoiled);
        assert_eq!(results.attempts(of), 1);
        assert_eq!(results.next_match(&HashSet::new(), 8).map(|(_, of)| of), Some(of));
        results.add(row(0, 0, &[0, 1], &[2, 1]));
        results.add(row(0, 0, &[0, 1], &[1, 2]));
        assert!(!results.is_group_over(of.group));
        results.add(row(0, 1, &[1, 0], &[1, 2]));
        assert!(results.is_group_over(of.group));
        let (_, rows) = results.next_complete().unwrap();
        assert!(results.is_group_over(of.group));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].places(), [2, 1], "the first that counts");
    }

    #[test]
    fn a_group_with_an_excluded_match_is_skipped() {
        let mut results = results(2);
        let mut faulty = row(0, 0, &[0, 1], &[1, 2]);
        faulty.annulled =
            Some(Annulment { because: AnnulmentCause::BotFault, detail: "late".to_owned() });
        results.add(faulty);
        assert!(results.is_group_over(GroupNumber(0)));
        for number in 0..2 {
            results.add(row(1, number, &[0, 1], &[1, 2]));
        }
        assert_eq!(complete_groups(&mut results), [1]);
    }
}
