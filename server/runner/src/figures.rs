//! Statistics for each bot, computed from the groups that count.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use bridgemaster_contest::{
    Estimate, GroupScore, GroupScores, RankRange, mean_with_interval, rank_ranges,
    schedule::BotNumber,
};

use crate::{
    BotEnd, BotReport, ContestSpec, EloReport, GroupNumber, IntervalReport, MatchRow, Measure,
    PairReport, Player, RanksReport, SeatReport, WorstMatch, WorstMatchReason, judge::Judge,
};

/// The number of worst matches listed per bot.
const WORST_MATCHES: usize = 5;
/// A group that counts: its number and its matches.
pub(crate) type CountedGroup = (GroupNumber, Vec<MatchRow>);

/// A bot's results and statistics.
#[derive(Debug, Default)]
struct BotFigures {
    scores: Vec<f64>,
    win_rates: Vec<f64>,
    /// The places in the matches, scaled to the range from 0 for the first place to 1 for the last.
    places: Vec<f64>,
    margins: Vec<f64>,
    /// The sum of the scores in each seat.
    seat_points: Vec<f64>,
    by_reason: BTreeMap<String, u64>,
    thinking_us: u64,
    cpu_time_ms: Vec<u64>,
    /// The totals and extremes over all seats. The report's other fields are set from the fields
    /// above.
    total: BotReport,
}

/// The statistics of all bots, computed from the groups that count.
pub(crate) struct Figures<'a> {
    spec: &'a ContestSpec,
    bots: Vec<BotFigures>,
    ranks: Vec<Option<RankRange>>,
    pairs: BTreeMap<(BotNumber, BotNumber), PairReport>,
    /// The judge of a contest with a sequential test, whose Elo is corrected for optional stopping.
    judge: Option<&'a Judge>,
}

impl<'a> Figures<'a> {
    pub(crate) fn compute(
        spec: &'a ContestSpec,
        groups: &[CountedGroup],
        judge: Option<&'a Judge>,
    ) -> Self {
        let mut bots: Vec<BotFigures> = spec.bots.iter().map(|_| BotFigures::default()).collect();
        let (mut scores, mut pairs) = (Vec::with_capacity(groups.len()), BTreeMap::new());
        for (_, rows) in groups {
            let mut in_group = Vec::new();
            for (bot, figures) in bots.iter_mut().enumerate() {
                in_group.extend(figures.record(bot, rows).map(|score| (bot, score)));
            }
            scores.push(in_group);
            rows.iter().for_each(|row| record_pairs(&mut pairs, row));
        }
        for figures in &mut bots {
            figures.total.worst.sort_by_key(worst_first_key);
            figures.total.worst.truncate(WORST_MATCHES);
        }
        let ranks = rank_ranges(bots.len(), &scores, spec.level);
        Self { spec, bots, ranks, pairs, judge: judge.filter(|judge| judge.has_test()) }
    }

    /// Returns the results between each two bots.
    pub(crate) fn pairs(&self) -> Vec<PairReport> {
        self.pairs.values().copied().collect()
    }

    /// Returns the bots, best first.
    pub(crate) fn table(&self) -> Vec<BotReport> {
        let level = self.spec.level;
        let mut reports: Vec<BotReport> =
            (0..self.bots.len()).map(|bot| self.report(bot, level)).collect();
        let score = |report: &BotReport| report.score.map_or(-1.0, |score| score.estimate);
        reports.sort_by(|one, other| {
            score(other).total_cmp(&score(one)).then(one.bot.cmp(&other.bot))
        });
        reports
    }

    /// Returns a bot's value of a measure other than Elo, with an interval at this level.
    pub(crate) fn figure(
        &self,
        bot: BotNumber,
        measure: Measure,
        level: f64,
    ) -> Option<IntervalReport> {
        let figures = self.bots.get(bot)?;
        match measure {
            Measure::Score => share(&figures.scores, level),
            Measure::WinRate => share(&figures.win_rates, level),
            Measure::Place => {
                let last = f64::from(self.spec.rules.seats.max(2) - 1);
                share(&figures.places, level).map(|share| share.map(|share| 1.0 + share * last))
            }
            Measure::Margin => match mean_with_interval(&figures.margins, level) {
                Ok((estimate, interval)) => Some(IntervalReport::new(estimate, interval)),
                Err(_) => figures.margins.first().copied().map(IntervalReport::from_estimate),
            },
            Measure::Elo | Measure::Superiority => None,
            Measure::Faults => Some(IntervalReport::from_estimate(figures.total.faults as f64)),
            Measure::Forfeits => Some(IntervalReport::from_estimate(figures.total.forfeits as f64)),
            Measure::Restarts => Some(IntervalReport::from_estimate(figures.total.restarts as f64)),
            Measure::LongestMs => {
                Some(IntervalReport::from_estimate(figures.total.longest_us as f64 / 1e3))
            }
        }
    }

    /// Returns a bot's Elo against its opponents, with an interval at this level.
    pub(crate) fn elo(&self, bot: BotNumber, level: f64) -> Option<EloReport> {
        let candidate = self.spec.candidate();
        match self.judge {
            Some(judge) if candidate == Some(bot) => Some(judge.elo(level)?.0),
            Some(judge) if self.bots.len() == 2 => Some(judge.elo(level)?.0.of_opponent()),
            _ => {
                let scores = group_scores(&self.bots.get(bot)?.scores)?;
                let estimate = Estimate::from_groups(&scores, 1, level).ok()?;
                Some(EloReport::new(estimate.elo, estimate.elo_interval))
            }
        }
    }

    fn report(&self, bot: BotNumber, level: f64) -> BotReport {
        let (figures, spec) = (&self.bots[bot], &self.spec.bots[bot]);
        let command = match spec.player() {
            Ok(Player::BuiltIn { name, version }) => match version {
                Some(version) => format!("built-in bot {name}@{version}"),
                None => format!("built-in bot {name}"),
            },
            _ => spec.command.clone().unwrap_or_default(),
        };
        let mut faults_by_reason: Vec<(String, u64)> =
            figures.by_reason.clone().into_iter().collect();
        faults_by_reason.sort_by_key(|(_, count)| Reverse(*count));
        let measured = figures.cpu_time_ms.len() as u64;
        BotReport {
            bot,
            name: spec.name.clone(),
            command,
            groups: figures.scores.len() as u64,
            score: self.figure(bot, Measure::Score, level),
            elo: self.elo(bot, level),
            ranks: self.ranks[bot]
                .map(|ranks| RanksReport { best: ranks.best, worst: ranks.worst }),
            by_seat: figures.by_seat(),
            win_rate: self.figure(bot, Measure::WinRate, level),
            place: self.figure(bot, Measure::Place, level),
            margin: self.figure(bot, Measure::Margin, level),
            faults_by_reason,
            mean_us: figures.thinking_us.checked_div(figures.total.answered).unwrap_or(0),
            mean_cpu_time_ms: figures.cpu_time_ms.iter().sum::<u64>().checked_div(measured),
            ..figures.total.clone()
        }
    }
}

impl BotFigures {
    /// Adds a group, and returns the bot's score if it plays in the group.
    fn record(&mut self, bot: BotNumber, rows: &[MatchRow]) -> Option<GroupScore> {
        let [mut seats, mut pairs, mut points, mut wins, mut places, mut margins] = [0.0; 6];
        for row in rows {
            let last = (row.seats.len().max(2) - 1) as f64;
            for (number, seat) in row.seats.iter().enumerate() {
                if seat.bot != bot {
                    continue;
                }
                let (mut opponents, mut beaten) = (0.0, 0.0);
                for other in row.seats.iter().filter(|other| other.bot != bot) {
                    opponents += 1.0;
                    beaten += match other.place.cmp(&seat.place) {
                        Ordering::Greater => 1.0,
                        Ordering::Equal => 0.5,
                        Ordering::Less => 0.0,
                    };
                }
                pairs += opponents;
                points += beaten;
                self.record_in_seat(number, beaten / f64::max(opponents, 1.0));
                let shares = row.seats.iter().filter(|other| other.place == 1).count() > 1;
                match (seat.place, shares) {
                    (1, false) => {
                        self.total.wins += 1;
                        wins += 1.0;
                    }
                    (1, true) => self.total.shared_wins += 1,
                    _ => {}
                }
                seats += 1.0;
                places += f64::from(seat.place.saturating_sub(1)) / last;
                let margin = row.margin(number);
                margins += f64::from(margin);
                self.record_seat(row, number, margin);
            }
        }
        if seats == 0.0 || pairs == 0.0 {
            return None;
        }
        self.scores.push(points / pairs);
        self.win_rates.push(wins / seats);
        self.places.push(places / seats);
        self.margins.push(margins / seats);
        GroupScore::new(f64::min(points / pairs, 1.0)).ok()
    }

    fn record_in_seat(&mut self, number: usize, score: f64) {
        let seats = self.seat_points.len().max(number + 1);
        self.seat_points.resize(seats, 0.0);
        self.total.by_seat.resize(seats, SeatReport::default());
        self.seat_points[number] += score;
        self.total.by_seat[number].played += 1;
    }

    fn by_seat(&self) -> Vec<SeatReport> {
        let seats = self.total.by_seat.iter().zip(&self.seat_points);
        let seats = seats.map(|(seat, points)| SeatReport {
            score: (seat.played > 0).then(|| points / seat.played as f64),
            ..*seat
        });
        seats.collect()
    }

    fn record_seat(&mut self, row: &MatchRow, number: usize, margin: i32) {
        let seat = &row.seats[number];
        self.total.played += 1;
        self.total.forfeits += u64::from(seat.forfeit.is_some());
        self.total.faults += u64::from(seat.fault_count);
        self.total.restarts += u64::from(seat.restarts);
        for fault in &seat.faults {
            *self.by_reason.entry(fault.reason.clone()).or_default() += 1;
        }
        self.total.answered += u64::from(seat.answered);
        self.thinking_us += seat.charged_us + seat.uncharged_us;
        self.total.longest_us = self.total.longest_us.max(seat.longest_us);
        let least = self.total.least_bank_left_ms.unwrap_or(u32::MAX);
        self.total.least_bank_left_ms = Some(least.min(seat.bank_left_ms));
        self.total.peak_memory_bytes = self.total.peak_memory_bytes.max(seat.peak_memory_bytes);
        self.cpu_time_ms.extend(seat.cpu_time_ms);
        let ran_out_of_memory = seat.end == BotEnd::OutOfMemory;
        self.total.out_of_memory += u64::from(ran_out_of_memory);
        let why = match &seat.forfeit {
            Some(reason) => WorstMatchReason::Forfeited { reason: reason.clone() },
            None if seat.place > 1 => WorstMatchReason::Lost,
            None => return,
        };
        self.total.worst.push(WorstMatch {
            of: row.of,
            seat: u32::try_from(number).unwrap_or(u32::MAX),
            seed: row.seed.clone(),
            why,
            ran_out_of_memory,
            place: seat.place,
            score: seat.score,
            margin,
            replay: row.replay.clone(),
            stderr: seat.stderr.clone(),
        });
        // Shortens the list from time to time, to limit the memory of a long contest.
        if self.total.worst.len() > 64 * WORST_MATCHES {
            self.total.worst.sort_by_key(worst_first_key);
            self.total.worst.truncate(WORST_MATCHES);
        }
    }
}

/// Returns the key by which a bot's worst matches are sorted. Forfeited matches come first. Within
/// both groups, matches are ordered by place, the worst first, and then by margin, the lowest
/// first.
fn worst_first_key(worst: &WorstMatch) -> impl Ord + use<> {
    (worst.why == WorstMatchReason::Lost, Reverse(worst.place), worst.margin, worst.of, worst.seat)
}

/// Returns the mean over the groups' shares, each clamped to 0..=1, with its confidence interval.
fn share(shares: &[f64], level: f64) -> Option<IntervalReport> {
    let scores = group_scores(shares).filter(|scores| scores.groups() > 0)?;
    let Ok(estimate) = Estimate::from_groups(&scores, 1, level) else {
        return Some(IntervalReport::from_estimate(scores.mean()));
    };
    Some(IntervalReport {
        estimate: estimate.score,
        low: estimate.score_interval.low.max(0.0),
        high: estimate.score_interval.high.min(1.0),
    })
}

/// Converts shares, each clamped to 0..=1, to scores of groups.
fn group_scores(shares: &[f64]) -> Option<GroupScores> {
    let scores = shares.iter().map(|share| GroupScore::new(share.clamp(0.0, 1.0)).ok());
    Some(scores.collect::<Option<Vec<_>>>()?.into_iter().collect())
}

/// Adds the results of each pair of seats with different bots.
fn record_pairs(pairs: &mut BTreeMap<(BotNumber, BotNumber), PairReport>, row: &MatchRow) {
    for one in &row.seats {
        for other in row.seats.iter().filter(|other| one.bot < other.bot) {
            let (bot, opponent) = (one.bot, other.bot);
            let none = PairReport { bot, opponent, wins: 0, ties: 0, losses: 0 };
            let pair = pairs.entry((bot, opponent)).or_insert(none);
            match one.place.cmp(&other.place) {
                Ordering::Less => pair.wins += 1,
                Ordering::Equal => pair.ties += 1,
                Ordering::Greater => pair.losses += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Format,
        samples_for_tests::{row, spec_of},
    };

    #[test]
    fn the_table_has_the_best_bot_first_with_its_figures_over_groups() {
        let groups: Vec<CountedGroup> = (0..8)
            .map(|group| {
                let rows = vec![row(group, 0, &[0, 1], &[2, 1]), row(group, 1, &[1, 0], &[1, 2])];
                (GroupNumber(group), rows)
            })
            .collect();
        let spec = spec_of(2, 2, Format::RoundRobin { rounds: 1 });
        let table = Figures::compute(&spec, &groups, None).table();
        assert_eq!(table[0].bot, 1);
        assert_eq!((table[0].played, table[0].wins), (16, 16));
        assert_eq!(table[0].place.unwrap().estimate, 1.0);
        assert_eq!(table[0].margin.unwrap().estimate, 1.0);
        assert_eq!(table[0].ranks, Some(RanksReport { best: 1, worst: 1 }));
        assert!(table[0].worst.is_empty());
        assert_eq!(table[1].worst.len(), WORST_MATCHES);
    }

    #[test]
    fn the_score_of_a_bot_ignores_its_own_other_seats() {
        // Bot 0, the candidate, plays against bot 1, which has the three other seats.
        let groups = vec![(GroupNumber(0), vec![row(0, 0, &[0, 1, 1, 1], &[2, 1, 3, 4])])];
        let spec = spec_of(2, 4, Format::RoundRobin { rounds: 1 });
        let figures = Figures::compute(&spec, &groups, None);
        let score = |bot| figures.figure(bot, Measure::Score, 0.95).unwrap().estimate;
        assert!((score(0) - 2.0 / 3.0).abs() < 1e-12);
        assert!((score(1) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(figures.table()[0].bot, 0);
    }

    #[test]
    fn elo_is_the_score_on_another_scale_and_unbounded_without_a_loss() {
        let spec = spec_of(3, 2, Format::RoundRobin { rounds: 1 });
        // Bot 0 wins every match. The other two bots win one match each against each other.
        let groups = |rounds: u64| -> Vec<CountedGroup> {
            let round = |round: u64| {
                let group = |number: u64, bots: [usize; 2], places: [[u32; 2]; 2]| {
                    let group = 3 * round + number;
                    let rows = places.iter().zip(0..);
                    let rows = rows.map(|(places, number)| row(group, number, &bots, places));
                    (GroupNumber(group), rows.collect())
                };
                [
                    group(0, [0, 1], [[1, 2]; 2]),
                    group(1, [0, 2], [[1, 2]; 2]),
                    group(2, [1, 2], [[1, 2], [2, 1]]),
                ]
            };
            (0..rounds).flat_map(round).collect()
        };
        let few = groups(1);
        let figures = Figures::compute(&spec, &few, None);
        // Two groups of two matches: won four of four.
        assert_eq!(figures.elo(0, 0.95), Some(EloReport { estimate: None, low: None, high: None }));
        let more = groups(5);
        let figures = Figures::compute(&spec, &more, None);
        let [best, other] = [0, 1].map(|bot| figures.elo(bot, 0.95).unwrap());
        assert_eq!((best.estimate, best.high), (None, None));
        assert!(best.low.is_some_and(|low| (200.0..400.0).contains(&low)), "{best:?}");
        // A score of 1/4 is -400 log10(3) Elo.
        assert!((other.estimate.unwrap() + 190.848).abs() < 1e-3, "{other:?}");
        let ranks = figures.table().into_iter().map(|bot| bot.ranks.unwrap());
        let ranks: Vec<_> = ranks.map(|ranks| (ranks.best, ranks.worst)).collect();
        assert_eq!(ranks, [(1, 1), (2, 3), (2, 3)]);
        let pair = PairReport { bot: 0, opponent: 1, wins: 10, ties: 0, losses: 0 };
        assert_eq!(figures.pairs()[0], pair);
        let seat = SeatReport { played: 10, score: Some(0.5) };
        assert_eq!(figures.table()[1].by_seat[0], seat);
    }

    #[test]
    fn worst_matches_are_sorted_by_forfeit_and_then_by_margin() {
        let mut forfeited = row(3, 0, &[0, 1], &[2, 1]);
        forfeited.seats[0].forfeit = Some("LATE".to_owned());
        let mut beaten = row(2, 0, &[0, 1], &[2, 1]);
        beaten.seats[0].score = -500;
        let close = row(1, 0, &[0, 1], &[2, 1]);
        let groups = [close, beaten, forfeited].map(|row| (row.of.group, vec![row]));
        let spec = spec_of(2, 2, Format::RoundRobin { rounds: 1 });
        let table = Figures::compute(&spec, &groups, None).table();
        let bot = table.iter().find(|bot| bot.bot == 0).unwrap();
        let worst: Vec<u64> = bot.worst.iter().map(|worst| worst.of.group.0).collect();
        assert_eq!(worst, [3, 2, 1]);
        assert_eq!(bot.forfeits, 1);
    }
}
