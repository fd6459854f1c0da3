//! Ladders from the server's configuration. When the server starts, it creates missing ladders, and
//! compares existing ladders with their configuration.

use std::sync::Arc;

use bridgemaster_proto::v1::{Ladder, MatchConfig};

use super::ladder_validation::new_ladder;
use crate::{identity::Authenticator, ladder::Ladders, refusal::Refusal};

/// Creates a ladder from the configuration, unless an identical ladder exists.
///
/// # Errors
/// When it cannot be created, or a different ladder has this name: ladders are immutable.
pub(crate) async fn ensure_ladder(
    ladders: &Arc<Ladders>,
    requested: Ladder,
    authenticator: &Authenticator,
) -> Result<(), Refusal> {
    let (id, requested) = new_ladder(requested, authenticator)?;
    let Ok(existing) = ladders.get(id.as_str()) else {
        return ladders.create_stopped(id, requested).await;
    };
    match first_difference(&requested, &existing.to_wire()) {
        None => Ok(()),
        Some(field) => Err(Refusal::field(
            format!("ladder.{field}"),
            "differs from the existing ladder of this name, and a ladder cannot be changed: revert \
             the change, or give the ladder another name",
        )),
    }
}

/// Returns the first field that differs between two ladders. `rules_version` is not compared, since
/// the server chooses it.
fn first_difference(requested: &Ladder, existing: &Ladder) -> Option<&'static str> {
    let (config, other) = (requested.config.as_ref(), existing.config.as_ref());
    let is_same = |of: fn(&MatchConfig, &MatchConfig) -> bool| {
        config.zip(other).is_some_and(|(one, other)| of(one, other))
    };
    let fields = [
        ("config.game", is_same(|a, b| a.game == b.game)),
        ("config.seats", is_same(|a, b| a.seats == b.seats)),
        ("config.clock", is_same(|a, b| a.clock == b.clock)),
        ("config.faults", is_same(|a, b| a.faults == b.faults)),
        ("config", config == other),
        ("key_names", requested.key_names == existing.key_names),
        ("max_matches", requested.max_matches == existing.max_matches),
        ("house_bots", requested.house_bots == existing.house_bots),
        (
            "owners_apart",
            requested.owners_apart == existing.owners_apart,
        ),
        ("max_slots", requested.max_slots == existing.max_slots),
        ("replays", requested.replays == existing.replays),
        ("closing", requested.closing == existing.closing),
    ];
    let differing = fields.into_iter().find(|(_, is_same)| !is_same);
    differing.map(|(field, _)| field)
}
