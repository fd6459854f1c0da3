//! Whether this program can make something of what a store keeps, each match by itself and without
//! a server: for `bridgemaster data check`.

use std::sync::Arc;

use bridgemaster_games::with_game;
use bridgemaster_match::{Header, Unreplayable, recover};
use bridgemaster_store::{Damage, DamagedValue, FinishedMatch, OpenMatch};

use crate::hosting::StoredMatch;

/// Plays a match in play again, as a server that starts does.
///
/// # Errors
/// Why it cannot go on.
pub fn inspect_match_in_play(open: &OpenMatch) -> Result<(), Damage> {
    replayed(open).map_err(|problem| {
        let id = open.match_id.clone();
        let value = match problem {
            Unreplayable::Entry { .. } | Unreplayable::Differs { .. } => DamagedValue::Journal(id),
            _ => DamagedValue::Header(id),
        };
        let detail = problem.to_string();
        Damage { value, detail }
    })
}

fn replayed(open: &OpenMatch) -> Result<(), Unreplayable> {
    let header = Header::read(&open.header)?;
    let replayed = with_game!(header.game_id(), G => {
        recover::<G>(open.match_id.clone(), &header, &open.journal).map(drop)
    });
    replayed.unwrap_or_else(|| {
        Err(Unreplayable::UnknownGame {
            game_id: header.game_id().to_owned(),
        })
    })
}

/// Reads the summary and the replay of a finished match, which must be of this match.
///
/// # Errors
/// What is wrong with either.
pub fn inspect_finished_match(finished: &FinishedMatch, replay: &[u8]) -> Result<(), Damage> {
    let id = || finished.match_id.clone();
    let summary = StoredMatch::read(finished, &Arc::default()).map_err(|detail| Damage {
        value: DamagedValue::Summary(id()),
        detail,
    })?;
    if summary.is_cancelled() && replay.is_empty() {
        return Ok(());
    }
    let replay = bridgemaster_replay::decode(replay).map_err(|error| error.to_string());
    let of_this = replay.and_then(|replay| {
        let of = replay.replay.match_id;
        match of == finished.match_id.as_str() {
            true => Ok(()),
            false => Err(format!("it is of match {of:?}")),
        }
    });
    of_this.map_err(|detail| Damage {
        value: DamagedValue::Replay(id()),
        detail,
    })
}
