//! Replay files that clients upload. A file is verified by replaying the match, and its positions
//! are streamed to the client. The server does not store the file.

use std::io;

use async_stream::try_stream;
use bridgemaster_edge::{
    limits::{Limits, MAX_REPLAY_FILE_BYTES},
    refusal::Refusal,
    transport::{Call, ReplaySlot},
};
use bridgemaster_games::{SeatCount, Viewer};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, Replay};
use bridgemaster_replay::{Disclosure, Positions, RecordCursor, decode, match_info, verify};
use bridgemaster_rules::Problem;
use tokio::task::consume_budget;
use tonic::codegen::Bytes;

use super::positions::{PositionStream, encoded, response};
use crate::rules::{UnaryTask, WorkerKind, Workers};

/// Verifies replay files, one at a time, on a thread of low priority: live matches use the same
/// CPUs. Callers take turns, and the CPU time of each is limited as in `RulesService`.
pub(crate) struct ReplayVerifier {
    workers: Workers,
}

/// The bytes of a replay file, with the slot that they occupy until they are dropped.
struct Upload {
    bytes: Bytes,
    _slot: Option<ReplaySlot>,
}

/// A verified replay file.
pub(crate) struct UploadedReplay {
    upload: Upload,
    replay: Replay,
}

impl ReplayVerifier {
    /// Spawns the thread.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be spawned.
    pub(crate) fn start(limits: &Limits) -> io::Result<Self> {
        let workers = Workers::start(WorkerKind::REPLAYS, 1, Some(limits.rules_cpu_ms_per_caller))?;
        Ok(Self { workers })
    }

    /// Verifies the bytes of an uploaded replay file, which are all in memory.
    ///
    /// # Errors
    /// Returns an error if the caller or the server has too many files open, or the file is
    /// invalid. The error names the limit, or the invalid part of the file.
    pub(crate) async fn verify(&self, bytes: Bytes) -> Result<UploadedReplay, Refusal> {
        let uploaded_bytes = bytes.len();
        self.verify_counted(bytes, uploaded_bytes).await
    }

    /// Verifies the bytes of a replay of this server.
    ///
    /// # Errors
    /// Returns the errors of [`verify`](Self::verify).
    pub(crate) async fn verify_stored(&self, bytes: Bytes) -> Result<UploadedReplay, Refusal> {
        self.verify_counted(bytes, 0).await
    }

    /// Verifies a file. `uploaded_bytes` of its bytes belong to the request.
    async fn verify_counted(
        &self,
        bytes: Bytes,
        uploaded_bytes: usize,
    ) -> Result<UploadedReplay, Refusal> {
        if bytes.len() > MAX_REPLAY_FILE_BYTES {
            let bytes = bytes.len();
            let problem =
                format!("the file has {bytes} bytes; the maximum is {MAX_REPLAY_FILE_BYTES}");
            return Err(Refusal::new(RefusalReason::ReplayInvalid, problem));
        }
        let call = Call::current();
        let slot = match &call {
            Some(call) => Some(call.acquire_replay_slot(uploaded_bytes).await?),
            None => None,
        };
        // The task owns the slot, since the bytes of a cancelled upload stay in the queue until its
        // turn.
        let task = UnaryTask::new(Upload { bytes, _slot: slot }, verified_replay);
        let done = self.workers.run(call.map(|call| call.caller_id()), task).await?;
        let (upload, replay) = done.into_parts();
        Ok(UploadedReplay { upload, replay: replay? })
    }
}

fn verified_replay(upload: &Upload) -> Result<Replay, Problem> {
    let invalid = |problem| Problem::new(RefusalReason::ReplayInvalid, "", problem);
    let replay = decode(&upload.bytes).map_err(|error| invalid(error.to_string()))?.replay;
    verify(&replay).map_err(|error| invalid(error.to_string()))?;
    Ok(replay)
}

impl UploadedReplay {
    pub(crate) fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Returns the number of seats; `None` if that number is invalid.
    pub(crate) fn seats(&self) -> Option<SeatCount> {
        let seats = self.replay.config.as_ref()?.seats;
        SeatCount::new(u8::try_from(seats).ok()?)
    }

    /// Streams the positions from the number `from` on.
    pub(crate) fn positions(mut self, viewers: Vec<Viewer>, from: u32) -> PositionStream {
        let broken = |problem: String| Refusal::new(RefusalReason::ReplayInvalid, problem);
        let info: MatchInfo = match_info(&self.replay);
        // The records are decoded one by one.
        self.replay.records = Vec::new();
        Box::pin(try_stream! {
            let opened = Positions::open(&self.replay, &viewers, from, Disclosure::Everything);
            let mut positions = opened.map_err(|error| broken(error.to_string()))?;
            let first = positions.first();
            // The first message contains the match info, even if there is no position.
            yield encoded(&response(first, Some(info)));
            let mut place = RecordCursor::default();
            let next = |place: &mut RecordCursor| {
                place.next(&self.upload.bytes).map_err(|error| broken(error.to_string()))
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
