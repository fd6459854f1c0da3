//! A server process: its match, its clock and its timer.

use std::collections::BTreeSet;

use bridgemaster_match::ClockOffset;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use crate::{
    auditor::StreamId,
    cluster::clock::{Clock, TRUE_RATE},
    dice::Dice,
    shell::Shell,
};

/// A simulated server.
pub(crate) struct Server<G: WireGame> {
    /// The hosted match and its shell.
    pub(crate) shell: Option<Shell<G>>,
    pub(crate) dice: Dice,
    /// It accepts calls.
    pub(crate) is_up: bool,
    pub(crate) stalled_until: Time,
    pub(crate) clock: Clock,
    /// The offset of the match clock from the server's.
    pub(crate) offset: ClockOffset,
    /// Counts the settings of the timer.
    pub(crate) timer_settings: u64,
    /// The time at which the timer fires, by the match clock; `None` for never.
    pub(crate) looks_at: Option<Time>,
    /// Its allowed delay after the deadline, in µs, while entries wait to be stored.
    pub(crate) late_us: u64,
    /// Streams with unread input.
    pub(crate) unread: BTreeSet<StreamId>,
}

impl<G: WireGame> Server<G> {
    /// Creates a server with a true clock.
    pub(crate) fn new(shell: Option<Shell<G>>, dice: Dice) -> Self {
        Self {
            shell,
            dice,
            is_up: true,
            stalled_until: Time(0),
            clock: Clock::new(0, TRUE_RATE),
            offset: ClockOffset::default(),
            timer_settings: 0,
            looks_at: Some(Time(0)),
            late_us: 0,
            unread: BTreeSet::new(),
        }
    }

    /// Converts true time to the match clock.
    pub(crate) fn time(&self, now: Time) -> Time {
        self.offset.to_match(self.own_time(now))
    }

    /// The clock of the server.
    pub(crate) fn own_time(&self, now: Time) -> Time {
        Time(self.clock.at(now).unsigned_abs())
    }

    /// Converts the match clock to true time.
    pub(crate) fn when(&self, time: Time) -> Time {
        let of_server = self.offset.to_server(time);
        self.clock.when(of_server.0.cast_signed())
    }
}
