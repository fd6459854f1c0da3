//! Money cards and buildings, and multisets of them.

use std::iter;

use arrayvec::ArrayVec;
use bridgemaster_games::alhambra::{
    BUILDING_KINDS, BUILDINGS, Building, Buildings, CATEGORIES, CURRENCIES, Category, Currency,
    MAX_COPIES, MONEY_CARDS, Money, MoneyCard, PRICES_PER_CATEGORY, ROW_CARDS, RowCards, VALUES,
    ValueCounts,
};

use super::v1;
use crate::games::{
    conversion::{Conversion as _, InRange, OnWire},
    describe::{put_fields, wire_message},
    wire::{Path as _, WireError},
    writer::{Field, Writer, field_of},
};

/// The value of a money card.
const VALUE: InRange<u8> = InRange(1..=VALUES as u8);

impl OnWire<v1::MoneyCard> for MoneyCard {
    fn to_wire(&self) -> v1::MoneyCard {
        v1::MoneyCard {
            currency: self.currency().to_wire(),
            value: self.value().into(),
        }
    }

    fn put(&self, field: Field, to: &mut Writer) {
        let (currency, value) = (&self.currency(), &self.value());
        to.message(field, |to| {
            put_fields!(to, v1::MoneyCard, { currency, value: VALUE });
        });
    }

    fn from_wire(field: &str, wire: &v1::MoneyCard) -> Result<Self, WireError> {
        let v1::MoneyCard { currency, value } = wire;
        let currency = Currency::from_wire("currency", currency).below(field)?;
        let value = VALUE.read("value", value).below(field)?;
        Ok(Self::new(currency, value).expect("the value is in range"))
    }
}
wire_message! { MoneyCard = v1::MoneyCard }

/// The price of a building of a category.
fn price(category: Category) -> InRange<u8> {
    let lowest = category.lowest_price();
    InRange(lowest..=lowest + PRICES_PER_CATEGORY as u8 - 1)
}

impl OnWire<v1::Building> for Building {
    fn to_wire(&self) -> v1::Building {
        v1::Building {
            category: self.category().to_wire(),
            price: self.price().into(),
        }
    }

    fn put(&self, field: Field, to: &mut Writer) {
        let (category, price) = (&self.category(), &u32::from(self.price()));
        to.message(
            field,
            |to| put_fields!(to, v1::Building, { category, price }),
        );
    }

    fn from_wire(field: &str, wire: &v1::Building) -> Result<Self, WireError> {
        let v1::Building {
            category,
            price: of_it,
        } = wire;
        let category = Category::from_wire("category", category).below(field)?;
        let price = price(category).read("price", of_it).below(field)?;
        Ok(Self::new(category, price).expect("the price is in range"))
    }
}
wire_message! { Building = v1::Building }

/// Reads a multiset of at most `N` pieces that are listed one by one.
fn listed<T: OnWire<W>, W, R, const N: usize>(
    field: &str,
    pieces: &Vec<W>,
    of: fn(ArrayVec<T, N>) -> Option<R>,
    piece: &str,
) -> Result<R, WireError> {
    of(ArrayVec::from_wire(field, pieces)?).ok_or_else(|| {
        WireError::new(
            field,
            format!("must have at most {MAX_COPIES} of each {piece}"),
        )
    })
}

impl OnWire<Vec<v1::MoneyCard>> for RowCards {
    fn to_wire(&self) -> Vec<v1::MoneyCard> {
        let mut wire = Vec::with_capacity(self.len());
        wire.extend(self.cards().map(|card| -> v1::MoneyCard { card.to_wire() }));
        wire
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.list(self.cards(), field, |to, card, field| {
            OnWire::<v1::MoneyCard>::put(&card, field, to);
        });
    }

    fn from_wire(field: &str, wire: &Vec<v1::MoneyCard>) -> Result<Self, WireError> {
        listed::<_, _, _, ROW_CARDS>(field, wire, Self::of, "card")
    }
}

impl OnWire<Vec<v1::MoneyCard>> for Money {
    fn to_wire(&self) -> Vec<v1::MoneyCard> {
        self.cards().map(|card| card.to_wire()).collect()
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.list(self.cards(), field, |to, card, field| {
            OnWire::<v1::MoneyCard>::put(&card, field, to);
        });
    }

    fn from_wire(field: &str, wire: &Vec<v1::MoneyCard>) -> Result<Self, WireError> {
        listed::<_, _, _, MONEY_CARDS>(field, wire, Self::of, "card")
    }
}

impl OnWire<Vec<v1::Building>> for Buildings {
    fn to_wire(&self) -> Vec<v1::Building> {
        self.iter().map(|building| building.to_wire()).collect()
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.list(self.iter(), field, |to, building, field| {
            OnWire::<v1::Building>::put(&building, field, to);
        });
    }

    fn from_wire(field: &str, wire: &Vec<v1::Building>) -> Result<Self, WireError> {
        listed::<_, _, _, BUILDINGS>(field, wire, Self::of, "building")
    }
}

/// Cards of one currency: their values, written ascending, read in any order.
impl OnWire<Vec<u32>> for ValueCounts {
    fn to_wire(&self) -> Vec<u32> {
        let mut values = Vec::with_capacity(self.len());
        values.extend(self.values().map(u32::from));
        values
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.list(self.values(), field, |to, value, field| {
            to.number(u32::from(value), field)
        });
    }

    fn from_wire(field: &str, wire: &Vec<u32>) -> Result<Self, WireError> {
        let mut counts = [0u8; VALUES];
        for (place, card) in wire.iter().enumerate() {
            let card = VALUE.read("", card).at(field, place)?;
            let count = &mut counts[usize::from(card) - 1];
            *count = count.saturating_add(1);
        }
        Self::new(counts).ok_or_else(|| {
            let detail = format!("must have at most {MAX_COPIES} cards of each value");
            WireError::new(field, detail)
        })
    }
}

wire_message! {
    [ValueCounts; CURRENCIES] = v1::Money { blue, green, orange, yellow }
        => [blue, green, orange, yellow]
}
impl OnWire<v1::Money> for Money {
    fn to_wire(&self) -> v1::Money {
        OnWire::to_wire(&Currency::ALL.map(|currency| self.of_currency(currency)))
    }

    fn put(&self, field: Field, to: &mut Writer) {
        let by_currency = Currency::ALL.map(|currency| self.of_currency(currency));
        OnWire::<v1::Money>::put(&by_currency, field, to);
    }

    fn from_wire(field: &str, wire: &v1::Money) -> Result<Self, WireError> {
        OnWire::from_wire(field, wire).map(Self::new)
    }
}
wire_message! { Money = v1::Money }

impl OnWire<v1::Buildings> for Buildings {
    fn to_wire(&self) -> v1::Buildings {
        let prices = |category| Vec::<u32>::with_capacity(self.count_of(category).into());
        let mut prices = Category::ALL.map(prices);
        for building in self.iter() {
            prices[building.category().index()].push(building.price().into());
        }
        let [pavilions, seraglios, arcades, chambers, gardens, towers] = prices;
        v1::Buildings {
            pavilions,
            seraglios,
            arcades,
            chambers,
            gardens,
            towers,
        }
    }

    fn put(&self, field: Field, to: &mut Writer) {
        const FIELDS: [Field; CATEGORIES] = [
            field_of::<v1::Buildings>("pavilions"),
            field_of::<v1::Buildings>("seraglios"),
            field_of::<v1::Buildings>("arcades"),
            field_of::<v1::Buildings>("chambers"),
            field_of::<v1::Buildings>("gardens"),
            field_of::<v1::Buildings>("towers"),
        ];
        to.message(field, |to| {
            for (category, field) in Category::ALL.into_iter().zip(FIELDS) {
                let buildings = self
                    .iter()
                    .filter(|building| building.category() == category);
                to.list(buildings, field, |to, building, field| {
                    to.number(u32::from(building.price()), field);
                });
            }
        });
    }

    fn from_wire(field: &str, wire: &v1::Buildings) -> Result<Self, WireError> {
        let v1::Buildings {
            pavilions,
            seraglios,
            arcades,
            chambers,
            gardens,
            towers,
        } = wire;
        let by_category = [
            ("pavilions", pavilions),
            ("seraglios", seraglios),
            ("arcades", arcades),
            ("chambers", chambers),
            ("gardens", gardens),
            ("towers", towers),
        ];
        let mut counts = [0u8; BUILDING_KINDS];
        for (category, (name, prices)) in Category::ALL.into_iter().zip(by_category) {
            for (place, wire) in prices.iter().enumerate() {
                let price = price(category).read("", wire);
                let price = price.at(name, place).below(field)?;
                let building = Building::new(category, price).expect("the price is in range");
                let count = &mut counts[building.index()];
                if *count == building.copies() {
                    let detail = format!("the box has only {count} of {building}");
                    return Err(WireError::new("", detail).at(name, place).below(field));
                }
                *count += 1;
            }
        }
        let all = Building::all()
            .flat_map(|building| iter::repeat_n(building, counts[building.index()].into()));
        Ok(Self::of(all).expect("no more of a kind than the box has"))
    }
}
wire_message! { Buildings = v1::Buildings }
