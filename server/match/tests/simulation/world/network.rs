//! The network between bots and the server.

use std::collections::VecDeque;

use bridgemaster_games::Seat;
use bridgemaster_match::Outgoing;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{ResumePoint, Time};

use super::{World, events::Event};
use crate::{
    auditor::StreamId, bot::StreamProgress, oracle::Violation, reported::Report, shell::ToBot,
};

/// A stream between a bot and the server.
pub(super) struct Stream<D> {
    pub(super) seat: Seat,
    pub(super) is_cut: bool,
    /// The server has closed the stream or has stopped, so no more messages arrive there.
    pub(super) is_orphaned: bool,
    /// Whether the bot reads the stream.
    pub(super) is_read: bool,
    /// Arrival time of the last message in each direction, because messages keep their order.
    pub(super) to_bot_at: Time,
    to_server_at: Time,
    pub(super) progress: StreamProgress,
    /// Unread messages at the server.
    pub(super) inbound: VecDeque<Report<D>>,
}

impl<D> Stream<D> {
    pub(super) fn new(seat: Seat, now: Time) -> Self {
        Self {
            seat,
            is_cut: false,
            is_orphaned: false,
            is_read: true,
            to_bot_at: now,
            to_server_at: now,
            progress: StreamProgress::default(),
            inbound: VecDeque::new(),
        }
    }

    pub(super) fn leads_to_server(&self) -> bool {
        !self.is_cut && !self.is_orphaned
    }
}

impl<G: WireGame> World<G> {
    fn latency_us(&mut self, seat: Seat) -> u64 {
        let latency = self.bots[seat.index()].behaviour.latency_us.clone();
        self.networks[seat.index()].within(latency)
    }

    /// Returns the time at which a message that is sent now arrives at the server.
    pub(super) fn arrival_at_server(&mut self, stream: StreamId) -> Time {
        let seat = self.streams[stream.0].seat;
        let at = self.now.plus_us(self.latency_us(seat));
        let last = &mut self.streams[stream.0].to_server_at;
        *last = at.max(*last);
        *last
    }

    pub(super) fn send(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let seat = self.streams[stream.0].seat;
        self.bots[seat.index()].record_sent(&report);
        let at = self.arrival_at_server(stream);
        self.at(at, Event::ToServer(stream, report));
    }

    /// Sends the queue of a stream, if its bot reads the stream.
    pub(super) fn transport(&mut self, stream: StreamId) {
        if !self.streams[stream.0].is_read {
            return;
        }
        while let Some(to_bot) = self.server.shell.next_message(stream) {
            if let ToBot::Message(Outgoing { request_id: Some(request_id), .. }) = to_bot {
                self.report(stream, Report::HandedOver { request_id });
            }
            self.send_to_bot(stream, to_bot);
        }
    }

    pub(super) fn send_to_bot(&mut self, stream: StreamId, to_bot: ToBot) {
        let seat = self.streams[stream.0].seat;
        let at = self.now.plus_us(self.latency_us(seat));
        let last = &mut self.streams[stream.0].to_bot_at;
        *last = at.max(*last);
        let at = *last;
        self.at(at, Event::ToBot(stream, to_bot));
    }

    /// Drops a stream when the server is killed; the bot detects that later.
    pub(super) fn break_stream(
        &mut self,
        stream: StreamId,
        loses_messages: bool,
        found_after_us: u64,
    ) {
        let now = self.now;
        let it = &mut self.streams[stream.0];
        it.inbound.clear();
        if std::mem::replace(&mut it.is_orphaned, true) {
            return;
        }
        if !it.is_cut {
            it.is_cut = loses_messages;
            let at = it.to_bot_at.max(now.plus_us(found_after_us));
            self.at(at, Event::BotFindsLoss(stream));
        }
    }

    pub(super) fn cut(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let Stream { is_cut, .. } = &mut self.streams[stream.0];
        if std::mem::replace(is_cut, true) {
            return;
        }
        self.trace.line(self.now, format_args!("{stream:?} of {seat} is cut"));
        let network = &mut self.networks[seat.index()];
        let bot_us = network.within(0..300_000);
        let server_us = network.within(self.bots[seat.index()].behaviour.half_open_us.clone());
        self.after(bot_us, Event::BotFindsLoss(stream));
        self.after(server_us, Event::ServerFindsLoss(stream));
    }

    pub(super) fn ping(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let shell = &self.server.shell;
        if !shell.holds(seat, stream) || shell.has_ended() {
            return;
        }
        self.after(self.plan.server.ping_every_us, Event::Ping(stream));
        if self.streams[stream.0].is_read {
            let elapsed_us = self.latency_us(seat) + self.latency_us(seat);
            let report = Report::RoundTrip { elapsed_us };
            self.after(elapsed_us, Event::ToServer(stream, report));
        }
    }

    pub(super) fn hello(
        &mut self,
        stream: StreamId,
        resume_point: Option<ResumePoint>,
    ) -> Result<(), Violation> {
        if !self.streams[stream.0].leads_to_server() {
            return Ok(());
        }
        let seat = self.streams[stream.0].seat;
        let bot = self.bots[seat.index()].identity();
        let is_full = self.now < self.server.full_until;
        let mut is_refused = false;
        if is_full {
            self.serve(|shell, now, trace| {
                is_refused = shell.refuse_connection(now, seat, stream, trace)?;
                Ok(())
            })?;
        }
        if !is_refused {
            self.serve(|shell, now, trace| {
                shell.join(now, seat, stream, bot, resume_point, trace)
            })?;
            self.after(0, Event::Ping(stream));
        }
        Ok(())
    }
}
