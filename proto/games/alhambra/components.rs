//! The pieces: money cards, buildings, purchases, points.

use std::iter;

use bridgemaster_games::{
    Seat,
    alhambra::{
        BUILDING_KINDS, Building, Buildings, CATEGORIES, CURRENCIES, Category, Currency,
        MAX_CATEGORY_POINTS, MAX_COPIES, MAX_PLAYERS, Money, MoneyCard, PRICES_PER_CATEGORY,
        Points, Purchase, ROW_CARDS, RowCards, Scoring, VALUES, ValueCounts,
    },
};

use super::v1;
use crate::games::{
    field::{self, WireEnum, at, exactly, list, number, wire_enum},
    wire::WireError,
};

wire_enum!(Currency = v1::Currency { Blue Green Orange Yellow });
wire_enum!(Category = v1::Category { Pavilion Seraglio Arcades Chambers Garden Tower });
wire_enum!(Scoring = v1::Scoring { A B C });

/// A seat of the game.
pub(super) fn seat(name: &str, value: u32) -> Result<Seat, WireError> {
    field::seat(name, value, MAX_PLAYERS)
}

/// A seat of the game that need not be set.
pub(super) fn optional_seat(name: &str, value: Option<u32>) -> Result<Option<Seat>, WireError> {
    value.map(|value| seat(name, value)).transpose()
}

pub(super) fn money_card_to_wire(card: MoneyCard) -> v1::MoneyCard {
    v1::MoneyCard {
        currency: card.currency().to_wire(),
        value: card.value().into(),
    }
}

pub(super) fn money_card_from_wire(card: &v1::MoneyCard) -> Result<MoneyCard, WireError> {
    let currency = Currency::from_wire("currency", card.currency)?;
    let value = value("value", card.value)?;
    Ok(MoneyCard::new(currency, value).expect("the value is in range"))
}

/// The value of a money card.
fn value(name: &str, value: u32) -> Result<u8, WireError> {
    number(name, value, 1..=VALUES as u8)
}

pub(super) fn row_cards_to_wire(cards: RowCards) -> Vec<v1::MoneyCard> {
    let mut wire = Vec::with_capacity(cards.len());
    wire.extend(cards.cards().map(money_card_to_wire));
    wire
}

pub(super) fn row_cards_from_wire(
    name: &str,
    cards: &[v1::MoneyCard],
) -> Result<RowCards, WireError> {
    let cards = list::<_, _, ROW_CARDS>(name, cards, |_, card| money_card_from_wire(card))?;
    Ok(RowCards::of(cards).expect("no more cards than a row has"))
}

/// Cards of one currency as their values, ascending.
fn values_to_wire(cards: ValueCounts) -> Vec<u32> {
    let mut values = Vec::with_capacity(cards.len());
    values.extend(cards.values().map(u32::from));
    values
}

/// Cards of one currency from their values in any order.
fn values_from_wire(name: &str, values: &[u32]) -> Result<ValueCounts, WireError> {
    let mut counts = [0u8; VALUES];
    for (place, &card) in values.iter().enumerate() {
        let card = value("", card).map_err(|error| at(name, place, error))?;
        let count = &mut counts[usize::from(card) - 1];
        *count = count.saturating_add(1);
    }
    ValueCounts::new(counts).ok_or_else(|| {
        let detail = format!("must have at most {MAX_COPIES} cards of each value");
        WireError::new(name, detail)
    })
}

pub(super) fn money_to_wire(money: &Money) -> v1::Money {
    let [blue, green, orange, yellow] =
        Currency::ALL.map(|currency| values_to_wire(money.of_currency(currency)));
    v1::Money {
        blue,
        green,
        orange,
        yellow,
    }
}

pub(super) fn money_from_wire(money: &v1::Money) -> Result<Money, WireError> {
    let currencies: [ValueCounts; CURRENCIES] = [
        values_from_wire("blue", &money.blue)?,
        values_from_wire("green", &money.green)?,
        values_from_wire("orange", &money.orange)?,
        values_from_wire("yellow", &money.yellow)?,
    ];
    Ok(Money::new(currencies))
}

pub(super) fn building_to_wire(building: Building) -> v1::Building {
    v1::Building {
        category: building.category().to_wire(),
        price: building.price().into(),
    }
}

pub(super) fn building_from_wire(building: &v1::Building) -> Result<Building, WireError> {
    let category = Category::from_wire("category", building.category)?;
    building_of("price", category, building.price)
}

/// The building of a category with a price.
fn building_of(name: &str, category: Category, price: u32) -> Result<Building, WireError> {
    let lowest = category.lowest_price();
    let highest = lowest + PRICES_PER_CATEGORY as u8 - 1;
    let price = number(name, price, lowest..=highest)?;
    Ok(Building::new(category, price).expect("the price is in range"))
}

pub(super) fn buildings_to_wire(buildings: Buildings) -> v1::Buildings {
    let mut prices = Category::ALL
        .map(|category| Vec::<u32>::with_capacity(buildings.count_of(category).into()));
    for building in buildings.iter() {
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

pub(super) fn buildings_from_wire(buildings: &v1::Buildings) -> Result<Buildings, WireError> {
    let by_category: [(&str, &[u32]); CATEGORIES] = [
        ("pavilions", &buildings.pavilions),
        ("seraglios", &buildings.seraglios),
        ("arcades", &buildings.arcades),
        ("chambers", &buildings.chambers),
        ("gardens", &buildings.gardens),
        ("towers", &buildings.towers),
    ];
    let mut counts = [0u8; BUILDING_KINDS];
    for (category, (name, prices)) in Category::ALL.into_iter().zip(by_category) {
        for (place, &price) in prices.iter().enumerate() {
            let building =
                building_of("", category, price).map_err(|error| at(name, place, error))?;
            let count = &mut counts[building.index()];
            if *count == building.copies() {
                let detail = format!("the box has only {count} of {building}");
                return Err(at(name, place, WireError::new("", detail)));
            }
            *count += 1;
        }
    }
    let all = Building::all()
        .flat_map(|building| iter::repeat_n(building, counts[building.index()].into()));
    Ok(Buildings::of(all).expect("no more of a kind than the box has"))
}

pub(super) fn purchase_to_wire(purchase: &Purchase) -> v1::Purchase {
    v1::Purchase {
        slot: purchase.slot.to_wire(),
        payment: values_to_wire(purchase.payment),
        give: purchase.give,
    }
}

pub(super) fn purchase_from_wire(purchase: &v1::Purchase) -> Result<Purchase, WireError> {
    Ok(Purchase {
        slot: Currency::from_wire("slot", purchase.slot)?,
        payment: values_from_wire("payment", &purchase.payment)?,
        give: purchase.give,
    })
}

pub(super) fn category_points_from_wire(
    name: &str,
    points: &[u32],
) -> Result<[u8; CATEGORIES], WireError> {
    exactly(name, points, |item, &points| {
        number(item, points, 0..=MAX_CATEGORY_POINTS)
    })
}

pub(super) fn points_to_wire(points: &Points) -> v1::Points {
    let [a, b, c] = points.map(|scoring| match scoring {
        [0, 0, 0, 0, 0, 0] => Vec::new(),
        _ => scoring.map(u32::from).to_vec(),
    });
    v1::Points { a, b, c }
}

pub(super) fn points_from_wire(points: &v1::Points) -> Result<Points, WireError> {
    let scoring = |name, points: &[u32]| match points {
        [] => Ok([0; CATEGORIES]),
        _ => category_points_from_wire(name, points),
    };
    Ok([
        scoring("a", &points.a)?,
        scoring("b", &points.b)?,
        scoring("c", &points.c)?,
    ])
}
