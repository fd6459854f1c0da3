//! Coverage of 95 % intervals.

use bridgemaster_contest::{
    Bounds, ConfidenceSequence, Elo, ErrorRates, Estimate, FEW_GROUPS, GroupScores, Hypotheses,
    PlackettLuce, Ranking, RatingMethod as _, SequentialTest, Verdict,
};

use crate::{
    luck::Luck,
    rate::Cell,
    synthetic::{group, log_odds, places},
};

pub(crate) const LEVEL: f64 = 0.95;

/// Returns the coverage with its allowed range for this number of intervals.
pub(crate) fn cell(name: String, held: u64, intervals: u64, note: String) -> Cell {
    let error = (LEVEL * (1.0 - LEVEL) / intervals as f64).sqrt();
    // A short run has many cells, and one in twenty is expected to be off by two standard errors.
    let slack = (3.0 * error).max(0.01);
    let share = held as f64 / intervals as f64;
    Cell::between(name, share, LEVEL - slack, LEVEL + slack, note)
}

/// Returns the coverage after this many groups. The score of a group of two seats has three values,
/// so the coverage of few groups is discrete: it may be higher, never lower.
fn cell_of_groups(name: String, held: u32, runs: u32, groups: u64) -> Cell {
    let share = f64::from(held) / f64::from(runs);
    if groups >= FEW_GROUPS {
        return cell(name, held.into(), runs.into(), String::new());
    }
    let error = (LEVEL * (1.0 - LEVEL) / f64::from(runs)).sqrt();
    let low = LEVEL - (3.0 * error).max(0.01);
    Cell::between(name, share, low, 1.0, "few groups".to_owned())
}

pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for seats in [2, 4, 6] {
        for groups in [10, FEW_GROUPS, 100] {
            for elo in [0.0, 87.0] {
                let truth = Elo(elo).expected_score();
                let mut held = 0;
                for run in 0..runs {
                    let stream = (seats as u64 * 1_000 + groups) * 1_000 + elo as u64;
                    let mut luck = Luck::of(stream, run.into());
                    // The mean beat fraction equals that of the Elo only without shared luck.
                    let shared = if elo == 0.0 { 0.5 } else { 0.0 };
                    let scores: GroupScores =
                        (0..groups).map(|_| group(Elo(elo), seats, shared, &mut luck)).collect();
                    let estimate = Estimate::from_groups(&scores, seats as u32, LEVEL).unwrap();
                    let interval = estimate.score_interval;
                    held += u32::from(interval.low <= truth && truth <= interval.high);
                }
                let name = format!("{seats} seats, {groups} groups at {elo} Elo");
                cells.push(cell_of_groups(name, held, runs, groups));
            }
        }
    }
    cells.extend(sequences(runs.min(1_000)));
    cells.extend(after_stopping(runs.min(1_000)));
    cells
}

/// Checks a confidence sequence after every group.
fn sequences(runs: u32) -> Vec<Cell> {
    let truth = Elo(20.0);
    let mut missed = 0;
    for run in 0..runs {
        let mut luck = Luck::of(77, run.into());
        let mut sequence = ConfidenceSequence::new(LEVEL);
        let mut holds = true;
        for _ in 0..100 {
            sequence.record(group(truth, 2, 0.0, &mut luck));
            let interval = sequence.interval();
            let score = truth.expected_score();
            holds &= interval.low <= score && score <= interval.high;
        }
        missed += u32::from(!holds);
    }
    let name = "sequence looked at 100 times: missed once".to_owned();
    let share = f64::from(missed) / f64::from(runs);
    vec![Cell::at_most(name, share, 1.0 - LEVEL, runs, String::new())]
}

/// Checks the estimate after a sequential test, where the plain mean is biased.
fn after_stopping(runs: u32) -> Vec<Cell> {
    [17.0, 35.0].into_iter().flat_map(|effect| after_a_test_of(effect, runs)).collect()
}

fn after_a_test_of(effect: f64, runs: u32) -> Vec<Cell> {
    let bounds = Bounds::Elo([0.0, effect]);
    let rates = ErrorRates::new(0.05, 0.05).unwrap();
    let hypotheses = Hypotheses::new(bounds, rates, 2).unwrap();
    let mut cells = Vec::new();
    for elo in [0.0, effect / 2.0, effect] {
        let (mut held, mut below) = (0, 0);
        for run in 0..runs {
            let mut luck = Luck::of(900 + elo as u64, run.into());
            let mut test = SequentialTest::new(hypotheses);
            let mut sequence = ConfidenceSequence::new(LEVEL);
            while test.verdict() == Verdict::Undecided {
                let score = group(Elo(elo), 2, 0.0, &mut luck);
                test.record(score);
                sequence.record(score);
            }
            let stopped = test.estimate(&sequence).unwrap();
            let interval = stopped.elo_interval;
            held += u64::from(interval.low <= elo && elo <= interval.high);
            below += u64::from(stopped.elo.0 < elo);
        }
        let share_below = below as f64 / f64::from(runs);
        let error = (0.25 / f64::from(runs)).sqrt();
        let name = format!("after a test of {effect} at {elo} Elo: estimate too low");
        // The approximation assumes a continuous motion, and the betting test may stop it earlier.
        let slack = 0.03 + 2.0 * error;
        let (low, high) = (0.5 - slack, 0.5 + slack);
        cells.push(Cell::between(name, share_below, low, high, String::new()));
        let name = format!("after a test of {effect} at {elo} Elo: interval holds");
        let error = (LEVEL * (1.0 - LEVEL) / f64::from(runs)).sqrt();
        let share = held as f64 / f64::from(runs);
        let low = LEVEL - 0.015 - 2.0 * error;
        cells.push(Cell::between(name, share, low, 1.0, String::new()));
    }
    cells
}

/// Checks the ratings of 20 bots with strengths spread over 208 Elo.
pub(crate) fn fitted_cells(runs: u32) -> Vec<Cell> {
    const BOTS: usize = 20;
    let strengths: Vec<f64> = (0..BOTS)
        .map(|bot| log_odds(Elo(208.0 * (bot as f64 / (BOTS - 1) as f64 - 0.5))))
        .collect();
    let mut cells = Vec::new();
    for seats in [2, 4, 6] {
        for matches in [30, 90] {
            let (mut held, mut squares) = (0, 0.0);
            for run in 0..runs {
                let stream = (seats * 1_000 + matches) as u64;
                let mut luck = Luck::of(stream, run.into());
                let rankings = random_matches(&strengths, seats, matches, &mut luck);
                let fit = PlackettLuce::default();
                let ratings = fit.fit(BOTS, &rankings).unwrap();
                for row in ratings.table(LEVEL) {
                    let truth = strengths[row.bot] * 400.0 / 10f64.ln();
                    let interval = row.interval;
                    held += u64::from(interval.low <= truth && truth <= interval.high);
                    squares += (row.elo.0 - truth).powi(2);
                }
            }
            let intervals = u64::from(runs) * BOTS as u64;
            let error = (squares / intervals as f64).sqrt();
            let name = format!("{BOTS} bots, {seats} seats, {matches} matches a bot");
            let note = format!("off by {error:.0} Elo");
            cells.push(cell(name, held, intervals, note));
        }
    }
    cells
}

/// Plays matches at random tables until each bot has played this many on average.
fn random_matches(
    strengths: &[f64],
    seats: usize,
    matches: usize,
    luck: &mut Luck,
) -> Vec<Ranking> {
    let bots = strengths.len();
    let all = bots * matches / seats;
    (0..all as u64)
        .map(|number| {
            let table = luck.draw((0..bots).collect(), seats);
            let at_table: Vec<f64> = table.iter().map(|bot| strengths[*bot]).collect();
            let places = places(&at_table, &vec![0.0; seats], luck);
            Ranking::new(table.into_iter().zip(places).collect(), number)
        })
        .collect()
}
