//! Validates the rules version that a new match requests.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::game_id,
    v1::{CreateMatchRequest, MatchConfig},
};

use crate::refusal::Refusal;

/// Checks that the server supports the requested version of the rules. The other fields of the
/// config are validated elsewhere.
pub(super) fn check_rules_version(request: &CreateMatchRequest) -> Result<(), Refusal> {
    let CreateMatchRequest {
        config,
        idempotency_key: _,
        labels: _,
        seat_reservations: _,
        rules_version,
        fork: _,
        without_config: _,
    } = request;
    let Some(config) = config else {
        return Ok(());
    };
    let MatchConfig { game, .. } = config;
    match (rules_version, game.as_ref().and_then(game_id)) {
        (Some(requested), Some(game)) => check_version(*requested, game),
        // A config without a game is refused elsewhere.
        _ => Ok(()),
    }
}

fn check_version(requested: u32, game: &str) -> Result<(), Refusal> {
    let served = with_game!(game, G => G::RULES_VERSION);
    match served {
        Some(served) if served != requested => Err(Refusal::field(
            "rules_version",
            format!("this server plays version {served} of the rules of {game}, not {requested}"),
        )),
        _ => Ok(()),
    }
}
