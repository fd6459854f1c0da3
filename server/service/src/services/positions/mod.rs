//! Streams the positions of a match one by one, either as a match in play proceeds, or from the
//! replay of a finished match. [`Positions`](bridgemaster_replay::Positions) decides what a viewer
//! may see, and the match decides which records are public.
//!
//! Most clients watch a match in play as spectators, and all spectators see the same positions. So
//! one task ([`broadcast`]) encodes the messages, and the same bytes are sent to all spectators.

mod view;

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::try_stream;
use bridgemaster_edge::{identity::Caller, limits::MAX_VIEWERS, refusal::Refusal, transport::Call};
use bridgemaster_games::Viewer;
use bridgemaster_live::{
    Broadcast, BroadcastMessage, BroadcastPoll, BroadcastState, Follower, MatchView, Matches,
    Reader,
};
use bridgemaster_matchmaking::ladder::Ladders;
use bridgemaster_proto::v1::{MatchInfo, MatchState};
use bridgemaster_replay::viewers_from_wire;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Status, codegen::Bytes};

use self::view::{PositionView, StreamProgress};
use super::{check_replay, validation::check_count};

pub(super) use view::{encoded, response};

/// Encoded positions; an error ends the stream.
pub(super) type PositionStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;

/// A client that watches the positions of a match.
pub(super) struct PositionWatcher {
    view: Arc<PositionView>,
    ladders: Arc<Ladders>,
    caller: Caller,
    reader: Reader,
    /// The number of the first position to send.
    from: u32,
}

/// Validates the viewers that a request names. The caller's access to their views is checked
/// separately.
pub(super) fn check_viewers(
    requested: &[bridgemaster_proto::v1::Viewer],
    seats: bridgemaster_games::SeatCount,
) -> Result<Vec<Viewer>, Refusal> {
    check_count("viewers", "viewers", requested.len(), MAX_VIEWERS)?;
    viewers_from_wire(requested, seats).map_err(|error| Refusal::field(error.field, error.problem))
}

impl PositionWatcher {
    /// Creates a watcher of `hosted` from the position `from` on.
    pub(super) fn new(
        (matches, ladders): (&Arc<Matches>, &Arc<Ladders>),
        hosted: MatchView,
        (caller, reader): (Caller, Reader),
        viewers: Vec<Viewer>,
        from: u32,
    ) -> Self {
        Self {
            view: Arc::new(PositionView { matches: Arc::clone(matches), hosted, viewers }),
            ladders: Arc::clone(ladders),
            caller,
            reader,
            from,
        }
    }

    /// Checks that the caller may see the match as each of the viewers. Viewing as a seat is
    /// allowed if the caller's bot has the seat, or once no part of the match is withheld.
    pub(super) fn check_access(&self) -> Result<(), Refusal> {
        let Some(refusal) = self.view.hosted.withheld_reason() else {
            return Ok(());
        };
        let is_own = |viewer: &Viewer| match viewer {
            Viewer::Spectator => true,
            Viewer::Seat(seat) => {
                let name = self.caller.key_name();
                name.is_some_and(|name| self.view.hosted.is_held_by(*seat, name))
            }
        };
        if self.view.viewers.iter().all(is_own) { Ok(()) } else { Err(refusal) }
    }

    /// Streams the positions until the match has ended.
    pub(super) fn positions(self) -> PositionStream {
        let counted = self.view.matches.metrics().watch_stream();
        Box::pin(try_stream! {
            let _counted = counted;
            let mut progress = StreamProgress::starting_at(self.from);
            let mut shared = None;
            if let Some(follower) = self.follow_broadcast() {
                let followed = self.stream_broadcast(follower, &mut progress, &mut shared);
                let mut followed = pin!(followed);
                while let Some(message) = followed.next().await {
                    yield message?;
                }
            }
            if shared.is_none() {
                let revoked = self.caller.until_revoked();
                let mut live = pin!(self.view.live_positions(&mut progress, revoked));
                while let Some(message) = live.next().await {
                    yield encoded(&message?);
                }
            }
            // The match has ended, so the remaining positions are in its replay.
            let info = self.view.info().await?;
            if info.state() == MatchState::Cancelled {
                yield encoded(&response(None, Some(info)));
                return;
            }
            // If the caller has no access to the replay, the remaining positions do not disclose
            // hidden information.
            let is_disclosed = self.view.hosted.withheld_reason().is_none()
                && check_replay(&self.ladders, &self.view.hosted, &self.caller).await.is_ok();
            if let Some(follower) = shared {
                let rest = follower.broadcast.remainder(is_disclosed);
                let rest = rest.get_or_try_init(|| self.encode_remaining(progress, is_disclosed));
                let rest = Arc::clone(rest.await?);
                for message in &*rest {
                    yield message.clone();
                }
                return;
            }
            let matches = &self.view.matches;
            let replay = matches.full_replay(&self.view.hosted, &self.reader).await?;
            let _buffer = Call::reserve_buffer(replay.len()).await?;
            let rest = self
                .view
                .remaining_positions(&replay, progress, info, is_disclosed);
            let mut rest = pin!(rest);
            while let Some(message) = rest.next().await {
                yield encoded(&message?);
            }
        })
    }

    /// Follows the shared spectator broadcast of a match in play, if the request allows it.
    fn follow_broadcast(&self) -> Option<Follower> {
        let hosted = &self.view.hosted;
        if self.view.viewers != [Viewer::Spectator] || hosted.is_over() {
            return None;
        }
        let (follower, is_new) = hosted.relay()?.follow();
        if is_new {
            // The broadcast starts at this state. Each follower computes earlier positions itself.
            let now = hosted.info().into_value();
            let feed = Arc::clone(&follower.broadcast);
            tokio::spawn(broadcast(Arc::clone(&self.view), feed, now));
        }
        Some(follower)
    }

    /// Catches up with the shared broadcast, and then streams it. Sets `shared` if the match has
    /// ended and all followers received the same positions.
    fn stream_broadcast<'a>(
        &'a self,
        mut follower: Follower,
        progress: &'a mut StreamProgress,
        shared: &'a mut Option<Follower>,
    ) -> impl Stream<Item = Result<Bytes, Refusal>> + Send + 'a {
        try_stream! {
            let mut refused = pin!(self.caller.until_revoked());
            'behind: loop {
                // Read before the poll, so that a message that arrives during the poll is not
                // missed.
                let mut place = follower.next_number();
                let mut is_over = false;
                {
                    let mut now = pin!(self.view.current_positions(progress, &mut is_over));
                    while let Some(message) = now.next().await {
                        yield encoded(&message?);
                    }
                }
                if is_over {
                    return;
                }
                progress.skip_to(progress.next());
                loop {
                    let messages = match follower.receive(place) {
                        BroadcastPoll::Messages(messages) => messages,
                        BroadcastPoll::Lagged => continue 'behind,
                        BroadcastPoll::Empty(BroadcastState::Live) => {
                            let changed = follower.changed();
                            self.view.wait_until(&mut refused, changed).await?;
                            continue;
                        }
                        BroadcastPoll::Empty(BroadcastState::Ended(next)) if next == progress.next() => {
                            *shared = Some(follower);
                            return;
                        }
                        BroadcastPoll::Empty(_) => return,
                    };
                    place += messages.len() as u64;
                    for relayed in messages {
                        match relayed.position {
                            Some(number) if number < progress.next() => {
                                if let Some(info) = relayed.info {
                                    yield info;
                                }
                            }
                            position => {
                                let next = position.map_or(progress.next(), |number| number + 1);
                                progress.skip_to(next);
                                yield relayed.message;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Encodes the remaining positions of a finished match, for all followers that received the
    /// same positions.
    async fn encode_remaining(
        &self,
        progress: StreamProgress,
        is_disclosed: bool,
    ) -> Result<Arc<[Bytes]>, Refusal> {
        let view = &self.view;
        let info = view.info().await?;
        let replay = view.matches.full_replay(&view.hosted, &self.reader).await?;
        let _buffer = Call::reserve_buffer(replay.len()).await?;
        let mut rest = pin!(view.remaining_positions(&replay, progress, info, is_disclosed));
        let mut messages = Vec::new();
        while let Some(message) = rest.next().await {
            messages.push(encoded(&message?));
        }
        Ok(messages.into())
    }
}

/// Broadcasts a match to all followers, from its current state `now` until the match has ended or
/// no follower is left. Each follower computes earlier positions itself.
async fn broadcast(view: Arc<PositionView>, feed: Arc<Broadcast>, now: MatchInfo) {
    let mut progress = StreamProgress::following(now);
    let abandoned = async {
        feed.until_unfollowed().await;
        // This refusal only ends the stream below; no client receives it.
        Refusal::stopping()
    };
    let mut is_broken = false;
    {
        let mut live = pin!(view.live_positions(&mut progress, abandoned));
        while let Some(message) = live.next().await {
            let Ok(message) = message else {
                is_broken = true;
                break;
            };
            let info = message.r#match.clone();
            let info = info.filter(|_| message.position.is_some());
            feed.send(BroadcastMessage {
                position: message.position.as_ref().map(|position| position.number),
                message: encoded(&message),
                info: info.map(|info| encoded(&response(None, Some(info)))),
            });
        }
    }
    feed.close(if is_broken {
        BroadcastState::Failed
    } else {
        BroadcastState::Ended(progress.next())
    });
}
