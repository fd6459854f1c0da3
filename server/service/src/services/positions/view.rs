//! One client's view: the positions of a match in play as the match proceeds, or of a finished
//! match from its replay.

use std::{pin::pin, sync::Arc};

use async_stream::try_stream;
use bridgemaster_edge::{limits::SPECTATOR_INTERVAL, refusal::Refusal};
use bridgemaster_games::Viewer;
use bridgemaster_live::{MatchView, Matches, ReplayUpdate};
use bridgemaster_proto::v1::{MatchInfo, MatchState, Position, WatchPositionsResponse};
use bridgemaster_replay::{Disclosure, Positions, RecordCursor, decode_head};
use prost::{DecodeError, Message as _};
use tokio::{
    select,
    sync::watch,
    task::{consume_budget, yield_now},
    time::{Instant, sleep_until},
};
use tokio_stream::Stream;
use tonic::codegen::Bytes;

/// A match, and the viewers whose observations are shown.
pub(super) struct PositionView {
    pub(super) matches: Arc<Matches>,
    pub(super) hosted: MatchView,
    pub(super) viewers: Vec<Viewer>,
}

/// The state of one position stream.
pub(super) struct StreamProgress {
    /// The number of the next position to send.
    next: u32,
    /// `None` before the match starts.
    positions: Option<Positions>,
    /// The number of bytes of records that were read.
    bytes: usize,
    /// The number of the next record.
    next_record: u32,
    /// The match info that was last sent.
    sent_info: Option<MatchInfo>,
}

impl StreamProgress {
    /// Creates the state of a stream that starts at the position `next`, before anything was sent.
    pub(super) fn starting_at(next: u32) -> Self {
        Self { next, positions: None, bytes: 0, next_record: 0, sent_info: None }
    }

    /// Creates the state of a stream that starts at the newest position, for clients that already
    /// have `info`.
    pub(super) fn following(info: MatchInfo) -> Self {
        let next = info.decisions;
        Self { sent_info: Some(info), ..Self::starting_at(next) }
    }

    /// The number of the next position to send.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Skips to the position `next`, because all earlier positions were sent from another source.
    pub(super) fn skip_to(&mut self, next: u32) {
        *self = Self { sent_info: self.sent_info.take(), ..Self::starting_at(next) };
    }

    /// Returns whether `info` differs from the match info that was sent last.
    fn is_changed(&self, info: &MatchInfo) -> bool {
        let is_same = |sent: &MatchInfo| {
            sent.state == info.state && sent.seats == info.seats && sent.annulment == info.annulment
        };
        !self.sent_info.as_ref().is_some_and(is_same)
    }

    /// Builds the next message, and records its position as sent.
    fn message(
        &mut self,
        position: Option<Position>,
        info: Option<MatchInfo>,
    ) -> WatchPositionsResponse {
        if let Some(position) = &position {
            self.next = position.number + 1;
        }
        response(position, info)
    }
}

impl PositionView {
    /// Streams the positions of a match in play that exist now and were not sent yet. Sets
    /// `is_over` if the match has ended or was removed from memory.
    pub(super) fn current_positions<'a>(
        &'a self,
        progress: &'a mut StreamProgress,
        is_over: &'a mut bool,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let update = self.hosted.updates_from(progress.bytes).committed().await;
            let ReplayUpdate { info, records } = update?;
            if matches!(info.state(), MatchState::Ended | MatchState::Cancelled) {
                *is_over = true;
                return;
            }
            let mut info = self.info_update(progress, info).await?;
            if let Some(position) = self.start_positions(progress)? {
                yield progress.message(Some(position), info.take());
            }
            if let Some(mut positions) = progress.positions.take() {
                let mut place = RecordCursor::default();
                while let Some(record) = place.next(&records).map_err(records_damaged)? {
                    progress.next_record = record.number + 1;
                    let position = positions.after(&record).map_err(positions_damaged)?;
                    if let Some(position) = position {
                        yield progress.message(Some(position), info.take());
                    }
                    consume_budget().await;
                }
                progress.bytes += records.len();
                progress.positions = Some(positions);
            }
            if info.is_some() {
                yield progress.message(None, info.take());
            }
        }
    }

    /// Streams a match in play as it proceeds, until the match has ended. Ends with an error if
    /// `refused` completes.
    pub(super) fn live_positions<'a>(
        &'a self,
        progress: &'a mut StreamProgress,
        refused: impl Future<Output = Refusal> + Send + 'a,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let mut refused = pin!(refused);
            let mut changes = self.hosted.changes();
            while let Some(changes) = &mut changes {
                let polled_at = Instant::now();
                // Marked as seen before the poll, so that a change during the poll is noticed.
                changes.borrow_and_update();
                let mut is_over = false;
                for await message in self.current_positions(progress, &mut is_over) {
                    yield message?;
                }
                if is_over {
                    return;
                }
                self.wait_until(&mut refused, next_poll(changes, polled_at)).await?;
            }
        }
    }

    /// Streams the unsent positions of a finished match, from its replay; the last message contains
    /// `info`. Unless `is_disclosed`, hidden information stays hidden, as it was during the match.
    pub(super) fn remaining_positions<'a>(
        &'a self,
        replay: &'a [u8],
        mut progress: StreamProgress,
        info: MatchInfo,
        is_disclosed: bool,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let mut positions = match progress.positions.take() {
                Some(positions) => positions,
                None => {
                    let head = decode_head(replay).map_err(records_damaged)?;
                    Positions::open(&head, &self.viewers, progress.next, Disclosure::Public)
                        .map_err(positions_damaged)?
                }
            };
            if is_disclosed {
                positions.disclose();
            }
            let mut is_first = progress.sent_info.is_none();
            // Each position is sent only when the next one is known, so that the last position can
            // contain the result.
            let mut last = match progress.next_record {
                0 => positions.first(),
                _ => None,
            };
            let mut place = RecordCursor::default();
            while let Some(record) = place.next(replay).map_err(records_damaged)? {
                if record.number < progress.next_record {
                    continue;
                }
                let next = positions.after(&record).map_err(positions_damaged)?;
                if next.is_some()
                    && let Some(position) = std::mem::replace(&mut last, next)
                {
                    let info = std::mem::take(&mut is_first).then(|| info.clone());
                    yield response(Some(position), info);
                }
                consume_budget().await;
            }
            yield response(last, Some(info));
        }
    }

    /// Waits until `ready`. Fails if the server ends its streams or `refused` completes first.
    pub(super) async fn wait_until(
        &self,
        refused: impl Future<Output = Refusal>,
        ready: impl Future<Output = ()>,
    ) -> Result<(), Refusal> {
        select! {
            biased;
            refusal = self.matches.until_interrupted() => Err(refusal),
            () = self.hosted.until_moved() => Err(Refusal::stopping()),
            refusal = refused => Err(refusal),
            () = ready => Ok(()),
        }
    }

    /// Returns the full match info.
    pub(super) async fn info(&self) -> Result<MatchInfo, Refusal> {
        Ok(self.hosted.info().committed().await?)
    }

    /// Returns the match info to send before the next position: in full at first, then whenever it
    /// changes.
    async fn info_update(
        &self,
        progress: &mut StreamProgress,
        standing: MatchInfo,
    ) -> Result<Option<MatchInfo>, Refusal> {
        if !progress.is_changed(&standing) {
            return Ok(None);
        }
        let info = match progress.sent_info {
            Some(_) => standing.clone(),
            None => self.info().await?,
        };
        progress.sent_info = Some(standing);
        Ok(Some(info))
    }

    /// Starts the positions once the match has started. Returns the initial position if the client
    /// wants it.
    fn start_positions(&self, progress: &mut StreamProgress) -> Result<Option<Position>, Refusal> {
        let is_waiting = |info: &MatchInfo| info.state() == MatchState::Waiting;
        if progress.positions.is_some() || progress.sent_info.as_ref().is_none_or(is_waiting) {
            return Ok(None);
        }
        // If there is no replay head, the match has just ended; the next poll detects this.
        let Some(head) = self.hosted.replay_head() else {
            return Ok(None);
        };
        let opened = Positions::open(&head, &self.viewers, progress.next, Disclosure::Public);
        let positions = progress.positions.insert(opened.map_err(positions_damaged)?);
        Ok(positions.first())
    }
}

/// Completes after the next change, but not before `SPECTATOR_INTERVAL` has passed since the last
/// poll.
async fn next_poll(changes: &mut watch::Receiver<u64>, polled_at: Instant) {
    // If the sender was dropped, the match was removed from memory; the next poll detects this.
    let _ = changes.changed().await;
    // Messages to bots are sent first.
    yield_now().await;
    sleep_until(polled_at + SPECTATOR_INTERVAL).await;
}

/// Builds a message for a position stream.
pub(in super::super) fn response(
    position: Option<Position>,
    info: Option<MatchInfo>,
) -> WatchPositionsResponse {
    WatchPositionsResponse { position, r#match: info }
}

/// Encodes a message into the bytes that are sent.
pub(in super::super) fn encoded(message: &WatchPositionsResponse) -> Bytes {
    message.encode_to_vec().into()
}

/// The refusal if positions cannot be built from the server's own data of a match.
fn positions_damaged(problem: impl std::fmt::Display) -> Refusal {
    Refusal::damaged(format!("cannot build the positions of the match: {problem}"))
}

fn records_damaged(error: DecodeError) -> Refusal {
    positions_damaged(error)
}
