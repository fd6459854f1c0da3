//! Statistics for each bot, computed from the groups that count.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use bridgemaster_contest::{
    Covariance, Estimate, FEW_GROUPS, GroupScore, GroupScores, PlackettLuce, Ranking,
    RatingMethod as _, Ratings, mean_with_interval, schedule::BotNumber,
};

use crate::{
    BotEnd, BotReport, ContestSpec, GroupNumber, IntervalReport, MatchRow, Measure, Player,
    RatingErrors, RatingReport, WorstMatch, WorstMatchReason,
};

/// The number of worst matches listed per bot.
const WORST_MATCHES: usize = 5;
/// The minimum number of groups per bot for estimating the errors of ratings from the spread
/// between groups. With fewer groups this estimate is too uncertain, and the errors of the model
/// are used.
const GROUPS_PER_BOT: usize = 10;

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
    ratings: Option<(Ratings, RatingErrors)>,
}

impl<'a> Figures<'a> {
    pub(crate) fn compute(spec: &'a ContestSpec, groups: &[CountedGroup]) -> Self {
        let mut bots: Vec<BotFigures> = spec.bots.iter().map(|_| BotFigures::default()).collect();
        for (_, rows) in groups {
            for (bot, figures) in bots.iter_mut().enumerate() {
                figures.record(bot, rows);
            }
        }
        for figures in &mut bots {
            figures.total.worst.sort_by_key(worst_first_key);
            figures.total.worst.truncate(WORST_MATCHES);
        }
        let ratings = ratings(&bots, groups);
        Self { spec, bots, ratings }
    }

    /// Returns the source of the ratings' errors: the spread between groups, or the model.
    pub(crate) fn rating_errors(&self) -> Option<RatingErrors> {
        self.ratings.as_ref().map(|(_, errors)| *errors)
    }

    /// Returns the bots, best first.
    pub(crate) fn table(&self) -> Vec<BotReport> {
        let level = self.spec.level;
        let mut reports: Vec<BotReport> =
            (0..self.bots.len()).map(|bot| self.report(bot, level)).collect();
        let strength = |report: &BotReport| {
            let rating = report.rating.map(|rating| rating.elo.estimate);
            let score = report.score.map(|score| score.estimate);
            (rating.unwrap_or(f64::NEG_INFINITY), score.unwrap_or(-1.0))
        };
        reports.sort_by(|one, other| {
            let (one_is, other_is) = (strength(one), strength(other));
            let by_rating = other_is.0.total_cmp(&one_is.0);
            let by_score = other_is.1.total_cmp(&one_is.1);
            by_rating.then(by_score).then(one.bot.cmp(&other.bot))
        });
        reports
    }

    /// Returns a bot's value of a measure, with an interval at this level.
    pub(crate) fn figure(
        &self,
        bot: BotNumber,
        measure: Measure,
        level: f64,
    ) -> Option<IntervalReport> {
        let figures = self.bots.get(bot)?;
        match measure {
            Measure::Elo => self.rating(bot, level).map(|rating| rating.elo),
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
            Measure::Superiority => None,
            Measure::Faults => Some(IntervalReport::from_estimate(figures.total.faults as f64)),
            Measure::Forfeits => Some(IntervalReport::from_estimate(figures.total.forfeits as f64)),
            Measure::Restarts => Some(IntervalReport::from_estimate(figures.total.restarts as f64)),
            Measure::LongestMs => {
                Some(IntervalReport::from_estimate(figures.total.longest_us as f64 / 1e3))
            }
        }
    }

    fn rating(&self, bot: BotNumber, level: f64) -> Option<RatingReport> {
        let table = self.ratings.as_ref()?.0.table(level);
        let rating = table.iter().find(|rating| rating.bot == bot)?;
        Some(RatingReport {
            elo: IntervalReport::new(rating.elo.0, rating.interval),
            best_rank: rating.ranks.best,
            worst_rank: rating.ranks.worst,
        })
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
            rating: self.rating(bot, level),
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
    /// Adds a group, if the bot plays in it.
    fn record(&mut self, bot: BotNumber, rows: &[MatchRow]) {
        let [mut seats, mut pairs, mut points, mut wins, mut places, mut margins] = [0.0; 6];
        for row in rows {
            let last = (row.seats.len().max(2) - 1) as f64;
            for (number, seat) in row.seats.iter().enumerate() {
                if seat.bot != bot {
                    continue;
                }
                let others = row.seats.iter().filter(|other| other.bot != bot);
                for other in others {
                    pairs += 1.0;
                    points += match other.place.cmp(&seat.place) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
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
        if seats > 0.0 && pairs > 0.0 {
            self.scores.push(points / pairs);
            self.win_rates.push(wins / seats);
            self.places.push(places / seats);
            self.margins.push(margins / seats);
        }
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
        // Shortens the list at times, to limit the memory of a long contest.
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
    let scores: Option<GroupScores> = shares
        .iter()
        .map(|share| GroupScore::new(share.clamp(0.0, 1.0)).ok())
        .collect::<Option<Vec<_>>>()
        .map(|scores| scores.into_iter().collect());
    let scores = scores.filter(|scores| scores.groups() > 0)?;
    let Ok(estimate) = Estimate::from_groups(&scores, 1, level) else {
        return Some(IntervalReport::from_estimate(scores.mean()));
    };
    Some(IntervalReport {
        estimate: estimate.score,
        low: estimate.score_interval.low.max(0.0),
        high: estimate.score_interval.high.min(1.0),
    })
}

/// Fits the ratings of all bots; `None` if the results do not determine them.
fn ratings(bots: &[BotFigures], groups: &[CountedGroup]) -> Option<(Ratings, RatingErrors)> {
    let mut rankings: Vec<Ranking> = groups
        .iter()
        .flat_map(|(group, rows)| rows.iter().flat_map(|row| rankings(*group, row)))
        .collect();
    if rankings.is_empty() || bots.iter().any(|bot| bot.total.played == 0) {
        return None;
    }
    // The rating of a bot that has won or lost everything has no bound, so a tie with each of its
    // opponents is added.
    let is_mixed = |bot: &BotFigures| {
        let sum: f64 = bot.scores.iter().sum();
        sum > 0.0 && sum < bot.scores.len() as f64
    };
    let met: BTreeSet<(BotNumber, BotNumber)> = groups
        .iter()
        .flat_map(|(_, rows)| rows)
        .flat_map(|row| {
            let seats = || row.seats.iter().map(|seat| seat.bot);
            seats().flat_map(move |one| seats().map(move |other| (one, other)))
        })
        .filter(|(one, other)| one < other)
        .collect();
    for (one, other) in met {
        if !is_mixed(&bots[one]) || !is_mixed(&bots[other]) {
            rankings.push(Ranking::new(vec![(one, 1), (other, 1)], u64::MAX));
        }
    }
    let is_mixed = bots.iter().all(is_mixed);
    let has_enough =
        groups.len() >= FEW_GROUPS as usize && groups.len() >= GROUPS_PER_BOT * bots.len();
    let (covariance, errors) = if is_mixed && has_enough {
        (Covariance::Clustered, RatingErrors::Groups)
    } else {
        (Covariance::Model, RatingErrors::Model)
    };
    let fit = PlackettLuce { covariance, ..PlackettLuce::default() };
    let ratings = fit.fit(bots.len(), &rankings).ok()?;
    Some((ratings, errors))
}

/// Converts a match to one ranking of all seats. If a bot has several seats, converts the match to
/// one ranking for each pair of seats with different bots.
fn rankings(group: GroupNumber, row: &MatchRow) -> Vec<Ranking> {
    let mut bots: Vec<BotNumber> = row.seats.iter().map(|seat| seat.bot).collect();
    bots.sort_unstable();
    let is_repeated = bots.windows(2).any(|pair| pair[0] == pair[1]);
    if !is_repeated {
        let places = row.seats.iter().map(|seat| (seat.bot, seat.place));
        return vec![Ranking::new(places.collect(), group.0)];
    }
    let mut pairs = Vec::new();
    for (number, one) in row.seats.iter().enumerate() {
        for other in &row.seats[number + 1..] {
            if one.bot != other.bot {
                let places = vec![(one.bot, one.place), (other.bot, other.place)];
                pairs.push(Ranking::new(places, group.0));
            }
        }
    }
    pairs
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
        let table = Figures::compute(&spec, &groups).table();
        assert_eq!(table[0].bot, 1);
        assert_eq!((table[0].played, table[0].wins), (16, 16));
        assert_eq!(table[0].place.unwrap().estimate, 1.0);
        assert_eq!(table[0].margin.unwrap().estimate, 1.0);
        let rating = table[0].rating.unwrap();
        assert_eq!((rating.best_rank, rating.worst_rank), (1, 1), "{rating:?}");
        assert!(table[0].worst.is_empty());
        assert_eq!(table[1].worst.len(), WORST_MATCHES);
    }

    #[test]
    fn the_score_of_a_bot_ignores_its_own_other_seats() {
        // Bot 0, the candidate, plays against bot 1, which has the three other seats.
        let groups = vec![(GroupNumber(0), vec![row(0, 0, &[0, 1, 1, 1], &[2, 1, 3, 4])])];
        let spec = spec_of(2, 4, Format::RoundRobin { rounds: 1 });
        let figures = Figures::compute(&spec, &groups);
        let score = |bot| figures.figure(bot, Measure::Score, 0.95).unwrap().estimate;
        assert!((score(0) - 2.0 / 3.0).abs() < 1e-12);
        assert!((score(1) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(figures.table()[0].bot, 0);
    }

    #[test]
    fn the_source_of_rating_errors_depends_on_the_number_of_groups() {
        let spec = spec_of(2, 2, Format::RoundRobin { rounds: 100 });
        let errors = |groups: u64| {
            let groups: Vec<CountedGroup> = (0..groups)
                .map(|group| {
                    // The other bot wins every third group.
                    let places = if group % 3 == 0 { [2, 1] } else { [1, 2] };
                    (GroupNumber(group), vec![row(group, 0, &[0, 1], &places)])
                })
                .collect();
            Figures::compute(&spec, &groups).rating_errors()
        };
        assert_eq!(errors(0), None);
        assert_eq!(errors(29), Some(RatingErrors::Model));
        assert_eq!(errors(30), Some(RatingErrors::Groups));
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
        let table = Figures::compute(&spec, &groups).table();
        let bot = table.iter().find(|bot| bot.bot == 0).unwrap();
        let worst: Vec<u64> = bot.worst.iter().map(|worst| worst.of.group.0).collect();
        assert_eq!(worst, [3, 2, 1]);
        assert_eq!(bot.forfeits, 1);
    }
}
