//! What a match shows of itself. All of it waits for what [`Match::unsettled`] says.

#[cfg(test)]
mod public_records;

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{
    BotIdentity, Histories, MatchPhase, MatchResult, Referee, SeatInfo, Time,
};
use bridgemaster_wire::{fork_origin, result_to_wire, seat_to_wire};

use crate::{Cancellation, Entries, Match, Origin, StreamNumber, machine::Replay};

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
            MatchPhase::Ended if self.referee.is_cancelled() => v1::MatchState::Cancelled,
            MatchPhase::Ended => v1::MatchState::Ended,
        }
    }

    /// The bot that has a seat, or had it last.
    pub fn bot(&self, seat: Seat) -> Option<&BotIdentity> {
        self.referee.seat_info(seat)?.bot.as_ref()
    }

    /// The name of the key whose bot alone may have a seat: of the one that has it, or that it is
    /// reserved for.
    pub(crate) fn held_by(&self, seat: Seat) -> Option<&str> {
        let reserved = || self.origin.reserved_for.get(&seat).map(String::as_str);
        self.bot(seat)
            .map(|bot| bot.name.as_str())
            .or_else(reserved)
    }

    /// Names that the match is of: of the key that made it, of its bots, and of those that seats are
    /// reserved for.
    pub fn parties(&self) -> Vec<String> {
        let seats = self.referee.seats().map(|info| info.seat);
        let seats = seats.filter_map(|seat| self.held_by(seat));
        let maker = self.origin.maker.as_deref().into_iter();
        maker.chain(seats).map(str::to_owned).collect()
    }

    /// Whether the key of this name made it, or a seat in it is its bot's.
    pub fn is_of(&self, key: &str) -> bool {
        let mut seats = self.referee.seats().map(|info| info.seat);
        self.origin.maker.as_deref() == Some(key)
            || seats.any(|seat| self.held_by(seat) == Some(key))
    }

    /// A seat on the wire.
    pub(crate) fn seat_to_wire(&self, info: &SeatInfo) -> v1::SeatInfo {
        let mut seat = seat_to_wire(info);
        if let Some(name) = self.origin.reserved_for.get(&info.seat) {
            name.clone_into(&mut seat.reserved_for);
        }
        seat
    }

    /// What everybody may know of it.
    pub fn match_info(&self) -> v1::MatchInfo {
        let mut info = self.whole_info();
        if self.is_held_back {
            info.seed_salt.clear();
            if let Some(config) = &mut info.config {
                config.seed = None;
            }
        }
        info
    }

    /// The same without its config, which with edition data is most of it.
    pub fn info_without_config(&self) -> v1::MatchInfo {
        let mut info = self.whole_info_without_config();
        if self.is_held_back {
            info.seed_salt.clear();
        }
        info
    }

    /// What everybody may know of it once its group is over.
    fn whole_info(&self) -> v1::MatchInfo {
        let mut info = self.info_beside_the_game();
        if let Some(config) = &mut info.config {
            config.game = Some(G::config_to_wire(&self.referee.rules().config));
        }
        info
    }

    /// The same without the config of its game.
    pub(crate) fn info_beside_the_game(&self) -> v1::MatchInfo {
        let has_ended = self.referee.result().is_some();
        let rules = self.referee.rules();
        v1::MatchInfo {
            config: Some(self.origin.config_beside_the_game(rules, has_ended)),
            ..self.whole_info_without_config()
        }
    }

    fn whole_info_without_config(&self) -> v1::MatchInfo {
        let rules = self.referee.rules();
        let result = self.referee.result();
        let Origin { id, salt, .. } = &*self.origin;
        v1::MatchInfo {
            result: result.map(|result| result_to_wire(id.as_str(), result)),
            fork: rules.fork.as_deref().map(fork_origin),
            seed_commitment: salt.commit(&rules.seed),
            seed_salt: result.map(|_| salt.to_hex()).unwrap_or_default(),
            ..self.standing()
        }
    }

    /// What everybody may know of how it stands: its info without what is large, which is its config,
    /// its seed with commitment and salt, and its result.
    pub fn standing(&self) -> v1::MatchInfo {
        let referee = &self.referee;
        let result = referee.result();
        let Origin {
            id,
            maker,
            created_unix_ms,
            labels,
            salt: _,
            group: _,
            spectators: _,
            tickets: _,
            reserved_for: _,
            offered: _,
        } = &*self.origin;
        let started_at = referee.started_at();
        let ended_at = started_at.zip(result);
        let ended_at = ended_at.map(|(at, result)| at.plus_us(result.duration_ms * 1000));
        let cancelled_at = self.cancelled.as_ref().map(|(at, _)| *at);
        let unix_ms = |at: Option<Time>| at.map_or(0, |at| self.calendar.unix_ms(at));
        v1::MatchInfo {
            match_id: id.to_string(),
            state: self.state().into(),
            seats: referee
                .public_seats()
                .map(|info| self.seat_to_wire(info))
                .collect(),
            decisions: referee.public_decisions(),
            rules_version: G::RULES_VERSION,
            labels: labels.clone(),
            maker: maker.clone().unwrap_or_default(),
            created_unix_ms: *created_unix_ms,
            started_unix_ms: unix_ms(started_at),
            annulment: result.and_then(|result| self.annulment(result)),
            ended_unix_ms: unix_ms(ended_at.or(cancelled_at)),
            cancellation: self.cancelled.as_ref().map(|(_, why)| v1::Cancellation {
                reason: why.reason.clone(),
                cancelled_by: why.by.clone().unwrap_or_default(),
            }),
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

    /// What its positions are played from: its rules and its setup. Secret, as they are.
    pub fn replay_head(&self) -> v1::Replay {
        bridgemaster_replay::replay_head(self.origin.id.as_str(), &self.referee)
    }

    /// Its records from a place on that everybody may know of, as
    /// [`ReplayWriter::public_from`](bridgemaster_replay::ReplayWriter::public_from) gives them.
    /// None when it is over: they are in its replay then.
    pub fn public_records(&self, from_bytes: usize) -> &[u8] {
        match &self.replay {
            Replay::Growing(writer) => writer.public_from(from_bytes),
            Replay::Whole(_) | Replay::Sealed(_) => &[],
        }
    }

    /// Whether its chance stays secret after its end.
    pub fn is_held_back(&self) -> bool {
        self.is_held_back
    }

    /// Why a result does not count, if it does not. Whoever makes other matches than those of ladders
    /// judges for himself what a start of the server made of them.
    fn annulment(&self, result: &MatchResult) -> Option<v1::Annulment> {
        let lost = self.returns.lost();
        let lost = lost.filter(|_| self.origin.is_of_ladder());
        spoiled_by_lag(result).or_else(|| lost.map(lost_in_restart))
    }

    /// Why it was cancelled, if it was.
    pub fn cancellation(&self) -> Option<&Cancellation> {
        self.cancelled.as_ref().map(|(_, why)| &**why)
    }

    /// The seat whose bot declined it, if the match was cancelled for that.
    pub fn declined(&self) -> Option<Seat> {
        self.cancelled.as_ref().and_then(|(_, why)| why.declined)
    }
}

/// That a result does not count because of the server's lag, if it does not.
fn spoiled_by_lag(result: &MatchResult) -> Option<v1::Annulment> {
    result.spoiled_by_referee.then(|| v1::Annulment {
        reason: v1::AnnulmentReason::RefereeLag.into(),
        detail: format!(
            "a request had {} ms of the server's own lag, more than the rules of the match allow",
            result.longest_referee_lag_us / 1000
        ),
        replaced_by_match_id: String::new(),
    })
}

/// That a result does not count because the server was started again, and the bot of this seat did
/// not come back.
fn lost_in_restart(seat: Seat) -> v1::Annulment {
    v1::Annulment {
        reason: v1::AnnulmentReason::ServerCrash.into(),
        detail: format!(
            "the server was started again while the match was in play, and the bot of seat \
             {seat} did not come back"
        ),
        replaced_by_match_id: String::new(),
    }
}
