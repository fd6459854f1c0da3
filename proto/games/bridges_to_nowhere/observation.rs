//! Observations.

use arrayvec::ArrayVec;
use bridgemaster_games::{
    Viewer,
    bridges_to_nowhere::{
        Config, Contract, GameResult, MAX_GAMES, MAX_PIECES, MAX_PLACED, MONUMENTS, Observation,
        PILLARS, Phase, Placement, ROUNDS, SeatView,
    },
};

use super::{
    components::{
        bridge_card_from_wire, bridge_cards_to_wire, card_from_wire, card_to_wire, optional_seat,
        optional_seat_to_wire, placement_from_wire, placement_to_wire, score_from_wire,
        score_to_wire, seat,
    },
    v1::{self, observation::Phase as WirePhase},
};
use crate::games::{
    field::{WireEnum, at, exactly, list, number, optional_to_wire},
    wire::WireError,
};

pub(super) fn to_wire(observation: &Observation) -> v1::Observation {
    v1::Observation {
        viewer_seat: match observation.viewer {
            Viewer::Seat(seat) => Some(seat.number().into()),
            Viewer::Spectator => None,
        },
        results: observation.results.iter().map(result_to_wire).collect(),
        game: observation.game.into(),
        contract: optional_to_wire(observation.contract),
        round: observation.round.into(),
        first_drafter: observation.first_drafter.number().into(),
        phase: Some(phase_to_wire(observation.phase)),
        open: bridge_cards_to_wire(&observation.open),
        monuments: observation.monuments.into(),
        unseen: bridge_cards_to_wire(&observation.unseen),
        seats: observation.seats.iter().map(seat_view_to_wire).collect(),
    }
}

pub(super) fn from_wire(
    observation: &v1::Observation,
    config: &Config,
) -> Result<Observation, WireError> {
    let wire = observation;
    Ok(Observation {
        viewer: match optional_seat("viewer_seat", wire.viewer_seat)? {
            Some(seat) => Viewer::Seat(seat),
            None => Viewer::Spectator,
        },
        games: config.games,
        results: list("results", &wire.results, |_, result| {
            result_from_wire(result)
        })?,
        game: number("game", wire.game, 0..=MAX_GAMES as u8 - 1)?,
        contract: Contract::optional_from_wire("contract", wire.contract)?,
        round: number("round", wire.round, 0..=ROUNDS - 1)?,
        first_drafter: seat("first_drafter", wire.first_drafter)?,
        phase: phase_from_wire(wire.phase.as_ref())?,
        open: list("open", &wire.open, |_, card| bridge_card_from_wire(card))?,
        monuments: number("monuments", wire.monuments, 0..=MONUMENTS)?,
        unseen: list("unseen", &wire.unseen, |_, card| {
            bridge_card_from_wire(card)
        })?,
        seats: exactly("seats", &wire.seats, |_, view| seat_view_from_wire(view))?,
    })
}

fn phase_to_wire(phase: Phase) -> WirePhase {
    match phase {
        Phase::Draft { seat } => WirePhase::Draft(v1::DraftPhase {
            seat: seat.number().into(),
        }),
        Phase::Build => WirePhase::Build(v1::BuildPhase {}),
        Phase::Over => WirePhase::Over(v1::OverPhase {}),
    }
}

fn phase_from_wire(phase: Option<&WirePhase>) -> Result<Phase, WireError> {
    match phase {
        Some(WirePhase::Draft(phase)) => Ok(Phase::Draft {
            seat: seat("draft.seat", phase.seat)?,
        }),
        Some(WirePhase::Build(_)) => Ok(Phase::Build),
        Some(WirePhase::Over(_)) => Ok(Phase::Over),
        None => {
            let detail = "one of draft, build and over must be set";
            Err(WireError::new("phase", detail))
        }
    }
}

fn result_to_wire(result: &GameResult) -> v1::GameResult {
    v1::GameResult {
        contract: optional_to_wire(result.contract),
        winner: optional_seat_to_wire(result.winner),
        scores: result.scores.iter().map(score_to_wire).collect(),
    }
}

fn result_from_wire(result: &v1::GameResult) -> Result<GameResult, WireError> {
    Ok(GameResult {
        contract: Contract::optional_from_wire("contract", result.contract)?,
        winner: optional_seat("winner", result.winner)?,
        scores: exactly("scores", &result.scores, |_, score| score_from_wire(score))?,
    })
}

fn seat_view_to_wire(view: &SeatView) -> v1::SeatView {
    let place = |placed: &Placement| {
        let place = view.structure.iter().position(|piece| piece == placed);
        debug_assert!(place.is_some(), "what was placed is in the structure");
        place.map(|place| place as u32)
    };
    v1::SeatView {
        structure: view.structure.iter().map(placement_to_wire).collect(),
        pillars: view.pillars.into(),
        cards: view.cards.iter().map(card_to_wire).collect(),
        placed: view.placed.iter().filter_map(place).collect(),
        has_ended: view.has_ended,
    }
}

fn seat_view_from_wire(view: &v1::SeatView) -> Result<SeatView, WireError> {
    let structure = list("structure", &view.structure, |_, placement| {
        placement_from_wire(placement)
    })?;
    Ok(SeatView {
        pillars: number("pillars", view.pillars, 0..=PILLARS)?,
        cards: list("cards", &view.cards, |_, card| card_from_wire(card))?,
        placed: placed_from_wire(&view.placed, &structure)?,
        has_ended: view.has_ended,
        structure,
    })
}

/// The pieces at some positions in a structure, each position once.
fn placed_from_wire(
    places: &[u32],
    structure: &ArrayVec<Placement, MAX_PIECES>,
) -> Result<ArrayVec<Placement, MAX_PLACED>, WireError> {
    for (i, place) in places.iter().enumerate() {
        if places[..i].contains(place) {
            let error = WireError::new("", format!("{place} is there twice"));
            return Err(at("placed", i, error));
        }
    }
    list("placed", places, |field, &place| {
        structure.get(place as usize).copied().ok_or_else(|| {
            let pieces = structure.len();
            let detail = format!("{place} is no position in a structure of {pieces} pieces");
            WireError::new(field, detail)
        })
    })
}
