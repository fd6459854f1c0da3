//! What a match shows of itself. All of it waits for what [`Match::unsettled`] says.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{BotIdentity, Histories, MatchPhase, Referee, Time};
use bridgemaster_wire::{result_to_wire, rules_to_wire, seat_to_wire};

use crate::{Entries, Match, Origin, StreamNumber, machine::Replay};

impl<G: WireGame> Match<G> {
    /// What was fixed before it began.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Its referee.
    pub fn referee(&self) -> &Referee<G> {
        &self.referee
    }

    /// Which numbers of bots that come back are believed.
    pub fn histories(&self) -> &Histories {
        &self.histories
    }

    /// When [`Match::tick`] is to be called, as far as the timer was told.
    pub fn armed(&self) -> Option<Time> {
        self.armed
    }

    /// What everything must wait for that shows the match as it is now.
    pub fn unsettled(&self) -> Entries {
        self.storing.unsettled()
    }

    /// What a stream must wait for before it is read any further, because of what it reported last.
    pub fn unsettled_report(&self, seat: Seat, stream: StreamNumber) -> Entries {
        let reported = self.links[seat.index()].reported(stream);
        self.storing.missing(reported)
    }

    /// Where it stands.
    pub fn state(&self) -> v1::MatchState {
        match self.referee.phase() {
            MatchPhase::Waiting => v1::MatchState::Waiting,
            MatchPhase::Running => v1::MatchState::Running,
            MatchPhase::Ended => v1::MatchState::Ended,
        }
    }

    /// The bot that has a seat, or had it last.
    pub fn bot(&self, seat: Seat) -> Option<&BotIdentity> {
        self.referee.seat_info(seat)?.bot.as_ref()
    }

    /// Names that the match is of: of the key that made it, and of its bots.
    pub fn parties(&self) -> Vec<String> {
        let bots = self.referee.seats().filter_map(|seat| seat.bot.as_ref());
        let bots = bots.map(|bot| bot.name.clone());
        self.origin.maker.iter().cloned().chain(bots).collect()
    }

    /// Whether the key of this name made it, or its bot has a seat in it.
    pub fn is_of(&self, key: &str) -> bool {
        let mut bots = self.referee.seats().filter_map(|seat| seat.bot.as_ref());
        self.origin.maker.as_deref() == Some(key) || bots.any(|bot| bot.name == key)
    }

    /// What everybody may know of it.
    pub fn match_info(&self) -> v1::MatchInfo {
        let referee = &self.referee;
        let rules = referee.rules();
        let result = referee.result();
        let Origin {
            id,
            salt,
            maker,
            created_unix_ms,
            labels,
            tickets: _,
        } = &*self.origin;
        let started_at = referee.started_at();
        let ended_at = started_at.zip(result);
        let ended_at = ended_at.map(|(at, result)| at.plus_us(result.duration_ms * 1000));
        let unix_ms = |at: Option<Time>| at.map_or(0, |at| self.calendar.unix_ms(at));
        v1::MatchInfo {
            match_id: id.to_string(),
            state: self.state().into(),
            config: Some(rules_to_wire(rules, result.is_some())),
            seats: referee.public_seats().map(seat_to_wire).collect(),
            decisions: referee.public_decisions(),
            result: result.map(|result| result_to_wire(id.as_str(), result)),
            seed_commitment: salt.commit(&rules.seed),
            seed_salt: result.map(|_| salt.to_hex()).unwrap_or_default(),
            rules_version: G::RULES_VERSION,
            labels: labels.clone(),
            maker: maker.clone().unwrap_or_default(),
            created_unix_ms: *created_unix_ms,
            started_unix_ms: unix_ms(started_at),
            ended_unix_ms: unix_ms(ended_at),
            ..v1::MatchInfo::default()
        }
    }

    /// What a spectator may see of it now.
    pub fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.match_info()),
            observation: self
                .referee
                .observe_spectator()
                .map(|observation| G::observation_to_wire(&observation)),
            events: Vec::new(),
        }
    }

    /// Somebody watches, or nobody any more.
    pub fn set_watched(&mut self, is_watched: bool) {
        self.is_watched = is_watched && self.referee.result().is_none();
    }

    /// The bytes of its replay file, once it has ended.
    pub fn replay(&self) -> Option<&Arc<[u8]>> {
        match &self.replay {
            Replay::Growing(_) => None,
            Replay::Sealed(bytes) => Some(bytes),
        }
    }
}
