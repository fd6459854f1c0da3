//! Conversions for money cards and buildings, and for multisets of cards or buildings.

use arrayvec::ArrayVec;
use bridgemaster_games::alhambra::{
    BUILDINGS, Building, Buildings, CATEGORIES, Category, Currency, MAX_COPIES, MONEY_CARDS, Money,
    MoneyCard, PRICES_PER_CATEGORY, ROW_CARDS, RowCards, VALUES, ValueCounts,
};

use super::v1;
use crate::games::{
    conversion::{Conversion, InRange, OnWire},
    describe::wire_message,
    other_form::wire_as,
    wire::{FieldError, Path as _},
    writer::{Field, Writer},
};

/// The value of a money card.
const VALUE: InRange<u8> = InRange(1..=VALUES as u8);

wire_message! {
    (Currency, u8) = v1::MoneyCard { currency, value: VALUE } => (currency, value)
}
wire_as! {
    MoneyCard = v1::MoneyCard as (Currency, u8),
    |card| (card.currency(), card.value()),
    |_field, (currency, value)| Ok(Self::new(currency, value).expect("the value is in range"))
}
wire_message! { MoneyCard = v1::MoneyCard }

/// Returns the price range in a category.
fn price(category: Category) -> InRange<u8> {
    let lowest = category.lowest_price();
    InRange(lowest..=lowest + PRICES_PER_CATEGORY as u8 - 1)
}

wire_message! { (Category, u32) = v1::Building { category, price } => (category, price) }
wire_as! {
    Building = v1::Building as (Category, u32),
    |building| (building.category(), building.price().into()),
    |field, (category, wire)| {
        let price = price(category).read("price", &wire).below(field)?;
        Ok(Self::new(category, price).expect("the price is in range"))
    }
}
wire_message! { Building = v1::Building }

/// Returns the multiset, or an error if it has too many copies of a piece.
fn check_copies<T>(field: &str, multiset: Option<T>, piece: &str) -> Result<T, FieldError> {
    multiset.ok_or_else(|| {
        let detail = format!("must have at most {MAX_COPIES} of each {piece}");
        FieldError::new(field, detail)
    })
}

wire_as! {
    RowCards = Vec<v1::MoneyCard> as ArrayVec<MoneyCard, ROW_CARDS>,
    |row| row.cards().collect(),
    |field, cards| check_copies(field, Self::from_cards(cards), "card")
}
wire_as! {
    Money = Vec<v1::MoneyCard> as ArrayVec<MoneyCard, MONEY_CARDS>,
    |money| money.cards().collect(),
    |field, cards| check_copies(field, Self::from_cards(cards), "card")
}
wire_as! {
    Buildings = Vec<v1::Building> as ArrayVec<Building, BUILDINGS>,
    |buildings| buildings.iter().collect(),
    |field, buildings| check_copies(field, Self::from_buildings(buildings), "building")
}

/// Cards in one currency. Their values are written in ascending order, and read in any order.
impl OnWire<Vec<u32>> for ValueCounts {
    fn to_wire(&self) -> Vec<u32> {
        let mut values = Vec::with_capacity(self.len());
        values.extend(self.values().map(u32::from));
        values
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.list(self.values(), field, |to, value, field| to.number(u32::from(value), field));
    }

    fn from_wire(field: &str, wire: &Vec<u32>) -> Result<Self, FieldError> {
        let mut counts = [0u8; VALUES];
        for (place, card) in wire.iter().enumerate() {
            let card = VALUE.read("", card).at(field, place)?;
            let count = &mut counts[usize::from(card) - 1];
            *count = count.saturating_add(1);
        }
        Self::new(counts).ok_or_else(|| {
            let detail = format!("must have at most {MAX_COPIES} cards of each value");
            FieldError::new(field, detail)
        })
    }
}

wire_message! {
    Money = v1::Money { blue, green, orange, yellow } => Self([blue, green, orange, yellow])
}

/// The buildings in a category, by their prices. Each price occurs at most as often as in the box.
struct Prices(Category);

impl Conversion<Buildings, Vec<u32>> for Prices {
    fn write(&self, buildings: &Buildings) -> Vec<u32> {
        let mut prices = Vec::with_capacity(buildings.count_of(self.0).into());
        prices.extend(self.in_category(buildings));
        prices
    }

    fn put(&self, buildings: &Buildings, field: Field, to: &mut Writer) {
        to.list(self.in_category(buildings), field, |to, price, field| to.number(price, field));
    }

    fn read(&self, field: &str, wire: &Vec<u32>) -> Result<Buildings, FieldError> {
        let mut buildings = ArrayVec::<Building, BUILDINGS>::new();
        for (place, wire) in wire.iter().enumerate() {
            let price = price(self.0).read("", wire).at(field, place)?;
            let building = Building::new(self.0, price).expect("the price is in range");
            let count = buildings.iter().filter(|other| **other == building).count();
            if count == usize::from(building.copies()) {
                let detail = format!("the box has only {count} of {building}");
                return Err(FieldError::new("", detail).at(field, place));
            }
            buildings.push(building);
        }
        Ok(Buildings::from_buildings(buildings).expect("no more of a kind than the box has"))
    }
}

impl Prices {
    fn in_category(&self, buildings: &Buildings) -> impl Iterator<Item = u32> {
        let of_category = move |building: &Building| building.category() == self.0;
        buildings.iter().filter(of_category).map(|building| building.price().into())
    }
}

wire_message! {
    [Buildings; CATEGORIES] = v1::Buildings {
        pavilions: Prices(Category::Pavilion),
        seraglios: Prices(Category::Seraglio),
        arcades: Prices(Category::Arcades),
        chambers: Prices(Category::Chambers),
        gardens: Prices(Category::Garden),
        towers: Prices(Category::Tower),
    } => [pavilions, seraglios, arcades, chambers, gardens, towers]
}
wire_as! {
    Buildings = v1::Buildings as [Buildings; CATEGORIES],
    |buildings| [*buildings; CATEGORIES],
    |_field, by_category| {
        let all = by_category.iter().flat_map(|buildings| buildings.iter());
        Ok(Self::from_buildings(all).expect("no more of a kind than the box has"))
    }
}
wire_message! { Buildings = v1::Buildings }
