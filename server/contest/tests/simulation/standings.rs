//! Coverage of the Elo intervals, and false ranks, in contests of few groups.

use bridgemaster_contest::{
    Elo, Estimate, FEW_GROUPS, GroupScore, GroupScores, RankRange, beat_fraction, rank_ranges,
};

use crate::{
    coverage::LEVEL,
    luck::Luck,
    rate::Cell,
    synthetic::{log_odds, places, seat_luck},
};

/// The luck of a seat from the seed, in log odds.
const SHARED: f64 = 0.5;

/// The scores of the bots in a group, in the order of the bots.
type Group = Vec<(usize, GroupScore)>;

pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for seats in [2, 3, 6] {
        for groups in [5, 10, FEW_GROUPS] {
            for elo in [0.0, 87.0, 200.0] {
                cells.extend(series(seats, groups, elo, runs));
            }
        }
    }
    for elo in [0.0, 35.0] {
        cells.push(round_robin(elo, runs));
    }
    cells
}

/// Plays a group: each bot takes each seat once.
fn group(bots: &[(usize, f64)], shared: f64, luck: &mut Luck) -> Group {
    let seats = bots.len();
    let seat_luck = seat_luck(seats, shared, luck);
    let mut fractions = vec![Vec::new(); seats];
    for first in 0..seats {
        let strengths: Vec<f64> = (0..seats).map(|seat| bots[(first + seat) % seats].1).collect();
        let places = places(&strengths, &seat_luck, luck);
        for seat in 0..seats {
            fractions[(first + seat) % seats].push(beat_fraction(&places, seat).unwrap());
        }
    }
    let scores = fractions.iter().map(|of_bot| GroupScore::from_matches(of_bot).unwrap());
    bots.iter().map(|(bot, _)| *bot).zip(scores).collect()
}

fn has_truth(scores: &GroupScores, truth: f64) -> bool {
    let interval = Estimate::from_groups(scores, 1, LEVEL).unwrap().elo_interval;
    interval.low <= truth && truth <= interval.high
}

/// Returns the coverage with the allowed range: 0.94 to 0.96, and two Monte Carlo errors. With few
/// groups, whose variance is at least the regularized one, it may be higher.
fn coverage(name: String, held: u64, intervals: u64, has_few_groups: bool) -> Cell {
    let error = (LEVEL * (1.0 - LEVEL) / intervals as f64).sqrt();
    let high = if has_few_groups { 1.0 } else { 0.96 + 2.0 * error };
    let note = format!("Monte Carlo error {error:.4}");
    Cell::between(name, held as f64 / intervals as f64, 0.94 - 2.0 * error, high, note)
}

/// Plays a series in which the first bot is stronger than the others, which are equal.
fn series(seats: usize, groups: u64, elo: f64, runs: u32) -> Vec<Cell> {
    let bots = |bot: usize| (bot, if bot == 0 { log_odds(Elo(elo)) } else { 0.0 });
    let bots: Vec<(usize, f64)> = (0..seats).map(bots).collect();
    // Only without shared luck is the mean beat fraction that of the Elo.
    let shared = if elo == 0.0 { SHARED } else { 0.0 };
    let (mut held, mut separated) = (0, 0);
    for run in 0..runs {
        let stream = (seats as u64 * 1_000 + groups) * 1_000 + elo as u64;
        let mut luck = Luck::of(stream, run.into());
        let played: Vec<Group> = (0..groups).map(|_| group(&bots, shared, &mut luck)).collect();
        let scores: GroupScores = played.iter().map(|group| group[0].1).collect();
        held += u64::from(has_truth(&scores, elo));
        let equal = |group: &Group| vec![(0, group[seats - 2].1), (1, group[seats - 1].1)];
        let equal: Vec<Group> = played.iter().map(equal).collect();
        let shared_rank = Some(RankRange { best: 1, worst: 2 });
        separated += u32::from(rank_ranges(2, &equal, LEVEL)[0] != shared_rank);
    }
    let name = format!("{seats} seats, {groups} groups at {elo} Elo");
    let mut cells = vec![coverage(name.clone(), held, runs.into(), groups < FEW_GROUPS)];
    if seats > 2 || elo == 0.0 {
        let share = f64::from(separated) / f64::from(runs);
        let name = format!("{name}: equal bots separated");
        cells.push(Cell::at_most(name, share, 1.0 - LEVEL + 0.01, runs, String::new()));
    }
    cells
}

/// Plays one round of six bots at two seats, five groups each; neighbours differ by `step` Elo. The
/// opponents' differences widen the intervals.
fn round_robin(step: f64, runs: u32) -> Cell {
    const BOTS: usize = 6;
    let strength = |bot: usize| log_odds(Elo(step * bot as f64));
    let chance = |other: usize| Elo(step * (0.0 - other as f64)).expected_score();
    let truth = (1..BOTS).map(chance).sum::<f64>() / (BOTS - 1) as f64;
    let mut held = 0;
    for run in 0..runs {
        let mut luck = Luck::of(7_000 + step as u64, run.into());
        let scores: GroupScores = (1..BOTS)
            .map(|other| group(&[(0, strength(0)), (other, strength(other))], 0.0, &mut luck)[0].1)
            .collect();
        held += u64::from(has_truth(&scores, Elo::from_score(truth).0));
    }
    coverage(format!("round-robin of {BOTS}, steps of {step} Elo"), held, runs.into(), true)
}
