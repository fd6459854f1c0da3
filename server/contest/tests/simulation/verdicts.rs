//! How often a sequential test is wrong, and how many groups it takes.

use bridgemaster_contest::{
    Bounds, Elo, ErrorRates, GroupScore, GroupScores, Hypotheses, SequentialTest, TValueTest,
    Verdict,
};

use crate::{
    luck::Luck,
    rate::Cell,
    synthetic::{group, strength_under_luck},
};

/// Error rate asked for, of either kind.
const RATE: f64 = 0.05;

/// Groups after which a run counts as never decided.
const MOST_GROUPS: u32 = 20_000;

/// Most of what the combined test may take, in groups of the test of the t-value alone.
const PRICE: f64 = 1.3;

fn hypotheses(effect: f64, seats: usize) -> Hypotheses {
    let bounds = Bounds::Elo {
        lower: Elo(0.0),
        upper: Elo(effect),
    };
    Hypotheses::new(bounds, ErrorRates::new(RATE, RATE).unwrap(), seats as u32).unwrap()
}

/// What many runs came to.
#[derive(Default)]
struct Runs {
    accepted: u32,
    rejected: u32,
    groups: u64,
    groups_of_t_value_alone: u64,
}

fn play(effect: f64, elo: f64, seats: usize, shared: f64, runs: u32, cell: u64) -> Runs {
    let mut all = Runs::default();
    for run in 0..runs {
        let mut luck = Luck::of(cell, run.into());
        let mut test = SequentialTest::new(hypotheses(effect, seats));
        let alone = TValueTest::new(hypotheses(effect, seats));
        let mut scores = GroupScores::default();
        let mut alone_took = None;
        let mut groups = 0;
        while (test.verdict() == Verdict::Undecided || alone_took.is_none()) && groups < MOST_GROUPS
        {
            let score = group(Elo(elo), seats, shared, &mut luck);
            groups += 1;
            if test.verdict() == Verdict::Undecided {
                test.record(score);
                all.groups += 1;
            }
            scores.record(score);
            if alone_took.is_none() && alone.verdict(&scores) != Verdict::Undecided {
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

pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut number = 0;
    let share = |count: u32| f64::from(count) / f64::from(runs);
    for shared in [0.0, 1.0] {
        for seats in [2, 4, 6] {
            for effect in [17.0, 35.0, 87.0, 174.0] {
                // Small effects take thousands of groups, so a test leaves them out.
                if runs < 1_000 && (effect < 35.0 || shared > 0.0 && effect < 87.0) {
                    continue;
                }
                number += 2;
                let at_lower = play(effect, 0.0, seats, shared, runs, number);
                let strength = strength_under_luck(Elo(effect), seats, shared).0;
                let at_upper = play(effect, strength, seats, shared, runs, number + 1);
                let what = format!("{seats} seats, {effect} Elo, shared luck {shared}");
                let groups = |all: &Runs| all.groups as f64 / f64::from(runs);
                let note = |all: &Runs| format!("{:.0} groups", groups(all));
                cells.push(Cell::at_most(
                    format!("{what}: accepted at 0"),
                    share(at_lower.accepted),
                    RATE,
                    runs,
                    note(&at_lower),
                ));
                cells.push(Cell::at_most(
                    format!("{what}: rejected at the effect"),
                    share(at_upper.rejected),
                    RATE,
                    runs,
                    note(&at_upper),
                ));
                if runs >= 1_000 && effect <= 35.0 {
                    let alone = at_lower.groups_of_t_value_alone + at_upper.groups_of_t_value_alone;
                    let price = (at_lower.groups + at_upper.groups) as f64 / alone as f64;
                    let name = format!("{what}: groups against t-value alone");
                    cells.push(Cell::between(name, price, 0.0, PRICE, String::new()));
                }
            }
        }
    }
    cells.extend(dominated());
    cells
}

/// A candidate that wins everything, and one that always ties.
fn dominated() -> Vec<Cell> {
    let mut cells = Vec::new();
    for effect in [5.0, 17.0, 174.0] {
        for (name, score, expected, most) in [
            ("wins everything", 1.0, Verdict::Accepted, 10.0),
            ("is its own mirror", 0.5, Verdict::Rejected, f64::INFINITY),
        ] {
            let mut test = SequentialTest::new(hypotheses(effect, 2));
            let mut groups = 0;
            while test.verdict() == Verdict::Undecided {
                test.record(GroupScore::new(score).unwrap());
                groups += 1;
            }
            assert_eq!(test.verdict(), expected, "{name}");
            let name = format!("2 seats, {effect} Elo: {name}, groups");
            cells.push(Cell::between(
                name,
                f64::from(groups),
                1.0,
                most,
                String::new(),
            ));
        }
    }
    cells
}
