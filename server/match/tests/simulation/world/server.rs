//! The server with its store. It can reach its capacity, be killed, and lose stored data.

use std::collections::BTreeSet;

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{World, events::Event};
use crate::{
    auditor::StreamId,
    dice::{Dice, Purpose},
    oracle::Violation,
    shell::Shell,
};

/// Maximum number of kills, so that the match ends eventually.
const MAX_KILLS: u32 = 6;
/// Maximum number of times at capacity, so that the match ends eventually.
const MAX_CAPACITY_OUTAGES: u32 = 6;

/// The simulated server, which keeps its store while it is down.
pub(super) struct Server<G: WireGame> {
    /// The match and its shell.
    pub(super) shell: Shell<G>,
    pub(super) dice: Dice,
    /// Whether the server accepts calls.
    pub(super) is_up: bool,
    pub(super) stalled_until: Time,
    /// The number of times that the timer was set.
    pub(super) timer_settings: u64,
    /// The time at which the timer fires; `None` for never.
    pub(super) timer_at: Option<Time>,
    /// Allowed delay of the timer after the deadline, in µs, while entries wait to be stored.
    pub(super) late_us: u64,
    /// Streams with unread input.
    pub(super) unread: BTreeSet<StreamId>,
    room: Dice,
    /// The number of periods at capacity.
    times_full: u32,
    pub(super) full_until: Time,
    kills: Dice,
    tails: Dice,
    pub(super) lost_tails: u32,
    /// The number of runs of the server that have ended.
    pub(super) run: u32,
}

impl<G: WireGame> Server<G> {
    pub(super) fn new(shell: Shell<G>, seed: u64) -> Self {
        Self {
            shell,
            dice: Dice::new(seed, Purpose::Server),
            is_up: true,
            stalled_until: Time(0),
            timer_settings: 0,
            timer_at: Some(Time(0)),
            late_us: 0,
            unread: BTreeSet::new(),
            room: Dice::new(seed, Purpose::Capacity),
            times_full: 0,
            full_until: Time(0),
            kills: Dice::new(seed, Purpose::Kills),
            tails: Dice::new(seed, Purpose::Tails),
            lost_tails: 0,
            run: 0,
        }
    }
}

impl<G: WireGame> World<G> {
    pub(super) fn fill_later(&mut self) {
        let server = &mut self.server;
        if let Some(every) = self.plan.server.full_every_us.clone()
            && server.times_full < MAX_CAPACITY_OUTAGES
        {
            let after_us = server.room.within(every);
            let from = server.full_until.max(self.now);
            self.at(from.plus_us(after_us), Event::Full);
        }
    }

    pub(super) fn fill(&mut self) {
        let server = &mut self.server;
        if server.shell.has_ended() {
            return;
        }
        let full_us = server.room.within(self.plan.server.full_us.clone());
        server.times_full += 1;
        server.full_until = self.now.plus_us(full_us);
        self.trace.line(self.now, format_args!("the server is at capacity for {full_us} µs"));
        self.fill_later();
    }

    pub(super) fn begin_store(&mut self) {
        if let Some(count) = self.server.shell.begin_store() {
            let us = self.plan.server.store_us.clone();
            let us = self.server.dice.within(us);
            let run = self.server.run;
            self.after(us, Event::Stored { run, count });
        }
    }

    /// Completes a write of the journal, if it is from the current run of the server.
    pub(super) fn finish_store(&mut self, run: u32, count: usize) -> Result<(), Violation> {
        if run != self.server.run {
            return Ok(());
        }
        self.serve(|shell, now, _| {
            shell.finish_store(count, now);
            Ok(())
        })
    }

    pub(super) fn kill_later(&mut self) {
        if let Some(range) = self.plan.server.killed_after_us.clone()
            && self.server.run < MAX_KILLS
        {
            let after_us = self.server.kills.within(range);
            self.after(after_us, Event::Kill);
        }
    }

    /// Kills or stops the server; messages in transit to the bots are delivered or lost.
    pub(super) fn kill(&mut self) -> Result<(), Violation> {
        let server = &mut self.server;
        if server.shell.is_complete() {
            return Ok(());
        }
        if !server.shell.has_ended() && server.kills.happens(250) {
            server.shell.stop(self.now, &mut self.trace)?;
        }
        let stored = server.shell.stored();
        let retained = match server.tails.happens(self.plan.server.loses_tail) {
            true => server.tails.within(0..stored as u64) as usize,
            false => stored,
        };
        server.lost_tails += u32::from(retained < stored);
        server.shell.kill(self.now, retained, &mut self.trace);
        server.run += 1;
        server.is_up = false;
        server.stalled_until = self.now;
        // The timer ends with the server.
        server.timer_settings += 1;
        server.unread.clear();
        for index in 0..self.streams.len() {
            let loses_messages = self.server.kills.happens(500);
            let found_after_us = self.server.kills.within(0..300_000);
            self.break_stream(StreamId(index), loses_messages, found_after_us);
        }
        let away_us = self.server.kills.within(self.plan.server.away_us.clone());
        self.after(away_us, Event::Restart);
        Ok(())
    }

    pub(super) fn restart(&mut self) -> Result<(), Violation> {
        self.server.is_up = true;
        self.set_timer(self.now);
        self.schedule_spectator();
        let run = self.server.run;
        self.serve(|shell, now, trace| shell.restart(now, run, trace))?;
        for bot in &self.bots {
            let auditor = &self.server.shell.auditor;
            auditor.check_received(bot.seat, bot.has)?;
        }
        self.kill_later();
        Ok(())
    }
}
