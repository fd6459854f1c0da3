//! Replay files that clients upload. A file is verified by replaying the match, and its positions
//! are streamed to the client. The server does not store the file.

use std::sync::Arc;

use async_stream::try_stream;
use bridgemaster_edge::{
    limits::{Limits, MAX_OPENED_REPLAYS, MAX_REPLAY_FILE_BYTES},
    refusal::Refusal,
};
use bridgemaster_games::{SeatCount, Viewer};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, Replay};
use bridgemaster_replay::{Disclosure, Positions, RecordCursor, decode, match_info, verify};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{consume_budget, spawn_blocking},
    time::timeout,
};

use super::positions::{PositionStream, encoded, response};

/// A semaphore that limits concurrent uploads of replay files. Each file is kept in memory, and is
/// replayed on the CPUs that live matches use.
pub(crate) struct ReplaySlots {
    slots: Arc<Semaphore>,
}

/// A permit to open one replay file.
pub(crate) struct ReplaySlot {
    _permit: OwnedSemaphorePermit,
}

/// A verified replay file.
pub(crate) struct UploadedReplay {
    bytes: Vec<u8>,
    /// The replay without its records.
    head: Replay,
    info: MatchInfo,
    _slot: ReplaySlot,
}

impl ReplaySlots {
    pub(crate) fn new() -> Self {
        Self { slots: Arc::new(Semaphore::new(MAX_OPENED_REPLAYS)) }
    }

    /// Waits for a free slot. Callers acquire a slot before the file is decoded, so that waiting
    /// files use no memory.
    ///
    /// # Errors
    /// When no slot is free within `hello_time`.
    pub(crate) async fn acquire(&self, limits: &Limits) -> Result<ReplaySlot, Refusal> {
        let full = |_| Refusal::server_limit("opened_replays", MAX_OPENED_REPLAYS);
        let permit = Arc::clone(&self.slots).acquire_owned();
        let permit = timeout(limits.hello_time, permit).await.map_err(full)?;
        // The semaphore is never closed.
        let permit = permit.map_err(|_| Refusal::stopping())?;
        Ok(ReplaySlot { _permit: permit })
    }
}

/// Decodes and verifies a replay file, while holding `_slot`.
///
/// # Errors
/// An error that names the invalid part of the file.
pub(crate) async fn full_replay(bytes: Vec<u8>, _slot: ReplaySlot) -> Result<Replay, Refusal> {
    Ok(verified_replay(bytes).await?.1)
}

/// Verifies a replay file by replaying the match. Returns the file's bytes and the replay.
async fn verified_replay(bytes: Vec<u8>) -> Result<(Vec<u8>, Replay), Refusal> {
    let invalid = |problem: String| Refusal::new(RefusalReason::ReplayInvalid, problem);
    if bytes.len() > MAX_REPLAY_FILE_BYTES {
        let bytes = bytes.len();
        return Err(invalid(format!(
            "the file has {bytes} bytes; the maximum is {MAX_REPLAY_FILE_BYTES}"
        )));
    }
    // Replaying can take a while, and must not block tasks of live matches.
    let checked = spawn_blocking(move || {
        let replay = decode(&bytes).map_err(|error| error.to_string())?.replay;
        verify(&replay).map_err(|flaw| flaw.to_string())?;
        Ok((bytes, replay))
    });
    // The task fails only on a panic, which would be a bug in the rules.
    let checked = checked.await;
    let checked = checked.unwrap_or_else(|_| {
        Err("the match cannot be replayed because of a bug in the rules".to_owned())
    });
    checked.map_err(invalid)
}

impl UploadedReplay {
    /// Verifies the bytes of a replay file.
    ///
    /// # Errors
    /// An error that names the invalid part of the file.
    pub(crate) async fn verify(bytes: Vec<u8>, slot: ReplaySlot) -> Result<Self, Refusal> {
        let (bytes, mut head) = verified_replay(bytes).await?;
        let info = match_info(&head);
        head.records = Vec::new();
        Ok(Self { bytes, head, info, _slot: slot })
    }

    /// Returns the number of seats; `None` if that number is invalid.
    pub(crate) fn seats(&self) -> Option<SeatCount> {
        let seats = self.head.config.as_ref()?.seats;
        SeatCount::new(u8::try_from(seats).ok()?)
    }

    /// Streams the positions from the number `from` on.
    pub(crate) fn positions(self, viewers: Vec<Viewer>, from: u32) -> PositionStream {
        let broken = |problem: String| Refusal::new(RefusalReason::ReplayInvalid, problem);
        Box::pin(try_stream! {
            let opened = Positions::open(&self.head, &viewers, from, Disclosure::Everything);
            let mut positions = opened.map_err(|error| broken(error.to_string()))?;
            let first = positions.first();
            // The first message contains the match info, even if there is no position.
            yield encoded(&response(first, Some(self.info.clone())));
            let mut place = RecordCursor::default();
            let next = |place: &mut RecordCursor| {
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
