//! Plans a contest's groups and matches, and estimates how many groups it needs.

use bridgemaster_contest::{
    ExpectedGroups, GroupScore, Hypotheses, SequentialTest, Verdict, expected_groups,
    schedule::{self, BotNumber, Group},
    typical_deviation,
};

use crate::{
    ContestSpec, Format, GroupNumber, MatchRow, Seeds, SpecError, TestSpec, seeds::GroupSeeds,
};

/// The maximum number of groups for which a verdict is forecast.
const MAX_FORECAST_GROUPS: u64 = 100_000;

/// A group that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedGroup {
    pub(crate) number: GroupNumber,
    pub(crate) seed: String,
    /// For each match, the bot in each seat.
    pub(crate) seatings: Vec<Vec<BotNumber>>,
}

/// The result of planning a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NextGroup {
    /// The group is planned.
    Group(PlannedGroup),
    /// The group depends on the results of earlier groups, which are incomplete.
    Pending,
    /// There is no group with this number.
    End,
}

/// Plans a contest's groups.
#[derive(Debug)]
pub(crate) struct Planner {
    seeds: GroupSeeds,
    tables: Tables,
    planned: u64,
}

#[derive(Debug)]
enum Tables {
    /// The seatings of each group in one round, for a contest that repeats the same round.
    Round(Vec<Vec<Vec<BotNumber>>>),
    Swiss(Swiss),
}

impl Planner {
    /// Creates the plan for a valid spec with these seeds.
    pub(crate) fn new(spec: &ContestSpec, seeds: &Seeds) -> Self {
        let seeds = GroupSeeds::new(seeds);
        let seats = usize::from(spec.rules.seats);
        let bots = spec.bots.len();
        let seatings = |group: Group| group.seatings;
        let round = |groups: Vec<Group>| groups.into_iter().map(seatings).collect::<Vec<_>>();
        let candidate = spec.candidate().unwrap_or(0);
        let (tables, max_groups) = match &spec.format {
            Format::Series => {
                let table: Vec<BotNumber> = (0..bots).collect();
                let group = Group::rotated(&table);
                (Tables::Round(vec![group.seatings]), max_groups(spec))
            }
            Format::Candidate { .. } => {
                let against = spec.benchmarks();
                let groups = schedule::gauntlet(candidate, &against, seats);
                let matches = groups.into_iter().flat_map(seatings).collect();
                (Tables::Round(vec![matches]), max_groups(spec))
            }
            Format::RoundRobin { rounds } => {
                let tables = round(schedule::round_robin(bots, seats));
                let max_groups = u64::from(*rounds) * tables.len() as u64;
                (Tables::Round(tables), max_groups)
            }
            Format::Gauntlet { rounds, .. } => {
                let others: Vec<BotNumber> = (0..bots).filter(|bot| *bot != candidate).collect();
                let tables = round(schedule::gauntlet(candidate, &others, seats));
                let max_groups = u64::from(*rounds) * tables.len() as u64;
                (Tables::Round(tables), max_groups)
            }
            Format::Fork { seating, times, .. } => {
                let number = |name: &String| spec.bot_number(name).unwrap_or(0);
                let table = seating.iter().map(number).collect();
                (Tables::Round(vec![vec![table]]), u64::from(*times))
            }
            Format::Swiss { rounds } => {
                let swiss = Swiss::new(bots, seats);
                let max_groups = u64::from(*rounds) * swiss.tables_per_round;
                (Tables::Swiss(swiss), max_groups)
            }
        };
        Self { planned: seeds.count().unwrap_or(u64::MAX).min(max_groups), seeds, tables }
    }

    /// Returns the maximum number of groups.
    pub(crate) fn planned(&self) -> u64 {
        self.planned
    }

    /// Returns the number of groups that were skipped because they would repeat an earlier group.
    pub(crate) fn skipped_groups(&self) -> u64 {
        self.seeds.duplicates
    }

    /// Returns the number of matches in a group; `None` if it is not known yet or the group does
    /// not exist.
    pub(crate) fn matches_of(&self, number: GroupNumber) -> Option<u32> {
        u32::try_from(self.seatings(number)?.len()).ok()
    }

    /// Returns the seatings of a group's matches; `None` if they are not known yet or the group
    /// does not exist.
    fn seatings(&self, number: GroupNumber) -> Option<&Vec<Vec<BotNumber>>> {
        if number.0 >= self.planned {
            return None;
        }
        match &self.tables {
            // The index is less than the number of tables.
            Tables::Round(tables) => tables.get((number.0 % tables.len().max(1) as u64) as usize),
            Tables::Swiss(swiss) => swiss.paired.get(usize::try_from(number.0).ok()?),
        }
    }

    /// Returns the group with this number.
    pub(crate) fn group(&self, number: GroupNumber) -> NextGroup {
        let seed = self.seeds.group_seed(number.0);
        match (seed.filter(|_| number.0 < self.planned), self.seatings(number)) {
            (Some(seed), Some(seatings)) => {
                NextGroup::Group(PlannedGroup { number, seed, seatings: seatings.clone() })
            }
            (Some(_), None) if matches!(self.tables, Tables::Swiss(_)) => NextGroup::Pending,
            _ => NextGroup::End,
        }
    }

    /// Records a group's results, on which the next round of a Swiss contest depends. Groups must
    /// be passed in order of their numbers.
    pub(crate) fn record_group(&mut self, rows: &[MatchRow]) {
        if let Tables::Swiss(swiss) = &mut self.tables {
            swiss.record_group(rows);
        }
    }
}

fn max_groups(spec: &ContestSpec) -> u64 {
    spec.test().map_or(0, |test| test.max_groups())
}

/// The rounds that have been paired so far in a Swiss contest.
#[derive(Debug)]
struct Swiss {
    seats: usize,
    tables_per_round: u64,
    scores: Vec<f64>,
    byes: Vec<u32>,
    met: Vec<Vec<u32>>,
    /// The tables in all rounds that have been paired.
    paired: Vec<Vec<Vec<BotNumber>>>,
    counted: u64,
}

impl Swiss {
    fn new(bots: usize, seats: usize) -> Self {
        let mut swiss = Self {
            seats,
            tables_per_round: (bots / seats.max(1)) as u64,
            scores: vec![0.0; bots],
            byes: vec![0; bots],
            met: vec![vec![0; bots]; bots],
            paired: Vec::new(),
            counted: 0,
        };
        swiss.pair_round();
        swiss
    }

    fn pair_round(&mut self) {
        let met = |one: BotNumber, other: BotNumber| self.met[one][other];
        let (groups, with_bye) = schedule::swiss_round(&self.scores, &self.byes, met, self.seats);
        for bot in with_bye {
            self.byes[bot] += 1;
            // A bye counts as an average result. The scores decide only who plays whom.
            self.scores[bot] += 0.5;
        }
        for group in groups {
            for one in &group.seatings[0] {
                for other in group.seatings[0].iter().filter(|other| *other != one) {
                    self.met[*one][*other] += 1;
                }
            }
            self.paired.push(group.seatings);
        }
    }

    fn record_group(&mut self, rows: &[MatchRow]) {
        for row in rows {
            let places = row.places();
            for (seat, bot) in row.seats.iter().map(|seat| seat.bot).enumerate() {
                let fraction = bridgemaster_contest::beat_fraction(&places, seat);
                self.scores[bot] += fraction.unwrap_or(0.5) / rows.len() as f64;
            }
        }
        self.counted += 1;
        if self.counted.is_multiple_of(self.tables_per_round.max(1)) {
            self.pair_round();
        }
    }
}

impl ContestSpec {
    /// Returns the expected number of groups that the test needs, for games that rarely tie; `None`
    /// without a test.
    ///
    /// # Errors
    /// Returns an error if the bounds or the error rates are not valid.
    pub fn forecast(&self) -> Result<Option<ExpectedGroups>, SpecError> {
        let hypotheses = self.hypotheses()?;
        Ok(hypotheses.map(|hypotheses| expected_groups(&hypotheses, self.typical_deviation())))
    }

    /// Returns the number of groups after which the test decides if the candidate's mean score
    /// stays `score`, with a deviation that is typical for this mean; `None` without a test, or
    /// without a verdict before the last group.
    ///
    /// # Errors
    /// Returns an error if the bounds or the error rates are not valid.
    pub fn forecast_at(&self, score: f64) -> Result<Option<u64>, SpecError> {
        let Some(mut test) = self.hypotheses()?.map(SequentialTest::new) else {
            return Ok(None);
        };
        // The deviation vanishes at the scores 0 and 1.
        let deviation = self.typical_deviation() * 2.0 * (score * (1.0 - score)).max(0.0).sqrt();
        for group in 1..=max_groups(self).min(MAX_FORECAST_GROUPS) {
            let sign = if group.is_multiple_of(2) { -1.0 } else { 1.0 };
            let score = GroupScore::new((score + sign * deviation).clamp(0.0, 1.0))?;
            if test.record(score) != Verdict::Undecided {
                return Ok(Some(group));
            }
        }
        Ok(None)
    }

    fn hypotheses(&self) -> Result<Option<Hypotheses>, SpecError> {
        match self.test() {
            Some(test) => test.hypotheses(self.matches_per_group()),
            None => Ok(None),
        }
    }

    /// Returns the standard deviation of a group's score, for games that rarely tie. With several
    /// benchmarks, a group has more matches, so the deviation is smaller.
    fn typical_deviation(&self) -> f64 {
        let (seats, matches) = (u32::from(self.rules.seats), self.matches_per_group().max(1));
        typical_deviation(seats) * (f64::from(seats) / f64::from(matches)).sqrt()
    }

    /// Returns a contest with the same bots but only one group or round, to measure how long it
    /// takes.
    pub fn shortest(&self) -> Self {
        let mut short = self.clone();
        short.require.clear();
        match &mut short.format {
            Format::Series | Format::Candidate { .. } => {
                short.test = Some(TestSpec::Fixed { groups: 1 });
            }
            Format::RoundRobin { rounds }
            | Format::Gauntlet { rounds, .. }
            | Format::Swiss { rounds } => *rounds = 1,
            Format::Fork { times, .. } => *times = 1,
        }
        short
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{TestSpec, samples_for_tests::spec_of};

    fn group(planner: &Planner, number: u64) -> PlannedGroup {
        match planner.group(GroupNumber(number)) {
            NextGroup::Group(group) => group,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_candidate_takes_each_seat_once_against_each_benchmark_with_one_seed() {
        let format = Format::Candidate {
            candidate: "bot1".to_owned(),
            against: vec!["bot0".to_owned(), "bot2".to_owned()],
        };
        let spec = spec_of(3, 4, format);
        spec.validate().unwrap();
        let planner = Planner::new(&spec, &Seeds::From("s".to_owned()));
        let group = group(&planner, 7);
        assert_eq!(group.seatings.len(), 8);
        assert_eq!(spec.matches_per_group(), 8);
        let seats: HashSet<(usize, usize)> = group
            .seatings
            .iter()
            .map(|bots| {
                let seat = bots.iter().position(|bot| *bot == 1).unwrap();
                (seat, bots[(seat + 1) % 4])
            })
            .collect();
        assert_eq!(seats.len(), 8);
    }

    #[test]
    fn matches_of_a_contest_differ_in_seed_or_seating() {
        let listed = ["a", "b", "a", "b", "c"].map(str::to_owned).to_vec();
        let mut spec = spec_of(2, 2, Format::Series);
        spec.test = Some(TestSpec::Fixed { groups: 10 });
        let planner = Planner::new(&spec, &Seeds::Listed(listed));
        assert_eq!((planner.planned(), planner.skipped_groups()), (3, 2));
        let mut seen = HashSet::new();
        for number in 0..3 {
            let group = group(&planner, number);
            for seating in &group.seatings {
                assert!(seen.insert((group.seed.clone(), seating.clone())));
            }
        }
        assert_eq!(planner.group(GroupNumber(3)), NextGroup::End);
    }

    #[test]
    fn the_forecast_depends_on_the_score() {
        let mut spec = spec_of(2, 2, Format::Series);
        let groups = [0.0, 0.5, 0.6, 1.0].map(|score| spec.forecast_at(score).unwrap());
        let [lost, even, better, won] = groups.map(Option::unwrap);
        assert!(won <= 10 && lost <= 10, "{groups:?}");
        assert!((11..even).contains(&better), "{groups:?}");
        spec.test = Some(TestSpec::Fixed { groups: 9 });
        assert_eq!(spec.forecast_at(1.0), Ok(None));
    }

    #[test]
    fn a_swiss_round_is_paired_after_the_previous_round() {
        let planner =
            Planner::new(&spec_of(4, 2, Format::Swiss { rounds: 2 }), &Seeds::From("s".to_owned()));
        assert_eq!(planner.planned(), 4);
        assert!(matches!(planner.group(GroupNumber(1)), NextGroup::Group(_)));
        assert_eq!(planner.group(GroupNumber(2)), NextGroup::Pending);
    }

    #[test]
    fn a_match_count_is_known_exactly_for_planned_groups() {
        let swiss = spec_of(4, 2, Format::Swiss { rounds: 2 });
        let rounds = spec_of(3, 2, Format::RoundRobin { rounds: 2 });
        for spec in [swiss, rounds] {
            let planner = Planner::new(&spec, &Seeds::From("s".to_owned()));
            for number in (0..planner.planned() + 2).map(GroupNumber) {
                let matches = match planner.group(number) {
                    NextGroup::Group(group) => Some(group.seatings.len() as u32),
                    NextGroup::Pending | NextGroup::End => None,
                };
                assert_eq!(planner.matches_of(number), matches, "{number}");
            }
        }
    }
}
