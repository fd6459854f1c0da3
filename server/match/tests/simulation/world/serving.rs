//! The service of a match: reading, answering and timers.

use bridgemaster_match::MIN_LAG_US;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{MAX_UPDATE_DELAY_US, World, events::Event, network::Stream};
use crate::{
    auditor::StreamId,
    oracle::{Violation, require},
    reported::Report,
    server::Server,
    shell::Shell,
    trace::Trace,
};

impl<G: WireGame> World<G> {
    /// Runs an action of a server on its match, if it has one, and sends its queues.
    pub(super) fn serve(
        &mut self,
        server: usize,
        act: impl FnOnce(&mut Shell<G>, Time, &mut Trace) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        let now = self.servers[server].time(self.now);
        let Some(shell) = &mut self.servers[server].shell else {
            return Ok(());
        };
        act(shell, now, &mut self.trace)?;
        match self.cluster.is_some() {
            true => self.commit_pending(server)?,
            false => self.begin_store_alone(),
        }
        let Some(shell) = &mut self.servers[server].shell else {
            return Ok(());
        };
        let wakes = shell.take_wake();
        let (must_schedule, life) = (shell.mark_update_due(), shell.life());
        let waiting: Vec<StreamId> = shell.waiting().collect();
        for stream in waiting {
            let us = self.servers[server].dice.within(0..100);
            self.after(us, Event::Transport(stream));
        }
        if must_schedule {
            let us = self.news.within(0..MAX_UPDATE_DELAY_US);
            self.after(us, Event::News { server, life });
        }
        if wakes && self.servers[server].looks_at.is_some() {
            self.set_timer(server, now);
        }
        for stream in self.servers[server].unread.clone() {
            self.read(stream);
        }
        Ok(())
    }

    /// Fires the timer of a hosted match.
    pub(super) fn start_timer(&mut self, server: usize) {
        let now = self.servers[server].time(self.now);
        self.set_timer(server, now);
    }

    /// Sets the timer, which may fire late.
    fn set_timer(&mut self, server: usize, at: Time) {
        let late_us = self.plan.server.tick_late_us.clone();
        let it = &mut self.servers[server];
        it.looks_at = Some(at);
        it.timer_settings += 1;
        let late_us = it.dice.within(late_us);
        let setting = it.timer_settings;
        let at = it.when(at).max(self.now).plus_us(late_us);
        self.at(at, Event::Tick { server, setting });
    }

    pub(super) fn tick(&mut self, server: usize, setting: u64) -> Result<(), Violation> {
        if setting != self.servers[server].timer_settings {
            return Ok(());
        }
        // The timer has fired, and the effects may wake it again.
        self.servers[server].looks_at = None;
        let mut looks_at = None;
        self.serve(server, |server, now, trace| {
            looks_at = server.tick(now, trace)?;
            Ok(())
        })?;
        let it = &mut self.servers[server];
        it.looks_at = looks_at;
        let is_settled = it.shell.as_ref().is_none_or(Shell::is_settled);
        it.late_us = if is_settled { 0 } else { MIN_LAG_US };
        if let Some(at) = looks_at {
            self.set_timer(server, at);
        }
        Ok(())
    }

    /// Checks that all timers are set for their deadlines.
    pub(super) fn timers_are_set(&self) -> Result<(), Violation> {
        for server in self.servers.iter().filter(|server| server.is_up) {
            let Some(shell) = &server.shell else { continue };
            let deadline = shell.referee().deadline().filter(|_| !shell.is_parked());
            let (looks_at, now) = (server.looks_at, server.time(self.now));
            let latest = |due: Time| due.max(now).plus_us(server.late_us);
            require!(
                deadline.is_none_or(|due| looks_at.is_some_and(|at| at <= latest(due))),
                "the deadline is {deadline:?}, and the timer checks at {looks_at:?}"
            );
        }
        Ok(())
    }

    /// Reads the arrived messages of a stream, as far as it need not wait.
    pub(super) fn read(&mut self, stream: StreamId) {
        let Stream { seat, server, .. } = self.streams[stream.0];
        let reads = |world: &Self| {
            let shell = world.servers[server].shell.as_ref();
            shell.is_none_or(|shell| shell.reads(seat, stream))
        };
        while reads(self)
            && let Some(report) = self.streams[stream.0].inbound.pop_front()
        {
            self.report(stream, report);
        }
        let unread = &mut self.servers[server].unread;
        match self.streams[stream.0].inbound.is_empty() {
            true => unread.remove(&stream),
            false => unread.insert(stream),
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
        let Stream {
            is_orphaned,
            is_cut,
            server,
            inbound,
            ..
        } = &mut self.streams[stream.0];
        if *is_orphaned {
            return;
        }
        if *is_cut {
            inbound.clear();
            self.servers[*server].unread.remove(&stream);
            return self.report(stream, Report::Left);
        }
        inbound.push_back(Report::Left);
        self.read(stream);
    }

    pub(super) fn schedule_spectator(&mut self, server: usize) {
        let dice = &mut self.servers[server].dice;
        if dice.happens(500) {
            let after_us = dice.within(0..3_000_000);
            self.after(after_us, Event::Watch(server));
        }
    }

    /// Sends an update to spectators, unless it is for another life of the match.
    pub(super) fn publish_update(&mut self, server: usize, life: u32) -> Result<(), Violation> {
        match &mut self.servers[server].shell {
            Some(shell) if shell.life() == life => shell.publish_update(),
            _ => Ok(()),
        }
    }

    pub(super) fn report(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let Stream { seat, server, .. } = self.streams[stream.0];
        let it = &mut self.servers[server];
        let now = it.time(self.now);
        let Some(shell) = &mut it.shell else { return };
        // As in the real server, which handles it with the next input.
        let is_handled_soon = !matches!(report, Report::HandedOver { .. });
        shell.report(now, seat, stream, report);
        if !is_handled_soon {
            return;
        }
        let us = it.dice.within(self.plan.server.handling_us.clone());
        self.after(us, Event::Handle(server));
    }

    pub(super) fn stall_later(&mut self, server: usize) {
        if let Some(every) = self.plan.server.stall_every_us.clone() {
            let after_us = self.servers[server].dice.within(every);
            self.after(after_us, Event::Stall(server));
        }
    }

    pub(super) fn stall(&mut self, server: usize) {
        let now = self.now;
        let Server {
            shell,
            dice,
            clock,
            stalled_until,
            ..
        } = &mut self.servers[server];
        // A server of a cluster may not have the match, or may be frozen for longer.
        let Some(shell) = shell
            .as_mut()
            .filter(|_| self.cluster.is_none() || *stalled_until <= now)
        else {
            return self.stall_later(server);
        };
        if shell.has_ended() {
            return;
        }
        let stall_us = dice.within(self.plan.server.stall_us.clone());
        let unnoticed_us = dice.within(self.plan.server.unnoticed_us.clone());
        let lag_us = stall_us.saturating_sub(unnoticed_us);
        shell.lag_us += clock.between_us(now, now.plus_us(lag_us));
        *stalled_until = now.plus_us(stall_us);
        self.trace.line(
            self.now,
            format_args!("the server stands still for {stall_us} µs"),
        );
        self.stall_later(server);
    }

    /// Checks that no bot has a message unknown to the match at a server.
    pub(super) fn every_bot_is_known(&self, server: usize) -> Result<(), Violation> {
        if let Some(shell) = &self.servers[server].shell {
            for bot in &self.bots {
                shell.auditor.knows_what_was_sent(bot.seat, bot.has)?;
            }
        }
        Ok(())
    }
}
