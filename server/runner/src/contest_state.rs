//! A contest's state: collects finished matches, and derives the verdict, the table and the report.

use std::path::{Path, PathBuf};

use bridgemaster_contest::ContestError;

use crate::{
    Comparison, ContestSpec, Counts, EloReport, Exit, FaultCounting, Identity, IntervalReport,
    MatchRow, Measure, REPORT_VERSION, RefusedCallsReport, Report, Requirement, RequirementReport,
    Seeds, SpecError, VerdictKind, VerdictReport,
    figures::{CountedGroup, Figures},
    judge::Judge,
    own_server::{add_late_refused, add_refused},
    plan::{NextGroup, Planner},
    results::Results,
    row::{AnnulmentCause, RefusedCalls},
};

/// A contest's state after the matches finished so far.
#[derive(Debug)]
pub struct ContestState {
    spec: ContestSpec,
    folder: PathBuf,
    results: Results,
    judge: Option<Judge>,
    counted: Vec<CountedGroup>,
    rules_version: Option<u32>,
    elapsed_ms: u64,
    forfeited: u64,
    /// The refused calls in all matches, including matches that do not count.
    refused_calls: Vec<RefusedCallsReport>,
    /// A description of the first bot fault, in order of the groups. Set only if a fault ends the
    /// contest.
    fault: Option<String>,
    identity: Identity,
}

impl ContestState {
    /// Creates the state of a new contest in this folder. If the spec has no seeds, they are
    /// derived from the empty string. An omitted number of restarts is set to its default.
    ///
    /// # Errors
    /// Returns the errors of [`ContestSpec::validate`].
    pub fn new(mut spec: ContestSpec, folder: PathBuf) -> Result<Self, SpecError> {
        spec.validate()?;
        spec.restarts = Some(spec.restarts());
        let none = Seeds::From(String::new());
        let planner = Planner::new(&spec, spec.seeds.as_ref().unwrap_or(&none));
        let judge = Judge::new(&spec)?;
        Ok(Self {
            spec,
            folder,
            results: Results::new(planner),
            judge,
            counted: Vec::new(),
            rules_version: None,
            elapsed_ms: 0,
            forfeited: 0,
            refused_calls: Vec::new(),
            fault: None,
            identity: Identity::default(),
        })
    }

    /// Returns the contest's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the spec, in which the number of restarts is always set.
    pub fn spec(&self) -> &ContestSpec {
        &self.spec
    }

    pub(crate) fn results(&self) -> &Results {
        &self.results
    }

    /// Adds a finished match, and counts the groups that it completes.
    ///
    /// # Errors
    /// Returns an error if a result is not valid for the statistics. The results of a referee are
    /// always valid.
    pub fn add(&mut self, row: MatchRow) -> Result<(), ContestError> {
        if row.rules_version > 0 {
            self.rules_version = Some(row.rules_version);
        }
        self.record_time(row.elapsed_ms);
        add_refused(&mut self.refused_calls, &self.spec, &row);
        self.results.add(row);
        while !self.has_decided() && self.fault.is_none() {
            let Some((group, rows)) = self.results.next_complete() else {
                break;
            };
            // Faults are examined in the order of the groups, so the result does not depend on the
            // order in which matches finish.
            if self.spec.faults == FaultCounting::Fail {
                self.fault = rows.iter().find_map(|row| self.describe_fault(row));
            }
            if let Some(judge) = &mut self.judge {
                judge.record(group, &rows)?;
            }
            self.forfeited += rows.iter().filter(|row| row.has_forfeit()).count() as u64;
            self.counted.push((group, rows));
        }
        Ok(())
    }

    /// Adds calls that were refused after their match's result was known.
    pub(crate) fn add_late_refused(&mut self, late: Vec<(Option<String>, RefusedCalls)>) {
        let rows = self.counted.iter().flat_map(|(_, rows)| rows);
        add_late_refused(&mut self.refused_calls, &self.spec, rows, late);
    }

    /// Describes the first bot fault in a match; `None` for an annulled match.
    fn describe_fault(&self, row: &MatchRow) -> Option<String> {
        let faulty = row.seats.iter().find(|seat| seat.has_fault())?;
        let name = self.spec.bots.get(faulty.bot)?.name.as_str();
        let fault = faulty.faults.first();
        let fault =
            fault.map_or_else(String::new, |fault| format!(": {}, {}", fault.reason, fault.detail));
        let sentence = format!("{name} had a fault in match {}{fault}", row.of);
        row.counts().then_some(sentence)
    }

    /// Describes the bot fault that ended the contest, if one did.
    pub(crate) fn ended_by_fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Returns whether the test has reached a verdict.
    pub fn has_decided(&self) -> bool {
        self.judge.as_ref().is_some_and(Judge::has_decided)
    }

    /// Returns whether nothing is left to play: the test has a verdict, all groups have been
    /// played, or a bot had a fault that ends the contest.
    pub fn is_complete(&self) -> bool {
        let next = self.results.planner.group(self.results.next);
        self.has_decided() || self.fault.is_some() || next == NextGroup::End
    }

    /// Returns the test's verdict; [`VerdictKind::None`] without a test.
    pub fn verdict(&self) -> VerdictKind {
        self.judge.as_ref().map_or(VerdictKind::None, Judge::verdict)
    }

    /// Returns the number of counted groups.
    pub fn groups(&self) -> u64 {
        self.counted.len() as u64
    }

    /// Returns the number of matches in counted groups.
    pub fn matches(&self) -> u64 {
        self.counted.iter().map(|(_, rows)| rows.len() as u64).sum()
    }

    /// Returns the number of counted matches with at least one forfeited seat.
    pub fn forfeited_matches(&self) -> u64 {
        self.forfeited
    }

    /// Returns the number of finished matches that were not annulled, including those that do not
    /// count.
    pub fn finished_matches(&self) -> u64 {
        self.results.finished
    }

    /// Returns the maximum number of groups.
    pub fn planned_groups(&self) -> u64 {
        self.results.planner.planned()
    }

    /// Returns the total time of all runs, in ms, up to the last finished match or the failure of a
    /// bot.
    pub fn elapsed_ms(&self) -> u64 {
        self.elapsed_ms
    }

    /// Returns the matches in the groups that count, in order of the groups.
    pub fn counted(&self) -> impl Iterator<Item = &MatchRow> {
        self.counted.iter().flat_map(|(_, rows)| rows)
    }

    /// Records the total time of all runs, in ms.
    pub(crate) fn record_time(&mut self, elapsed_ms: u64) {
        self.elapsed_ms = self.elapsed_ms.max(elapsed_ms);
    }

    /// Creates the contest's report with this exit.
    pub fn report(&self, exit: Exit) -> Report {
        let figures = self.figures();
        let mut bots = figures.table();
        for worst in bots.iter_mut().flat_map(|bot| &mut bot.worst) {
            // If the server stopped while a group was incomplete, the replays of the group are
            // lost.
            let replay = worst.replay.take();
            worst.replay = replay.filter(|name| self.folder.join(name).exists());
        }
        Report {
            report_version: REPORT_VERSION,
            spec: self.spec.clone(),
            folder: self.folder.clone(),
            rules_version: self.rules_version,
            exit,
            verdict: self.judge.as_ref().map(|judge| VerdictReport {
                elo: self.spec.candidate().and_then(|bot| figures.elo(bot, self.spec.level)),
                ..judge.report()
            }),
            bots,
            pairs: figures.pairs(),
            series: self.judge.as_ref().map_or_else(Vec::new, |judge| judge.series().to_vec()),
            counts: self.counts(),
            requirements: self.requirements(&figures),
            refused_calls: self.refused_calls.clone(),
            elapsed_ms: self.elapsed_ms,
            isolation: {
                let seats = self.counted().flat_map(|row| &row.seats);
                seats.filter_map(|seat| seat.isolation).min()
            },
            identity: self.identity.clone(),
        }
    }

    /// Sets the contest's provenance for the report.
    pub(crate) fn set_identity(&mut self, identity: Identity) {
        self.identity = identity;
    }

    /// Returns the requirements and whether they are met.
    pub fn requirements_now(&self) -> Vec<RequirementReport> {
        self.requirements(&self.figures())
    }

    fn figures(&self) -> Figures<'_> {
        Figures::compute(&self.spec, &self.counted, self.judge.as_ref())
    }

    fn counts(&self) -> Counts {
        let matches = self.matches();
        let faults = self.counted().flat_map(|row| &row.seats);
        Counts {
            groups: self.groups(),
            planned_groups: Some(self.planned_groups()),
            matches,
            surplus_matches: self.results.finished.saturating_sub(matches),
            annulled_for_referee_lag: self.results.annulled(AnnulmentCause::RefereeLag),
            annulled_for_server_crash: self.results.annulled(AnnulmentCause::ServerCrash),
            annulled_for_bot_fault: self.results.annulled(AnnulmentCause::BotFault),
            annulled_for_decline: self.results.annulled(AnnulmentCause::Declined),
            repeated_groups: self.results.planner.skipped_groups(),
            forfeited_matches: self.forfeited,
            faults: faults.map(|seat| u64::from(seat.fault_count)).sum(),
            decisions: self.counted().map(|row| u64::from(row.decisions)).sum(),
        }
    }

    fn requirements(&self, figures: &Figures<'_>) -> Vec<RequirementReport> {
        let required = self.spec.require.iter();
        required.filter_map(|required| self.requirement(figures, required)).collect()
    }

    fn requirement(
        &self,
        figures: &Figures<'_>,
        required: &Requirement,
    ) -> Option<RequirementReport> {
        let bot = match &required.bot {
            Some(name) => self.spec.bot_number(name)?,
            None => self.spec.candidate()?,
        };
        let level = required.level.unwrap_or(self.spec.level);
        let figure = match required.measure {
            _ if self.counted.is_empty() => None,
            Measure::Elo => figures.elo(bot, level),
            Measure::Superiority => {
                let judge = self.judge.as_ref();
                let judge = judge.filter(|_| self.spec.candidate() == Some(bot));
                let superiority = judge.and_then(|judge| Some(judge.elo(level)?.1));
                superiority.map(|superiority| IntervalReport::from_estimate(superiority).into())
            }
            measure => figures.figure(bot, measure, level).map(EloReport::from),
        };
        // An unbounded estimate is compared by the interval's end: a bot that has won everything is
        // only known to be at least that strong.
        let estimate = figure.and_then(|figure| figure.estimate);
        // Without a spread, as after one group or with equal margins, there is no interval.
        let figure = figure.filter(|figure| figure.low != figure.high);
        let end = figure.filter(|_| required.level.is_some() || estimate.is_none());
        let end = end.and_then(|figure| match required.comparison {
            Comparison::AtLeast => figure.low,
            Comparison::AtMost => figure.high,
        });
        let decisive = if required.level.is_some() { end } else { estimate.or(end) };
        let is_met = decisive.is_some_and(|decisive| match required.comparison {
            Comparison::AtLeast => decisive >= required.bound,
            Comparison::AtMost => decisive <= required.bound,
        });
        Some(RequirementReport {
            text: required.to_string(),
            bot,
            is_met,
            estimate,
            interval_end: end,
        })
    }
}

/// An event of a running contest.
#[derive(Debug)]
pub enum ContestEvent<'a> {
    /// The contest starts or resumes.
    Started {
        /// The maximum number of concurrent matches.
        concurrency: usize,
    },
    /// A match was finished or annulled, and has been stored.
    MatchFinished(&'a MatchRow),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TestSpec,
        samples_for_tests::{row, spec},
    };

    #[test]
    fn a_requirement_with_a_level_is_not_met_without_an_interval() {
        let mut spec = spec(TestSpec::Fixed { groups: 20 });
        let texts = ["score>=0.5@95%", "win_rate>=0.5@95%", "place<=1.5@95%", "margin>=0@95%"];
        spec.require = texts.iter().map(|text| text.parse().unwrap()).collect();
        let mut state = ContestState::new(spec, PathBuf::new()).unwrap();
        let mut met_after = |groups: std::ops::Range<u64>| {
            for group in groups {
                for (number, bots, places) in [(0, [0, 1], [1, 2]), (1, [1, 0], [2, 1])] {
                    state.add(row(group, number, &bots, &places)).unwrap();
                }
            }
            let requirements = state.requirements_now().into_iter();
            requirements.map(|requirement| requirement.is_met).collect::<Vec<_>>()
        };
        assert_eq!(met_after(0..1), [false; 4]);
        // All margins are equal, which gives no interval after any number of groups.
        assert_eq!(met_after(1..10), [true, true, true, false]);
    }
}
