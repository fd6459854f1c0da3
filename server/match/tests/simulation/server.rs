//! A server process: its match, its clock and its timer.

use std::collections::BTreeSet;

use bridgemaster_match::Ahead;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use crate::{
    auditor::StreamId,
    cluster::clock::{Clock, TRUE_RATE},
    dice::Dice,
    shell::Shell,
};

/// A server.
pub(crate) struct Server<G: WireGame> {
    /// The match, and what surrounds it, while this server has it.
    pub(crate) shell: Option<Shell<G>>,
    pub(crate) dice: Dice,
    /// It takes calls.
    pub(crate) is_up: bool,
    pub(crate) stalled_until: Time,
    pub(crate) clock: Clock,
    /// How far the clock of the match is ahead of the server's.
    pub(crate) ahead: Ahead,
    /// Counts how often the timer was set.
    pub(crate) timer_settings: u64,
    /// When the timer means to look again, by the clock of the match; `None` once it never will.
    pub(crate) looks_at: Option<Time>,
    /// It may look so much later than at the deadline, in µs: something waited to be stored.
    pub(crate) late_us: u64,
    /// Streams that have something to be read.
    pub(crate) unread: BTreeSet<StreamId>,
}

impl<G: WireGame> Server<G> {
    /// One whose clock is true.
    pub(crate) fn new(shell: Option<Shell<G>>, dice: Dice) -> Self {
        Self {
            shell,
            dice,
            is_up: true,
            stalled_until: Time(0),
            clock: Clock::new(0, TRUE_RATE),
            ahead: Ahead::default(),
            timer_settings: 0,
            looks_at: Some(Time(0)),
            late_us: 0,
            unread: BTreeSet::new(),
        }
    }

    /// What the clock of the match says at a true moment.
    pub(crate) fn time(&self, now: Time) -> Time {
        self.ahead.of_match(self.own_time(now))
    }

    /// What the clock of the server says.
    pub(crate) fn own_time(&self, now: Time) -> Time {
        Time(self.clock.at(now).unsigned_abs())
    }

    /// The true moment at which the clock of the match says this.
    pub(crate) fn when(&self, time: Time) -> Time {
        let of_server = self.ahead.of_server(time);
        self.clock.when(of_server.0.cast_signed())
    }
}
