//! Fuzzes the notation of decisions.

use bridgemaster_games::{GAME_IDS, Game, with_game};

/// Runs the target. The first byte selects the game, the rest is the text.
pub fn run(bytes: &[u8]) {
    let Some((game, text)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let id = GAME_IDS[usize::from(*game) % GAME_IDS.len()];
    with_game!(id, G => parse::<G>(text));
}

/// Checks that a decision has exactly one notation: the given text.
fn parse<G: Game>(text: &str) {
    match text.parse::<G::Decision>() {
        Ok(decision) => {
            assert_eq!(decision.to_string(), text);
            assert_eq!(decision.to_string().parse().ok(), Some(decision));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
