//! Events.

use bridgemaster_games::alhambra::{
    BUILDINGS, Building, Buildings, Currency, Event, MAX_COPIES, MONEY_CARDS, Money, Owner, Scoring,
};

use super::{
    components::{
        building_from_wire, building_to_wire, category_points_from_wire, money_card_from_wire,
        money_card_to_wire, optional_seat, purchase_from_wire, purchase_to_wire,
        row_cards_from_wire, row_cards_to_wire, seat,
    },
    v1::{self, event::Event as Wire, scored::Owner as WireOwner},
};
use crate::games::{
    field::{WireEnum, list, number, required},
    wire::WireError,
};

pub(super) fn to_wire(event: &Event) -> v1::Event {
    let event = match event {
        Event::HandDealt { seat, money } => Wire::HandDealt(v1::HandDealt {
            seat: seat.number().into(),
            cards: money.cards().map(money_card_to_wire).collect(),
        }),
        Event::DummyDrew { buildings } => Wire::DummyDrew(v1::DummyDrew {
            buildings: buildings.iter().map(building_to_wire).collect(),
        }),
        Event::BuildingLaid { slot, building } => Wire::BuildingLaid(v1::BuildingLaid {
            slot: slot.to_wire(),
            building: Some(building_to_wire(*building)),
        }),
        Event::MoneyOpened { card } => Wire::MoneyOpened(v1::MoneyOpened {
            card: Some(money_card_to_wire(*card)),
        }),
        Event::TurnStarted { seat } => Wire::TurnStarted(v1::TurnStarted {
            seat: seat.number().into(),
        }),
        Event::MoneyTaken { seat, cards } => Wire::MoneyTaken(v1::MoneyTaken {
            seat: seat.number().into(),
            cards: row_cards_to_wire(*cards),
        }),
        Event::Bought {
            seat,
            building,
            purchase,
        } => Wire::Bought(v1::Bought {
            seat: seat.number().into(),
            building: Some(building_to_wire(*building)),
            purchase: Some(purchase_to_wire(purchase)),
        }),
        Event::Passed { seat } => Wire::Passed(v1::Passed {
            seat: seat.number().into(),
        }),
        Event::MoneyShuffled { cards } => Wire::MoneyShuffled(v1::MoneyShuffled {
            cards: (*cards).into(),
        }),
        Event::YardShort => Wire::YardShort(v1::YardShort {}),
        Event::BuildingAllotted {
            slot,
            building,
            seat,
        } => Wire::BuildingAllotted(v1::BuildingAllotted {
            slot: slot.to_wire(),
            building: Some(building_to_wire(*building)),
            seat: seat.map(|seat| seat.number().into()),
        }),
        Event::Scored {
            scoring,
            owner,
            points,
        } => Wire::Scored(v1::Scored {
            scoring: scoring.to_wire(),
            owner: Some(match owner {
                Owner::Seat(seat) => WireOwner::Seat(seat.number().into()),
                Owner::Dummy => WireOwner::Dummy(v1::Dummy {}),
            }),
            points: points.map(u32::from).to_vec(),
        }),
    };
    v1::Event { event: Some(event) }
}

pub(super) fn from_wire(event: &v1::Event) -> Result<Event, WireError> {
    let event = event.event.as_ref();
    Ok(
        match event.ok_or_else(|| WireError::new("event", "one of its entries must be set"))? {
            Wire::HandDealt(event) => Event::HandDealt {
                seat: seat("hand_dealt.seat", event.seat)?,
                money: dealt("hand_dealt.cards", &event.cards)?,
            },
            Wire::DummyDrew(event) => Event::DummyDrew {
                buildings: drawn("dummy_drew.buildings", &event.buildings)?,
            },
            Wire::BuildingLaid(event) => Event::BuildingLaid {
                slot: Currency::from_wire("building_laid.slot", event.slot)?,
                building: building("building_laid.building", event.building.as_ref())?,
            },
            Wire::MoneyOpened(event) => Event::MoneyOpened {
                card: required(
                    "money_opened.card",
                    event.card.as_ref(),
                    money_card_from_wire,
                )?,
            },
            Wire::TurnStarted(event) => Event::TurnStarted {
                seat: seat("turn_started.seat", event.seat)?,
            },
            Wire::MoneyTaken(event) => Event::MoneyTaken {
                seat: seat("money_taken.seat", event.seat)?,
                cards: row_cards_from_wire("money_taken.cards", &event.cards)?,
            },
            Wire::Bought(event) => Event::Bought {
                seat: seat("bought.seat", event.seat)?,
                building: building("bought.building", event.building.as_ref())?,
                purchase: required(
                    "bought.purchase",
                    event.purchase.as_ref(),
                    purchase_from_wire,
                )?,
            },
            Wire::Passed(event) => Event::Passed {
                seat: seat("passed.seat", event.seat)?,
            },
            Wire::MoneyShuffled(event) => Event::MoneyShuffled {
                cards: number("money_shuffled.cards", event.cards, 1..=MONEY_CARDS as u8)?,
            },
            Wire::YardShort(_) => Event::YardShort,
            Wire::BuildingAllotted(event) => Event::BuildingAllotted {
                slot: Currency::from_wire("building_allotted.slot", event.slot)?,
                building: building("building_allotted.building", event.building.as_ref())?,
                seat: optional_seat("building_allotted.seat", event.seat)?,
            },
            Wire::Scored(event) => Event::Scored {
                scoring: Scoring::from_wire("scored.scoring", event.scoring)?,
                owner: match event.owner {
                    Some(WireOwner::Seat(number)) => Owner::Seat(seat("scored.seat", number)?),
                    Some(WireOwner::Dummy(_)) => Owner::Dummy,
                    None => {
                        let detail = "seat or dummy must be set";
                        return Err(WireError::new("scored.owner", detail));
                    }
                },
                points: category_points_from_wire("scored.points", &event.points)?,
            },
        },
    )
}

fn building(name: &str, building: Option<&v1::Building>) -> Result<Building, WireError> {
    required(name, building, building_from_wire)
}

fn dealt(name: &str, cards: &[v1::MoneyCard]) -> Result<Money, WireError> {
    let cards = list::<_, _, MONEY_CARDS>(name, cards, |_, card| money_card_from_wire(card))?;
    Money::of(cards)
        .ok_or_else(|| WireError::new(name, format!("must have at most {MAX_COPIES} of each card")))
}

fn drawn(name: &str, buildings: &[v1::Building]) -> Result<Buildings, WireError> {
    let buildings =
        list::<_, _, BUILDINGS>(name, buildings, |_, building| building_from_wire(building))?;
    Buildings::of(buildings).ok_or_else(|| {
        WireError::new(
            name,
            format!("must have at most {MAX_COPIES} of each building"),
        )
    })
}
