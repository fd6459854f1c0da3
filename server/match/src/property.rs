//! Names of the properties by which lists find finished matches.

use bridgemaster_proto::{internal::v1::FinishedMatch, v1::MatchState};

/// The game's identifier in the catalogue.
pub const GAME: &str = "game";
/// A label, as its name, `=` and its value.
pub const LABEL: &str = "label";
/// The name of the key that created the match.
pub const MAKER: &str = "maker";
/// The name of a bot that has a seat.
pub const BOT: &str = "bot";
/// The identifier of the match's group.
pub const GROUP: &str = "group";
/// The state of a cancelled match. Few matches are cancelled; all others have ended.
pub const CANCELLED: &str = "cancelled";
/// The result was annulled, which is the case for few matches.
pub const ANNULLED: &str = "annulled";

/// Returns the value of the [`LABEL`] property of a label.
pub fn label_value(name: &str, value: &str) -> String {
    format!("{name}={value}")
}

/// Returns the properties of a finished match.
pub(crate) fn properties(finished: &FinishedMatch) -> Vec<(&'static str, String)> {
    let mut properties = vec![(GAME, finished.game_id.clone())];
    properties.extend(finished.maker.clone().map(|maker| (MAKER, maker)));
    let Some(info) = &finished.info else {
        return properties;
    };
    let labels = info.labels.iter();
    properties.extend(labels.map(|(name, value)| (LABEL, label_value(name, value))));
    let bots = info.seats.iter().filter(|seat| !seat.bot_name.is_empty());
    properties.extend(bots.map(|seat| (BOT, seat.bot_name.clone())));
    let group = info.config.as_ref().and_then(|config| config.group.as_ref());
    properties.extend(group.map(|group| (GROUP, group.group_id.clone())));
    if info.state() == MatchState::Cancelled {
        properties.push((CANCELLED, String::new()));
    }
    if info.annulment.is_some() {
        properties.push((ANNULLED, String::new()));
    }
    properties
}
