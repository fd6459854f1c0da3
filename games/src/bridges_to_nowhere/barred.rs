//! Which cards the runs beside an empty cell keep out of it (N5), as bit boards.
//!
//! A run only ever takes less as it grows: a part of a legal row is legal. So what is barred stays
//! barred until a piece lies in the cell, and then it does not matter any more.

use super::board::{Board, Spot, bits};
use super::components::{LEVELS, MAX_NUMBER, STYLES};
use super::run::{ALL_STYLES, NumberSet, StyleSet, Traits};

/// The numbers 1 to [`MAX_NUMBER`], and none.
const NUMBERS: usize = MAX_NUMBER as usize + 1;
/// Each bit of a set of numbers has a board.
const _: () = assert!(NUMBERS == NumberSet::BITS as usize);

/// The cells of all levels that are barred to cards.
#[derive(Clone, Debug)]
pub(super) struct Barred([OnLevel; LEVELS]);

/// The cells of one level that are barred to cards.
#[derive(Clone, Copy, Debug)]
struct OnLevel {
    /// To the bridge cards of each style.
    styles: [Board; STYLES],
    /// To the cards without a number, then to those with each number.
    numbers: [Board; NUMBERS],
}

impl Barred {
    /// Nothing is barred.
    pub(super) const NOTHING: Self = Self(
        [OnLevel {
            styles: [0; STYLES],
            numbers: [0; NUMBERS],
        }; LEVELS],
    );

    /// The cells of a level that are barred to a card: a monument, which fits every style, lies
    /// wherever some style does.
    pub(super) fn to(&self, level: usize, card: Traits) -> Board {
        let OnLevel { styles, numbers } = &self.0[level];
        let style = match card.is_monument {
            true => styles
                .iter()
                .fold(Board::MAX, |barred, style| barred & style),
            false => styles[card.styles.trailing_zeros() as usize],
        };
        style | numbers[usize::from(card.number)]
    }

    /// Bars an empty spot to all cards but those of some styles and numbers.
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

    /// A card of each style and number, and a monument.
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

    /// Asks the runs themselves about each place where a piece can lie.
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
        while let Some(seat) = BridgesToNowhere::owing(&state).iter().next() {
            BridgesToNowhere::legal(&state, seat, &mut list);
            let choice = &list[chance.below(list.len() as u32) as usize];
            BridgesToNowhere::apply(&mut state, seat, choice, &mut NoEvents).unwrap();
            check(&state);
        }
    }

    #[test]
    fn what_is_barred_is_what_the_runs_do_not_take_after_every_decision() {
        for seed in (0..20).map(Seed::from) {
            play(&seed, |state| state.seats.iter().for_each(check));
        }
    }
}
