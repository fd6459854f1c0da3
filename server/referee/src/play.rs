//! Playing: who owes a decision is asked, or decided for, until somebody must be waited for.

use std::sync::Arc;

use bridgemaster_games::{ChanceStream, Game, LegalList, Seat, Viewer};

use crate::{
    ChanceRecord, Charge, DecidedBy, DecisionRecord, ForkChance, ForkStep, LagOfMatch, MatchPhase,
    MatchResult, Output, Question, RecordEntry, Referee, SeatResult, clock::SeatClock, places,
    player::OpenRequest, redrawn,
};

/// How a decision came about.
pub(crate) struct Decided<E> {
    pub(crate) by: DecidedBy,
    pub(crate) request_id: u32,
    pub(crate) charge: Option<Charge>,
    pub(crate) events: Vec<E>,
    /// The bot's note, as far as it is kept.
    pub(crate) note: String,
}

impl<G: Game> Referee<G> {
    /// Goes on until every seat that owes a decision has an open request, or the match is over.
    pub(crate) fn play(&mut self, out: &mut Vec<Output<G>>) {
        while self.phase == MatchPhase::Running {
            if !self.settle_chance(out) {
                return;
            }
            let owing = G::owing(&self.state);
            if owing.is_empty() {
                return self.finish(out);
            }
            for seat in self.rules.seats.seats() {
                // Another seat's decision may have settled what this one was asked for.
                if !owing.contains(seat) {
                    self.withdraw_request(seat);
                }
            }
            let decided = owing.iter().any(|seat| {
                self.players[seat.index()].open.is_none() && self.decide_or_ask(seat, out)
            });
            if !decided {
                return;
            }
        }
    }

    /// Draws every chance result that is due from its own stream of the seed, applies it and
    /// writes it down. A game's law says that it applies; should one break it, the match waits:
    /// this tells whether it can go on.
    fn settle_chance(&mut self, out: &mut Vec<Output<G>>) -> bool {
        while let Some(stream) = G::chance_due(&self.state) {
            let mut source = ChanceStream::new(&self.rules.seed, stream);
            let Some(chance) = G::draw_chance(&self.state, &mut source) else {
                return false;
            };
            let state = &mut self.state;
            let applied = self
                .log
                .record(|events| G::apply_chance(state, &chance, events));
            let Ok(events) = applied else { return false };
            self.chance_fell(stream, chance, events, out);
        }
        true
    }

    /// Books a chance result that was applied.
    fn chance_fell(
        &mut self,
        stream: u64,
        chance: G::Chance,
        events: Vec<G::Event>,
        out: &mut Vec<Output<G>>,
    ) {
        let is_public = !events.is_empty();
        self.digest = G::digest(&self.state);
        let record = ChanceRecord {
            stream,
            chance,
            events,
            digest: self.digest,
        };
        self.record(RecordEntry::Chance(record), out);
        if is_public {
            self.publish(out);
        }
    }

    /// Plays what a forked match takes over from the other one, and draws anew what is to be. All
    /// of it was tried when the match was made; should it not apply now, the rest is left out.
    pub(crate) fn take_over(&mut self, out: &mut Vec<Output<G>>) {
        let Some(fork) = self.rules.fork.clone() else {
            return;
        };
        for step in &fork.steps {
            let state = &mut self.state;
            let applied = self.log.record(|events| step.apply(state, events));
            let Ok(events) = applied else { return };
            match step {
                ForkStep::Decision { seat, decision } => {
                    let decided = Decided {
                        by: DecidedBy::Replay,
                        request_id: 0,
                        charge: None,
                        // It stays in the replay that it is from.
                        note: String::new(),
                        events,
                    };
                    self.decided(*seat, decision.clone(), decided, out);
                }
                ForkStep::Chance { stream, chance } => {
                    self.chance_fell(*stream, chance.clone(), events, out);
                }
            }
        }
        if let ForkChance::Redraw { knowing } = fork.chance {
            let rules = &self.rules;
            let drawn = redrawn::<G>(&rules.config, &self.state, knowing, &rules.seed);
            if let Ok(state) = drawn {
                self.state = state;
                self.digest = G::digest(&self.state);
            }
        }
    }

    /// Decides for a seat that owes a decision if its bot is not to be asked; asks it otherwise.
    /// Tells whether a decision was made.
    fn decide_or_ask(&mut self, seat: Seat, out: &mut Vec<Output<G>>) -> bool {
        let list = G::legal(&self.state, seat, &mut self.legal);
        if self.rules.referee_plays(list, self.legal.len()) {
            return self.decide_listed(seat, 0, DecidedBy::Referee, 0, out);
        }
        if self.players[seat.index()].is_played_by_house() {
            return self.decide_by_house(seat, 0, out);
        }
        self.ask(seat, list == LegalList::Cut, out);
        false
    }

    /// Opens a request with the legal decisions that stand in the buffer.
    fn ask(&mut self, seat: Seat, cut: bool, out: &mut Vec<Output<G>>) {
        let mut events = std::mem::take(&mut self.news);
        self.log.tell(seat.index(), &mut events);
        let question = Question {
            observation: G::observe(&self.state, Viewer::Seat(seat)),
            legal: std::mem::take(&mut self.legal),
            cut,
            events,
        };
        let question = self.shared(question);
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
            question,
            timer,
            is_from_before: false,
            sequence: None,
        });
        if player.can_hear() {
            self.send_open_request(seat, out);
        }
    }

    /// A question to be shared with the shell, in the memory of the one before it if there is one.
    fn shared(&mut self, question: Question<G>) -> Arc<Question<G>> {
        let Some(mut spare) = self.spare.take() else {
            return Arc::new(question);
        };
        match Arc::get_mut(&mut spare) {
            Some(place) => *place = question,
            None => return Arc::new(question),
        }
        spare
    }

    /// The house decides the open request, if there is one.
    pub(crate) fn substitute(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let request_id = self.players[seat.index()].open_request_id();
        if request_id != 0 {
            self.withdraw_request(seat);
            G::legal(&self.state, seat, &mut self.legal);
            self.decide_by_house(seat, request_id, out);
        }
    }

    /// Closes the open request without an answer.
    pub(crate) fn withdraw_request(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        if let Some(open) = player.open.take() {
            player.clock.unanswered(&open.timer, self.now);
        }
    }

    /// The house picks from the legal decisions that stand in the buffer.
    fn decide_by_house(&mut self, seat: Seat, request_id: u32, out: &mut Vec<Output<G>>) -> bool {
        if self.legal.is_empty() {
            return false;
        }
        let index = self.house.pick(seat, self.legal.len());
        self.decide_listed(seat, index, DecidedBy::House, request_id, out)
    }

    /// Plays a decision of the legal list in the buffer. A game's law says that it applies; should
    /// one break it, the match waits instead of going round in circles.
    fn decide_listed(
        &mut self,
        seat: Seat,
        index: usize,
        by: DecidedBy,
        request_id: u32,
        out: &mut Vec<Output<G>>,
    ) -> bool {
        let Some(decision) = self.legal.get(index).cloned() else {
            return false;
        };
        let state = &mut self.state;
        let applied = self
            .log
            .record(|events| G::apply(state, seat, &decision, events));
        let Ok(events) = applied else { return false };
        self.decided(
            seat,
            decision,
            Decided {
                by,
                request_id,
                charge: None,
                events,
                note: String::new(),
            },
            out,
        );
        true
    }

    /// Books a decision that was applied.
    pub(crate) fn decided(
        &mut self,
        seat: Seat,
        decision: G::Decision,
        decided: Decided<G::Event>,
        out: &mut Vec<Output<G>>,
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
        self.record(RecordEntry::Decision(record), out);
        if is_public {
            self.publish(out);
        }
    }

    /// Ends the match once no seat owes a decision.
    fn finish(&mut self, out: &mut Vec<Output<G>>) {
        for seat in self.rules.seats.seats() {
            self.withdraw_request(seat);
        }
        self.spare = None;
        self.publish(out);
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
        let lag = LagOfMatch::of(clocks, &self.rules.clock);
        let result = MatchResult {
            referee_lag_us: lag.all_us,
            longest_referee_lag_us: lag.longest_us,
            spoiled_by_referee: lag.spoils,
            seats,
            decisions: self.decisions,
            duration_ms: self.at_ms(),
        };
        self.end(result, out);
    }
}
