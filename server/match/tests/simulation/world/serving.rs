//! The server's work on a match: reading, answering and timers.

use bridgemaster_match::MIN_LAG_US;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{MAX_UPDATE_DELAY_US, World, events::Event, network::Stream};
use crate::{
    auditor::StreamId,
    oracle::{Violation, require},
    reported::Report,
    shell::Shell,
    trace::Trace,
};

impl<G: WireGame> World<G> {
    /// Runs an action on the match, and sends the queues.
    pub(super) fn serve(
        &mut self,
        act: impl FnOnce(&mut Shell<G>, Time, &mut Trace) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        act(&mut self.server.shell, self.now, &mut self.trace)?;
        self.begin_store();
        let shell = &mut self.server.shell;
        let (wakes, must_schedule) = (shell.take_wake(), shell.mark_update_due());
        let waiting: Vec<StreamId> = shell.waiting().collect();
        for stream in waiting {
            let us = self.server.dice.within(0..100);
            self.after(us, Event::Transport(stream));
        }
        if must_schedule {
            let us = self.news.within(0..MAX_UPDATE_DELAY_US);
            let run = self.server.run;
            self.after(us, Event::News { run });
        }
        if wakes && self.server.timer_at.is_some() {
            self.set_timer(self.now);
        }
        for stream in self.server.unread.clone() {
            self.read(stream);
        }
        Ok(())
    }

    /// Sets the timer, which may fire late.
    pub(super) fn set_timer(&mut self, at: Time) {
        let server = &mut self.server;
        server.timer_at = Some(at);
        server.timer_settings += 1;
        let late_us = server.dice.within(self.plan.server.tick_late_us.clone());
        let setting = server.timer_settings;
        self.at(at.max(self.now).plus_us(late_us), Event::Tick { setting });
    }

    pub(super) fn tick(&mut self, setting: u64) -> Result<(), Violation> {
        if setting != self.server.timer_settings {
            return Ok(());
        }
        // The timer has fired; the effects of the tick may set it again.
        self.server.timer_at = None;
        let mut timer_at = None;
        self.serve(|shell, now, trace| {
            timer_at = shell.tick(now, trace)?;
            Ok(())
        })?;
        let server = &mut self.server;
        server.timer_at = timer_at;
        let is_settled = server.shell.is_settled();
        server.late_us = if is_settled { 0 } else { MIN_LAG_US };
        if let Some(at) = timer_at {
            self.set_timer(at);
        }
        Ok(())
    }

    /// Checks that the timer is set for the deadline.
    pub(super) fn check_timer(&self) -> Result<(), Violation> {
        let server = &self.server;
        if !server.is_up {
            return Ok(());
        }
        let (deadline, timer_at) = (server.shell.referee().deadline(), server.timer_at);
        let latest = |due: Time| due.max(self.now).plus_us(server.late_us);
        require!(
            deadline.is_none_or(|due| timer_at.is_some_and(|at| at <= latest(due))),
            "the deadline is {deadline:?}, but the timer fires at {timer_at:?}"
        );
        Ok(())
    }

    /// Reads the messages that have arrived on a stream, until the shell would have to wait.
    pub(super) fn read(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        while self.server.shell.reads(seat, stream)
            && let Some(report) = self.streams[stream.0].inbound.pop_front()
        {
            self.report(stream, report);
        }
        match self.streams[stream.0].inbound.is_empty() {
            true => self.server.unread.remove(&stream),
            false => self.server.unread.insert(stream),
        };
    }

    pub(super) fn receive_at_server(&mut self, stream: StreamId, report: Report<G::Decision>) {
        if self.streams[stream.0].leads_to_server() {
            self.streams[stream.0].inbound.push_back(report);
            self.read(stream);
        }
    }

    /// Drops the messages of a cut stream; after a close by the bot the rest is read first.
    pub(super) fn detect_loss_at_server(&mut self, stream: StreamId) {
        let Stream { is_orphaned, is_cut, inbound, .. } = &mut self.streams[stream.0];
        if *is_orphaned {
            return;
        }
        if *is_cut {
            inbound.clear();
            self.server.unread.remove(&stream);
            return self.report(stream, Report::Left);
        }
        inbound.push_back(Report::Left);
        self.read(stream);
    }

    pub(super) fn schedule_spectator(&mut self) {
        let dice = &mut self.server.dice;
        if dice.happens(500) {
            let after_us = dice.within(0..3_000_000);
            self.after(after_us, Event::Watch);
        }
    }

    /// Sends an update to spectators, unless it is for another run of the server.
    pub(super) fn publish_update(&mut self, run: u32) -> Result<(), Violation> {
        match run == self.server.run {
            true => self.server.shell.publish_update(),
            false => Ok(()),
        }
    }

    pub(super) fn report(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let seat = self.streams[stream.0].seat;
        // The real server behaves the same: it handles the report with the next input.
        let is_handled_soon = !matches!(report, Report::HandedOver { .. });
        self.server.shell.report(self.now, seat, stream, report);
        if is_handled_soon {
            let us = self.plan.server.handling_us.clone();
            let us = self.server.dice.within(us);
            self.after(us, Event::Handle);
        }
    }

    pub(super) fn stall_later(&mut self) {
        if let Some(every) = self.plan.server.stall_every_us.clone() {
            let after_us = self.server.dice.within(every);
            self.after(after_us, Event::Stall);
        }
    }

    pub(super) fn stall(&mut self) {
        let server = &mut self.server;
        if server.shell.has_ended() {
            return;
        }
        let stall_us = server.dice.within(self.plan.server.stall_us.clone());
        let unnoticed_us = server.dice.within(self.plan.server.unnoticed_us.clone());
        server.shell.lag_us += stall_us.saturating_sub(unnoticed_us);
        server.stalled_until = self.now.plus_us(stall_us);
        self.trace.line(self.now, format_args!("the server freezes for {stall_us} µs"));
        self.stall_later();
    }
}
