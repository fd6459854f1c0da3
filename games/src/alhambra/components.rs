//! The pieces in the box, and the numbers in the rules. All data of the printed game is here.

use crate::named::named;

/// The minimum number of seats.
pub const MIN_PLAYERS: usize = 2;
/// The maximum number of seats.
pub const MAX_PLAYERS: usize = 6;
/// The maximum number of building owners, which are the seats. A table of two has a third owner,
/// the dummy.
pub const MAX_OWNERS: usize = MAX_PLAYERS;

/// The number of currencies, which is also the number of slots in the yard.
pub const CURRENCIES: usize = 4;
/// The number of different money card values, which are 1 to 9.
pub const VALUES: usize = 9;
/// The number of copies of each money card in the box. At a table of two, there is one copy fewer
/// of each card.
pub const MAX_COPIES: u8 = 3;
/// The number of money cards in the box.
pub const MONEY_CARDS: usize = CURRENCIES * VALUES * MAX_COPIES as usize;
/// The number of cards in the open row when it is full.
pub const ROW_CARDS: usize = 4;
/// The minimum total of a starting hand. Each seat draws until its hand has at least this total.
pub const STARTING_MONEY: u16 = 20;
/// The maximum total when a seat takes several money cards at once.
pub const TAKE_LIMIT: u8 = 5;
/// The number of piles that the remaining money is divided into after the deal (A2).
pub const SUBPILES: usize = 5;

/// The number of building categories.
pub const CATEGORIES: usize = 6;
/// The number of prices in one category, which are consecutive.
pub const PRICES_PER_CATEGORY: usize = 7;
/// The number of building kinds. Buildings of one kind have the same category and price.
pub const BUILDING_KINDS: usize = CATEGORIES * PRICES_PER_CATEGORY;
/// The number of buildings in the box.
pub const BUILDINGS: usize = 54;
/// The number of buildings that the dummy gets at the start, and again after scoring A.
pub const DUMMY_BUILDINGS: u8 = 6;
/// The divisor for the pile of buildings after scoring B. The dummy gets the quotient, rounded
/// down, as its number of buildings.
pub const DUMMY_SHARE: u8 = 3;

/// The number of scorings in a match: A and B, which have a scoring card, and C, which has none.
pub const SCORINGS: usize = 3;
/// The number of scoring cards in the money pile: A and B.
pub const SCORING_CARDS: usize = 2;
/// The maximum number of places that score points in a category.
pub const PAID_PLACES: usize = 3;
/// The most points that an owner can get for one category in one scoring: for the first place in
/// towers in scoring C.
pub const MAX_CATEGORY_POINTS: u8 = 21;
/// The maximum number of shuffles in a match. Only money from payments is shuffled, and each
/// building is bought at most once.
pub const MAX_SHUFFLES: u8 = BUILDINGS as u8;

/// The buildings of each category, in the order of [`Category::ALL`]. An entry has the lowest
/// price, and the number of buildings at that price and at each of the next six prices.
pub(super) const PRICES: [(u8, [u8; PRICES_PER_CATEGORY]); CATEGORIES] = [
    (2, [1, 1, 1, 1, 1, 1, 1]),
    (3, [1, 1, 1, 1, 1, 1, 1]),
    (4, [1, 1, 2, 1, 2, 1, 1]),
    (5, [1, 1, 2, 1, 2, 1, 1]),
    (6, [1, 1, 3, 1, 3, 1, 1]),
    (7, [1, 1, 3, 1, 3, 1, 1]),
];

named! {
    /// A currency of money cards, which also names the yard slot that is paid for in this currency.
    /// The values are in the order of the yard (A1).
    Currency {
        Blue = "blue",
        Green = "green",
        Orange = "orange",
        Yellow = "yellow",
    }
}

impl Currency {
    /// Returns the first letter of the name, as in the notation of money cards: `b7`.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// Returns the currency with this letter, if there is one.
    pub fn from_letter(letter: char) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|currency| currency.letter() == letter)
    }
}

named! {
    /// A category of buildings, by rank: from 1, the pavilion, to 6, the tower. The colours are
    /// those of the printed cards.
    Category {
        /// Category 1, with blue cards.
        Pavilion = "pavilion",
        /// Category 2, with red cards.
        Seraglio = "seraglio",
        /// Category 3, with brown cards.
        Arcades = "arcades",
        /// Category 4, with white cards.
        Chambers = "chambers",
        /// Category 5, with green cards.
        Garden = "garden",
        /// Category 6, with violet cards.
        Tower = "tower",
    }
}

impl Category {
    /// Returns the lowest price. The category also has each of the next six prices.
    pub const fn lowest_price(self) -> u8 {
        PRICES[self.index()].0
    }
}

named! {
    /// A scoring. The variants are in the order in which the scorings take place.
    Scoring {
        /// Held when scoring card A is drawn.
        A = "A",
        /// Held when scoring card B is drawn.
        B = "B",
        /// Held at the end of the match.
        C = "C",
    }
}

impl Scoring {
    /// Returns the points for the first, second and third place in a category.
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
