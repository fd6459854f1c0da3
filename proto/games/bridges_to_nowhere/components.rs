//! The pieces, their places and their points.

use bridgemaster_games::{
    Seat,
    bridges_to_nowhere::{
        BridgeCard, Card, Cell, Contract, LEVELS, MAX_CATEGORY_POINTS, MAX_COLUMN, MAX_NUMBER,
        PLAYERS, Piece, Placement, SeatScore, Style, Symbol,
    },
};

use super::v1;
use crate::games::{
    field::{self, WireEnum, number, wire_enum},
    wire::{Below, WireError},
};

wire_enum!(Style = v1::Style { Suspension Truss Cable });
wire_enum!(Symbol = v1::Symbol { Fish Bird Boat });
wire_enum!(Contract = v1::Contract {
    Triple SpiceOfLife LongestMile SpanningTheDivide TrialOfTheSea Double
});

/// A seat of the game.
pub(super) fn seat(name: &str, value: u32) -> Result<Seat, WireError> {
    field::seat(name, value, PLAYERS)
}

/// A seat of the game that need not be set.
pub(super) fn optional_seat(name: &str, value: Option<u32>) -> Result<Option<Seat>, WireError> {
    value.map(|value| seat(name, value)).transpose()
}

pub(super) fn optional_seat_to_wire(seat: Option<Seat>) -> Option<u32> {
    seat.map(|seat| seat.number().into())
}

pub(super) fn bridge_card_to_wire(card: &BridgeCard) -> v1::BridgeCard {
    v1::BridgeCard {
        style: card.style.to_wire(),
        number: card.number.map_or(0, u32::from),
        left: card.left.to_wire(),
        right: card.right.to_wire(),
    }
}

pub(super) fn bridge_card_from_wire(card: &v1::BridgeCard) -> Result<BridgeCard, WireError> {
    let number = number("number", card.number, 0..=MAX_NUMBER)?;
    Ok(BridgeCard {
        style: Style::from_wire("style", card.style)?,
        number: (number != 0).then_some(number),
        left: Symbol::from_wire("left", card.left)?,
        right: Symbol::from_wire("right", card.right)?,
    })
}

pub(super) fn bridge_cards_to_wire(cards: &[BridgeCard]) -> Vec<v1::BridgeCard> {
    cards.iter().map(bridge_card_to_wire).collect()
}

pub(super) fn card_to_wire(card: &Card) -> v1::Card {
    use v1::card::Card as Wire;
    let card = match card {
        Card::Bridge(card) => Wire::BridgeCard(bridge_card_to_wire(card)),
        Card::Monument => Wire::Monument(v1::Monument {}),
    };
    v1::Card { card: Some(card) }
}

pub(super) fn card_from_wire(card: &v1::Card) -> Result<Card, WireError> {
    use v1::card::Card as Wire;
    match &card.card {
        Some(Wire::BridgeCard(card)) => bridge_card_from_wire(card)
            .map(Card::Bridge)
            .below("bridge_card"),
        Some(Wire::Monument(_)) => Ok(Card::Monument),
        None => Err(WireError::new(
            "card",
            "bridge_card or monument must be set",
        )),
    }
}

pub(super) fn placement_to_wire(placement: &Placement) -> v1::Placement {
    use v1::placement::Piece as Wire;
    let piece = match &placement.piece {
        Piece::Card(Card::Bridge(card)) => Wire::BridgeCard(bridge_card_to_wire(card)),
        Piece::Card(Card::Monument) => Wire::Monument(v1::Monument {}),
        Piece::Pillar => Wire::Pillar(v1::Pillar {}),
    };
    v1::Placement {
        piece: Some(piece),
        level: placement.cell.level.into(),
        column: placement.cell.column.into(),
    }
}

pub(super) fn placement_from_wire(placement: &v1::Placement) -> Result<Placement, WireError> {
    use v1::placement::Piece as Wire;
    let piece = match &placement.piece {
        Some(Wire::BridgeCard(card)) => {
            let card = bridge_card_from_wire(card).below("bridge_card")?;
            Piece::Card(Card::Bridge(card))
        }
        Some(Wire::Monument(_)) => Piece::Card(Card::Monument),
        Some(Wire::Pillar(_)) => Piece::Pillar,
        None => {
            let detail = "bridge_card, monument or pillar must be set";
            return Err(WireError::new("piece", detail));
        }
    };
    Ok(Placement {
        piece,
        cell: Cell {
            level: number("level", placement.level, 1..=LEVELS as u8)?,
            column: column("column", placement.column)?,
        },
    })
}

fn column(field: &str, value: i32) -> Result<i8, WireError> {
    match i8::try_from(value) {
        Ok(column) if (-MAX_COLUMN..=MAX_COLUMN).contains(&column) => Ok(column),
        _ => {
            let detail = format!("{value} is not in -{MAX_COLUMN} to {MAX_COLUMN}");
            Err(WireError::new(field, detail))
        }
    }
}

pub(super) fn score_to_wire(score: &SeatScore) -> v1::SeatScore {
    v1::SeatScore {
        numbers: score.numbers.into(),
        tolls: score.tolls.into(),
        monuments: score.monuments.into(),
        symbols: score.symbols.into(),
        contract: score.contract.into(),
    }
}

pub(super) fn score_from_wire(score: &v1::SeatScore) -> Result<SeatScore, WireError> {
    Ok(SeatScore {
        numbers: points("numbers", score.numbers)?,
        tolls: points("tolls", score.tolls)?,
        monuments: points("monuments", score.monuments)?,
        symbols: points("symbols", score.symbols)?,
        contract: points("contract", score.contract)?,
    })
}

fn points(field: &str, value: u32) -> Result<u16, WireError> {
    match u16::try_from(value) {
        Ok(points) if points <= MAX_CATEGORY_POINTS => Ok(points),
        _ => {
            let detail = format!("{value} is not in 0 to {MAX_CATEGORY_POINTS}");
            Err(WireError::new(field, detail))
        }
    }
}
