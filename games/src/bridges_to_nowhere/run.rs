//! Runs, which are rows of adjacent bridge cards. This module computes the cards that fit at the
//! ends of a run, and the cards that join two runs.

use super::components::{Card, MAX_NUMBER, STYLES};

/// A set of styles, one bit for each.
pub(super) type StyleSet = u8;

pub(super) const ALL_STYLES: StyleSet = (1 << STYLES) - 1;

/// The properties of a card that decide which runs it can join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// The styles that the card fits: its own style, also for a toll (N18), and all styles for a
    /// monument.
    pub(super) styles: StyleSet,
    /// The number; 0 for tolls and monuments.
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
            Card::Monument => Self { styles: ALL_STYLES, number: 0, is_monument: true },
        }
    }
}

/// The shape of a run's number sequence. The shape is the sequence of directions between
/// neighbours, with equal consecutive directions merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// At most one number.
    Flat,
    Up,
    Down,
    /// Up, then down. The direction cannot change again.
    Peak,
    /// Down, then up. The direction cannot change again.
    Valley,
}

/// The table for [`Shape::then`]: rows by the first shape, columns by the next.
static CONCATENATED: [[Option<Shape>; 5]; 5] = {
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
    /// Returns the direction from one number to the next, or `None` if they are equal.
    const fn of(from: u8, to: u8) -> Option<Self> {
        if from < to {
            Some(Self::Up)
        } else if from > to {
            Some(Self::Down)
        } else {
            None
        }
    }

    /// Returns the shape of a sequence with this shape, followed by a sequence with another.
    /// Returns `None` if the direction would change twice.
    fn then(self, next: Self) -> Option<Self> {
        CONCATENATED[self as usize][next as usize]
    }
}

/// The numbers of a run in sequence, without tolls and monuments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// The first number; 0 if there are no numbers.
    first: u8,
    /// The last number; 0 if there are no numbers.
    last: u8,
    shape: Shape,
}

impl Numbers {
    const fn of(number: u8) -> Self {
        Self { first: number, last: number, shape: Shape::Flat }
    }

    /// Concatenates two sequences; returns `None` if the result is not legal (N5).
    fn then(self, next: Self) -> Option<Self> {
        if self.last == 0 {
            return Some(next);
        }
        if next.first == 0 {
            return Some(self);
        }
        let between = Shape::of(self.last, next.first)?;
        let shape = self.shape.then(between)?.then(next.shape)?;
        Some(Self { first: self.first, last: next.last, shape })
    }

    /// Concatenates this sequence, a number (0 for none) and another sequence.
    #[inline]
    fn join(self, number: u8, right: Self) -> Option<Self> {
        self.then(Self::of(number))?.then(right)
    }
}

/// A set of numbers, bit n for number n; bit 0 stands for a card without a number.
pub(super) type NumberSet = u16;

const _: () = assert!((MAX_NUMBER as u32) < NumberSet::BITS);

/// Returns the set that contains the numbers below `number`, and 0 for cards without a number.
const fn below(number: u8) -> NumberSet {
    (1 << number) - 1
}

/// Returns the set that contains the numbers above `number`, and 0 for cards without a number.
const fn above(number: u8) -> NumberSet {
    !below(number) & !(1 << number) | 1
}

/// Returns the numbers allowed next to `number` at one end of a run; 0 if the run has no number. A
/// run that has changed direction accepts only lower numbers at the ends of a peak, and only higher
/// numbers at the ends of a valley.
const fn allowed_beside(number: u8, shape: Shape) -> NumberSet {
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
    /// The styles that another card of the run may have. Cells below the run do not matter (N19).
    styles: StyleSet,
    numbers: Numbers,
    /// The numbers that a card added at the left end may have.
    before: NumberSet,
    /// The numbers that a card added at the right end may have.
    after: NumberSet,
}

impl Run {
    /// The run without any card.
    pub(super) const EMPTY: Self = Self::new(0, ALL_STYLES, Numbers::of(0));

    const fn new(length: u8, styles: StyleSet, numbers: Numbers) -> Self {
        let Numbers { first, last, shape } = numbers;
        Self {
            length,
            styles,
            numbers,
            before: allowed_beside(first, shape),
            after: allowed_beside(last, shape),
        }
    }

    /// Returns the styles and the numbers that a card between this run and `right` may have.
    pub(super) fn allowed_between(&self, right: &Self) -> (StyleSet, NumberSet) {
        let styles = self.styles & right.styles;
        let numbers = match (self.numbers.last, right.numbers.first) {
            (0, _) | (_, 0) => self.after & right.before,
            (last, first) => self.joining_numbers(last.min(first), last.max(first), right),
        };
        (styles, numbers)
    }

    /// Returns the numbers that a card joining two runs may have. `low` and `high` are the lower
    /// and the higher number beside the card. Only the order relative to `low` and `high` matters,
    /// so one candidate of each kind is tried.
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

    /// Returns the styles that fit two runs and a card between them.
    pub(super) const fn common_styles(&self, card: Traits, right: &Self) -> StyleSet {
        self.styles & card.styles & right.styles
    }

    /// Joins this run, a card and the run to its right. Returns `None` if the resulting run is not
    /// legal (N5).
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

    /// Returns `true` if a row of numbers is legal, and checks it number by number; 0 is a card
    /// without a number.
    fn is_legal(row: &[u8]) -> bool {
        let numbers: Vec<u8> = row.iter().copied().filter(|&number| number > 0).collect();
        let rises: Vec<bool> = numbers.windows(2).map(|pair| pair[0] < pair[1]).collect();
        let differ = numbers.windows(2).all(|pair| pair[0] != pair[1]);
        differ && rises.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 1
    }

    fn card(number: u8) -> Traits {
        Traits { styles: 1, number, is_monument: false }
    }

    fn run(row: &[u8]) -> Run {
        row.iter().fold(Run::EMPTY, |run, &number| run.join(card(number), &Run::EMPTY).unwrap())
    }

    /// Returns `true` if a card fits between two runs.
    fn takes(left: &Run, card: Traits, right: &Run) -> bool {
        let (styles, numbers) = left.allowed_between(right);
        styles & card.styles != 0 && numbers >> card.number & 1 != 0
    }

    fn takes_after(run: &Run, card: Traits) -> bool {
        takes(run, card, &Run::EMPTY)
    }

    fn takes_before(run: &Run, card: Traits) -> bool {
        takes(&Run::EMPTY, card, run)
    }

    /// Returns all rows of up to `length` cards with numbers 1 to 4 or without a number.
    fn rows(length: usize) -> Vec<Vec<u8>> {
        let mut all = vec![vec![]];
        let mut newest = all.clone();
        for _ in 0..length {
            let longer =
                |row: &Vec<u8>| (0..=4).map(|number| [&row[..], &[number]].concat()).collect();
            newest = newest.iter().flat_map(|row| -> Vec<Vec<u8>> { longer(row) }).collect();
            all.extend(newest.clone());
        }
        all
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
        let of = |style: u8| Traits { styles: 1 << style, number: 0, is_monument: false };
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
