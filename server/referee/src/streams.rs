//! Handling of connects and disconnects, and the messages to a seat that reconnects.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{
    BotIdentity, CloseReason, FaultReason, MAX_SEAT_RECORDS, MatchPhase, Output, RESTART_GRACE_MS,
    RecordEntry, Referee, SeatMessage, SeatState, Time, clock::SeatClock, time::Lag,
};

impl<G: Game> Referee<G> {
    pub(crate) fn handle_connected(
        &mut self,
        seat: Seat,
        bot: BotIdentity,
        last_sequence: Option<u32>,
    ) {
        if self.is_cancelled {
            self.out.push(Output::close(seat, CloseReason::Cancelled));
            return;
        }
        let player = &mut self.players[seat.index()];
        if let Some(reason) = player.forfeit {
            self.out.push(Output::close(seat, CloseReason::Forfeited(reason)));
            return;
        }
        player.clock.reset_round_trip();
        let received_up_to = last_sequence.filter(|last| player.outbox.can_resume_after(*last));
        if let Some(open) = &mut player.open {
            open.timer.resume(self.now);
            if open.sequence.is_some_and(|sequence| Some(sequence) <= received_up_to) {
                open.timer.clear_hold();
            }
            // The answer of the bot may have been lost with the end of the journal, so the bot gets
            // time to decide again.
            if std::mem::take(&mut open.predates_restart) && last_sequence.is_none() {
                open.timer = player.clock.issue(self.now);
            }
        }
        let has_connected = !player.is_connected();
        let was_excused = std::mem::take(&mut player.is_excused);
        let changed = has_connected || player.info.bot.as_ref() != Some(&bot);
        if self.phase != MatchPhase::Ended {
            player.info.state = SeatState::Connected;
            player.info.bot = Some(bot);
            player.absent = false;
            if changed {
                self.record_seat(seat);
                self.notify_seat_change(seat, None);
            }
        }
        if self.phase == MatchPhase::Waiting {
            return;
        }
        self.resume(seat, last_sequence);
        if self.phase == MatchPhase::Running && !was_excused {
            // A connection counts as a useless message, so that a bot cannot burden the other seats
            // by reconnecting endlessly.
            self.count_useless_message(seat);
        }
    }

    pub(crate) fn handle_disconnected(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        player.info.state = SeatState::Paused;
        player.lost_at = self.now;
        player.lag_since_lost = Lag::default();
        player.grace_ms = self.rules.clock.reconnect_ms;
        if let Some(open) = &mut player.open {
            SeatClock::stream_lost(&mut open.timer);
        }
        self.record_seat(seat);
        self.notify_seat_change(seat, None);
    }

    /// Drops every stream after the referee is restarted. The referee's last input before the
    /// restart was at `known_until`.
    pub(crate) fn lose_all_streams(&mut self, known_until: Time) {
        let grace_ms = self.rules.clock.reconnect_ms.max(RESTART_GRACE_MS);
        let lost: Vec<Seat> = self
            .players
            .iter_mut()
            .filter_map(|player| {
                let had_stream = player.handle_restart(known_until, self.now, grace_ms);
                had_stream.then_some(player.info.seat)
            })
            .collect();
        for seat in self.rules.seats.seats() {
            if lost.contains(&seat) {
                self.record_seat(seat);
            }
            // The public state of the seat must not show the stream that was just lost.
            if self.players[seat.index()].public_info.state == SeatState::Connected {
                self.notify_seat_change(seat, None);
            }
        }
    }

    pub(crate) fn handle_handed_over(&mut self, seat: Seat, request_id: u32) {
        let player = &mut self.players[seat.index()];
        if let Some(open) = &mut player.open
            && open.id == request_id
        {
            player.clock.handed_over(&mut open.timer, self.now);
        }
    }

    pub(crate) fn grace_ran_out(&mut self, seat: Seat) {
        let detail = format!(
            "the stream was lost, and no new stream was opened within {} ms",
            self.players[seat.index()].grace_ms
        );
        self.penalise(seat, FaultReason::Disconnected, detail);
    }

    /// Sends the messages that a seat missed before it reconnected.
    fn resume(&mut self, seat: Seat, last_sequence: Option<u32>) {
        let player = &self.players[seat.index()];
        match last_sequence.filter(|last| player.outbox.can_resume_after(*last)) {
            Some(last) => self.send_missed(seat, last),
            None => self.send_from_start(seat),
        }
        if self.phase == MatchPhase::Ended {
            if self.players[seat.index()].outbox.ended().is_none()
                && let Some(result) = self.result.clone()
            {
                self.send(seat, SeatMessage::Ended(result));
            }
            self.out.push(Output::close(seat, CloseReason::MatchEnded));
        } else {
            self.send_open_request(seat);
        }
    }

    /// Resumes the connection to a bot that has received the messages up to `last`.
    fn send_missed(&mut self, seat: Seat, last: u32) {
        let now = self.now;
        let player = &mut self.players[seat.index()];
        for (sequence, message) in player.outbox.retained_after(last) {
            let message = match message {
                SeatMessage::Request(request) => {
                    SeatMessage::Request(player.request_as_of(request, now))
                }
                other => other.clone(),
            };
            self.out.push(Output::send(seat, *sequence, message));
        }
        self.send_changes(seat);
    }

    /// Sends the states of seats that changed while this seat had no stream, in messages with new
    /// numbers.
    fn send_changes(&mut self, seat: Seat) {
        if self.phase == MatchPhase::Running {
            let changes: Vec<_> = self.players[seat.index()].outbox.drain_changes().collect();
            for (about, reason) in changes {
                let status = self.status_for(seat, about, reason);
                self.send(seat, SeatMessage::SeatStatus(status));
            }
        }
    }

    /// Sends the start, request and end messages that are due to a bot without a resume point. The
    /// start message contains the states of all seats. Seat changes that were not sent are also
    /// sent as numbered messages, so that a bot that loses its stream after the start can still
    /// receive them.
    fn send_from_start(&mut self, seat: Seat) {
        let message = self.started_message(seat);
        let now = self.now;
        let player = &mut self.players[seat.index()];
        let Some(sequence) = player.outbox.started() else {
            return self.send(seat, message);
        };
        self.out.push(Output::send(seat, sequence, message));
        if let Some(sequence) = player.open.as_ref().and_then(|open| open.sequence)
            && let Some(message) = player.request_message(now)
        {
            self.out.push(Output::send(seat, sequence, message));
        }
        if let Some(sequence) = player.outbox.ended()
            && let Some(result) = &self.result
        {
            let message = SeatMessage::Ended(Arc::clone(result));
            self.out.push(Output::send(seat, sequence, message));
        }
        self.send_changes(seat);
    }

    /// Sends the open request to a connected seat, unless the request was already sent.
    pub(crate) fn send_open_request(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        if player.open.as_ref().is_some_and(|open| open.sequence.is_none())
            && let Some(message) = player.request_message(self.now)
        {
            let sequence = player.outbox.push(&message);
            if let Some(open) = &mut player.open {
                open.sequence = Some(sequence);
            }
            self.out.push(Output::send(seat, sequence, message));
        }
    }

    fn record_seat(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        if player.seat_records < MAX_SEAT_RECORDS {
            player.seat_records += 1;
            let info = player.info.clone();
            self.record(RecordEntry::Seat(info));
        }
    }
}
