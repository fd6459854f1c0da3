//! Replay files that somebody opens: checked as a match that is played again, and shown position by
//! position. The server keeps nothing of them.

use std::sync::Arc;

use async_stream::try_stream;
use bridgemaster_games::{SeatCount, Viewer};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, Replay};
use bridgemaster_replay::{Disclosure, Positions, RecordPlace, decode, match_info, verify};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{consume_budget, spawn_blocking},
    time::timeout,
};

use super::positions::{PositionStream, encoded, response};
use crate::{
    limits::{Limits, OPENED_REPLAYS, REPLAY_FILE_BYTES},
    refusal::Refusal,
};

/// Where replay files are opened: few at once, since each is held whole, and played again by the
/// processor that matches need too.
pub(crate) struct ReplayDesk {
    places: Arc<Semaphore>,
}

/// The place of one who opens a replay file.
pub(crate) struct ReplayPlace {
    _permit: OwnedSemaphorePermit,
}

/// A replay file that holds.
pub(crate) struct OpenedReplay {
    bytes: Vec<u8>,
    /// All but its records.
    head: Replay,
    info: MatchInfo,
    _place: ReplayPlace,
}

impl ReplayDesk {
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(OPENED_REPLAYS)),
        }
    }

    /// Waits for a place. To be had before the file is there, so that files that wait take no room.
    ///
    /// # Errors
    /// When none is free in time.
    pub(crate) async fn place(&self, limits: &Limits) -> Result<ReplayPlace, Refusal> {
        let full = |_| Refusal::server_limit("opened_replays", OPENED_REPLAYS);
        let permit = Arc::clone(&self.places).acquire_owned();
        let permit = timeout(limits.hello_time, permit).await.map_err(full)?;
        // The semaphore is never closed.
        let permit = permit.map_err(|_| Refusal::stopping())?;
        Ok(ReplayPlace { _permit: permit })
    }
}

/// The replay in the bytes of a replay file, if it holds; `_place` is kept meanwhile.
///
/// # Errors
/// Says what of them does not hold.
pub(crate) async fn whole_replay(bytes: Vec<u8>, _place: ReplayPlace) -> Result<Replay, Refusal> {
    Ok(checked(bytes).await?.1)
}

/// Plays a replay file again, and gives it back with its replay.
async fn checked(bytes: Vec<u8>) -> Result<(Vec<u8>, Replay), Refusal> {
    let invalid = |problem: String| Refusal::new(RefusalReason::ReplayInvalid, problem);
    if bytes.len() > REPLAY_FILE_BYTES {
        let bytes = bytes.len();
        return Err(invalid(format!(
            "the file has {bytes} bytes; at most {REPLAY_FILE_BYTES} are opened"
        )));
    }
    // A file may take a while to play again, and matches must not wait for it.
    let checked = spawn_blocking(move || {
        let replay = decode(&bytes).map_err(|error| error.to_string())?.replay;
        verify(&replay).map_err(|flaw| flaw.to_string())?;
        Ok((bytes, replay))
    });
    // It fails to end only by a panic, which would be a defect of the rules.
    let checked = checked.await;
    let checked = checked.unwrap_or_else(|_| Err("it cannot be played again".to_owned()));
    checked.map_err(invalid)
}

impl OpenedReplay {
    /// Checks the bytes of a replay file.
    ///
    /// # Errors
    /// Says what of them does not hold.
    pub(crate) async fn check(bytes: Vec<u8>, place: ReplayPlace) -> Result<Self, Refusal> {
        let (bytes, mut head) = checked(bytes).await?;
        let info = match_info(&head);
        head.records = Vec::new();
        Ok(Self {
            bytes,
            head,
            info,
            _place: place,
        })
    }

    /// The seats of its match.
    pub(crate) fn seats(&self) -> Option<SeatCount> {
        let seats = self.head.config.as_ref()?.seats;
        SeatCount::new(u8::try_from(seats).ok()?)
    }

    /// Its positions, from this one on.
    pub(crate) fn positions(self, viewers: Vec<Viewer>, from: u32) -> PositionStream {
        let broken = |problem: String| Refusal::new(RefusalReason::ReplayInvalid, problem);
        Box::pin(try_stream! {
            let opened = Positions::open(&self.head, &viewers, from, Disclosure::Everything);
            let mut positions = opened.map_err(|error| broken(error.to_string()))?;
            let first = positions.first();
            // The match is told of even if no position is wanted.
            yield encoded(&response(first, Some(self.info.clone())));
            let mut place = RecordPlace::default();
            let next = |place: &mut RecordPlace| {
                place.next(&self.bytes).map_err(|error| broken(error.to_string()))
            };
            while let Some(record) = next(&mut place)? {
                let position = positions.after(&record);
                let position = position.map_err(|error| broken(error.to_string()))?;
                if position.is_some() {
                    yield encoded(&response(position, None));
                }
                consume_budget().await;
            }
        })
    }
}
