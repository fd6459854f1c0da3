//! Validates requests for matches that start from a position of another match or replay.

use bridgemaster_proto::v1::{ForkChance, ForkOrigin, MatchConfig, MatchFork, Replay};
use bridgemaster_wire::ForkSource;

use crate::refusal::Refusal;

/// Builds the start of a forked match from a verified replay. Unless chance is redrawn, sets the
/// seed in `config` to the replay's seed.
///
/// # Errors
/// Names the first invalid field of the request.
pub(super) fn fork_start(
    replay: &Replay,
    requested: &MatchFork,
    config: &mut MatchConfig,
) -> Result<ForkSource, Refusal> {
    let seed = replay
        .config
        .as_ref()
        .and_then(|config| config.seed.clone());
    if is_redrawn(replay) {
        return Err(Refusal::field(
            "fork.source",
            "chance was redrawn in the source match; fork the match from which the source was \
             forked",
        ));
    }
    if requested.chance() != ForkChance::Redraw {
        let seed = seed.ok_or_else(|| {
            let detail = "cannot keep the chance of a replay without a seed; redraw it";
            Refusal::field("fork.chance", detail)
        })?;
        if config.seed.as_ref().is_some_and(|given| *given != seed) {
            let detail = "must be empty or the seed of the replay, unless chance is redrawn";
            return Err(Refusal::field("config.seed", detail));
        }
        config.seed = Some(seed);
    }
    let origin = ForkOrigin {
        match_id: replay.match_id.clone(),
        decisions: requested.decisions,
        chance: requested.chance,
        knowing_seats: requested.knowing_seats.clone(),
    };
    ForkSource::from_replay(replay, origin)
        .map_err(|error| Refusal::field(format!("fork.{}", error.field), error.detail))
}

/// Returns whether chance was redrawn within the match. The match then does not follow from its
/// setup and its decisions alone.
fn is_redrawn(replay: &Replay) -> bool {
    let fork = replay.fork.as_ref();
    fork.is_some_and(|fork| fork.chance() == ForkChance::Redraw)
}
