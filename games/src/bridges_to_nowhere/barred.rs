//! Bit boards of barred cells: the empty cells from which the adjacent runs exclude a card (N5).
//!
//! A run only gets more restrictive as it grows, since every part of a legal row is legal. So a
//! barred card stays barred until the cell is filled.

use super::board::{Board, Spot, bits};
use super::components::{LEVELS, MAX_NUMBER, STYLES};
use super::run::{ALL_STYLES, NumberSet, StyleSet, Traits};

/// The number of possible members in a `NumberSet`: the numbers 1 to [`MAX_NUMBER`], and 0 for
/// cards without a number.
const NUMBERS: usize = MAX_NUMBER as usize + 1;
/// There is one board for each bit of a `NumberSet`.
const _: () = assert!(NUMBERS == NumberSet::BITS as usize);

/// The barred cells of all levels, by the card trait that they exclude.
#[derive(Clone, Debug)]
pub(super) struct Barred([LevelBars; LEVELS]);

/// The barred cells on one level.
#[derive(Clone, Copy, Debug)]
struct LevelBars {
    /// Cells barred to bridge cards, by style.
    styles: [Board; STYLES],
    /// Cells barred to cards, by the card's number; index 0 is for cards without a number.
    numbers: [Board; NUMBERS],
}

impl Barred {
    /// The value of an empty structure, which bars no cell.
    pub(super) const NOTHING: Self = Self(
        [LevelBars {
            styles: [0; STYLES],
            numbers: [0; NUMBERS],
        }; LEVELS],
    );

    /// Returns the cells on a level that are barred to a card. A monument fits every style, so it
    /// is allowed wherever any style is.
    pub(super) fn cells_barred_to(&self, level: usize, card: Traits) -> Board {
        let LevelBars { styles, numbers } = &self.0[level];
        let style = if card.is_monument {
            styles
                .iter()
                .fold(Board::MAX, |barred, style| barred & style)
        } else {
            styles[card.styles.trailing_zeros() as usize]
        };
        style | numbers[usize::from(card.number)]
    }

    /// Bars an empty spot to all cards except those with one of these styles and one of these
    /// numbers.
    pub(super) fn bar_others(&mut self, spot: Spot, styles: StyleSet, numbers: NumberSet) {
        let level = &mut self.0[spot.level];
        for style in bits((ALL_STYLES & !styles).into()) {
            level.styles[style as usize] |= spot.board();
        }
        for number in bits((!numbers).into()) {
            level.numbers[number as usize] |= spot.board();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::Card;
    use super::super::state::{Builder, State};
    use super::super::{BridgesToNowhere, Config};
    use super::*;
    use crate::{ChanceStream, Game, NoEvents, Rules, SeatCount, Seed};

    /// Returns a card of each style and number, and a monument.
    fn all_traits() -> Vec<Traits> {
        let numbers = |style: usize| {
            (0..=MAX_NUMBER).map(move |number| Traits {
                styles: 1 << style,
                number,
                is_monument: false,
            })
        };
        let cards = (0..STYLES).flat_map(numbers);
        cards.chain([Traits::from(Card::Monument)]).collect()
    }

    /// Compares the boards with the runs at each place where a piece can lie.
    fn check(builder: &Builder) {
        let structure = &builder.structure;
        for (level, places) in structure.places().into_iter().enumerate() {
            for cell in structure.cells(level, places) {
                let (left, right) = structure.neighbours(Spot::of(cell));
                for card in all_traits() {
                    let joins = left.join(card, right).is_some();
                    let fits = structure.fits(Spot::of(cell), card);
                    assert_eq!(fits, joins, "{card:?} at {cell}: {structure:?}");
                }
            }
        }
    }

    fn play(seed: &Seed, check: impl Fn(&State)) {
        let (config, seats) = (Config::default(), SeatCount::new(2).unwrap());
        let setup = BridgesToNowhere::draw_setup(&config, seats, seed).unwrap();
        let mut state = BridgesToNowhere::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut chance = ChanceStream::new(seed, 1_000_000);
        let mut list = Vec::new();
        while let Some(seat) = BridgesToNowhere::seats_to_decide(&state).iter().next() {
            BridgesToNowhere::legal(&state, seat, &mut list);
            let choice = &list[chance.below(list.len() as u32) as usize];
            BridgesToNowhere::apply(&mut state, seat, choice, &mut NoEvents).unwrap();
            check(&state);
        }
    }

    #[test]
    fn barred_cards_are_those_that_runs_do_not_accept_after_every_decision() {
        for seed in (0..20).map(Seed::from) {
            play(&seed, |state| state.seats.iter().for_each(check));
        }
    }
}
