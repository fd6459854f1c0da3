//! Views of the match state. Each view must wait for the position [`Match::uncommitted`].

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{
    BotIdentity, Histories, MatchPhase, MatchResult, Referee, SeatInfo, Time,
};
use bridgemaster_replay::{
    lag_annulment,
    wire::{fork_origin, result_to_wire, seat_to_wire},
};

use crate::{
    Cancellation, DueUpdate, Entries, Match, Origin, SpectatorUpdate, StreamNumber,
    machine::Replay, spectator_update::UnpublishedEvents,
};

impl<G: WireGame> Match<G> {
    /// The facts that were fixed at creation.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The referee of the match, with its secrets.
    pub fn referee(&self) -> &Referee<G> {
        &self.referee
    }

    /// The histories, which decide which sequence numbers of returning bots are valid.
    pub fn histories(&self) -> &Histories {
        &self.histories
    }

    /// The journal position that every view of the current state must wait for.
    pub fn uncommitted(&self) -> Entries {
        self.commits.uncommitted()
    }

    /// The journal position that must be stored before a stream is read further, because of its
    /// last report.
    pub fn uncommitted_report(&self, seat: Seat, stream: StreamNumber) -> Entries {
        let reported = self.streams[seat.index()].reported(stream);
        self.commits.uncommitted_part(reported)
    }

    /// The state of the match as a protobuf value.
    pub fn state(&self) -> v1::MatchState {
        match self.referee.phase() {
            MatchPhase::Waiting => v1::MatchState::Waiting,
            MatchPhase::Running => v1::MatchState::Running,
            MatchPhase::Ended if self.referee.is_cancelled() => v1::MatchState::Cancelled,
            MatchPhase::Ended => v1::MatchState::Ended,
        }
    }

    /// The bot of a seat: the connected one, or else the last one.
    pub fn bot(&self, seat: Seat) -> Option<&BotIdentity> {
        self.referee.seat_info(seat)?.bot.as_ref()
    }

    /// The name of the only key whose bots may take a seat: the key of its current bot, or of its
    /// reservation.
    pub(crate) fn seat_owner(&self, seat: Seat) -> Option<&str> {
        let reserved = || self.origin.reserved_for.get(&seat).map(String::as_str);
        self.bot(seat).map(|bot| bot.name.as_str()).or_else(reserved)
    }

    /// Names of the parties of the match: the key that created it, its bots, and the keys that
    /// seats are reserved for.
    pub fn parties(&self) -> Vec<String> {
        let seats = self.referee.seats().map(|info| info.seat);
        let seats = seats.filter_map(|seat| self.seat_owner(seat));
        let maker = self.origin.maker.as_deref().into_iter();
        maker.chain(seats).map(str::to_owned).collect()
    }

    /// Returns whether a key created the match, or owns a seat in it.
    pub fn has_party(&self, key: &str) -> bool {
        let mut seats = self.referee.seats().map(|info| info.seat);
        self.origin.maker.as_deref() == Some(key)
            || seats.any(|seat| self.seat_owner(seat) == Some(key))
    }

    /// Converts a seat to its message, with the reservation.
    pub(crate) fn seat_to_wire(&self, info: &SeatInfo) -> v1::SeatInfo {
        let mut seat = seat_to_wire(info);
        if let Some(name) = self.origin.reserved_for.get(&info.seat) {
            name.clone_into(&mut seat.reserved_for);
        }
        seat
    }

    /// The public info of the match.
    pub fn match_info(&self) -> v1::MatchInfo {
        let mut info = self.info_without_game();
        if let Some(config) = &mut info.config {
            config.game = Some(G::config_to_wire(&self.referee.rules().config));
        }
        if self.is_seed_withheld {
            info.seed_salt.clear();
            if let Some(config) = &mut info.config {
                config.seed = None;
            }
        }
        info
    }

    /// The public info without the config, which is large because of its edition data.
    pub fn info_without_config(&self) -> v1::MatchInfo {
        let mut info = self.whole_info_without_config();
        if self.is_seed_withheld {
            info.seed_salt.clear();
        }
        info
    }

    /// The public info with the seed, without the config of the game.
    pub(crate) fn info_without_game(&self) -> v1::MatchInfo {
        let has_ended = self.referee.result().is_some();
        let rules = self.referee.rules();
        v1::MatchInfo {
            config: Some(self.origin.config_without_game(rules, has_ended)),
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
            ..self.status_info()
        }
    }

    /// The public info without the large parts: config, seed, commitment, salt and result.
    pub fn status_info(&self) -> v1::MatchInfo {
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
        let unix_ms = |at: Option<Time>| at.map_or(0, |at| self.wall_clock.unix_ms(at));
        v1::MatchInfo {
            match_id: id.to_string(),
            state: self.state().into(),
            seats: referee.public_seats().map(|info| self.seat_to_wire(info)).collect(),
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

    /// The current view of a spectator.
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

    /// The head of the replay: the rules and the setup, from which positions are replayed. It is
    /// secret while the match runs.
    pub fn replay_head(&self) -> v1::Replay {
        bridgemaster_replay::replay_head(self.origin.id.as_str(), &self.referee)
    }

    /// The public records from an offset on; see
    /// [`ReplayWriter::public_from`](bridgemaster_replay::ReplayWriter::public_from). Empty once
    /// the match is over, because the replay then contains them.
    pub fn public_records(&self, from_bytes: usize) -> &[u8] {
        match &self.replay {
            Replay::Recording(writer) => writer.public_from(from_bytes),
            Replay::Complete(_) | Replay::Signed(_) => &[],
        }
    }

    /// Returns whether the seed stays secret after the end of the match.
    pub fn is_seed_withheld(&self) -> bool {
        self.is_seed_withheld
    }

    /// Returns the reason why the result does not count, if any. Only ladder matches are annulled
    /// because of a restart; for other matches, the organisers decide.
    fn annulment(&self, result: &MatchResult) -> Option<v1::Annulment> {
        let lost = self.returns.lost();
        let lost = lost.filter(|_| self.origin.is_ladder_match());
        let spoiled = result.spoiled_by_referee;
        let spoiled = spoiled.then(|| lag_annulment(result.longest_referee_lag_us));
        spoiled.or_else(|| lost.map(lost_in_restart))
    }

    /// The circumstances of the cancellation, if any.
    pub fn cancellation(&self) -> Option<&Cancellation> {
        self.cancelled.as_ref().map(|(_, why)| &**why)
    }

    /// The seat whose bot declined the offer, if the match was cancelled for that reason.
    pub fn declined(&self) -> Option<Seat> {
        self.cancelled.as_ref().and_then(|(_, why)| why.declined)
    }

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
        let events = self.unpublished.take(self.referee.public_changes(), is_last)?;
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
        Some(DueUpdate { update, is_last, after: self.uncommitted() })
    }
}

/// The annulment of a result because the bot of this seat did not reconnect after a restart.
fn lost_in_restart(seat: Seat) -> v1::Annulment {
    v1::Annulment {
        reason: v1::AnnulmentReason::ServerCrash.into(),
        detail: format!(
            "the server was restarted during the match, and the bot of seat {seat} did not \
             reconnect"
        ),
        replaced_by_match_id: String::new(),
    }
}
