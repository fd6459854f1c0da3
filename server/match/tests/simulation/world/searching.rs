//! Bots that look for the server of their match, with timeouts.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;

use super::World;
use crate::{
    auditor::StreamId,
    cluster::events::{ClusterEvent, Of},
};

/// Time that a bot waits for a Welcome, in µs.
const WELCOME_US: u64 = 10_000_000;
/// Time that a bot waits for a missing machine, in µs.
const CONNECT_US: u64 = 5_000_000;

impl<G: WireGame> World<G> {
    /// Schedules the timeout of a stream that is not welcomed.
    pub(super) fn schedule_welcome_timeout(&mut self, stream: StreamId) {
        if self.cluster.is_some() {
            self.later(WELCOME_US, ClusterEvent::BotGivesUp(stream));
        }
    }

    pub(super) fn time_out_welcome(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let bot = &mut self.bots[seat.index()];
        if bot.stream == Some(stream) && !self.streams[stream.0].progress.is_welcomed {
            bot.route.try_next();
            self.drop_stream(seat);
            self.dial_later(seat);
        }
    }

    /// Returns whether a bot connects to a missing machine, and waits for the timeout.
    pub(super) fn dials_missing_machine(&mut self, seat: Seat) -> bool {
        let server = self.bots[seat.index()].route.server();
        let Some(cluster) = &self.cluster else {
            return false;
        };
        let is_silent = self.now < cluster.nodes[server].lost_until;
        if is_silent {
            self.later(CONNECT_US, ClusterEvent::MachineIsGone(seat));
        }
        is_silent
    }

    pub(super) fn detect_missing_machine(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        if bot.stream.is_none() {
            bot.route.try_next();
            self.dial_later(seat);
        }
    }

    /// Closes the streams of servers that are silent for too long.
    pub(super) fn close_silent_streams(&mut self, of: Of) {
        if self.servers[of.server].stalled_until <= self.now {
            return;
        }
        for index in 0..self.streams.len() {
            let stream = StreamId(index);
            let seat = self.streams[index].seat;
            let is_open = self.streams[index].server == of.server
                && self.bots[seat.index()].stream == Some(stream);
            if is_open {
                self.drop_stream(seat);
                self.dial_again(seat);
            }
        }
    }
}
