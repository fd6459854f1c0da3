//! What others may know of a seat, and when.
//!
//! A decision without an event is secret, and so is that it was made. A fault would tell: whoever
//! answers illegally or late had not decided. So while it is secret who has decided, what a fault
//! did to a seat is told to that seat alone, and to everybody else with the next event. That a
//! stream comes or goes tells nothing of decisions, and is told at once.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{FaultReason, MatchPhase, Output, Referee, SeatInfo, SeatMessage, SeatStatus};

impl<G: Game> Referee<G> {
    /// Whether it is secret who has decided: a decision was made since the last event, or more
    /// than one seat is asked. Where one seat alone is asked, everybody knows that the match
    /// waits for it.
    pub fn is_secret_who_decided(&self) -> bool {
        let asked = || self.chairs.iter().filter(|chair| chair.open.is_some());
        self.phase == MatchPhase::Running
            && (self.decisions > self.public_decisions || asked().count() > 1)
    }

    /// The seats in seat order, as everybody may know them: without what a fault did that is not
    /// public yet.
    pub fn public_seats(&self) -> impl ExactSizeIterator<Item = &SeatInfo> {
        self.chairs.iter().map(|chair| &chair.shown)
    }

    /// Decisions played so far, secret ones only once what came of them is public.
    pub fn public_decisions(&self) -> u32 {
        self.public_decisions
    }

    /// Grows whenever something changes that everybody may know: a seat, the phase, or the game
    /// by an event.
    pub fn public_changes(&self) -> u64 {
        self.public_changes
    }

    /// The bot of a seat came, went or, with a reason, committed a fault that costs more than a
    /// refusal: it is shown and told to every other seat, at once or with the next event.
    pub(crate) fn seat_changed(
        &mut self,
        about: Seat,
        fault: Option<FaultReason>,
        out: &mut Vec<Output<G>>,
    ) {
        let is_secret = fault.is_some() && self.is_secret_who_decided();
        let chair = &mut self.chairs[about.index()];
        if is_secret {
            chair.held_back = fault;
            return;
        }
        match fault {
            Some(_) => chair.show(),
            None => chair.show_stream(),
        }
        self.public_changes += 1;
        self.tell_others(about, fault, out);
    }

    /// All that happened so far is public: by an event, or because the match is over.
    pub(crate) fn publish(&mut self, out: &mut Vec<Output<G>>) {
        self.public_decisions = self.decisions;
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            let chair = &mut self.chairs[seat.index()];
            if let Some(fault) = chair.held_back {
                chair.show();
                self.tell_others(seat, Some(fault), out);
            }
        }
    }

    /// Tells every other seat how the bot of `about` stands, as everybody may know it. Nobody is
    /// told before the start, which tells it all.
    fn tell_others(&mut self, about: Seat, fault: Option<FaultReason>, out: &mut Vec<Output<G>>) {
        if self.phase != MatchPhase::Running {
            return;
        }
        let status = Arc::new(SeatStatus {
            info: self.chairs[about.index()].shown.clone(),
            reason: fault,
        });
        for chair in self
            .chairs
            .iter_mut()
            .filter(|chair| chair.info.seat != about)
        {
            if chair.can_hear() {
                let message = SeatMessage::SeatStatus(Arc::clone(&status));
                let sequence = chair.outbox.number(&message);
                out.push(Output::Send {
                    seat: chair.info.seat,
                    sequence,
                    message,
                });
            } else if chair.forfeit.is_none() {
                chair.outbox.note_change(about, fault);
            }
        }
    }

    /// A seat as another one, or itself, may know it: of itself it knows all.
    pub(crate) fn info_for(&self, to: Seat, about: Seat) -> &SeatInfo {
        let chair = &self.chairs[about.index()];
        if to == about {
            &chair.info
        } else {
            &chair.shown
        }
    }

    /// What a seat is told of another one, or of itself.
    pub(crate) fn status_for(
        &self,
        to: Seat,
        about: Seat,
        reason: Option<FaultReason>,
    ) -> Arc<SeatStatus> {
        Arc::new(SeatStatus {
            info: self.info_for(to, about).clone(),
            reason,
        })
    }
}
