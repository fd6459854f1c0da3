//! What a server does with its match: it reads, answers, and looks at the time.

use bridgemaster_match::MIN_LAG_US;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{LONGEST_WITHOUT_NEWS_US, World, events::Event, network::Stream};
use crate::{
    auditor::StreamId,
    oracle::{Violation, demand},
    reported::Report,
    server::Server,
    shell::Shell,
    trace::Trace,
};

impl<G: WireGame> World<G> {
    /// Lets a server do something with its match, if it has that, and the transport have what it
    /// queued.
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
            true => self.commit_what_is_due(server)?,
            false => self.store_alone(),
        }
        let Some(shell) = &mut self.servers[server].shell else {
            return Ok(());
        };
        let wakes = shell.take_wake();
        let (news_are_due, life) = (shell.news_become_due(), shell.life());
        let waiting: Vec<StreamId> = shell.waiting().collect();
        for stream in waiting {
            let us = self.servers[server].dice.within(0..100);
            self.after(us, Event::Transport(stream));
        }
        if news_are_due {
            let us = self.news.within(0..LONGEST_WITHOUT_NEWS_US);
            self.after(us, Event::News { server, life });
        }
        if wakes && self.servers[server].looks_at.is_some() {
            self.look_at(server, now);
        }
        for stream in self.servers[server].unread.clone() {
            self.read(stream);
        }
        Ok(())
    }

    /// The timer of a match that is hosted looks at once.
    pub(super) fn start_timer(&mut self, server: usize) {
        let now = self.servers[server].time(self.now);
        self.look_at(server, now);
    }

    /// Sets the timer, which may wake late.
    fn look_at(&mut self, server: usize, at: Time) {
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
        // It has looked, and what it does may wake it again.
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
            self.look_at(server, at);
        }
        Ok(())
    }

    /// The timers look in time, whatever happened.
    pub(super) fn timers_are_set(&self) -> Result<(), Violation> {
        for server in self.servers.iter().filter(|server| server.is_up) {
            let Some(shell) = &server.shell else { continue };
            let deadline = shell.referee().deadline().filter(|_| !shell.is_parked());
            let (looks_at, now) = (server.looks_at, server.time(self.now));
            let latest = |due: Time| due.max(now).plus_us(server.late_us);
            demand!(
                deadline.is_none_or(|due| looks_at.is_some_and(|at| at <= latest(due))),
                "the deadline is {deadline:?}, and the timer looks at {looks_at:?}"
            );
        }
        Ok(())
    }

    /// A stream reads what came, but for what it must wait with.
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

    pub(super) fn comes_to_server(&mut self, stream: StreamId, report: Report<G::Decision>) {
        if self.streams[stream.0].leads_to_server() {
            self.streams[stream.0].inbound.push_back(report);
            self.read(stream);
        }
    }

    /// A stream that was cut brings no more; of one that its bot closed the rest is read first.
    pub(super) fn server_finds_loss(&mut self, stream: StreamId) {
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

    pub(super) fn watch_later(&mut self, server: usize) {
        let dice = &mut self.servers[server].dice;
        if dice.happens(500) {
            let after_us = dice.within(0..3_000_000);
            self.after(after_us, Event::Watch(server));
        }
    }

    /// Who watches is told what changed, unless the match is another life's by now.
    pub(super) fn tell_news(&mut self, server: usize, life: u32) -> Result<(), Violation> {
        match &mut self.servers[server].shell {
            Some(shell) if shell.life() == life => shell.tell_news(),
            _ => Ok(()),
        }
    }

    pub(super) fn report(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let Stream { seat, server, .. } = self.streams[stream.0];
        let it = &mut self.servers[server];
        let now = it.time(self.now);
        let Some(shell) = &mut it.shell else { return };
        // As the real server's, which handles it with whatever comes next.
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
        // One among several may not have the match, or stand still for longer.
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

    /// No bot has a message that the match at a server does not know of.
    pub(super) fn every_bot_is_known(&self, server: usize) -> Result<(), Violation> {
        if let Some(shell) = &self.servers[server].shell {
            for bot in &self.bots {
                shell.auditor.knows_what_was_sent(bot.seat, bot.has)?;
            }
        }
        Ok(())
    }
}
