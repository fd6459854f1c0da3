//! Buildings and multisets of them.

use std::fmt;

use super::components::{BUILDING_KINDS, Category, MAX_COPIES, PRICES, PRICES_PER_CATEGORY};

/// A building. Buildings with the same category and price are interchangeable. Buildings are
/// ordered by category, then by price.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Building(u8);

/// The index of each kind's price.
const PRICE_OF: [u8; BUILDING_KINDS] = {
    let mut prices = [0; BUILDING_KINDS];
    let mut kind = 0;
    while kind < BUILDING_KINDS {
        let (lowest, _) = PRICES[kind / PRICES_PER_CATEGORY];
        prices[kind] = lowest + (kind % PRICES_PER_CATEGORY) as u8;
        kind += 1;
    }
    prices
};

impl Building {
    /// The first kind, by category and price.
    pub(super) const FIRST: Self = Self(0);

    /// Returns the building of this category and price, or `None` if the box has none.
    pub fn new(category: Category, price: u8) -> Option<Self> {
        let place = usize::from(price.checked_sub(category.lowest_price())?);
        let index = category.index() * PRICES_PER_CATEGORY + place;
        (place < PRICES_PER_CATEGORY).then_some(Self(index as u8))
    }

    /// Returns all kinds in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..BUILDING_KINDS as u8).map(Self)
    }

    /// Returns the category, which decides the points.
    pub const fn category(self) -> Category {
        Category::ALL[self.index() / PRICES_PER_CATEGORY]
    }

    /// Returns the price, which is paid in the currency of the slot.
    pub const fn price(self) -> u8 {
        PRICE_OF[self.index()]
    }

    /// Returns the number of buildings of this kind in the box.
    pub const fn copies(self) -> u8 {
        let (_, copies) = PRICES[self.index() / PRICES_PER_CATEGORY];
        copies[self.index() % PRICES_PER_CATEGORY]
    }

    /// Returns the position among all kinds, 0 to 41.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Writes category and price: `garden 10`.
impl fmt::Display for Building {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.category(), self.price())
    }
}

impl fmt::Debug for Building {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A multiset of buildings with at most [`MAX_COPIES`] of a kind. The multiset is stored as two
/// bits for each kind, the first kind in the lowest bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Buildings(u128);

/// Masks for the low and the high bits of one category's counts.
const LOW_BITS: u32 = 0x1555;
const HIGH_BITS: u32 = 0x2aaa;

impl Buildings {
    /// The multiset without any building.
    pub const EMPTY: Self = Self(0);

    /// Every building of the box.
    pub const ALL: Self = {
        let (mut all, mut kind) = (0, 0);
        while kind < BUILDING_KINDS {
            all |= (Building(kind as u8).copies() as u128) << (2 * kind);
            kind += 1;
        }
        Self(all)
    };

    /// Creates the multiset of these buildings; returns `None` if there are more than
    /// [`MAX_COPIES`] of a kind.
    pub fn from_buildings(buildings: impl IntoIterator<Item = Building>) -> Option<Self> {
        buildings.into_iter().try_fold(Self::EMPTY, |set, building| {
            (set.count(building) < MAX_COPIES).then(|| set.with(building))
        })
    }

    /// Returns the number of buildings of one kind.
    pub const fn count(self, building: Building) -> u8 {
        (self.0 >> (2 * building.index()) & 3) as u8
    }

    /// Returns the number of buildings in a category.
    pub const fn count_of(self, category: Category) -> u8 {
        let bits = (self.0 >> (2 * PRICES_PER_CATEGORY * category.index())) as u32;
        ((bits & LOW_BITS).count_ones() + 2 * (bits & HIGH_BITS).count_ones()) as u8
    }

    /// Returns the number of buildings, counting each copy.
    pub fn len(self) -> usize {
        let counts = Category::ALL.map(|category| usize::from(self.count_of(category)));
        counts.iter().sum()
    }

    /// Returns `true` if there is no building.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the buildings in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Building> {
        Building::all().flat_map(move |building| {
            std::iter::repeat_n(building, usize::from(self.count(building)))
        })
    }

    /// Adds a building. The multiset must have fewer than [`MAX_COPIES`] of this kind.
    pub(super) const fn with(self, building: Building) -> Self {
        Self(self.0 + (1 << (2 * building.index())))
    }

    /// Removes the buildings of `other`, all of which must be present.
    pub(super) const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    /// Returns the counts, two bits per kind, the first kind in the lowest bits.
    pub(super) const fn bits(self) -> u128 {
        self.0
    }
}

impl fmt::Debug for Buildings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::{BUILDINGS, CATEGORIES};
    use super::*;

    #[test]
    fn the_box_has_54_buildings_of_42_kinds() {
        assert_eq!(Buildings::ALL.len(), BUILDINGS);
        let prices: [&[u8]; CATEGORIES] = [
            &[2, 3, 4, 5, 6, 7, 8],
            &[3, 4, 5, 6, 7, 8, 9],
            &[4, 5, 6, 6, 7, 8, 8, 9, 10],
            &[5, 6, 7, 7, 8, 9, 9, 10, 11],
            &[6, 7, 8, 8, 8, 9, 10, 10, 10, 11, 12],
            &[7, 8, 9, 9, 9, 10, 11, 11, 11, 12, 13],
        ];
        for (category, prices) in Category::ALL.into_iter().zip(prices) {
            let of_category = Buildings::ALL.iter().filter(|b| b.category() == category);
            assert_eq!(of_category.map(Building::price).collect::<Vec<_>>(), prices);
            assert_eq!(category.lowest_price(), prices[0]);
        }
        for building in Building::all() {
            let again = Building::new(building.category(), building.price());
            assert_eq!(again, Some(building));
            assert_eq!(Buildings::ALL.count(building), building.copies());
        }
    }

    #[test]
    fn prices_add_up_to_the_printed_sums() {
        let sums = Category::ALL.map(|category| {
            let of_category = Buildings::ALL.iter().filter(|b| b.category() == category);
            of_category.map(|b| u32::from(b.price())).sum::<u32>()
        });
        assert_eq!(sums, [35, 42, 63, 72, 99, 110]);
        let counts = Category::ALL.map(|category| Buildings::ALL.count_of(category));
        assert_eq!(counts, [7, 7, 9, 9, 11, 11]);
    }

    #[test]
    fn no_building_has_a_price_that_is_not_in_the_box() {
        assert_eq!(Building::new(Category::Garden, 5), None);
        assert_eq!(Building::new(Category::Garden, 13), None);
        assert_eq!(Building::new(Category::Pavilion, 0), None);
    }

    #[test]
    fn a_multiset_counts_the_buildings_of_a_category() {
        let gardens = [6, 8, 8, 8, 12].map(|price| Building::new(Category::Garden, price));
        let tower = Building::new(Category::Tower, 7);
        let set = Buildings::from_buildings(gardens.into_iter().chain([tower]).flatten());
        let set = set.unwrap_or_default();
        let counts = Category::ALL.map(|category| set.count_of(category));
        assert_eq!(counts, [0, 0, 0, 0, 5, 1]);
        assert_eq!(Buildings::from_buildings(gardens[1].into_iter().cycle().take(4)), None);
    }
}
