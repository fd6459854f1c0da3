//! Events.

use bridgemaster_games::bridges_to_nowhere::{Contract, Event, MAX_GAMES, ROUNDS};

use super::{
    components::{
        bridge_card_from_wire, bridge_cards_to_wire, card_from_wire, card_to_wire, optional_seat,
        optional_seat_to_wire, placement_from_wire, placement_to_wire, score_from_wire,
        score_to_wire, seat,
    },
    v1::{self, event::Event as Wire},
};
use crate::games::{
    field::{WireEnum, list, number, optional_to_wire, required},
    wire::WireError,
};

pub(super) fn to_wire(event: &Event) -> v1::Event {
    let event = match event {
        Event::GameStarted { game, contract } => Wire::GameStarted(v1::GameStarted {
            game: (*game).into(),
            contract: optional_to_wire(*contract),
        }),
        Event::RoundStarted {
            round,
            first_drafter,
            opened,
        } => Wire::RoundStarted(v1::RoundStarted {
            round: (*round).into(),
            first_drafter: first_drafter.number().into(),
            opened: bridge_cards_to_wire(opened),
        }),
        Event::Taken { seat, card } => Wire::Taken(v1::Taken {
            seat: seat.number().into(),
            card: Some(card_to_wire(card)),
        }),
        Event::DraftEnded { discarded } => Wire::DraftEnded(v1::DraftEnded {
            discarded: bridge_cards_to_wire(discarded),
        }),
        Event::Placed { seat, placement } => Wire::Placed(v1::Placed {
            seat: seat.number().into(),
            placement: Some(placement_to_wire(placement)),
        }),
        Event::BuildingEnded { seat, discarded } => Wire::BuildingEnded(v1::BuildingEnded {
            seat: seat.number().into(),
            discarded: discarded.iter().map(card_to_wire).collect(),
        }),
        Event::Scored { seat, score } => Wire::Scored(v1::Scored {
            seat: seat.number().into(),
            score: Some(score_to_wire(score)),
        }),
        Event::GameEnded { game, winner } => Wire::GameEnded(v1::GameEnded {
            game: (*game).into(),
            winner: optional_seat_to_wire(*winner),
        }),
        Event::MatchEnded => Wire::MatchEnded(v1::MatchEnded {}),
    };
    v1::Event { event: Some(event) }
}

pub(super) fn from_wire(event: &v1::Event) -> Result<Event, WireError> {
    let event = event.event.as_ref();
    Ok(
        match event.ok_or_else(|| WireError::new("event", "one of its entries must be set"))? {
            Wire::GameStarted(event) => Event::GameStarted {
                game: game("game_started.game", event.game)?,
                contract: Contract::optional_from_wire("game_started.contract", event.contract)?,
            },
            Wire::RoundStarted(event) => Event::RoundStarted {
                round: number("round_started.round", event.round, 0..=ROUNDS - 1)?,
                first_drafter: seat("round_started.first_drafter", event.first_drafter)?,
                opened: list("round_started.opened", &event.opened, |_, card| {
                    bridge_card_from_wire(card)
                })?,
            },
            Wire::Taken(event) => Event::Taken {
                seat: seat("taken.seat", event.seat)?,
                card: required("taken.card", event.card.as_ref(), card_from_wire)?,
            },
            Wire::DraftEnded(event) => Event::DraftEnded {
                discarded: list("draft_ended.discarded", &event.discarded, |_, card| {
                    bridge_card_from_wire(card)
                })?,
            },
            Wire::Placed(event) => Event::Placed {
                seat: seat("placed.seat", event.seat)?,
                placement: required(
                    "placed.placement",
                    event.placement.as_ref(),
                    placement_from_wire,
                )?,
            },
            Wire::BuildingEnded(event) => Event::BuildingEnded {
                seat: seat("building_ended.seat", event.seat)?,
                discarded: list("building_ended.discarded", &event.discarded, |_, card| {
                    card_from_wire(card)
                })?,
            },
            Wire::Scored(event) => Event::Scored {
                seat: seat("scored.seat", event.seat)?,
                score: required("scored.score", event.score.as_ref(), score_from_wire)?,
            },
            Wire::GameEnded(event) => Event::GameEnded {
                game: game("game_ended.game", event.game)?,
                winner: optional_seat("game_ended.winner", event.winner)?,
            },
            Wire::MatchEnded(_) => Event::MatchEnded,
        },
    )
}

fn game(field: &str, value: u32) -> Result<u8, WireError> {
    number(field, value, 0..=MAX_GAMES as u8 - 1)
}
