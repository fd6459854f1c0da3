//! Matches that go on from a position of a replay: what they take over.

use bridgemaster_proto::v1::{ForkChance, ForkOrigin, MatchConfig, MatchFork, Replay};
use bridgemaster_wire::TakenOver;

use crate::refusal::Refusal;

/// What a match takes over from a replay that holds, as it was asked for. Its config gets the seed
/// of the replay where chance is kept.
///
/// # Errors
/// Names the first field of the request that is not valid.
pub(super) fn taken_over(
    replay: &Replay,
    asked: &MatchFork,
    config: &mut MatchConfig,
) -> Result<TakenOver, Refusal> {
    let seed = replay
        .config
        .as_ref()
        .and_then(|config| config.seed.clone());
    if is_redrawn(replay) {
        return Err(Refusal::field(
            "fork.source",
            "chance was drawn anew in that match; fork the match that it was forked from",
        ));
    }
    if asked.chance() != ForkChance::Redraw {
        let seed = seed.ok_or_else(|| {
            let detail = "the replay has no seed, so the chance to come cannot be kept";
            Refusal::field("fork.chance", detail)
        })?;
        if config.seed.as_ref().is_some_and(|given| *given != seed) {
            let detail = "where chance is kept, the seed is that of the replay; leave it out";
            return Err(Refusal::field("config.seed", detail));
        }
        config.seed = Some(seed);
    }
    let origin = ForkOrigin {
        match_id: replay.match_id.clone(),
        decisions: asked.decisions,
        chance: asked.chance,
        knowing_seats: asked.knowing_seats.clone(),
    };
    TakenOver::of(replay, origin)
        .map_err(|error| Refusal::field(format!("fork.{}", error.field), error.detail))
}

/// Whether chance was drawn anew within a match: its decisions do not follow from its setup alone.
fn is_redrawn(replay: &Replay) -> bool {
    let fork = replay.fork.as_ref();
    fork.is_some_and(|fork| fork.chance() == ForkChance::Redraw)
}
