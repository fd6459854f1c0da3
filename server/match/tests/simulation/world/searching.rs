//! Bots look for the server that has their match, and do not wait for ever.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;

use super::World;
use crate::{
    auditor::StreamId,
    cluster::events::{ClusterEvent, Of},
};

/// How long a bot waits for a Welcome, in µs.
const WELCOME_US: u64 = 10_000_000;
/// How long a bot waits for a machine that is not there, in µs.
const CONNECT_US: u64 = 5_000_000;

impl<G: WireGame> World<G> {
    /// A bot does not wait for a Welcome for ever.
    pub(super) fn give_up_unless_welcomed(&mut self, stream: StreamId) {
        if self.cluster.is_some() {
            self.later(WELCOME_US, ClusterEvent::BotGivesUp(stream));
        }
    }

    pub(super) fn bot_gives_up(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let bot = &mut self.bots[seat.index()];
        if bot.stream == Some(stream) && !self.streams[stream.0].heard.is_welcomed {
            bot.route.goes_on();
            self.drop_stream(seat);
            self.dial_later(seat);
        }
    }

    /// Whether a bot finds no machine where it goes, and waits for it in vain.
    pub(super) fn finds_nobody(&mut self, seat: Seat) -> bool {
        let server = self.bots[seat.index()].route.server();
        let Some(cluster) = &self.cluster else {
            return false;
        };
        let is_silent = self.now < cluster.nodes[server].lost_until;
        if is_silent {
            self.later(CONNECT_US, ClusterEvent::NobodyIsThere(seat));
        }
        is_silent
    }

    pub(super) fn nobody_is_there(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        if bot.stream.is_none() {
            bot.route.goes_on();
            self.dial_later(seat);
        }
    }

    /// Bots give up what has said nothing for long.
    pub(super) fn silence_is_found(&mut self, of: Of) {
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
