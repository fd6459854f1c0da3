//! Verification of everything that precedes the records: versions, setup and opening.

use bridgemaster_games::{Digest, Seed};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::Replay,
};

use crate::{
    FORMAT_VERSION, UNSIGNED_FORMAT_VERSION,
    opening::{ForkProgress, Opening, invalid_field, open},
    wire::SeedSalt,
};

/// Starts a replay's match, and verifies that its setup follows from the seed and the rules.
pub(super) fn start<G: WireGame>(replay: &Replay) -> Result<Opening<G>, FieldError> {
    if !(UNSIGNED_FORMAT_VERSION..=FORMAT_VERSION).contains(&replay.format_version) {
        let problem = format!(
            "{} is not supported (supported: {UNSIGNED_FORMAT_VERSION}, {FORMAT_VERSION})",
            replay.format_version
        );
        return invalid_field("format_version", problem);
    }
    if replay.rules_version != G::RULES_VERSION {
        let problem = format!(
            "{} is not supported (supported: {}); verify the replay with the release that wrote it",
            replay.rules_version,
            G::RULES_VERSION
        );
        return invalid_field("rules_version", problem);
    }
    let opening = open::<G>(replay)?;
    let rules = &opening.rules;
    if has_seed(replay) {
        check_commitment(replay, &rules.seed)?;
    }
    if has_seed(replay) && !ForkProgress::from_head(replay)?.has_original_setup() {
        let drawn = G::draw_setup(&rules.config, rules.seats, &rules.seed)
            .or_else(|error| invalid_field("config.game", error))?;
        if drawn != opening.setup {
            return invalid_field("setup", "expected the setup drawn from the seed");
        }
    }
    let events = opening.events.iter().map(G::event_to_wire);
    if !events.eq(replay.opening_events.iter().cloned()) {
        return invalid_field("opening_events", "expected the events of the setup");
    }
    let digest = G::digest(&opening.state);
    if digest.0 != replay.opening_digest {
        let stated = Digest(replay.opening_digest);
        return invalid_field("opening_digest", format!("expected {digest}, got {stated}"));
    }
    Ok(opening)
}

/// Checks the seed against the commitment that the seats received.
fn check_commitment(replay: &Replay, seed: &Seed) -> Result<(), FieldError> {
    if !has_commitment(replay) && replay.seed_salt.is_empty() {
        return Ok(());
    }
    let Some(salt) = SeedSalt::from_hex(&replay.seed_salt) else {
        return invalid_field("seed_salt", "must have 64 lower-case hex digits");
    };
    let commitment = salt.commit(seed);
    if replay.seed_commitment != commitment {
        let problem = format!(
            "expected {commitment} for this salt and seed, got {:?}",
            replay.seed_commitment
        );
        return invalid_field("seed_commitment", problem);
    }
    Ok(())
}

/// Returns whether the replay contains a commitment to its seed.
pub(super) fn has_commitment(replay: &Replay) -> bool {
    !replay.seed_commitment.is_empty()
}

/// Returns whether the replay contains its seed.
pub(super) fn has_seed(replay: &Replay) -> bool {
    let config = replay.config.as_ref();
    config.is_some_and(|config| config.seed.is_some())
}
