//! The unary calls of `RulesService`. Each function converts a request to its response. A problem
//! names its field by a path relative to the request.

use bridgemaster_proto::v1::{
    ApplyDecisionsRequest, ApplyDecisionsResponse, GetObservationRequest, GetObservationResponse,
    GetOutcomeRequest, GetOutcomeResponse, ListLegalDecisionsRequest, ListLegalDecisionsResponse,
    RulesPosition,
};

use crate::{position::Position, problem::Problem};

pub use crate::notation::convert_notation;

/// Returns a seat's legal decisions.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
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

/// Applies a position's decisions. Returns the observation after the decisions, and the decisions'
/// events.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
pub fn apply_decisions(request: &ApplyDecisionsRequest) -> Result<ApplyDecisionsResponse, Problem> {
    let mut events = Vec::new();
    let message = set(request.position.as_ref())?;
    let position = Position::rebuild_with_events(message, &mut events);
    let position = position.map_err(|problem| problem.below("position"))?;
    let observation = observe(&position, request.viewer_seat)?;
    Ok(ApplyDecisionsResponse {
        observation: Some(observation),
        events,
        status: Some(position.of_game.status()),
    })
}

/// Returns a position's status, with its outcome if the game has ended.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt.
pub fn get_outcome(request: &GetOutcomeRequest) -> Result<GetOutcomeResponse, Problem> {
    let position = rebuild(request.position.as_ref())?;
    Ok(GetOutcomeResponse {
        status: Some(position.of_game.status()),
    })
}

/// Returns a viewer's observation of a position.
///
/// # Errors
///
/// Returns a problem if the position cannot be rebuilt, or has no such seat.
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

/// Returns the position in a request, or a problem if it is not set.
pub(crate) fn set(message: Option<&RulesPosition>) -> Result<&RulesPosition, Problem> {
    message.ok_or_else(|| Problem::invalid("position", "must be set"))
}
