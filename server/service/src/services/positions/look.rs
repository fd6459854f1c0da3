//! What somebody looks at: the positions of a match in play as they come, and of one that is over from
//! its replay.

use std::{pin::pin, sync::Arc};

use async_stream::try_stream;
use bridgemaster_games::Viewer;
use bridgemaster_proto::v1::{MatchInfo, MatchState, Position, WatchPositionsResponse};
use bridgemaster_replay::{Disclosure, Positions, RecordPlace, decode_head};
use prost::{DecodeError, Message as _};
use tokio::{
    select,
    sync::watch,
    task::{consume_budget, yield_now},
    time::{Instant, sleep_until},
};
use tokio_stream::Stream;
use tonic::codegen::Bytes;

use crate::{
    hosting::{CourseNews, Matches, ShownMatch},
    journal::NotStored,
    limits::SPECTATOR_INTERVAL,
    refusal::Refusal,
};

/// A match, and through whose eyes it is looked at.
pub(super) struct Look {
    pub(super) matches: Arc<Matches>,
    pub(super) hosted: Arc<dyn ShownMatch>,
    pub(super) viewers: Vec<Viewer>,
}

/// How far somebody has looked.
pub(super) struct Progress {
    /// The first position that is wanted.
    from: u32,
    /// `None` before the match starts.
    positions: Option<Positions>,
    /// Bytes of the records that were played.
    bytes: usize,
    /// Number of the next record.
    next_record: u32,
    /// How the match stood when that was told last.
    told: Option<MatchInfo>,
}

impl Progress {
    /// Nothing is told, and this position is the first that is wanted.
    pub(super) fn from(from: u32) -> Self {
        Self {
            from,
            positions: None,
            bytes: 0,
            next_record: 0,
            told: None,
        }
    }

    /// Somebody knows how the match stands; its newest position is the first that is wanted.
    pub(super) fn after(standing: MatchInfo) -> Self {
        let from = standing.decisions;
        Self {
            told: Some(standing),
            ..Self::from(from)
        }
    }

    /// The number of the first position that is wanted and was not told.
    pub(super) fn next(&self) -> u32 {
        self.from
    }

    /// All positions before this one were told, by somebody else.
    pub(super) fn go_on_from(&mut self, next: u32) {
        *self = Self {
            told: self.told.take(),
            ..Self::from(next)
        };
    }

    /// Whether how the match stands has not been told.
    fn is_news(&self, standing: &MatchInfo) -> bool {
        let is_told = |told: &MatchInfo| {
            told.state == standing.state
                && told.seats == standing.seats
                && told.annulment == standing.annulment
        };
        !self.told.as_ref().is_some_and(is_told)
    }

    fn tell(
        &mut self,
        position: Option<Position>,
        info: Option<MatchInfo>,
    ) -> WatchPositionsResponse {
        if let Some(position) = &position {
            self.from = position.number + 1;
        }
        response(position, info)
    }
}

impl Look {
    /// What there is to be told of a match in play now. It is over, or gone from memory, if
    /// `is_over` is set then.
    pub(super) fn now<'a>(
        &'a self,
        progress: &'a mut Progress,
        is_over: &'a mut bool,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let news = self.hosted.course().news(progress.bytes).shown().await;
            let CourseNews { standing, records } = news.map_err(not_stored)?;
            if matches!(standing.state(), MatchState::Ended | MatchState::Cancelled) {
                *is_over = true;
                return;
            }
            let mut info = self.info_to_tell(progress, standing).await?;
            if let Some(position) = self.begin(progress)? {
                yield progress.tell(Some(position), info.take());
            }
            if let Some(mut positions) = progress.positions.take() {
                let mut place = RecordPlace::default();
                while let Some(record) = place.next(&records).map_err(unreadable)? {
                    progress.next_record = record.number + 1;
                    let position = positions.after(&record).map_err(unplayable)?;
                    if let Some(position) = position {
                        yield progress.tell(Some(position), info.take());
                    }
                    consume_budget().await;
                }
                progress.bytes += records.len();
                progress.positions = Some(positions);
            }
            if info.is_some() {
                yield progress.tell(None, info.take());
            }
        }
    }

    /// All of a match in play as it comes, until it is over; an error if somebody is `refused`.
    pub(super) fn live<'a>(
        &'a self,
        progress: &'a mut Progress,
        refused: impl Future<Output = Refusal> + Send + 'a,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let mut refused = pin!(refused);
            let mut changes = self.hosted.course().changes();
            while let Some(changes) = &mut changes {
                let looked_at = Instant::now();
                // Before the look, so that what changes after it is noticed.
                changes.borrow_and_update();
                let mut is_over = false;
                for await told in self.now(progress, &mut is_over) {
                    yield told?;
                }
                if is_over {
                    return;
                }
                self.until(&mut refused, news(changes, looked_at)).await?;
            }
        }
    }

    /// What was not told of a match that is over, from its replay; `info` comes with the last. Who is
    /// not told all is told it as if the match still ran.
    pub(super) fn rest<'a>(
        &'a self,
        replay: &'a [u8],
        mut progress: Progress,
        info: MatchInfo,
        is_told: bool,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Refusal>> + Send + 'a {
        try_stream! {
            let mut positions = match progress.positions.take() {
                Some(positions) => positions,
                None => {
                    let head = decode_head(replay).map_err(unreadable)?;
                    Positions::open(&head, &self.viewers, progress.from, Disclosure::Public)
                        .map_err(unplayable)?
                }
            };
            if is_told {
                positions.disclose();
            }
            let mut is_first = progress.told.is_none();
            // One is held back, since the last message tells the result.
            let mut held = match progress.next_record {
                0 => positions.first(),
                _ => None,
            };
            let mut place = RecordPlace::default();
            while let Some(record) = place.next(replay).map_err(unreadable)? {
                if record.number < progress.next_record {
                    continue;
                }
                let next = positions.after(&record).map_err(unplayable)?;
                if next.is_some()
                    && let Some(position) = std::mem::replace(&mut held, next)
                {
                    let info = std::mem::take(&mut is_first).then(|| info.clone());
                    yield response(Some(position), info);
                }
                consume_budget().await;
            }
            yield response(held, Some(info));
        }
    }

    /// Waits until `ready`, unless no stream may go on or somebody is `refused` before.
    pub(super) async fn until(
        &self,
        refused: impl Future<Output = Refusal>,
        ready: impl Future<Output = ()>,
    ) -> Result<(), Refusal> {
        select! {
            biased;
            refusal = self.matches.interrupted() => Err(refusal),
            () = self.hosted.until_left() => Err(Refusal::stopping()),
            refusal = refused => Err(refusal),
            () = ready => Ok(()),
        }
    }

    /// How the match stands in full.
    pub(super) async fn info(&self) -> Result<MatchInfo, Refusal> {
        self.hosted.info().shown().await.map_err(not_stored)
    }

    /// What is to be told of the match before the next position: all of it at first, and then how it
    /// stands, if that has changed.
    async fn info_to_tell(
        &self,
        progress: &mut Progress,
        standing: MatchInfo,
    ) -> Result<Option<MatchInfo>, Refusal> {
        if !progress.is_news(&standing) {
            return Ok(None);
        }
        let info = match progress.told {
            Some(_) => standing.clone(),
            None => self.info().await?,
        };
        progress.told = Some(standing);
        Ok(Some(info))
    }

    /// Begins to play once the match has started, and gives the position at its start if that is
    /// wanted.
    fn begin(&self, progress: &mut Progress) -> Result<Option<Position>, Refusal> {
        let is_waiting = |told: &MatchInfo| told.state() == MatchState::Waiting;
        if progress.positions.is_some() || progress.told.as_ref().is_none_or(is_waiting) {
            return Ok(None);
        }
        // Without one the match has just ended, which the next look tells.
        let Some(head) = self.hosted.course().head() else {
            return Ok(None);
        };
        let opened = Positions::open(&head, &self.viewers, progress.from, Disclosure::Public);
        let positions = progress.positions.insert(opened.map_err(unplayable)?);
        Ok(positions.first())
    }
}

/// Completes when there may be news, and no sooner than a look may follow another.
async fn news(changes: &mut watch::Receiver<u64>, looked_at: Instant) {
    // Without a sender the match is gone from memory, and the next look finds its end.
    let _ = changes.changed().await;
    // Bots that were sent something have their turn first.
    yield_now().await;
    sleep_until(looked_at + SPECTATOR_INTERVAL).await;
}

/// A message of a stream of positions.
pub(in super::super) fn response(
    position: Option<Position>,
    info: Option<MatchInfo>,
) -> WatchPositionsResponse {
    WatchPositionsResponse {
        position,
        r#match: info,
    }
}

/// The bytes of a message.
pub(in super::super) fn encoded(message: &WatchPositionsResponse) -> Bytes {
    message.encode_to_vec().into()
}

/// What is wrong with what the server itself has of a match.
fn unplayable(problem: impl std::fmt::Display) -> Refusal {
    Refusal::damaged(format!(
        "the positions of the match cannot be made: {problem}"
    ))
}

fn unreadable(error: DecodeError) -> Refusal {
    unplayable(error)
}

fn not_stored(_: NotStored) -> Refusal {
    Refusal::storage_failed()
}
