//! Runs: what a row of adjacent bridge cards takes at its ends, and what joins two of them.

use super::components::{Card, MAX_NUMBER, STYLES};

/// A set of styles, one bit each.
pub(super) type StyleSet = u8;

pub(super) const ALL_STYLES: StyleSet = (1 << STYLES) - 1;

/// What counts of a card for the runs that it may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// The styles that it fits: its own, or all for a monument.
    pub(super) styles: StyleSet,
    /// Its number; 0 for tolls and monuments.
    pub(super) number: u8,
    pub(super) is_monument: bool,
}

impl From<Card> for Traits {
    fn from(card: Card) -> Self {
        match card {
            Card::Bridge(card) => Self {
                styles: 1 << card.style.index(),
                number: card.number.unwrap_or(0),
                is_monument: false,
            },
            Card::Monument => Self {
                styles: ALL_STYLES,
                number: 0,
                is_monument: true,
            },
        }
    }
}

/// How the numbers of a run go: the directions between neighbours, equal ones in a row taken
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One number or none.
    Flat,
    Up,
    Down,
    /// Up, then down.
    Peak,
    /// Down, then up.
    Valley,
}

/// What [`Shape::then`] looks up: the rows by the first shape, the columns by the next.
static THEN: [[Option<Shape>; 5]; 5] = {
    use Shape::{Down, Flat, Peak, Up, Valley};
    [
        [Some(Flat), Some(Up), Some(Down), Some(Peak), Some(Valley)],
        [Some(Up), Some(Up), Some(Peak), Some(Peak), None],
        [Some(Down), Some(Valley), Some(Down), None, Some(Valley)],
        [Some(Peak), None, Some(Peak), None, None],
        [Some(Valley), Some(Valley), None, None, None],
    ]
};

impl Shape {
    /// From one number to the next; `None` when they are equal.
    const fn of(from: u8, to: u8) -> Option<Self> {
        if from < to {
            Some(Self::Up)
        } else if from > to {
            Some(Self::Down)
        } else {
            None
        }
    }

    /// One shape followed by another; `None` when the direction would change twice.
    fn then(self, next: Self) -> Option<Self> {
        THEN[self as usize][next as usize]
    }
}

/// The row of numbers of a run, tolls and monuments left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// 0 when there is none.
    first: u8,
    /// 0 when there is none.
    last: u8,
    shape: Shape,
}

impl Numbers {
    const fn of(number: u8) -> Self {
        Self {
            first: number,
            last: number,
            shape: Shape::Flat,
        }
    }

    /// Both rows in a row; `None` when it is no legal one (N5).
    fn then(self, next: Self) -> Option<Self> {
        if self.last == 0 {
            return Some(next);
        }
        if next.first == 0 {
            return Some(self);
        }
        let between = Shape::of(self.last, next.first)?;
        let shape = self.shape.then(between)?.then(next.shape)?;
        Some(Self {
            first: self.first,
            last: next.last,
            shape,
        })
    }

    /// This row, a number (0 for none) and another row.
    #[inline]
    fn join(self, number: u8, right: Self) -> Option<Self> {
        self.then(Self::of(number))?.then(right)
    }
}

/// A set of numbers, bit n for number n; bit 0 stands for a card without a number.
pub(super) type NumberSet = u16;

const _: () = assert!((MAX_NUMBER as u32) < NumberSet::BITS);

/// The numbers below `number`, and a card without one.
const fn below(number: u8) -> NumberSet {
    (1 << number) - 1
}

/// The numbers above `number`, and a card without one.
const fn above(number: u8) -> NumberSet {
    !below(number) & !(1 << number) | 1
}

/// What a run takes next to the number at one of its ends; 0 when it has no number. A run that has
/// turned takes only what goes on as it went towards that end: lower numbers at the foot of a
/// peak, higher ones at the rim of a valley.
const fn beside(number: u8, shape: Shape) -> NumberSet {
    match (number, shape) {
        (0, _) => NumberSet::MAX,
        (_, Shape::Peak) => below(number),
        (_, Shape::Valley) => above(number),
        _ => !(1 << number),
    }
}

/// A maximal row of adjacent bridge cards on one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) length: u8,
    /// The styles that a further card may have.
    styles: StyleSet,
    numbers: Numbers,
    /// The numbers that a card at its left end may have.
    before: NumberSet,
    /// The numbers that a card at its right end may have.
    after: NumberSet,
}

impl Run {
    /// No card.
    pub(super) const EMPTY: Self = Self::new(0, ALL_STYLES, Numbers::of(0));

    const fn new(length: u8, styles: StyleSet, numbers: Numbers) -> Self {
        let Numbers { first, last, shape } = numbers;
        Self {
            length,
            styles,
            numbers,
            before: beside(first, shape),
            after: beside(last, shape),
        }
    }

    /// The styles and the numbers that a card between this run and one at its right may have.
    pub(super) fn takes_between(&self, right: &Self) -> (StyleSet, NumberSet) {
        let styles = self.styles & right.styles;
        let numbers = match (self.numbers.last, right.numbers.first) {
            (0, _) | (_, 0) => self.after & right.before,
            (last, first) => self.joining_numbers(last.min(first), last.max(first), right),
        };
        (styles, numbers)
    }

    /// The numbers of a card that joins two runs with numbers, of which the lower and the higher
    /// one beside it are given. Only how it compares with these counts: one of each kind is tried.
    fn joining_numbers(&self, low: u8, high: u8, right: &Self) -> NumberSet {
        const NO_NUMBER: NumberSet = 1;
        let kinds = [
            (0, NO_NUMBER),
            (low - 1, below(low) & !NO_NUMBER),
            (low + 1, above(low) & below(high) & !NO_NUMBER),
            (high + 1, above(high) & !NO_NUMBER),
        ];
        let joins = |number| self.numbers.join(number, right.numbers).is_some();
        let joining = kinds.into_iter().filter(|&(number, _)| joins(number));
        joining.fold(0, |numbers, (_, kind)| numbers | kind)
    }

    /// The styles that two runs and a card between them may all have.
    pub(super) const fn common_styles(&self, card: Traits, right: &Self) -> StyleSet {
        self.styles & card.styles & right.styles
    }

    /// This run, a card and the run at its right as one; `None` when that is no legal run (N5).
    pub(super) fn join(&self, card: Traits, right: &Self) -> Option<Self> {
        let styles = self.common_styles(card, right);
        if styles == 0 {
            return None;
        }
        let numbers = self.numbers.join(card.number, right.numbers)?;
        Some(Self::new(self.length + 1 + right.length, styles, numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a row of numbers is legal, judged number by number; 0 is a card without one.
    fn is_legal(row: &[u8]) -> bool {
        let numbers: Vec<u8> = row.iter().copied().filter(|&number| number > 0).collect();
        let rises: Vec<bool> = numbers.windows(2).map(|pair| pair[0] < pair[1]).collect();
        let differ = numbers.windows(2).all(|pair| pair[0] != pair[1]);
        differ && rises.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 1
    }

    fn card(number: u8) -> Traits {
        Traits {
            styles: 1,
            number,
            is_monument: false,
        }
    }

    fn run(row: &[u8]) -> Run {
        row.iter().fold(Run::EMPTY, |run, &number| {
            run.join(card(number), &Run::EMPTY).unwrap()
        })
    }

    /// Whether a card fits between two runs.
    fn takes(left: &Run, card: Traits, right: &Run) -> bool {
        let (styles, numbers) = left.takes_between(right);
        styles & card.styles != 0 && numbers >> card.number & 1 != 0
    }

    fn takes_after(run: &Run, card: Traits) -> bool {
        takes(run, card, &Run::EMPTY)
    }

    fn takes_before(run: &Run, card: Traits) -> bool {
        takes(&Run::EMPTY, card, run)
    }

    /// All rows of up to `length` cards with numbers 1 to 4 or none.
    fn rows(length: usize) -> Vec<Vec<u8>> {
        let mut all = vec![vec![]];
        let mut newest = all.clone();
        for _ in 0..length {
            let longer = |row: &Vec<u8>| {
                (0..=4)
                    .map(|number| [&row[..], &[number]].concat())
                    .collect()
            };
            newest = newest
                .iter()
                .flat_map(|row| -> Vec<Vec<u8>> { longer(row) })
                .collect();
            all.extend(newest.clone());
        }
        all
    }

    #[test]
    fn a_run_takes_at_its_ends_what_leaves_it_legal() {
        for row in rows(5).iter().filter(|row| is_legal(row)) {
            let run = run(row);
            for number in 0..=5 {
                let after = [&row[..], &[number]].concat();
                let before = [&[number], &row[..]].concat();
                assert_eq!(
                    takes_after(&run, card(number)),
                    is_legal(&after),
                    "{after:?}"
                );
                let fits = takes_before(&run, card(number));
                assert_eq!(fits, is_legal(&before), "{before:?}");
            }
        }
    }

    #[test]
    fn two_runs_join_over_a_card_where_the_whole_row_is_legal() {
        let legal: Vec<Vec<u8>> = rows(3).into_iter().filter(|row| is_legal(row)).collect();
        for left in &legal {
            for right in &legal {
                for number in 0..=5 {
                    let whole = [&left[..], &[number], &right[..]].concat();
                    let joined = run(left).join(card(number), &run(right));
                    assert_eq!(joined.is_some(), is_legal(&whole), "{whole:?}");
                    let fits = takes(&run(left), card(number), &run(right));
                    assert_eq!(fits, is_legal(&whole), "{whole:?}");
                    if let Some(joined) = joined {
                        assert_eq!(joined, run(&whole), "{whole:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_monument_fits_every_style_and_binds_none() {
        let of = |style: u8| Traits {
            styles: 1 << style,
            number: 0,
            is_monument: false,
        };
        let monument = Traits::from(Card::Monument);
        let lone = Run::EMPTY.join(monument, &Run::EMPTY).unwrap();
        assert!((0..3).all(|style| takes_after(&lone, of(style))));
        let truss = lone.join(of(1), &Run::EMPTY).unwrap();
        assert!(takes_before(&truss, of(1)) && takes_before(&truss, monument));
        assert!(!takes_before(&truss, of(0)) && !takes_after(&truss, of(2)));
        let cable = Run::EMPTY.join(of(2), &Run::EMPTY).unwrap();
        assert_eq!(truss.join(monument, &cable), None);
        assert!(!takes(&truss, monument, &cable) && takes(&truss, monument, &lone));
    }
}
