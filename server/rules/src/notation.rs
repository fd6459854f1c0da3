//! Decisions as texts, and back.

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{ConvertNotationRequest, ConvertNotationResponse},
};

use crate::{limits::MAX_CONVERSIONS, problem::Problem};

/// The texts of decisions, and the decisions of texts.
///
/// # Errors
/// Names the first decision or text that is none of the game.
pub fn convert_notation(
    request: &ConvertNotationRequest,
) -> Result<ConvertNotationResponse, Problem> {
    let lists = [
        ("decisions", request.decisions.len()),
        ("texts", request.texts.len()),
    ];
    if let Some((field, count)) = lists.into_iter().find(|(_, len)| *len > MAX_CONVERSIONS) {
        let detail = format!("{count} entries, and at most {MAX_CONVERSIONS} are taken");
        return Err(Problem::invalid(field, detail));
    }
    with_game!(request.game_id.as_str(), G => convert::<G>(request)).unwrap_or_else(|| {
        let games = GAME_IDS.join(", ");
        Err(Problem::invalid(
            "game_id",
            format!("is none of the games: {games}"),
        ))
    })
}

fn convert<G: WireGame>(
    request: &ConvertNotationRequest,
) -> Result<ConvertNotationResponse, Problem> {
    let mut response = ConvertNotationResponse::default();
    for (place, decision) in request.decisions.iter().enumerate() {
        let decision = G::decision_from_wire(decision);
        let decision =
            decision.map_err(|error| Problem::wire(&format!("decisions[{place}]"), error))?;
        response.texts.push(decision.to_string());
    }
    for (place, text) in request.texts.iter().enumerate() {
        let decision: Result<G::Decision, _> = text.parse();
        let decision = decision
            .map_err(|error| Problem::invalid(format!("texts[{place}]"), error.to_string()))?;
        response.decisions.push(G::decision_to_wire(&decision));
    }
    Ok(response)
}
