//! Finished matches, gathered into groups that count in the order of their numbers.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    GroupNumber, MatchNumber, MatchRow,
    plan::{Next, PlannedGroup, Planner},
    row::AnnulledBecause,
};

/// All finished matches of a contest, and which groups are complete.
#[derive(Debug)]
pub(crate) struct Ledger {
    planner: Planner,
    /// Rows of matches that count, by group, for groups that are not taken yet.
    open: BTreeMap<GroupNumber, BTreeMap<u32, MatchRow>>,
    /// Groups with a match that a bot's fault excludes.
    excluded: HashSet<GroupNumber>,
    /// How often a match was annulled.
    annulled: HashMap<MatchNumber, u32>,
    /// The next group that can count.
    next: GroupNumber,
    /// Matches that were finished and not annulled.
    finished: u64,
    /// Matches that were annulled, by the reason.
    annulled_because: HashMap<AnnulledBecause, u64>,
}

impl Ledger {
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

    pub(crate) fn planner(&self) -> &Planner {
        &self.planner
    }

    /// Matches that were finished and not annulled, whether they count yet or not.
    pub(crate) fn finished(&self) -> u64 {
        self.finished
    }

    /// Matches that were annulled for this reason.
    pub(crate) fn annulled(&self, because: AnnulledBecause) -> u64 {
        self.annulled_because.get(&because).copied().unwrap_or(0)
    }

    /// The next group that can count.
    pub(crate) fn next_group(&self) -> GroupNumber {
        self.next
    }

    /// How often this match was annulled.
    pub(crate) fn attempts(&self, of: MatchNumber) -> u32 {
        self.annulled.get(&of).copied().unwrap_or(0)
    }

    /// Whether this match has ended in a way that it is not played again.
    pub(crate) fn is_finished(&self, of: MatchNumber) -> bool {
        of.group < self.next
            || self.excluded.contains(&of.group)
            || self
                .open
                .get(&of.group)
                .is_some_and(|group| group.contains_key(&of.number))
    }

    /// Whether nothing more of this group is played, except for what is in play.
    pub(crate) fn is_group_over(&self, group: GroupNumber) -> bool {
        let Some(matches) = self.planner.matches_of(group) else {
            return false;
        };
        (0..matches).all(|number| self.is_finished(MatchNumber { group, number }))
    }

    /// Takes note of a finished match.
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
        match annulled.because.is_played_again() {
            true => *self.annulled.entry(row.of).or_default() += 1,
            false => {
                self.excluded.insert(row.of.group);
            }
        }
    }

    /// The next group that counts, when it is complete: groups leave in the order of their numbers,
    /// however early a later one is complete. Groups that are excluded are passed over.
    pub(crate) fn next_complete(&mut self) -> Option<(GroupNumber, Vec<MatchRow>)> {
        loop {
            let group = self.next;
            if self.excluded.contains(&group) {
                self.open.remove(&group);
                self.next = GroupNumber(group.0 + 1);
                // A Swiss round counts the group as one that changed nothing.
                self.planner.counted(&[]);
                continue;
            }
            let Next::Group(planned) = self.planner.group(group) else {
                return None;
            };
            if self.open.get(&group).map_or(0, BTreeMap::len) < planned.seatings.len() {
                return None;
            }
            let rows: Vec<MatchRow> = self.open.remove(&group)?.into_values().collect();
            self.next = GroupNumber(group.0 + 1);
            self.planner.counted(&rows);
            return Some((group, rows));
        }
    }

    /// The first match to play that has neither ended nor is in `playing`, within so many groups
    /// from the next that counts on.
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
                    Next::Group(planned) => Some((planned, of)),
                    Next::Later | Next::End => None,
                };
            }
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{
        Annulled, Seeds, TestSpec,
        sample::{row, spec},
    };

    fn ledger(groups: u64) -> Ledger {
        let spec = spec(TestSpec::Fixed { groups });
        Ledger::new(Planner::new(&spec, &Seeds::From("s".to_owned())))
    }

    fn taken(ledger: &mut Ledger) -> Vec<u64> {
        std::iter::from_fn(|| ledger.next_complete().map(|(group, _)| group.0)).collect()
    }

    #[test]
    fn groups_count_in_the_order_of_their_numbers_whatever_ends_first() {
        let mut ledger = ledger(3);
        for (group, number) in [(2, 0), (2, 1), (1, 1), (0, 1), (1, 0)] {
            ledger.add(row(group, number, &[0, 1], &[1, 2]));
            assert_eq!(taken(&mut ledger), [0; 0]);
        }
        ledger.add(row(0, 0, &[0, 1], &[1, 2]));
        assert_eq!(taken(&mut ledger), [0, 1, 2]);
    }

    #[test]
    fn what_was_finished_or_is_being_played_is_not_played_again() {
        let mut ledger = ledger(2);
        ledger.add(row(0, 1, &[1, 0], &[1, 2]));
        let of = |group, number| MatchNumber {
            group: GroupNumber(group),
            number,
        };
        let next = |ledger: &Ledger, playing: &[MatchNumber]| {
            let playing = playing.iter().copied().collect();
            ledger.next_match(&playing, 8).map(|(_, of)| of)
        };
        assert_eq!(next(&ledger, &[]), Some(of(0, 0)));
        assert_eq!(next(&ledger, &[of(0, 0)]), Some(of(1, 0)));
        assert_eq!(next(&ledger, &[of(0, 0), of(1, 0), of(1, 1)]), None);
    }

    #[test]
    fn an_annulled_match_is_played_again_and_a_match_that_ended_twice_counts_once() {
        let mut ledger = ledger(1);
        let mut spoiled = row(0, 0, &[0, 1], &[1, 2]);
        let of = spoiled.of;
        spoiled.annulled = Some(Annulled {
            because: AnnulledBecause::RefereeLag,
            detail: "lag".to_owned(),
        });
        ledger.add(spoiled);
        assert_eq!(ledger.attempts(of), 1);
        assert_eq!(
            ledger.next_match(&HashSet::new(), 8).map(|(_, of)| of),
            Some(of)
        );
        ledger.add(row(0, 0, &[0, 1], &[2, 1]));
        ledger.add(row(0, 0, &[0, 1], &[1, 2]));
        assert!(!ledger.is_group_over(of.group));
        ledger.add(row(0, 1, &[1, 0], &[1, 2]));
        assert!(ledger.is_group_over(of.group));
        let (_, rows) = ledger.next_complete().unwrap();
        assert!(ledger.is_group_over(of.group));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].places(), [2, 1], "the first that counts");
    }

    #[test]
    fn a_group_with_an_excluded_match_is_passed_over() {
        let mut ledger = ledger(2);
        let mut faulty = row(0, 0, &[0, 1], &[1, 2]);
        faulty.annulled = Some(Annulled {
            because: AnnulledBecause::BotFault,
            detail: "late".to_owned(),
        });
        ledger.add(faulty);
        assert!(ledger.is_group_over(GroupNumber(0)));
        for number in 0..2 {
            ledger.add(row(1, number, &[0, 1], &[1, 2]));
        }
        assert_eq!(taken(&mut ledger), [1]);
    }
}
