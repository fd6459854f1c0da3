//! What spectators are told: not as it happens, since the match has bots to serve, but when whoever
//! tells them asks for it.

use std::fmt;

use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::MatchPhase;
use bridgemaster_wire::fork_origin;

use crate::{Entries, Match, untold::Untold};

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

impl<G: WireGame> Match<G> {
    /// Somebody watches from now on, beginning with [`Match::snapshot`]. Who watches already must have
    /// been told the news that were due, since these begin anew.
    pub fn begin_to_watch(&mut self) {
        self.untold = match self.referee.phase() {
            MatchPhase::Ended => Untold::default(),
            _ => Untold::since(self.referee.public_changes()),
        };
    }

    /// Nobody watches any more.
    pub fn end_to_watch(&mut self) {
        self.untold = Untold::default();
    }

    /// What changed since this was asked last, for those who watch; `None` if nothing did, and while
    /// nobody watches. The last comes after the end of the match.
    pub fn take_news(&mut self) -> Option<DueNews> {
        let is_last = self.referee.phase() == MatchPhase::Ended;
        let events = self.untold.take(self.referee.public_changes(), is_last)?;
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
