//! A contest as far as it has come: finished matches in, verdict, table and report out.

use std::path::PathBuf;

use bridgemaster_contest::ContestError;

use crate::{
    Comparison, ContestSpec, Counts, Exit, FaultCounting, IntervalReport, MatchRow, Measure,
    REPORT_VERSION, Report, Requirement, RequirementReport, Seeds, SpecError, VerdictKind,
    figures::{CountedGroup, Figures},
    judge::Judge,
    ledger::Ledger,
    plan::{Next, Planner},
    row::AnnulledBecause,
};

/// A contest as far as it has come.
#[derive(Debug)]
pub struct Standing {
    spec: ContestSpec,
    folder: PathBuf,
    ledger: Ledger,
    judge: Option<Judge>,
    counted: Vec<CountedGroup>,
    rules_version: Option<u32>,
    elapsed_ms: u64,
    forfeited: u64,
    /// The first fault of a bot in a contest that allows none, in the order of the groups, as a
    /// sentence.
    fault: Option<String>,
}

impl Standing {
    /// A contest of which nothing was played yet, kept in this folder. A spec without seeds has the
    /// seed of an empty text. One that leaves out how often a bot is started again gets that filled
    /// in.
    ///
    /// # Errors
    /// Those of [`ContestSpec::check`].
    pub fn new(mut spec: ContestSpec, folder: PathBuf) -> Result<Self, SpecError> {
        spec.check()?;
        spec.restarts = Some(spec.restarts());
        let none = Seeds::From(String::new());
        let planner = Planner::new(&spec, spec.seeds.as_ref().unwrap_or(&none));
        let judge = Judge::new(&spec)?;
        Ok(Self {
            spec,
            folder,
            ledger: Ledger::new(planner),
            judge,
            counted: Vec::new(),
            rules_version: None,
            elapsed_ms: 0,
            forfeited: 0,
            fault: None,
        })
    }

    /// What the contest is.
    #[must_use]
    pub fn spec(&self) -> &ContestSpec {
        &self.spec
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Takes in a finished match, and all groups that are complete with it.
    ///
    /// # Errors
    /// When the results make no sense to the statistics, as none of a referee does.
    pub fn add(&mut self, row: MatchRow) -> Result<(), ContestError> {
        if row.rules_version > 0 {
            self.rules_version = Some(row.rules_version);
        }
        self.elapsed_ms = self.elapsed_ms.max(row.elapsed_ms);
        self.ledger.add(row);
        while !self.has_decided() && self.fault.is_none() {
            let Some((group, rows)) = self.ledger.next_complete() else {
                break;
            };
            // In the order of the groups, as all else: which match ends first decides nothing.
            if self.spec.faults == FaultCounting::Fail {
                self.fault = rows.iter().find_map(|row| self.fault_of(row));
            }
            if let Some(judge) = &mut self.judge {
                judge.record(group, &rows)?;
            }
            self.forfeited += rows.iter().filter(|row| row.has_forfeit()).count() as u64;
            self.counted.push((group, rows));
        }
        Ok(())
    }

    /// A fault of a bot in a match, as a sentence; none in a match that was annulled.
    fn fault_of(&self, row: &MatchRow) -> Option<String> {
        let faulty = row.seats.iter().find(|seat| seat.has_fault())?;
        let name = self.spec.bots.get(faulty.bot)?.name.as_str();
        let fault = faulty.faults.first();
        let fault = fault.map_or_else(String::new, |fault| {
            format!(": {}, {}", fault.reason, fault.detail)
        });
        let sentence = format!("{name} had a fault in match {}{fault}", row.of);
        row.counts().then_some(sentence)
    }

    /// The fault of a bot that ended a contest which allows none, as a sentence.
    pub(crate) fn ended_by_fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether the verdict has fallen: nothing more is to be played.
    #[must_use]
    pub fn has_decided(&self) -> bool {
        self.judge.as_ref().is_some_and(Judge::has_decided)
    }

    /// Whether nothing is left to play: the verdict has fallen, all groups were played that there
    /// are, or a bot had a fault where none is allowed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let next = self.ledger.planner().group(self.ledger.next_group());
        self.has_decided() || self.fault.is_some() || next == Next::End
    }

    /// What the test says; [`VerdictKind::None`] where there is none.
    #[must_use]
    pub fn verdict(&self) -> VerdictKind {
        self.judge
            .as_ref()
            .map_or(VerdictKind::None, Judge::verdict)
    }

    /// Groups that count.
    #[must_use]
    pub fn groups(&self) -> u64 {
        self.counted.len() as u64
    }

    /// Matches of the groups that count.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.counted.iter().map(|(_, rows)| rows.len() as u64).sum()
    }

    /// Matches of the groups that count in which a seat was forfeited.
    #[must_use]
    pub fn forfeited_matches(&self) -> u64 {
        self.forfeited
    }

    /// Matches that were finished and not annulled, whether they count yet or not.
    #[must_use]
    pub fn finished_matches(&self) -> u64 {
        self.ledger.finished()
    }

    /// Matches that were annulled and are played again.
    #[must_use]
    pub fn annulled_matches(&self) -> u64 {
        [
            AnnulledBecause::RefereeLag,
            AnnulledBecause::ServerCrash,
            AnnulledBecause::Declined,
        ]
        .map(|because| self.ledger.annulled(because))
        .iter()
        .sum()
    }

    /// Most groups that there can be.
    #[must_use]
    pub fn planned_groups(&self) -> u64 {
        self.ledger.planner().planned()
    }

    /// Time played until the last match was finished, in ms.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.elapsed_ms
    }

    /// The matches of the groups that count, in the order of the groups.
    pub fn counted(&self) -> impl Iterator<Item = &MatchRow> {
        self.counted.iter().flat_map(|(_, rows)| rows)
    }

    /// All that any output shows, with how the contest ended.
    #[must_use]
    pub fn report(&self, exit: Exit) -> Report {
        let figures = Figures::of(&self.spec, &self.counted);
        let mut bots = figures.table();
        for worst in bots.iter_mut().flat_map(|bot| &mut bot.worst) {
            // A group that was half played when its server went has none.
            let replay = worst.replay.take();
            worst.replay = replay.filter(|name| self.folder.join(name).exists());
        }
        Report {
            report_version: REPORT_VERSION,
            spec: self.spec.clone(),
            folder: self.folder.clone(),
            rules_version: self.rules_version,
            exit,
            verdict: self.judge.as_ref().map(Judge::report),
            bots,
            rating_errors: figures.rating_errors(),
            series: self
                .judge
                .as_ref()
                .map_or_else(Vec::new, |judge| judge.series().to_vec()),
            counts: self.counts(),
            requirements: self.requirements(&figures),
            elapsed_ms: self.elapsed_ms,
        }
    }

    /// Requirements and whether they hold.
    #[must_use]
    pub fn requirements_now(&self) -> Vec<RequirementReport> {
        self.requirements(&Figures::of(&self.spec, &self.counted))
    }

    fn counts(&self) -> Counts {
        let matches = self.matches();
        let faults = self.counted().flat_map(|row| &row.seats);
        Counts {
            groups: self.groups(),
            planned_groups: Some(self.planned_groups()),
            matches,
            surplus_matches: self.ledger.finished().saturating_sub(matches),
            annulled_for_referee_lag: self.ledger.annulled(AnnulledBecause::RefereeLag),
            annulled_for_server_crash: self.ledger.annulled(AnnulledBecause::ServerCrash),
            annulled_for_bot_fault: self.ledger.annulled(AnnulledBecause::BotFault),
            annulled_for_decline: self.ledger.annulled(AnnulledBecause::Declined),
            repeated_groups: self.ledger.planner().repeated(),
            forfeited_matches: self.forfeited,
            faults: faults.map(|seat| u64::from(seat.fault_count)).sum(),
            decisions: self.counted().map(|row| u64::from(row.decisions)).sum(),
        }
    }

    fn requirements(&self, figures: &Figures<'_>) -> Vec<RequirementReport> {
        let required = self.spec.require.iter();
        required
            .filter_map(|required| self.requirement(figures, required))
            .collect()
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
        let judge = self.judge.as_ref();
        let judge = judge.filter(|_| self.spec.candidate() == Some(bot));
        let judged = judge.and_then(|judge| judge.elo(level));
        let figure = match (required.measure, judged) {
            (Measure::Elo, Some((elo, _))) => Some(elo),
            (Measure::Superiority, Some((_, superiority))) => Some(IntervalReport {
                estimate: superiority,
                low: superiority,
                high: superiority,
            }),
            _ if self.counted.is_empty() => None,
            (measure, _) => figures.figure(bot, measure, level),
        };
        let end = required
            .level
            .and(figure)
            .map(|figure| match required.comparison {
                Comparison::AtLeast => figure.low,
                Comparison::AtMost => figure.high,
            });
        let decisive = end.or(figure.map(|figure| figure.estimate));
        let is_met = decisive.is_some_and(|decisive| match required.comparison {
            Comparison::AtLeast => decisive >= required.bound,
            Comparison::AtMost => decisive <= required.bound,
        });
        Some(RequirementReport {
            text: required.to_string(),
            bot,
            is_met,
            estimate: figure.map(|figure| figure.estimate),
            interval_end: end,
        })
    }
}
