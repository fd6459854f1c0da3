//! The answers of the unary calls. Fields of problems are paths below the request.

use bridgemaster_proto::v1::{
    ApplyDecisionsRequest, ApplyDecisionsResponse, GetObservationRequest, GetObservationResponse,
    GetOutcomeRequest, GetOutcomeResponse, ListLegalDecisionsRequest, ListLegalDecisionsResponse,
    RulesPosition,
};

use crate::{position::Position, problem::Problem};

pub use crate::notation::convert_notation;

/// The legal decisions of a seat.
///
/// # Errors
/// When the position cannot be rebuilt, or has no such seat.
pub fn list_legal_decisions(
    request: &ListLegalDecisionsRequest,
) -> Result<ListLegalDecisionsResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    let (legal_decisions, legal_decisions_cut) = position.of_game.legal(request.seat)?;
    Ok(ListLegalDecisionsResponse {
        legal_decisions,
        legal_decisions_cut,
        status: Some(position.of_game.status()),
    })
}

/// What the decisions of a position lead to.
///
/// # Errors
/// When the position cannot be rebuilt, or has no such seat.
pub fn apply_decisions(request: &ApplyDecisionsRequest) -> Result<ApplyDecisionsResponse, Problem> {
    let mut events = Vec::new();
    let message = set(request.position.as_ref())?;
    let position = Position::rebuild_telling(message, &mut events);
    let position = position.map_err(|problem| problem.below("position"))?;
    let observation = observe(&position, request.viewer_seat)?;
    Ok(ApplyDecisionsResponse {
        observation: Some(observation),
        events,
        status: Some(position.of_game.status()),
    })
}

/// The outcome of a position, if the game is over there.
///
/// # Errors
/// When the position cannot be rebuilt.
pub fn get_outcome(request: &GetOutcomeRequest) -> Result<GetOutcomeResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    Ok(GetOutcomeResponse {
        status: Some(position.of_game.status()),
    })
}

/// What a viewer sees in a position.
///
/// # Errors
/// When the position cannot be rebuilt, or has no such seat.
pub fn get_observation(request: &GetObservationRequest) -> Result<GetObservationResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    Ok(GetObservationResponse {
        observation: Some(observe(&position, request.viewer_seat)?),
    })
}

fn observe(
    position: &Position,
    viewer_seat: Option<u32>,
) -> Result<bridgemaster_proto::v1::GameObservation, Problem> {
    let observed = position.of_game.observe(viewer_seat);
    observed.map_err(|problem| problem.below("viewer_seat"))
}

fn rebuild(message: Option<&RulesPosition>) -> Result<Position, Problem> {
    Position::rebuild(set(message)?).map_err(|problem| problem.below("position"))
}

/// The position of a request, which must have one.
pub(crate) fn set(message: Option<&RulesPosition>) -> Result<&RulesPosition, Problem> {
    message.ok_or_else(|| Problem::invalid("position", "must be set"))
}
