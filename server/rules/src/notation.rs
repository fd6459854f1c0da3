//! Conversion of decisions to texts and back.

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{ConvertNotationRequest, ConvertNotationResponse},
};

use crate::{limits::MAX_CONVERSIONS, problem::Problem};

/// Converts decisions to and from their text notation.
///
/// # Errors
///
/// Returns a problem that names the first decision or text that is not valid in the game.
pub fn convert_notation(
    request: &ConvertNotationRequest,
) -> Result<ConvertNotationResponse, Problem> {
    let lists = [
        ("decisions", request.decisions.len()),
        ("texts", request.texts.len()),
    ];
    if let Some((field, count)) = lists.into_iter().find(|(_, len)| *len > MAX_CONVERSIONS) {
        let detail = format!("must have at most {MAX_CONVERSIONS} entries, found {count}");
        return Err(Problem::invalid(field, detail));
    }
    with_game!(request.game_id.as_str(), G => convert::<G>(request)).unwrap_or_else(|| {
        let games = GAME_IDS.join(", ");
        Err(Problem::invalid(
            "game_id",
            format!("unknown game; the games are {games}"),
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
        let text = decision.to_string();
        // Refuses decisions whose text cannot be read back. No state allows such a decision, for
        // example to take no card.
        read::<G>("decisions", place, &text)?;
        response.texts.push(text);
    }
    for (place, text) in request.texts.iter().enumerate() {
        let decision = read::<G>("texts", place, text)?;
        response.decisions.push(G::decision_to_wire(&decision));
    }
    Ok(response)
}

/// Reads the decision at index `place` in a list of texts.
fn read<G: WireGame>(list: &str, place: usize, text: &str) -> Result<G::Decision, Problem> {
    let decision: Result<G::Decision, _> = text.parse();
    decision.map_err(|error| Problem::invalid(format!("{list}[{place}]"), error.to_string()))
}
