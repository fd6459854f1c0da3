//! Verification of a replay. The match is replayed by the rules, independently of the server that
//! wrote the file.

mod charges;
mod limits;
mod replayer;
mod result;
mod start;

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::Replay,
};

use self::{
    limits::check_unverified_parts,
    replayer::Replayer,
    result::{SeatTotals, check_result},
};
use super::opening::{ForkProgress, invalid_field, unknown_game};

/// Counts and facts from a successful verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of records.
    pub records: usize,
    /// The number of decisions, including decisions by the referee and the house.
    pub decisions: u32,
    /// The number of recorded faults. Further faults of a seat are only counted in the result.
    pub faults: u32,
    /// True if the replay contains its seed, and the setup was drawn from the seed.
    pub seed_checked: bool,
    /// True if the replay also contains a commitment to the seed, and the seed matches the
    /// commitment.
    pub commitment_checked: bool,
    /// True if the referee's own lag distorted the match.
    pub spoiled_by_referee: bool,
    /// The number of decisions that were copied from another match; `None` if the match was not
    /// forked. Whether they are true copies can only be verified by comparing them with the replay
    /// of that match.
    pub copied_decisions: Option<u32>,
}

/// Replays a match and checks everything that follows from the rules: the commitment to the seed,
/// the setup drawn from the seed, every decision with its origin, events and digest, and the costs
/// of faults. Also checks the result, for which time, faults and places are computed as the referee
/// does.
///
/// Facts that only the server can measure are checked for consistency. Records must be numbered
/// without gaps and in order of time. Charges must respect the time control and add up. The totals
/// in the result must match the records. Texts and lists that nothing determines are limited.
///
/// # Errors
/// Returns the first error found. Its field is a path relative to `Replay`, or has the number of
/// the record, as in `record 3: decision.seat`.
pub fn verify(replay: &Replay) -> Result<Verified, FieldError> {
    check_unverified_parts(replay)?;
    with_game!(replay.game_id.as_str(), G => verify_game::<G>(replay))
        .unwrap_or_else(|| Err(unknown_game(&replay.game_id)))
}

fn verify_game<G: WireGame>(replay: &Replay) -> Result<Verified, FieldError> {
    let opening = start::start::<G>(replay)?;
    let forked = ForkProgress::from_head(replay)?;
    let mut replayer = Replayer::new(opening, forked, replay)?;
    for (index, record) in replay.records.iter().enumerate() {
        replayer.record(record).map_err(|error| {
            let field = format!("record {index}: {}", error.field);
            FieldError { field, ..error }
        })?;
    }
    let outcome =
        replayer.outcome().or_else(|problem| invalid_field("after the last record", problem))?;
    let totals = replayer.totals();
    let last_at_ms = replayer.last_at_ms();
    check_result(replay, &outcome, replayer.rules(), totals, last_at_ms)
        .map_err(|error| error.below("result"))?;
    Ok(Verified {
        records: replay.records.len(),
        decisions: totals.iter().map(SeatTotals::decisions).sum(),
        faults: totals.iter().map(|totals| totals.faults.len() as u32).sum(),
        seed_checked: start::has_seed(replay),
        commitment_checked: start::has_seed(replay) && start::has_commitment(replay),
        copied_decisions: replay.fork.as_ref().map(|origin| origin.decisions),
        spoiled_by_referee: replay.result.as_ref().is_some_and(|result| result.spoiled_by_referee),
    })
}
