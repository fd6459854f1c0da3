//! What spectators are told: not as it happens, since the match has bots to serve, but when whoever
//! tells them asks for it.

use std::fmt;

use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::MatchPhase;
use bridgemaster_wire::fork_origin;

use crate::{Entries, Match};

/// What changed of what everybody may know of a match. It has the facts, and whoever tells them makes
/// the message, since the match has bots to serve meanwhile.
pub struct News(Box<dyn Fn() -> WatchMatchResponse + Send + Sync>);

impl News {
    /// The news of which `message` makes the message.
    pub fn new(message: impl Fn() -> WatchMatchResponse + Send + Sync + 'static) -> Self {
        Self(Box::new(message))
    }

    /// The message. Each call makes it anew.
    pub fn to_message(&self) -> WatchMatchResponse {
        (self.0)()
    }
}

impl fmt::Debug for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("News").field(&self.to_message()).finish()
    }
}

/// News that are due to those who watch a match.
#[derive(Debug)]
pub struct DueNews {
    /// What changed since the last news.
    pub news: News,
    /// There will be no more.
    pub is_last: bool,
    /// Not to be told before so many entries are stored.
    pub after: Entries,
}

/// What those who watch a match were not told.
#[derive(Debug)]
pub(crate) struct Untold<E> {
    /// Somebody watches.
    is_watched: bool,
    /// Changes of what everybody may know, as of the last news.
    told_changes: u64,
    /// What happened since then.
    events: Vec<E>,
}

impl<E: Clone> Untold<E> {
    /// Nobody watches.
    pub(crate) fn new() -> Self {
        Self {
            is_watched: false,
            told_changes: 0,
            events: Vec::new(),
        }
    }

    /// Takes note of what happened. The decision or the result of chance itself may be secret.
    pub(crate) fn happened(&mut self, events: &[E]) {
        if self.is_watched {
            self.events.extend_from_slice(events);
        }
    }
}

impl<G: WireGame> Match<G> {
    /// Somebody watches from now on, beginning with [`Match::snapshot`]. Who watches already must have
    /// been told the news that were due, since these begin anew.
    pub fn begin_to_watch(&mut self) {
        self.untold = Untold {
            is_watched: self.referee.phase() != MatchPhase::Ended,
            told_changes: self.referee.public_changes(),
            events: Vec::new(),
        };
    }

    /// Nobody watches any more.
    pub fn end_to_watch(&mut self) {
        self.untold = Untold::new();
    }

    /// What changed since this was asked last, for those who watch; `None` if nothing did, and while
    /// nobody watches. The last comes after the end of the match.
    pub fn take_news(&mut self) -> Option<DueNews> {
        let changes = self.referee.public_changes();
        if !self.untold.is_watched || self.untold.told_changes == changes {
            return None;
        }
        let is_last = self.referee.phase() == MatchPhase::Ended;
        // In between it is told without what is large: the first message had its config and its
        // commitment, and with edition data they are most of a message.
        let info = match is_last {
            true => self.match_info(),
            false => v1::MatchInfo {
                fork: self.referee.rules().fork.as_deref().map(fork_origin),
                ..self.standing()
            },
        };
        let observation = self.referee.observe_spectator();
        self.untold.is_watched = !is_last;
        self.untold.told_changes = changes;
        let events = std::mem::take(&mut self.untold.events);
        let news = News::new(move || WatchMatchResponse {
            r#match: Some(info.clone()),
            observation: observation.as_ref().map(G::observation_to_wire),
            events: events.iter().map(G::event_to_wire).collect(),
        });
        Some(DueNews {
            news,
            is_last,
            after: self.unsettled(),
        })
    }
}
