//! Checks, for `bridgemaster data check`, that this program can read stored matches. Each match is
//! checked separately, without a server.

use std::sync::Arc;

use bridgemaster_games::with_game;
use bridgemaster_live::StoredMatch;
use bridgemaster_match::{Header, Unreplayable, recover};
use bridgemaster_store::{DamageReport, DamagedValue, FinishedMatch, OpenMatch};

/// Replays a match in play, as a server does when it starts.
///
/// # Errors
/// Returns a description of the value that prevents the recovery of the match.
pub fn inspect_match_in_play(open: &OpenMatch) -> Result<(), DamageReport> {
    replayed(open).map_err(|problem| {
        let id = open.match_id.clone();
        let value = match problem {
            Unreplayable::Entry { .. } | Unreplayable::Differs { .. } => DamagedValue::Journal(id),
            _ => DamagedValue::Header(id),
        };
        let detail = problem.to_string();
        DamageReport { value, detail }
    })
}

fn replayed(open: &OpenMatch) -> Result<(), Unreplayable> {
    let header = Header::read(&open.header)?;
    let replayed = with_game!(header.game_id(), G => {
        recover::<G>(open.match_id.clone(), &header, &open.journal).map(drop)
    });
    replayed
        .unwrap_or_else(|| Err(Unreplayable::UnknownGame { game_id: header.game_id().to_owned() }))
}

/// Reads the summary and the replay of a finished match, and checks that both belong to that match.
///
/// # Errors
/// Returns a description of the value that cannot be read.
pub fn inspect_finished_match(finished: &FinishedMatch, replay: &[u8]) -> Result<(), DamageReport> {
    let id = || finished.match_id.clone();
    let summary = StoredMatch::read(finished, &Arc::default())
        .map_err(|detail| DamageReport { value: DamagedValue::Summary(id()), detail })?;
    if summary.is_cancelled() && replay.is_empty() {
        return Ok(());
    }
    let replay = bridgemaster_replay::decode(replay).map_err(|error| error.to_string());
    let of_this = replay.and_then(|replay| {
        let of = replay.replay.match_id;
        if of == finished.match_id.as_str() {
            Ok(())
        } else {
            Err(format!("the replay file belongs to match {of:?}"))
        }
    });
    of_this.map_err(|detail| DamageReport { value: DamagedValue::Replay(id()), detail })
}
