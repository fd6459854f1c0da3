//! A single server with its store: it is at capacity, it is killed, and it may lose stored data.

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{World, events::Event};
use crate::{
    auditor::StreamId,
    dice::{Dice, Purpose},
    oracle::Violation,
    shell::Shell,
};

/// The only server.
const ONLY: usize = 0;
/// Maximum number of kills, so that the match ends eventually.
const MAX_KILLS: u32 = 6;
/// Maximum number of times at capacity, so that the match ends eventually.
const MAX_CAPACITY_OUTAGES: u32 = 6;

/// The state of a single server.
pub(super) struct Alone {
    room: Dice,
    /// The number of times at capacity.
    times_full: u32,
    pub(super) full_until: Time,
    kills: Dice,
    tails: Dice,
    pub(super) lost_tails: u32,
    /// Counts the lives of the server.
    pub(super) life: u32,
}

impl Alone {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            room: Dice::new(seed, Purpose::Capacity),
            times_full: 0,
            full_until: Time(0),
            kills: Dice::new(seed, Purpose::Kills),
            tails: Dice::new(seed, Purpose::Tails),
            lost_tails: 0,
            life: 0,
        }
    }
}

impl<G: WireGame> World<G> {
    /// The match of the only server, which keeps its store while it is down.
    fn only_shell(&mut self) -> &mut Shell<G> {
        let shell = self.servers[ONLY].shell.as_mut();
        shell.expect("a server that is alone has the match")
    }

    pub(super) fn fill_later(&mut self) {
        if let Some(every) = self.plan.server.full_every_us.clone()
            && self.alone.times_full < MAX_CAPACITY_OUTAGES
        {
            let after_us = self.alone.room.within(every);
            let from = self.alone.full_until.max(self.now);
            self.at(from.plus_us(after_us), Event::Full);
        }
    }

    pub(super) fn fill(&mut self) {
        if self.only_shell().has_ended() {
            return;
        }
        let full_us = self.alone.room.within(self.plan.server.full_us.clone());
        self.alone.times_full += 1;
        self.alone.full_until = self.now.plus_us(full_us);
        self.trace.line(
            self.now,
            format_args!("the server has no room for {full_us} µs"),
        );
        self.fill_later();
    }

    /// Completes a write of the journal, if it is from the current life of the server.
    pub(super) fn finish_store_alone(&mut self, life: u32, count: usize) -> Result<(), Violation> {
        if life != self.alone.life {
            return Ok(());
        }
        self.serve(ONLY, |server, now, _| {
            server.finish_store(count, now);
            Ok(())
        })
    }

    pub(super) fn begin_store_alone(&mut self) {
        if let Some(count) = self.only_shell().begin_store() {
            let us = self.plan.server.store_us.clone();
            let us = self.servers[ONLY].dice.within(us);
            let life = self.alone.life;
            self.after(us, Event::Stored { life, count });
        }
    }

    pub(super) fn kill_later(&mut self) {
        if let Some(range) = self.plan.server.killed_after_us.clone()
            && self.alone.life < MAX_KILLS
        {
            let after_us = self.alone.kills.within(range);
            self.after(after_us, Event::Kill);
        }
    }

    /// Kills or stops the server; messages in transit to the bots are delivered or lost.
    pub(super) fn kill(&mut self) -> Result<(), Violation> {
        if self.only_shell().is_complete() {
            return Ok(());
        }
        let (now, mut trace) = (self.now, std::mem::take(&mut self.trace));
        let shell = self.servers[ONLY].shell.as_mut();
        let shell = shell.expect("a server that is alone has the match");
        if !shell.has_ended() && self.alone.kills.happens(250) {
            shell.stop(now, &mut trace)?;
        }
        let stored = shell.stored();
        let tails = &mut self.alone.tails;
        let retained = match tails.happens(self.plan.server.loses_tail) {
            true => tails.within(0..stored as u64) as usize,
            false => stored,
        };
        self.alone.lost_tails += u32::from(retained < stored);
        shell.kill(now, retained, &mut trace);
        self.trace = trace;
        self.alone.life += 1;
        let server = &mut self.servers[ONLY];
        server.is_up = false;
        server.stalled_until = self.now;
        // The timer ends with the server.
        server.timer_settings += 1;
        server.unread.clear();
        for index in 0..self.streams.len() {
            let loses_messages = self.alone.kills.happens(500);
            let found_after_us = self.alone.kills.within(0..300_000);
            self.break_stream(StreamId(index), loses_messages, found_after_us);
        }
        let away_us = self.alone.kills.within(self.plan.server.away_us.clone());
        self.after(away_us, Event::Restart);
        Ok(())
    }

    pub(super) fn restart(&mut self) -> Result<(), Violation> {
        self.servers[ONLY].is_up = true;
        self.start_timer(ONLY);
        self.schedule_spectator(ONLY);
        self.serve(ONLY, |server, now, trace| server.restart(now, trace))?;
        self.every_bot_is_known(ONLY)?;
        self.kill_later();
        Ok(())
    }
}
