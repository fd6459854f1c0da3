//! Checks a replay by playing it again: the rules, not the server that wrote it, say what holds.

mod charges;
mod ending;
mod playing;
mod start;

use std::fmt;

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{games::WireGame, v1::Replay};
use thiserror::Error;

use self::{
    ending::{Tally, check_result},
    playing::Replaying,
};
use super::{forked::Forked, opening::BadField};

/// What was checked of a replay that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Number of its records.
    pub records: usize,
    /// Number of decisions among them, those of the referee and the house included.
    pub decisions: u32,
    /// Number of faults among them; a seat may have more, which are only counted.
    pub faults: u32,
    /// Whether the replay has its seed, and the setup is what the seed draws.
    pub seed_checked: bool,
    /// Whether the replay has a commitment to its seed too, and the seed is the one committed to.
    pub commitment_checked: bool,
    /// Whether the referee's own lag spoiled the match.
    pub spoiled_by_referee: bool,
    /// Decisions that were taken over from another match; `None` for a match that was not forked.
    /// That they are those of the other match, its own replay says.
    pub taken_over: Option<u32>,
}

/// The first thing of a replay that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct Flaw {
    /// Where it is.
    pub place: Place,
    /// What is wrong, and what would hold.
    pub problem: String,
}

/// A place in a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A field before the records, by its path below `Replay`.
    Head(String),
    /// A record, by its position from 0, and the path of the field below it.
    Record {
        /// Its position.
        position: usize,
        /// The field; empty for the record as a whole.
        field: String,
    },
    /// The end of the records.
    AfterLastRecord,
    /// A field of the result, by its path below it.
    Result(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head(field) => f.write_str(field),
            Self::Record { position, field } if field.is_empty() => write!(f, "record {position}"),
            Self::Record { position, field } => write!(f, "record {position}: {field}"),
            Self::AfterLastRecord => f.write_str("after the last record"),
            Self::Result(field) => write!(f, "result.{field}"),
        }
    }
}

/// Plays a replay again and checks everything in it that the rules determine: that its seed is the
/// one that the server had committed to, the setup that this seed draws, every decision, event and
/// digest, who decided, what faults cost, and the result. The accounting of time, faults and places
/// is that of the referee.
///
/// What only the server can know is checked as far as it binds itself: records are numbered
/// without a gap and do not go back in time, charges keep to the time rules and to their sums, and
/// the sums in the result are those of the records.
///
/// # Errors
/// Names the first thing that does not hold.
pub fn verify(replay: &Replay) -> Result<Verified, Flaw> {
    with_game!(replay.game_id.as_str(), G => verify_game::<G>(replay)).unwrap_or_else(|| {
        let known = GAME_IDS.join(", ");
        let problem = format!("{:?} is no game; there are: {known}", replay.game_id);
        Err(Flaw {
            place: Place::Head("game_id".to_owned()),
            problem,
        })
    })
}

fn verify_game<G: WireGame>(replay: &Replay) -> Result<Verified, Flaw> {
    let opening = start::start::<G>(replay).map_err(at(Place::Head))?;
    let forked = Forked::of(replay).map_err(at(Place::Head))?;
    let mut replaying = Replaying::new(opening, forked, replay).map_err(at(Place::Head))?;
    for (position, record) in replay.records.iter().enumerate() {
        let here = |field| Place::Record { position, field };
        replaying.record(record).map_err(at(here))?;
    }
    let outcome = replaying.outcome().map_err(|problem| Flaw {
        place: Place::AfterLastRecord,
        problem,
    })?;
    let tallies = replaying.tallies();
    let last_at_ms = replaying.last_at_ms();
    check_result(replay, &outcome, replaying.rules(), tallies, last_at_ms)
        .map_err(at(Place::Result))?;
    Ok(Verified {
        records: replay.records.len(),
        decisions: tallies.iter().map(Tally::decisions).sum(),
        faults: tallies.iter().map(|tally| tally.faults.len() as u32).sum(),
        seed_checked: start::has_seed(replay),
        commitment_checked: start::has_seed(replay) && start::has_commitment(replay),
        taken_over: replay.fork.as_ref().map(|origin| origin.decisions),
        spoiled_by_referee: replay
            .result
            .as_ref()
            .is_some_and(|result| result.spoiled_by_referee),
    })
}

fn at(place: impl FnOnce(String) -> Place) -> impl FnOnce(BadField) -> Flaw {
    |BadField { field, problem }| Flaw {
        place: place(field),
        problem,
    }
}
