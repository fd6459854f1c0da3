//! Updates for spectators. They are polled, not pushed, because a match's bots have priority.

use std::fmt;

use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::MatchPhase;
use bridgemaster_wire::fork_origin;

use crate::{Entries, Match, unpublished::UnpublishedEvents};

/// A change of a match's public state. It contains only the data: the publisher builds the message
/// later, off the match's critical path.
pub struct SpectatorUpdate(Box<dyn Fn() -> WatchMatchResponse + Send + Sync>);

impl SpectatorUpdate {
    /// Creates an update from a function that builds its message.
    pub fn new(message: impl Fn() -> WatchMatchResponse + Send + Sync + 'static) -> Self {
        Self(Box::new(message))
    }

    /// Builds a new message each time it is called.
    pub fn to_message(&self) -> WatchMatchResponse {
        (self.0)()
    }
}

impl fmt::Debug for SpectatorUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpectatorUpdate")
            .field(&self.to_message())
            .finish()
    }
}

/// An update that is due for a match's spectators.
#[derive(Debug)]
pub struct DueUpdate {
    /// The changes since the previous update.
    pub update: SpectatorUpdate,
    /// No further updates follow.
    pub is_last: bool,
    /// The journal position that must be stored before the update is sent.
    pub after: Entries,
}

impl<G: WireGame> Match<G> {
    /// Starts collecting the updates that follow [`Match::snapshot`]. The caller must first take
    /// any update that is due, because this call discards it.
    pub fn start_watching(&mut self) {
        self.unpublished = match self.referee.phase() {
            MatchPhase::Ended => UnpublishedEvents::default(),
            _ => UnpublishedEvents::since(self.referee.public_changes()),
        };
    }

    /// Stops collecting updates when the last spectator has left.
    pub fn stop_watching(&mut self) {
        self.unpublished = UnpublishedEvents::default();
    }

    /// Removes and returns the changes since the last call. Returns `None` if nothing changed or
    /// the match has no spectators. The last update contains the end of the match.
    pub fn take_update(&mut self) -> Option<DueUpdate> {
        let is_last = self.referee.phase() == MatchPhase::Ended;
        let events = self
            .unpublished
            .take(self.referee.public_changes(), is_last)?;
        // Intermediate updates omit the commitment and the config, since the first message
        // contained them. The config is large because of its edition data.
        let info = if is_last {
            self.match_info()
        } else {
            v1::MatchInfo {
                fork: self.referee.rules().fork.as_deref().map(fork_origin),
                ..self.status_info()
            }
        };
        let observation = self.referee.observe_spectator();
        let update = SpectatorUpdate::new(move || WatchMatchResponse {
            r#match: Some(info.clone()),
            observation: observation.as_ref().map(G::observation_to_wire),
            events: events.iter().map(G::event_to_wire).collect(),
        });
        Some(DueUpdate {
            update,
            is_last,
            after: self.uncommitted(),
        })
    }
}
