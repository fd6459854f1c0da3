//! Everything before the records: versions, setup and opening.

use bridgemaster_games::{Digest, Seed};
use bridgemaster_proto::{games::WireGame, v1::Replay};

use bridgemaster_wire::SeedSalt;

use crate::{
    FORMAT_VERSION, UNSIGNED_FORMAT_VERSION,
    forked::Forked,
    opening::{BadField, Opening, bad, open},
};

/// Starts the match of a replay, and checks that its seed and its rules give what is stored.
pub(super) fn start<G: WireGame>(replay: &Replay) -> Result<Opening<G>, BadField> {
    if !(UNSIGNED_FORMAT_VERSION..=FORMAT_VERSION).contains(&replay.format_version) {
        let problem = format!(
            "{} is unknown, {UNSIGNED_FORMAT_VERSION} and {FORMAT_VERSION} are known",
            replay.format_version
        );
        return bad("format_version", problem);
    }
    if replay.rules_version != G::RULES_VERSION {
        let problem = format!(
            "is {}, and these are the rules of version {}",
            replay.rules_version,
            G::RULES_VERSION
        );
        return bad("rules_version", problem);
    }
    let opening = open::<G>(replay)?;
    if has_seed(replay) {
        let rules = &opening.rules;
        check_commitment(replay, &rules.seed)?;
    }
    if has_seed(replay) && !Forked::of(replay)?.has_setup_of_other() {
        let rules = &opening.rules;
        let drawn = G::draw_setup(&rules.config, rules.seats, &rules.seed)
            .or_else(|error| bad("config.game", error))?;
        if drawn != opening.setup {
            return bad("setup", "is not the setup that the seed draws");
        }
    }
    if !opening
        .events
        .iter()
        .map(G::event_to_wire)
        .eq(replay.opening_events.iter().cloned())
    {
        return bad("opening_events", "are not what the setup brings about");
    }
    let digest = G::digest(&opening.state);
    if digest.0 != replay.opening_digest {
        let stated = Digest(replay.opening_digest);
        return bad(
            "opening_digest",
            format!("is {stated}, the rules give {digest}"),
        );
    }
    Ok(opening)
}

/// Checks that the seed is the one that the seats were told the commitment to.
fn check_commitment(replay: &Replay, seed: &Seed) -> Result<(), BadField> {
    if !has_commitment(replay) && replay.seed_salt.is_empty() {
        return Ok(());
    }
    let Some(salt) = SeedSalt::from_hex(&replay.seed_salt) else {
        return bad("seed_salt", "is no 64 lower hex digits");
    };
    let commitment = salt.commit(seed);
    if replay.seed_commitment != commitment {
        let problem = format!(
            "is {:?}; the salt and the seed give {commitment}",
            replay.seed_commitment
        );
        return bad("seed_commitment", problem);
    }
    Ok(())
}

/// Whether a commitment to the seed is stored.
pub(super) fn has_commitment(replay: &Replay) -> bool {
    !replay.seed_commitment.is_empty()
}

/// Whether the seed is stored.
pub(super) fn has_seed(replay: &Replay) -> bool {
    replay
        .config
        .as_ref()
        .is_some_and(|config| config.seed.is_some())
}
