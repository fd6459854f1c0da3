//! What others may know of a seat, and when.
//!
//! A decision without an event is secret, and so is the fact that it was made. A fault can reveal
//! it: whoever answers illegally or late had not decided. So while it is secret who has decided,
//! only the seat itself is told what a fault did to it; everybody else learns it with the next
//! event. A stream that comes or goes reveals nothing about decisions, and is reported at once.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{FaultReason, MatchPhase, Output, Referee, SeatInfo, SeatMessage, SeatStatus};

impl<G: Game> Referee<G> {
    /// Whether it is secret who has decided: a decision was made since the last event, or more
    /// than one seat is asked. Where one seat alone is asked, everybody knows that the match
    /// waits for it.
    pub fn is_secret_who_decided(&self) -> bool {
        let asked = || self.players.iter().filter(|player| player.open.is_some());
        self.phase == MatchPhase::Running
            && (self.decisions > self.public_decisions || asked().count() > 1)
    }

    /// The seats in seat order, as everybody may know them: without what a fault did that is not
    /// public yet.
    pub fn public_seats(&self) -> impl ExactSizeIterator<Item = &SeatInfo> {
        self.players.iter().map(|player| &player.shown)
    }

    /// Decisions played so far; secret ones count only once their consequences are public.
    pub fn public_decisions(&self) -> u32 {
        self.public_decisions
    }

    /// A version number that grows whenever something public changes: a seat, the phase, or the
    /// game by an event.
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
        let player = &mut self.players[about.index()];
        if is_secret {
            player.held_back = fault;
            return;
        }
        match fault {
            Some(_) => player.show(),
            None => player.show_stream(),
        }
        self.public_changes += 1;
        self.tell_others(about, fault, out);
    }

    /// All that happened so far is public: by an event, or because the match is over.
    pub(crate) fn publish(&mut self, out: &mut Vec<Output<G>>) {
        self.public_decisions = self.decisions;
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            let player = &mut self.players[seat.index()];
            if let Some(fault) = player.held_back {
                player.show();
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
            info: self.players[about.index()].shown.clone(),
            reason: fault,
        });
        for player in self
            .players
            .iter_mut()
            .filter(|player| player.info.seat != about)
        {
            if player.can_hear() {
                let message = SeatMessage::SeatStatus(Arc::clone(&status));
                let sequence = player.outbox.number(&message);
                out.push(Output::Send {
                    seat: player.info.seat,
                    sequence,
                    message,
                });
            } else if player.forfeit.is_none() {
                player.outbox.note_change(about, fault);
            }
        }
    }

    /// A seat as another one, or itself, may know it: of itself it knows all.
    pub(crate) fn info_for(&self, to: Seat, about: Seat) -> &SeatInfo {
        let player = &self.players[about.index()];
        if to == about {
            &player.info
        } else {
            &player.shown
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
