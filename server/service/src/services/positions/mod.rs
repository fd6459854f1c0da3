//! The positions of a match of this server, one by one, for somebody who looks: of a match in play as
//! they come, of one that has ended from its replay. What may be told is for
//! [`Positions`](bridgemaster_replay::Positions) to say; what is public, for the match itself.
//!
//! Most who look at a match in play see it as spectators, and all of these see the same: so that is
//! made once, by a task ([`show`]), and they are sent the same bytes.

mod look;
mod shown;

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::try_stream;
use bridgemaster_games::Viewer;
use bridgemaster_proto::v1::MatchState;
use bridgemaster_replay::{PositionError, viewers_from_wire};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Status, codegen::Bytes};

pub(super) use self::look::{encoded, response};
use self::{
    look::{Look, Progress},
    shown::show,
};
use super::replay_sight::check_replay;
use crate::{
    hosting::{Follower, Found, Matches, Reader, ShownMatch, Stand},
    identity::Caller,
    ladder::Ladders,
    limits::MAX_VIEWERS,
    refusal::Refusal,
    transport::Call,
};

/// Encoded positions, and why there are no more.
pub(super) type PositionStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;

/// Somebody who looks at the positions of a match.
pub(super) struct Onlooker {
    look: Arc<Look>,
    ladders: Arc<Ladders>,
    caller: Caller,
    reader: Reader,
    /// The first position that is wanted.
    from: u32,
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

impl Onlooker {
    /// Somebody who looks at a match from a position on.
    pub(super) fn new(
        (matches, ladders): (&Arc<Matches>, &Arc<Ladders>),
        hosted: Arc<dyn ShownMatch>,
        (caller, reader): (Caller, Reader),
        viewers: Vec<Viewer>,
        from: u32,
    ) -> Self {
        Self {
            look: Arc::new(Look {
                matches: Arc::clone(matches),
                hosted,
                viewers,
            }),
            ladders: Arc::clone(ladders),
            caller,
            reader,
            from,
        }
    }

    /// Makes sure that the caller may look through the eyes of all viewers: of a seat, when nothing
    /// of the match is held back any more, or when its bot is the caller's.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let Some(refusal) = self.look.hosted.course().is_secret_for() else {
            return Ok(());
        };
        let is_own = |viewer: &Viewer| match viewer {
            Viewer::Spectator => true,
            Viewer::Seat(seat) => {
                let name = self.caller.name();
                name.is_some_and(|name| self.look.hosted.is_held_by(*seat, name))
            }
        };
        match self.look.viewers.iter().all(is_own) {
            true => Ok(()),
            false => Err(refusal),
        }
    }

    /// The positions until the match is over.
    pub(super) fn positions(self) -> PositionStream {
        let counted = self.look.matches.metrics().watch_stream();
        Box::pin(try_stream! {
            let _counted = counted;
            let mut progress = Progress::from(self.from);
            let mut shared = None;
            if let Some(follower) = self.follow() {
                let mut followed = pin!(self.followed(follower, &mut progress, &mut shared));
                while let Some(message) = followed.next().await {
                    yield message?;
                }
            }
            if shared.is_none() {
                let mut live = pin!(self.look.live(&mut progress, self.caller.refused()));
                while let Some(told) = live.next().await {
                    yield encoded(&told?);
                }
            }
            // It is over: what is left is in its replay.
            let info = self.look.info().await?;
            if info.state() == MatchState::Cancelled {
                yield encoded(&response(None, Some(info)));
                return;
            }
            // Who may not see the replay is told the rest as if the match still ran.
            let is_told = self.look.hosted.course().is_secret_for().is_none()
                && check_replay(&self.ladders, &*self.look.hosted, &self.caller).await.is_ok();
            if let Some(follower) = shared {
                let rest = follower.showing.rest(is_told);
                let rest = rest.get_or_try_init(|| self.whole_rest(progress, is_told));
                let rest = Arc::clone(rest.await?);
                for message in &*rest {
                    yield message.clone();
                }
                return;
            }
            let matches = &self.look.matches;
            let replay = matches.whole_replay(&*self.look.hosted, &self.reader).await?;
            let _room = Call::room(replay.len()).await?;
            let mut rest = pin!(self.look.rest(&replay, progress, info, is_told));
            while let Some(told) = rest.next().await {
                yield encoded(&told?);
            }
        })
    }

    /// Follows what all spectators of a match in play are shown, if that is what is wanted.
    fn follow(&self) -> Option<Follower> {
        let hosted = &self.look.hosted;
        if self.look.viewers != [Viewer::Spectator] || hosted.is_over() {
            return None;
        }
        let (follower, is_new) = hosted.course().relay()?.follow();
        if is_new {
            // As of now: who follows looks later, and makes at least what came before.
            let now = hosted.info().into_value();
            let showing = Arc::clone(&follower.showing);
            tokio::spawn(show(Arc::clone(&self.look), showing, now));
        }
        Some(follower)
    }

    /// What all are shown, and before it what was shown before. `shared` is set if the match is over
    /// and all were told the same positions.
    fn followed<'a>(
        &'a self,
        mut follower: Follower,
        progress: &'a mut Progress,
        shared: &'a mut Option<Follower>,
    ) -> impl Stream<Item = Result<Bytes, Refusal>> + Send + 'a {
        try_stream! {
            let mut refused = pin!(self.caller.refused());
            'behind: loop {
                // Before the look, so that nothing is missed between the two.
                let mut place = follower.newest();
                let mut is_over = false;
                {
                    let mut now = pin!(self.look.now(progress, &mut is_over));
                    while let Some(told) = now.next().await {
                        yield encoded(&told?);
                    }
                }
                if is_over {
                    return;
                }
                progress.go_on_from(progress.next());
                loop {
                    let messages = match follower.look(place) {
                        Found::Messages(messages) => messages,
                        Found::Missed => continue 'behind,
                        Found::Nothing(Stand::Going) => {
                            let news = follower.news();
                            self.look.until(&mut refused, news).await?;
                            continue;
                        }
                        Found::Nothing(Stand::Over(next)) if next == progress.next() => {
                            *shared = Some(follower);
                            return;
                        }
                        Found::Nothing(_) => return,
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
                                progress.go_on_from(next);
                                yield relayed.message;
                            }
                        }
                    }
                }
            }
        }
    }

    /// What is left of a match that is over, for all who were told the same before.
    async fn whole_rest(&self, progress: Progress, is_told: bool) -> Result<Arc<[Bytes]>, Refusal> {
        let look = &self.look;
        let info = look.info().await?;
        let replay = look
            .matches
            .whole_replay(&*look.hosted, &self.reader)
            .await?;
        let _room = Call::room(replay.len()).await?;
        let mut rest = pin!(look.rest(&replay, progress, info, is_told));
        let mut messages = Vec::new();
        while let Some(told) = rest.next().await {
            messages.push(encoded(&told?));
        }
        Ok(messages.into())
    }
}
