//! The round trip of a stream, measured with Pings.

use std::time::Instant;

use bridgemaster_proto::v1::Ping;

use crate::transport::LeastRoundTrip;

/// Measures with the last Ping. Earlier ones may be answered too: a bot that thinks without
/// reading answers all that came meanwhile at once.
///
/// A bot can put its Pongs off, so no more of what they say counts than TCP needs for the way.
#[derive(Default)]
pub(super) struct RoundTrip {
    /// `None` for a connection that is not known to the transport.
    of_tcp: Option<LeastRoundTrip>,
    /// Nonce of the last Ping; they count from 1.
    last: u64,
    last_sent: Option<Instant>,
    /// Nonce of the last Ping that was answered; 0 when none was.
    answered: u64,
}

/// What a Pong answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The last Ping, after this many microseconds.
    Last {
        /// The round trip.
        elapsed_us: u64,
    },
    /// An earlier Ping, which was not answered yet.
    Earlier,
    /// No Ping, or one at or before the last that was answered.
    Nothing,
}

impl RoundTrip {
    /// Nothing measured yet, over a connection of which TCP knows this.
    pub(super) fn new(of_tcp: Option<LeastRoundTrip>) -> Self {
        Self {
            of_tcp,
            ..Self::default()
        }
    }

    /// What of the time for a Pong is the way's, in µs; `None` while that is not known.
    pub(super) fn of_the_way_us(&self, elapsed_us: u64) -> Option<u64> {
        match &self.of_tcp {
            Some(of_tcp) => of_tcp.of_the_way_us(elapsed_us),
            None => Some(elapsed_us),
        }
    }

    /// What TCP needs for the way, in µs, where Pings are not answered; `None` while that is not
    /// known.
    pub(super) fn of_tcp_us(&self) -> Option<u64> {
        self.of_tcp.as_ref()?.least_us()
    }

    /// The next Ping, sent now.
    pub(super) fn ping(&mut self) -> Ping {
        self.last += 1;
        self.last_sent = Some(Instant::now());
        Ping { nonce: self.last }
    }

    /// What the Pong of this nonce answers.
    pub(super) fn pong(&mut self, nonce: u64) -> Answered {
        if nonce <= self.answered || nonce > self.last {
            return Answered::Nothing;
        }
        self.answered = nonce;
        match self.last_sent {
            Some(sent) if nonce == self.last => Answered::Last {
                elapsed_us: u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX),
            },
            _ => Answered::Earlier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ping_may_be_answered_once_and_only_the_last_one_measures() {
        let mut round_trip = RoundTrip::default();
        assert_eq!(round_trip.pong(0), Answered::Nothing);
        assert_eq!(round_trip.pong(1), Answered::Nothing);
        for nonce in 1..=3 {
            assert_eq!(round_trip.ping().nonce, nonce);
        }
        assert_eq!(round_trip.pong(1), Answered::Earlier);
        assert_eq!(round_trip.pong(1), Answered::Nothing);
        assert_eq!(round_trip.pong(2), Answered::Earlier);
        assert!(matches!(round_trip.pong(3), Answered::Last { .. }));
        assert_eq!(round_trip.pong(3), Answered::Nothing);
        assert_eq!(round_trip.pong(4), Answered::Nothing);
    }
}
