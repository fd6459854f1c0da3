//! The positions of a match of this server, one by one, for somebody who looks: of a match in play as
//! they come, of one that has ended from its replay. What may be told is for
//! [`Positions`] to say; what is public, for the match itself.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::try_stream;
use bridgemaster_games::Viewer;
use bridgemaster_proto::v1::{MatchInfo, MatchState, Position, WatchPositionsResponse};
use bridgemaster_replay::{
    Disclosure, PositionError, Positions, RecordPlace, decode_head, viewers_from_wire,
};
use prost::DecodeError;
use tokio::{
    select,
    sync::watch,
    task::consume_budget,
    time::{Instant, sleep_until},
};
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

use super::replay_sight::check_replay;
use crate::{
    hosting::{CourseNews, Matches, Reader, ShownMatch},
    identity::Caller,
    journal::NotStored,
    ladder::Ladders,
    limits::{MAX_VIEWERS, POSITIONS_INTERVAL},
    refusal::Refusal,
    transport::Call,
};

/// Positions, and why there are no more.
pub(super) type PositionStream =
    Pin<Box<dyn Stream<Item = Result<WatchPositionsResponse, Status>> + Send>>;

/// Somebody who looks at the positions of a match.
pub(super) struct Onlooker {
    pub(super) matches: Arc<Matches>,
    pub(super) ladders: Arc<Ladders>,
    pub(super) hosted: Arc<dyn ShownMatch>,
    pub(super) caller: Caller,
    pub(super) reader: Reader,
    pub(super) viewers: Vec<Viewer>,
    /// The first position that is wanted.
    pub(super) from: u32,
}

/// The viewers of a request, whoever may look through their eyes.
pub(super) fn viewers(
    wanted: &[bridgemaster_proto::v1::Viewer],
    seats: bridgemaster_games::SeatCount,
) -> Result<Vec<Viewer>, Refusal> {
    if wanted.len() > MAX_VIEWERS {
        let detail = format!("at most {MAX_VIEWERS}, not {}", wanted.len());
        return Err(Refusal::field("viewers", detail));
    }
    viewers_from_wire(wanted, seats).map_err(|error| match &error {
        PositionError::NoSeat { place, seat, .. } => Refusal::field(
            format!("viewers[{place}].seat"),
            format!("{seat} is no seat; the match has {seats}, from 0"),
        ),
        _ => Refusal::field("viewers", error.to_string()),
    })
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

/// How far somebody has looked.
#[derive(Default)]
struct Progress {
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
    /// Whether how the match stands has not been told.
    fn is_news(&self, standing: &MatchInfo) -> bool {
        let is_told = |told: &MatchInfo| {
            told.state == standing.state
                && told.seats == standing.seats
                && told.annulment == standing.annulment
        };
        !self.told.as_ref().is_some_and(is_told)
    }
}

impl Onlooker {
    /// Makes sure that the caller may look through the eyes of all viewers: of a seat, when nothing
    /// of the match is held back any more, or when its bot is the caller's.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let Some(refusal) = self.hosted.course().is_secret_for() else {
            return Ok(());
        };
        let is_own = |viewer: &Viewer| match viewer {
            Viewer::Spectator => true,
            Viewer::Seat(seat) => {
                let name = self.caller.name();
                name.is_some_and(|name| self.hosted.is_held_by(*seat, name))
            }
        };
        match self.viewers.iter().all(is_own) {
            true => Ok(()),
            false => Err(refusal),
        }
    }

    /// The positions until the match is over.
    pub(super) fn positions(self) -> PositionStream {
        let counted = self.matches.metrics().watch_stream();
        Box::pin(try_stream! {
            let _counted = counted;
            let mut progress = Progress::default();
            let mut changes = self.hosted.course().changes();
            while let Some(changes) = &mut changes {
                let looked_at = Instant::now();
                // Before the look, so that what changes after it is noticed.
                changes.borrow_and_update();
                let news = self.hosted.course().news(progress.bytes).shown().await;
                let CourseNews { standing, records } = news.map_err(not_stored)?;
                if matches!(standing.state(), MatchState::Ended | MatchState::Cancelled) {
                    break;
                }
                let mut info = self.info_to_tell(&mut progress, standing).await?;
                if let Some(position) = self.begin(&mut progress)? {
                    yield response(Some(position), info.take());
                }
                if let Some(positions) = &mut progress.positions {
                    let mut place = RecordPlace::default();
                    while let Some(record) = place.next(&records).map_err(unreadable)? {
                        progress.next_record = record.number + 1;
                        let position = positions.after(&record).map_err(unplayable)?;
                        if let Some(position) = position {
                            yield response(Some(position), info.take());
                        }
                        consume_budget().await;
                    }
                    progress.bytes += records.len();
                }
                if info.is_some() {
                    yield response(None, info.take());
                }
                self.wait(changes, looked_at).await?;
            }
            // It is over: what is left is in its replay.
            let info = self.hosted.info().shown().await.map_err(not_stored)?;
            if info.state() == MatchState::Cancelled {
                yield response(None, Some(info));
                return;
            }
            let mut rest = pin!(self.rest_of_replay(progress, info));
            while let Some(position) = rest.next().await {
                yield position?;
            }
        })
    }

    /// The positions of a match that is over which were not told, from its replay; `info` comes with
    /// the last.
    fn rest_of_replay(
        &self,
        mut progress: Progress,
        info: MatchInfo,
    ) -> impl Stream<Item = Result<WatchPositionsResponse, Status>> {
        try_stream! {
            let replay = self.matches.whole_replay(&*self.hosted, &self.reader).await?;
            let _room = Call::room(replay.len()).await?;
            // Who may not see the replay is told the rest as if the match still ran.
            let is_told = self.hosted.course().is_secret_for().is_none()
                && check_replay(&self.ladders, &*self.hosted, &self.caller).await.is_ok();
            let mut positions = match progress.positions.take() {
                Some(positions) => positions,
                None => {
                    let head = decode_head(&replay).map_err(unreadable)?;
                    Positions::open(&head, &self.viewers, self.from, Disclosure::Public)
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
            while let Some(record) = place.next(&replay).map_err(unreadable)? {
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
            None => self.hosted.info().shown().await.map_err(not_stored)?,
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
        let opened = Positions::open(&head, &self.viewers, self.from, Disclosure::Public);
        let positions = progress.positions.insert(opened.map_err(unplayable)?);
        Ok(positions.first())
    }

    /// Waits until there may be news, and no less than the interval of looks.
    async fn wait(
        &self,
        changes: &mut watch::Receiver<u64>,
        looked_at: Instant,
    ) -> Result<(), Refusal> {
        let news = async {
            // Without a sender the match is gone from memory, and the next look finds its end.
            let _ = changes.changed().await;
            sleep_until(looked_at + POSITIONS_INTERVAL).await;
        };
        let stopping = self.matches.lifecycle().stopping();
        select! {
            biased;
            () = stopping.cancelled() => Err(self.matches.stop_refusal()),
            refusal = self.caller.refused() => Err(refusal),
            () = news => Ok(()),
        }
    }
}

/// A message of a stream of positions.
pub(super) fn response(
    position: Option<Position>,
    info: Option<MatchInfo>,
) -> WatchPositionsResponse {
    WatchPositionsResponse {
        position,
        r#match: info,
    }
}
