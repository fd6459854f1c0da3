//! The referee's main loop: requests or makes decisions until the match must wait for a bot.

use std::sync::Arc;

use bridgemaster_games::{ChanceStream, Game, LegalList, Seat, Viewer};

use crate::{
    ChanceRecord, Charge, DecidedBy, DecisionRecord, ForkChance, ForkStep, MatchLag, MatchPhase,
    MatchResult, RecordEntry, Referee, RequestContent, SeatResult, clock::SeatClock, places,
    player::OpenRequest, redraw,
};

/// The circumstances of an applied decision, such as its note.
pub(crate) struct AppliedDecision<E> {
    pub(crate) by: DecidedBy,
    pub(crate) request_id: u32,
    pub(crate) charge: Option<Charge>,
    pub(crate) events: Vec<E>,
    /// The bot's note; empty if there is none or it was dropped.
    pub(crate) note: String,
}

impl<G: Game> Referee<G> {
    /// Continues until every seat that owes a decision has an open request, or until the match has
    /// ended.
    pub(crate) fn play(&mut self) {
        while self.phase == MatchPhase::Running {
            if !self.resolve_chance() {
                return;
            }
            let seats_to_decide = G::seats_to_decide(&self.state);
            if seats_to_decide.is_empty() {
                return self.finish();
            }
            for seat in self.rules.seats.seats() {
                // Another seat's decision may have made this request obsolete.
                if !seats_to_decide.contains(seat) {
                    self.withdraw_request(seat);
                }
            }
            let decided = seats_to_decide.iter().any(|seat| {
                self.players[seat.index()].open.is_none() && self.decide_or_request(seat)
            });
            if !decided {
                return;
            }
        }
    }

    /// Draws, applies and records every chance result that is due, each from its own stream of the
    /// seed. Games guarantee that a drawn result can be applied. If one cannot, returns false, and
    /// the match waits.
    fn resolve_chance(&mut self) -> bool {
        while let Some(stream) = G::chance_due(&self.state) {
            let mut source = ChanceStream::new(&self.rules.seed, stream);
            let Some(chance) = G::draw_chance(&self.state, &mut source) else {
                return false;
            };
            let state = &mut self.state;
            let applied = self.log.record(|events| G::apply_chance(state, &chance, events));
            let Ok(events) = applied else { return false };
            self.record_chance(stream, chance, events);
        }
        true
    }

    /// Records a chance result that was applied.
    fn record_chance(&mut self, stream: u64, chance: G::Chance, events: Vec<G::Event>) {
        let is_public = !events.is_empty();
        self.digest = G::digest(&self.state);
        let record = ChanceRecord { stream, chance, events, digest: self.digest };
        self.record(RecordEntry::Chance(record));
        if is_public {
            self.publish();
        }
    }

    /// Replays the fork's steps, and redraws hidden facts if the fork specifies it. All steps were
    /// checked when the match was created. If a step still fails, the remaining steps are skipped.
    pub(crate) fn replay_fork(&mut self) {
        let Some(fork) = self.rules.fork.clone() else {
            return;
        };
        for step in &fork.steps {
            let state = &mut self.state;
            let applied = self.log.record(|events| step.apply(state, events));
            let Ok(events) = applied else { return };
            match step {
                ForkStep::Decision { seat, decision } => {
                    let decided = AppliedDecision {
                        by: DecidedBy::Replay,
                        request_id: 0,
                        charge: None,
                        // Notes are not copied, since the original replay has them.
                        note: String::new(),
                        events,
                    };
                    self.record_decision(*seat, decision.clone(), decided);
                }
                ForkStep::Chance { stream, chance } => {
                    self.record_chance(*stream, chance.clone(), events);
                }
            }
        }
        if let ForkChance::Redraw { observer } = fork.chance {
            let rules = &self.rules;
            let drawn = redraw::<G>(&rules.config, &self.state, observer, &rules.seed);
            if let Ok(state) = drawn {
                self.state = state;
                self.digest = G::digest(&self.state);
            }
        }
    }

    /// Makes a seat's decision if the referee or the house plays it. Otherwise, opens a request.
    /// Returns whether a decision was made.
    fn decide_or_request(&mut self, seat: Seat) -> bool {
        let list = G::legal(&self.state, seat, &mut self.legal_buffer);
        if self.rules.is_played_by_referee(list, self.legal_buffer.len()) {
            return self.decide_listed(seat, 0, DecidedBy::Referee, 0);
        }
        if self.players[seat.index()].is_played_by_house() {
            return self.decide_by_house(seat, 0);
        }
        self.open_request(seat, list == LegalList::Cut);
        false
    }

    /// Opens a request with the legal decisions in the buffer.
    fn open_request(&mut self, seat: Seat, cut: bool) {
        let mut events = std::mem::take(&mut self.event_buffer);
        self.log.deliver_to(seat.index(), &mut events);
        let content = RequestContent {
            observation: G::observe(&self.state, Viewer::Seat(seat)),
            legal: std::mem::take(&mut self.legal_buffer),
            cut,
            events,
        };
        let content = self.share_content(content);
        let now = self.now;
        let player = &mut self.players[seat.index()];
        player.last_request_id += 1;
        let mut timer = player.clock.issue(now);
        if player.is_excused {
            timer.hold(now);
        } else if !player.is_connected() {
            SeatClock::stream_lost(&mut timer);
        }
        player.open = Some(OpenRequest {
            id: player.last_request_id,
            content,
            timer,
            predates_restart: false,
            sequence: None,
        });
        if player.is_reachable() {
            self.send_open_request(seat);
        }
    }

    /// Wraps the content so that it can be shared with the shell. Reuses the previous allocation if
    /// possible.
    fn share_content(&mut self, content: RequestContent<G>) -> Arc<RequestContent<G>> {
        let Some(mut spare) = self.content_buffer.take() else {
            return Arc::new(content);
        };
        match Arc::get_mut(&mut spare) {
            Some(place) => *place = content,
            None => return Arc::new(content),
        }
        spare
    }

    /// Makes the house decide the open request, if there is one.
    pub(crate) fn substitute(&mut self, seat: Seat) {
        let request_id = self.players[seat.index()].open_request_id();
        if request_id != 0 {
            self.withdraw_request(seat);
            G::legal(&self.state, seat, &mut self.legal_buffer);
            self.decide_by_house(seat, request_id);
        }
    }

    /// Closes the open request without an answer.
    pub(crate) fn withdraw_request(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        if let Some(open) = player.open.take() {
            player.clock.charge_unanswered(&open.timer, self.now);
        }
    }

    /// Makes the house pick from the legal decisions in the buffer.
    fn decide_by_house(&mut self, seat: Seat, request_id: u32) -> bool {
        if self.legal_buffer.is_empty() {
            return false;
        }
        let index = self.house.pick(seat, self.legal_buffer.len());
        self.decide_listed(seat, index, DecidedBy::House, request_id)
    }

    /// Applies a decision from the legal list in the buffer. Games guarantee that a listed decision
    /// is legal. If it is not, returns false, and the match waits instead of looping.
    fn decide_listed(&mut self, seat: Seat, index: usize, by: DecidedBy, request_id: u32) -> bool {
        let Some(decision) = self.legal_buffer.get(index).cloned() else {
            return false;
        };
        let state = &mut self.state;
        let applied = self.log.record(|events| G::apply(state, seat, &decision, events));
        let Ok(events) = applied else { return false };
        self.record_decision(
            seat,
            decision,
            AppliedDecision { by, request_id, charge: None, events, note: String::new() },
        );
        true
    }

    /// Records a decision that was applied.
    pub(crate) fn record_decision(
        &mut self,
        seat: Seat,
        decision: G::Decision,
        decided: AppliedDecision<G::Event>,
    ) {
        self.decisions += 1;
        let is_public = !decided.events.is_empty();
        let player = &mut self.players[seat.index()];
        match decided.by {
            DecidedBy::Bot | DecidedBy::Replay => {}
            DecidedBy::Referee => player.forced_decisions += 1,
            DecidedBy::House => player.house_decisions += 1,
        }
        self.digest = G::digest(&self.state);
        let record = DecisionRecord {
            seat,
            decision,
            decided_by: decided.by,
            request_id: decided.request_id,
            charge: decided.charge,
            events: decided.events,
            digest: self.digest,
            note: decided.note,
        };
        self.record(RecordEntry::Decision(record));
        if is_public {
            self.publish();
        }
    }

    /// Ends the match once no seat owes a decision.
    fn finish(&mut self) {
        for seat in self.rules.seats.seats() {
            self.withdraw_request(seat);
        }
        self.content_buffer = None;
        self.publish();
        let Some(outcome) = G::outcome(&self.state) else {
            return;
        };
        let places = places(&outcome, |index| self.players[index].forfeit.is_some());
        let seats: Vec<SeatResult> = outcome
            .seats
            .into_iter()
            .zip(places)
            .zip(&self.players)
            .map(|((seat, place), player)| SeatResult {
                seat: player.info.seat,
                place,
                place_by_score: seat.place,
                score: seat.score,
                breakdown: seat.breakdown,
                bot: player.info.bot.clone(),
                forfeit: player.forfeit,
                faults: player.faults.clone(),
                fault_count: player.fault_count,
                clock_use: player.clock.clock_use(),
                forced_decisions: player.forced_decisions,
                house_decisions: player.house_decisions,
            })
            .collect();
        let clocks = seats.iter().map(|seat| &seat.clock_use);
        let lag = MatchLag::from_clocks(clocks, &self.rules.clock);
        let result = MatchResult {
            referee_lag_us: lag.total_us,
            longest_referee_lag_us: lag.longest_us,
            spoiled_by_referee: lag.exceeds_limit,
            seats,
            decisions: self.decisions,
            duration_ms: self.at_ms(),
        };
        self.end(result);
    }
}
