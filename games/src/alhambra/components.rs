//! The pieces in the box and the figures of the game: all edition data is here.

use crate::named::named;

/// Fewest seats of this game.
pub const MIN_PLAYERS: usize = 2;
/// Most seats of this game.
pub const MAX_PLAYERS: usize = 6;
/// Most owners of buildings: the seats; a table of two has a third owner, the dummy.
pub const MAX_OWNERS: usize = MAX_PLAYERS;

/// Currencies, and slots of the yard: one each.
pub const CURRENCIES: usize = 4;
/// Values of money cards: 1 to 9.
pub const VALUES: usize = 9;
/// Copies of each money card in the box; a table of two plays with one less.
pub const MAX_COPIES: u8 = 3;
/// Money cards in the box.
pub const MONEY_CARDS: usize = CURRENCIES * VALUES * MAX_COPIES as usize;
/// Cards of the open row.
pub const ROW_CARDS: usize = 4;
/// Each seat draws at the start until its money is worth at least this.
pub const STARTING_MONEY: u16 = 20;
/// Highest total of several money cards taken together.
pub const TAKE_LIMIT: u8 = 5;
/// Piles that the money left after the deal is parted into (A2).
pub const SUBPILES: usize = 5;

/// Categories of buildings.
pub const CATEGORIES: usize = 6;
/// Prices of one category: a row of this many.
pub const PRICES_PER_CATEGORY: usize = 7;
/// Kinds of building: buildings of one kind have one category and one price.
pub const BUILDING_KINDS: usize = CATEGORIES * PRICES_PER_CATEGORY;
/// Buildings in the box.
pub const BUILDINGS: usize = 54;
/// Buildings of the dummy at the start, and again after scoring A.
pub const DUMMY_BUILDINGS: u8 = 6;
/// After scoring B the dummy gets the pile divided by this, rounded down.
pub const DUMMY_SHARE: u8 = 3;

/// Scorings of a match, and scoring cards with a third one that is no card: A, B and C.
pub const SCORINGS: usize = 3;
/// Scoring cards in the pile of money cards: A and B.
pub const SCORING_CARDS: usize = 2;
/// Places that a scoring pays at most.
pub const PAID_PLACES: usize = 3;
/// Most points that one owner gets in one category of one scoring: the first place of towers in
/// scoring C.
pub const MAX_CATEGORY_POINTS: u8 = 21;
/// Most shuffles of a match: only paid money is shuffled, and each building is paid once.
pub const MAX_SHUFFLES: u8 = BUILDINGS as u8;

/// The buildings of each category, in the order of [`Category::ALL`]: the lowest price, and how
/// many buildings there are of it and of each of the next six prices.
pub(super) const PRICES: [(u8, [u8; PRICES_PER_CATEGORY]); CATEGORIES] = [
    (2, [1, 1, 1, 1, 1, 1, 1]),
    (3, [1, 1, 1, 1, 1, 1, 1]),
    (4, [1, 1, 2, 1, 2, 1, 1]),
    (5, [1, 1, 2, 1, 2, 1, 1]),
    (6, [1, 1, 3, 1, 3, 1, 1]),
    (7, [1, 1, 3, 1, 3, 1, 1]),
];

named! {
    /// A currency of money cards, and the slot of the yard that is paid in it, in the order of the
    /// yard (A1).
    Currency {
        Blue = "blue",
        Green = "green",
        Orange = "orange",
        Yellow = "yellow",
    }
}

impl Currency {
    /// The first letter of the name, as money cards are written: `b7`.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// The one with this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|currency| currency.letter() == letter)
    }
}

named! {
    /// A category of buildings, by rank: from 1, the pavilion, to 6, the tower. The colours are
    /// those of the cards.
    Category {
        /// Blue.
        Pavilion = "pavilion",
        /// Red.
        Seraglio = "seraglio",
        /// Brown.
        Arcades = "arcades",
        /// White.
        Chambers = "chambers",
        /// Green.
        Garden = "garden",
        /// Violet.
        Tower = "tower",
    }
}

impl Category {
    /// The lowest price; each of the next six prices is there too.
    pub const fn lowest_price(self) -> u8 {
        PRICES[self.index()].0
    }
}

named! {
    /// A scoring, in the order of the match.
    Scoring {
        /// When scoring card A is drawn.
        A = "A",
        /// When scoring card B is drawn.
        B = "B",
        /// At the end of the match.
        C = "C",
    }
}

impl Scoring {
    /// Points of the first, second and third place in a category.
    pub const fn place_points(self, category: Category) -> [u8; PAID_PLACES] {
        let rank = category.index() as u8 + 1;
        match self {
            Self::A => [rank, 0, 0],
            Self::B => [7 + rank, rank, 0],
            Self::C => [15 + rank, 7 + rank, rank],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_agree_with_every_printed_figure() {
        assert_eq!(Scoring::A.place_points(Category::Chambers), [4, 0, 0]);
        assert_eq!(Scoring::B.place_points(Category::Tower), [13, 6, 0]);
        assert_eq!(Scoring::C.place_points(Category::Garden), [20, 12, 5]);
        let most = Scoring::C.place_points(Category::Tower)[0];
        assert_eq!(most, MAX_CATEGORY_POINTS);
    }

    #[test]
    fn the_box_has_108_money_cards() {
        assert_eq!(MONEY_CARDS, 108);
    }
}
