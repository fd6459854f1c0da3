//! The games' generated packages and, behind the `games` feature, the conversions between their
//! messages and the rules. Each game has its own module, with files in its own folder.
//!
//! A game's file `messages.rs` describes its messages. From these descriptions, the macros in
//! `describe.rs` generate the conversions in both directions. `pieces.rs` contains the conversions
//! that are written by hand.
//!
//! Messages from outside are checked for form: every number must be in range, every list must have
//! a valid length, and every enum value must be known. The rules decide whether a decision is legal
//! or a setup is possible.

#[cfg(feature = "games")]
mod conversion;
#[cfg(feature = "games")]
mod describe;
#[cfg(feature = "games")]
mod enums;
#[cfg(feature = "games")]
mod other_form;
#[cfg(feature = "games")]
mod wire;
#[cfg(feature = "games")]
mod wire_game;
#[cfg(feature = "games")]
mod writer;

#[cfg(feature = "games")]
pub use wire::{FieldError, GameEntry, Oneof, WireGame, game_id, none_of};
#[cfg(feature = "games")]
pub use writer::{Field, Fields, Number, Writer, field_of};

use crate::v1::{GameDecision, GameRequest, game_decision, game_request};

/// Alhambra, the card game: generated messages and their conversions.
pub mod alhambra {
    #[doc(inline)]
    pub use crate::generated::bridgemaster::games::alhambra::v1;

    #[cfg(feature = "games")]
    use bridgemaster_games::alhambra::Alhambra;

    #[cfg(feature = "games")]
    mod messages;
    #[cfg(feature = "games")]
    mod pieces;

    #[cfg(feature = "games")]
    crate::games::wire_game::wire_game!(Alhambra with chance Shuffle);
}

/// Bridges to Nowhere: generated messages and their conversions.
pub mod bridges_to_nowhere {
    #[doc(inline)]
    pub use crate::generated::bridgemaster::games::bridges_to_nowhere::v1;

    #[cfg(feature = "games")]
    use bridgemaster_games::bridges_to_nowhere::BridgesToNowhere;

    #[cfg(feature = "games")]
    mod messages;
    #[cfg(feature = "games")]
    mod pieces;

    #[cfg(feature = "games")]
    crate::games::wire_game::wire_game!(BridgesToNowhere, observation by pieces::fill_in_games);
}

/// Carcassonne with the Drawbridges: generated messages and their conversions.
pub mod carcassonne {
    #[doc(inline)]
    pub use crate::generated::bridgemaster::games::carcassonne::v1;

    #[cfg(feature = "games")]
    use bridgemaster_games::carcassonne::Carcassonne;

    #[cfg(feature = "games")]
    mod messages;
    #[cfg(feature = "games")]
    mod pieces;

    #[cfg(feature = "games")]
    crate::games::wire_game::wire_game!(Carcassonne);
}

/// Old London Bridge: generated messages and their conversions.
pub mod old_london_bridge {
    #[doc(inline)]
    pub use crate::generated::bridgemaster::games::old_london_bridge::v1;

    #[cfg(feature = "games")]
    use bridgemaster_games::old_london_bridge::OldLondonBridge;

    #[cfg(feature = "games")]
    mod messages;
    #[cfg(feature = "games")]
    mod pieces;

    #[cfg(feature = "games")]
    crate::games::wire_game::wire_game!(
        OldLondonBridge,
        setup by pieces::canonicalize_stacks,
        observation by pieces::fill_in_buildings
    );
}

// Includes `legal_decision`, a match with one arm per game.
include!(concat!(env!("OUT_DIR"), "/legal_decision.rs"));

impl GameRequest {
    /// Returns the legal decision at an index in the list, in the full form that a bot can send;
    /// `None` beyond the end of the list.
    pub fn legal_decision(&self, index: usize) -> Option<GameDecision> {
        let game = legal_decision(self.game.as_ref()?, index)?;
        Some(GameDecision { game: Some(game) })
    }
}
