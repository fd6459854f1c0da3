//! What requests may ask of the rules of a game: those that this server plays.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::game_id,
    v1::{CreateMatchRequest, MatchConfig},
};

use crate::refusal::Refusal;

/// Checks a request for a new match, but for its rules.
pub(super) fn check_new_match(request: &CreateMatchRequest) -> Result<(), Refusal> {
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
        (Some(wanted), Some(game)) => check_rules_version(*wanted, game),
        // Without a game there is another refusal.
        _ => Ok(()),
    }
}

fn check_rules_version(wanted: u32, game: &str) -> Result<(), Refusal> {
    let served = with_game!(game, G => G::RULES_VERSION);
    match served {
        Some(served) if served != wanted => Err(Refusal::field(
            "rules_version",
            format!("this server plays {game} by version {served} of its rules, not {wanted}"),
        )),
        _ => Ok(()),
    }
}
