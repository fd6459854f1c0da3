//! A ladder that the operator asks for at a start: made if it is missing, and else compared.

use std::sync::Arc;

use bridgemaster_proto::v1::{Ladder, MatchConfig};

use super::ladder_wishes::new_ladder;
use crate::{identity::Authenticator, ladder::Ladders, refusal::Refusal};

/// Makes a ladder, to be run with the others, unless it is there and the same.
///
/// # Errors
/// When it cannot be made, or another one has its name: a ladder stays as it was made.
pub(crate) async fn make_configured(
    ladders: &Arc<Ladders>,
    asked: Ladder,
    authenticator: &Authenticator,
) -> Result<(), Refusal> {
    let (id, wanted) = new_ladder(asked, authenticator)?;
    let Ok(there) = ladders.get(id.as_str()) else {
        return ladders.make(id, wanted).await;
    };
    match difference(&wanted, &there.shown()) {
        None => Ok(()),
        Some(field) => Err(Refusal::field(
            format!("ladder.{field}"),
            "the ladder of this name was made otherwise, and a ladder stays as it was made: take \
             the change back, or give the ladder another name",
        )),
    }
}

/// The first field in which a ladder is not as it is wanted. The version of the rules is not chosen.
fn difference(wanted: &Ladder, there: &Ladder) -> Option<&'static str> {
    let (config, other) = (wanted.config.as_ref(), there.config.as_ref());
    let is_same = |of: fn(&MatchConfig, &MatchConfig) -> bool| {
        config.zip(other).is_some_and(|(one, other)| of(one, other))
    };
    let fields = [
        ("config.game", is_same(|a, b| a.game == b.game)),
        ("config.seats", is_same(|a, b| a.seats == b.seats)),
        ("config.clock", is_same(|a, b| a.clock == b.clock)),
        ("config.faults", is_same(|a, b| a.faults == b.faults)),
        ("config", config == other),
        ("key_names", wanted.key_names == there.key_names),
        ("max_matches", wanted.max_matches == there.max_matches),
        ("house_bots", wanted.house_bots == there.house_bots),
        ("owners_apart", wanted.owners_apart == there.owners_apart),
        ("max_slots", wanted.max_slots == there.max_slots),
        ("replays", wanted.replays == there.replays),
        ("closing", wanted.closing == there.closing),
    ];
    let differing = fields.into_iter().find(|(_, is_same)| !is_same);
    differing.map(|(field, _)| field)
}
