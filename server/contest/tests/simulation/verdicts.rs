//! Error rates and lengths of sequential tests.

use bridgemaster_contest::{
    Bounds, Elo, ErrorRates, GroupScore, GroupScores, Hypotheses, SequentialTest, Verdict,
};

use crate::{
    luck::Luck,
    rate::Cell,
    synthetic::{group, strength_under_luck},
};

/// The requested error rate of either kind.
const RATE: f64 = 0.05;

/// The number of groups after which a run counts as never decided.
const MAX_GROUPS: u32 = 20_000;

/// The maximum length of the combined test, as a multiple of that of the test of the t-value alone.
const MAX_RELATIVE_LENGTH: f64 = 1.3;

fn hypotheses(effect: f64, seats: usize) -> Hypotheses {
    let bounds = Bounds::Elo([0.0, effect]);
    Hypotheses::new(bounds, ErrorRates::new(RATE, RATE).unwrap(), seats as u32).unwrap()
}

/// Totals of many runs.
#[derive(Default)]
struct RunTotals {
    accepted: u32,
    rejected: u32,
    groups: u64,
    groups_of_t_value_alone: u64,
}

fn play(effect: f64, elo: f64, seats: usize, shared: f64, runs: u32, cell: u64) -> RunTotals {
    let mut all = RunTotals::default();
    for run in 0..runs {
        let mut luck = Luck::of(cell, run.into());
        let mut test = SequentialTest::new(hypotheses(effect, seats));
        let alone = hypotheses(effect, seats);
        let mut scores = GroupScores::default();
        let mut alone_took = None;
        let mut groups = 0;
        while (test.verdict() == Verdict::Undecided || alone_took.is_none()) && groups < MAX_GROUPS
        {
            let score = group(Elo(elo), seats, shared, &mut luck);
            groups += 1;
            if test.verdict() == Verdict::Undecided {
                test.record(score);
                all.groups += 1;
            }
            scores.record(score);
            if alone_took.is_none() && alone.t_value_verdict(&scores) != Verdict::Undecided {
                alone_took = Some(groups);
            }
        }
        all.groups_of_t_value_alone += u64::from(alone_took.unwrap_or(groups));
        match test.verdict() {
            Verdict::Accepted => all.accepted += 1,
            Verdict::Rejected => all.rejected += 1,
            Verdict::Undecided => {}
        }
    }
    all
}

/// Returns the cells of error rates and lengths.
pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut number = 0;
    let share = |count: u32| f64::from(count) / f64::from(runs);
    for shared in [0.0, 1.0] {
        for seats in [2, 4, 6] {
            for effect in [17.0, 35.0, 87.0, 174.0] {
                // Small effects take thousands of groups; short runs skip them.
                if runs < 1_000 && (effect < 35.0 || shared > 0.0 && effect < 87.0) {
                    continue;
                }
                number += 2;
                let at_lower = play(effect, 0.0, seats, shared, runs, number);
                let strength = strength_under_luck(Elo(effect), seats, shared).0;
                let at_upper = play(effect, strength, seats, shared, runs, number + 1);
                let name = format!("{seats} seats, {effect} Elo, shared luck {shared}");
                let groups = |all: &RunTotals| all.groups as f64 / f64::from(runs);
                let note = |all: &RunTotals| format!("{:.0} groups", groups(all));
                cells.push(Cell::at_most(
                    format!("{name}: accepted at 0"),
                    share(at_lower.accepted),
                    RATE,
                    runs,
                    note(&at_lower),
                ));
                cells.push(Cell::at_most(
                    format!("{name}: rejected at the effect"),
                    share(at_upper.rejected),
                    RATE,
                    runs,
                    note(&at_upper),
                ));
                if runs >= 1_000 && effect <= 35.0 {
                    let alone = at_lower.groups_of_t_value_alone + at_upper.groups_of_t_value_alone;
                    let price = (at_lower.groups + at_upper.groups) as f64 / alone as f64;
                    let name = format!("{name}: groups against t-value alone");
                    let most = MAX_RELATIVE_LENGTH;
                    cells.push(Cell::between(name, price, 0.0, most, String::new()));
                }
            }
        }
    }
    cells.extend(certain());
    cells
}

/// The highest lower bound at which a candidate that wins everything is accepted within
/// [`SOON`] groups, in Elo of either kind. With a lower bound of 120 Elo, no test may accept so
/// early, because a candidate of exactly 120 Elo wins ten matches in a row too often.
const HIGHEST_LOWER_BOUND: i32 = 60;

/// The number of groups within which a candidate that wins everything is accepted.
const SOON: f64 = 10.0;

/// Creates bounds of a kind from a lower and an upper number of Elo.
type Kind = fn([f64; 2]) -> Bounds;

/// Returns the tests of all bounds of a kind at a number of seats: lower bounds in steps of 20 Elo,
/// and upper bounds from 1 to 200 Elo above them.
fn tests_of_bounds(
    seats: u32,
    lower_bounds: std::ops::RangeInclusive<i32>,
    kind: Kind,
) -> impl Iterator<Item = SequentialTest> {
    let rates = ErrorRates::new(RATE, RATE).unwrap();
    lower_bounds.step_by(20).flat_map(move |lower| {
        [1, 2, 5, 10, 17, 35, 87, 200].map(|effect| {
            let bounds = kind([lower.into(), (lower + effect).into()]);
            SequentialTest::new(Hypotheses::new(bounds, rates, seats).unwrap())
        })
    })
}

/// Records the same score until there is a verdict, or until the maximum number of groups.
fn repeat(mut test: SequentialTest, score: f64, max: u32) -> (Verdict, u32) {
    let mut groups = 0;
    while test.verdict() == Verdict::Undecided && groups < max {
        test.record(GroupScore::new(score).unwrap());
        groups += 1;
    }
    (test.verdict(), groups)
}

/// Checks a candidate that wins everything, one that loses everything, and one that is its own
/// mirror: a deterministic bot against itself has each place once in a group, so that every score
/// is 0.5.
fn certain() -> Vec<Cell> {
    let mut cells = Vec::new();
    let kinds: [(_, Kind); 2] = [("Elo", Bounds::Elo), ("normalised", Bounds::NormalizedElo)];
    for (kind, bounds) in kinds {
        for seats in [2, 4, 6] {
            let mut cell = |what: &str, lower_bounds, score, expected: &[Verdict], most| {
                let ran: Vec<_> = tests_of_bounds(seats, lower_bounds, bounds)
                    .map(|test| repeat(test, score, MAX_GROUPS))
                    .collect();
                let others = ran.iter().filter(|(got, _)| !expected.contains(got));
                let longest = ran.iter().map(|(_, groups)| *groups).max();
                let name = format!("{seats} seats, {kind}: {what}");
                let longest = longest.unwrap_or_default();
                let note = format!("at most {longest} groups");
                cells.push(Cell::between(name, others.count() as f64, 0.0, 0.0, note));
                if let Some(most) = most {
                    let name = format!("{seats} seats, {kind}: {what}, groups");
                    let none = String::new();
                    cells.push(Cell::between(name, longest.into(), 1.0, most, none));
                }
            };
            let highest = HIGHEST_LOWER_BOUND;
            let (accepted, rejected) = (&[Verdict::Accepted], &[Verdict::Rejected]);
            let wins = "wins everything, not accepted";
            cell(wins, -200..=highest, 1.0, accepted, Some(SOON));
            let loses = "loses everything, not rejected";
            cell(loses, 0..=200, 0.0, rejected, Some(SOON));
            // With normalised bounds, a small effect takes longer to detect than anyone would wait.
            cell(
                "is its own mirror, accepted",
                0..=200,
                0.5,
                &[Verdict::Rejected, Verdict::Undecided],
                None,
            );
        }
    }
    cells
}
