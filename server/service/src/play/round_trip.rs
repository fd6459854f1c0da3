//! The round-trip time of a stream, measured with Pings.

use std::time::Instant;

use bridgemaster_proto::v1::Ping;

use crate::transport::MinRoundTrip;

/// Measures the round trip of the last Ping. Earlier Pings may be answered too: a bot that was busy
/// answers all of them at once.
///
/// A bot can delay its Pongs, so at most the round trip that TCP reports counts.
#[derive(Default)]
pub(super) struct RoundTrip {
    /// The measurement by TCP; `None` for a connection without one.
    tcp: Option<MinRoundTrip>,
    /// Nonce of the last Ping; nonces start at 1.
    last: u64,
    last_sent: Option<Instant>,
    /// Nonce of the last answered Ping; 0 if none was answered.
    answered: u64,
}

/// The Ping that a Pong answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnsweredPing {
    Last {
        /// The round trip in microseconds.
        elapsed_us: u64,
    },
    /// An earlier Ping that was not answered yet.
    Earlier,
    /// The nonce belongs to no Ping, or to a Ping that counts as answered.
    Unknown,
}

impl RoundTrip {
    /// Creates a round trip without a measurement, on a connection with this TCP statistic.
    pub(super) fn new(tcp: Option<MinRoundTrip>) -> Self {
        Self {
            tcp,
            ..Self::default()
        }
    }

    /// Returns the part of a measured round trip that counts as network latency, in µs, or `None`
    /// while it is unknown.
    pub(super) fn network_us(&self, elapsed_us: u64) -> Option<u64> {
        match &self.tcp {
            Some(tcp) => tcp.network_us(elapsed_us),
            None => Some(elapsed_us),
        }
    }

    /// Returns the round trip that TCP measured, in µs, for bots that cannot answer Pings, or
    /// `None` while it is unknown.
    pub(super) fn tcp_us(&self) -> Option<u64> {
        self.tcp.as_ref()?.min_us()
    }

    /// Creates the next Ping, which is sent now.
    pub(super) fn ping(&mut self) -> Ping {
        self.last += 1;
        self.last_sent = Some(Instant::now());
        Ping { nonce: self.last }
    }

    /// Returns which Ping the Pong with this nonce answers.
    pub(super) fn pong(&mut self, nonce: u64) -> AnsweredPing {
        if nonce <= self.answered || nonce > self.last {
            return AnsweredPing::Unknown;
        }
        self.answered = nonce;
        match self.last_sent {
            Some(sent) if nonce == self.last => AnsweredPing::Last {
                elapsed_us: u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX),
            },
            _ => AnsweredPing::Earlier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ping_may_be_answered_once_and_only_the_last_one_measures() {
        let mut round_trip = RoundTrip::default();
        assert_eq!(round_trip.pong(0), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(1), AnsweredPing::Unknown);
        for nonce in 1..=3 {
            assert_eq!(round_trip.ping().nonce, nonce);
        }
        assert_eq!(round_trip.pong(1), AnsweredPing::Earlier);
        assert_eq!(round_trip.pong(1), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(2), AnsweredPing::Earlier);
        assert!(matches!(round_trip.pong(3), AnsweredPing::Last { .. }));
        assert_eq!(round_trip.pong(3), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(4), AnsweredPing::Unknown);
    }
}
