//! Observations.

use bridgemaster_games::{
    Viewer,
    alhambra::{
        Building, CURRENCIES, Config, DummyView, MAX_SHUFFLES, MONEY_CARDS, Observation, Phase,
        PlaceRange, SeatView, TurnPurchase,
    },
};

use super::{
    components::{
        building_from_wire, building_to_wire, buildings_from_wire, buildings_to_wire,
        money_from_wire, money_to_wire, points_from_wire, points_to_wire, purchase_from_wire,
        purchase_to_wire, row_cards_from_wire, row_cards_to_wire, seat,
    },
    v1::{self, observation::Phase as WirePhase},
};
use crate::games::{
    field::{list, number, optional, required},
    wire::WireError,
};

pub(super) fn to_wire(observation: &Observation) -> v1::Observation {
    let [scoring_card_a, scoring_card_b] = observation
        .scoring_cards
        .map(|range| range.map(range_to_wire));
    v1::Observation {
        viewer_seat: match observation.viewer {
            Viewer::Seat(seat) => Some(seat.number().into()),
            Viewer::Spectator => None,
        },
        phase: Some(phase_to_wire(observation.phase)),
        turn_purchases: observation
            .turn_purchases
            .iter()
            .map(turn_purchase_to_wire)
            .collect(),
        seats: observation.seats.iter().map(seat_view_to_wire).collect(),
        dummy: observation.dummy.as_ref().map(dummy_view_to_wire),
        yard: Some(yard_to_wire(observation.yard)),
        row: row_cards_to_wire(observation.row),
        discard: Some(money_to_wire(&observation.discard)),
        unseen_money: Some(money_to_wire(&observation.unseen_money)),
        unseen_buildings: Some(buildings_to_wire(observation.unseen_buildings)),
        scoring_card_a,
        scoring_card_b,
        shuffles: observation.shuffles.into(),
    }
}

pub(super) fn from_wire(
    observation: &v1::Observation,
    _config: &Config,
) -> Result<Observation, WireError> {
    let wire = observation;
    Ok(Observation {
        viewer: match wire.viewer_seat {
            Some(number) => Viewer::Seat(seat("viewer_seat", number)?),
            None => Viewer::Spectator,
        },
        phase: phase_from_wire(wire.phase.as_ref())?,
        turn_purchases: list("turn_purchases", &wire.turn_purchases, |_, entry| {
            turn_purchase_from_wire(entry)
        })?,
        seats: list("seats", &wire.seats, |_, view| seat_view_from_wire(view))?,
        dummy: optional("dummy", wire.dummy.as_ref(), dummy_view_from_wire)?,
        yard: required("yard", wire.yard.as_ref(), yard_from_wire)?,
        row: row_cards_from_wire("row", &wire.row)?,
        discard: required("discard", wire.discard.as_ref(), money_from_wire)?,
        unseen_money: required("unseen_money", wire.unseen_money.as_ref(), money_from_wire)?,
        unseen_buildings: required(
            "unseen_buildings",
            wire.unseen_buildings.as_ref(),
            buildings_from_wire,
        )?,
        scoring_cards: [
            optional(
                "scoring_card_a",
                wire.scoring_card_a.as_ref(),
                range_from_wire,
            )?,
            optional(
                "scoring_card_b",
                wire.scoring_card_b.as_ref(),
                range_from_wire,
            )?,
        ],
        shuffles: number("shuffles", wire.shuffles, 0..=MAX_SHUFFLES)?,
    })
}

fn phase_to_wire(phase: Phase) -> WirePhase {
    match phase {
        Phase::Turn { seat } => WirePhase::Turn(v1::TurnPhase {
            seat: seat.number().into(),
        }),
        Phase::Shuffle { seat } => WirePhase::Shuffle(v1::ShufflePhase {
            seat: seat.number().into(),
        }),
        Phase::Over => WirePhase::Over(v1::OverPhase {}),
    }
}

fn phase_from_wire(phase: Option<&WirePhase>) -> Result<Phase, WireError> {
    Ok(match phase {
        Some(WirePhase::Turn(phase)) => Phase::Turn {
            seat: seat("turn.seat", phase.seat)?,
        },
        Some(WirePhase::Shuffle(phase)) => Phase::Shuffle {
            seat: seat("shuffle.seat", phase.seat)?,
        },
        Some(WirePhase::Over(_)) => Phase::Over,
        None => {
            let detail = "one of turn, shuffle and over must be set";
            return Err(WireError::new("phase", detail));
        }
    })
}

fn turn_purchase_to_wire(entry: &TurnPurchase) -> v1::TurnPurchase {
    v1::TurnPurchase {
        building: Some(building_to_wire(entry.building)),
        purchase: Some(purchase_to_wire(&entry.purchase)),
    }
}

fn turn_purchase_from_wire(entry: &v1::TurnPurchase) -> Result<TurnPurchase, WireError> {
    Ok(TurnPurchase {
        building: required("building", entry.building.as_ref(), building_from_wire)?,
        purchase: required("purchase", entry.purchase.as_ref(), purchase_from_wire)?,
    })
}

fn seat_view_to_wire(view: &SeatView) -> v1::SeatView {
    v1::SeatView {
        hand: Some(money_to_wire(&view.hand)),
        buildings: Some(buildings_to_wire(view.buildings)),
        points: Some(points_to_wire(&view.points)),
    }
}

fn seat_view_from_wire(view: &v1::SeatView) -> Result<SeatView, WireError> {
    Ok(SeatView {
        hand: required("hand", view.hand.as_ref(), money_from_wire)?,
        buildings: required("buildings", view.buildings.as_ref(), buildings_from_wire)?,
        points: required("points", view.points.as_ref(), points_from_wire)?,
    })
}

fn dummy_view_to_wire(view: &DummyView) -> v1::DummyView {
    v1::DummyView {
        buildings: Some(buildings_to_wire(view.buildings)),
        points: Some(points_to_wire(&view.points)),
    }
}

fn dummy_view_from_wire(view: &v1::DummyView) -> Result<DummyView, WireError> {
    Ok(DummyView {
        buildings: required("buildings", view.buildings.as_ref(), buildings_from_wire)?,
        points: required("points", view.points.as_ref(), points_from_wire)?,
    })
}

fn yard_to_wire(yard: [Option<Building>; CURRENCIES]) -> v1::Yard {
    let [blue, green, orange, yellow] = yard.map(|building| building.map(building_to_wire));
    v1::Yard {
        blue,
        green,
        orange,
        yellow,
    }
}

fn yard_from_wire(yard: &v1::Yard) -> Result<[Option<Building>; CURRENCIES], WireError> {
    Ok([
        optional("blue", yard.blue.as_ref(), building_from_wire)?,
        optional("green", yard.green.as_ref(), building_from_wire)?,
        optional("orange", yard.orange.as_ref(), building_from_wire)?,
        optional("yellow", yard.yellow.as_ref(), building_from_wire)?,
    ])
}

fn range_to_wire(range: PlaceRange) -> v1::PlaceRange {
    v1::PlaceRange {
        first: range.first.into(),
        last: range.last.into(),
    }
}

fn range_from_wire(range: &v1::PlaceRange) -> Result<PlaceRange, WireError> {
    let place = |name, value| number(name, value, 0..=MONEY_CARDS as u8 - 1);
    Ok(PlaceRange {
        first: place("first", range.first)?,
        last: place("last", range.last)?,
    })
}
