//! The seats of a match whose streams other nodes forward.

use std::sync::Arc;

use bridgemaster_edge::transport::{ForwardingNode, LagReader};
use bridgemaster_games::Seat;

/// The seats whose streams are forwarded. Empty for a match whose bots connect directly.
#[derive(Default)]
pub(super) struct ForwardedSeats {
    seats: Vec<ForwardedSeat>,
}

struct ForwardedSeat {
    seat: Seat,
    lag: LagReader,
    /// The end of the stream, as active time of this server in µs. `None` if the stream is open, or
    /// if the node did not lag at the end.
    ended_us: Option<u64>,
}

impl ForwardedSeats {
    /// Sets the node that forwards the stream of a seat; `None` for a direct connection.
    pub(super) fn set(&mut self, seat: Seat, node: Option<&Arc<ForwardingNode>>) {
        self.seats.retain(|forwarded| forwarded.seat != seat);
        self.seats.extend(node.map(|node| ForwardedSeat {
            seat,
            lag: LagReader::new(Arc::clone(node)),
            ended_us: None,
        }));
    }

    /// Passes the lag of each forwarding node since the last call, in µs, to `add`. After the end
    /// of a stream, its node's lag counts until it is clear that the node did not cause the end.
    pub(super) fn take_lags(&mut self, mut add: impl FnMut(Seat, u64)) {
        self.seats.retain_mut(|forwarded| {
            let ended_us = forwarded.ended_us;
            let node = forwarded.lag.node();
            let is_over = ended_us.is_some_and(|ended_us| node.has_outlived(ended_us));
            add(forwarded.seat, forwarded.lag.take_us());
            !is_over
        });
    }

    /// Records the end of the stream of a seat. If the node lags now, it may have caused the end.
    /// Its lag then counts until the bot reconnects, even if the node recovers.
    pub(super) fn record_end(&mut self, seat: Seat) {
        let mut seats = self.seats.iter_mut();
        if let Some(forwarded) = seats.find(|forwarded| forwarded.seat == seat) {
            let node = forwarded.lag.node();
            if !node.is_overdue() {
                forwarded.ended_us.get_or_insert_with(|| node.now_us());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::{
        metrics::Metrics,
        transport::{ForwardingNodeId, ForwardingNodes},
    };
    use tokio::task::yield_now;

    use super::*;
    use bridgemaster_edge::server_clock::ServerClock;

    fn lag_us(seats: &mut ForwardedSeats) -> u64 {
        let mut total_us = 0;
        seats.take_lags(|_, lag_us| total_us += lag_us);
        total_us
    }

    async fn wait_until_overdue(node: &ForwardingNode) {
        while !node.is_overdue() {
            yield_now().await;
        }
    }

    /// Waits for a beat that shows that the node was running after this time.
    async fn outlive(node: &ForwardingNode, ended_us: u64) {
        while !node.has_outlived(ended_us) {
            yield_now().await;
            node.record_beat();
        }
    }

    #[tokio::test]
    async fn lag_after_the_end_of_a_stream_counts_until_a_beat_if_the_node_was_punctual() {
        let metrics = Arc::new(Metrics::for_node(None));
        let clock = Arc::new(ServerClock::start(Arc::clone(&metrics)));
        let node = ForwardingNodes::new(clock, metrics).caller(ForwardingNodeId(1));
        let seat = Seat::new(0).unwrap();
        for was_overdue in [false, true] {
            let mut seats = ForwardedSeats::default();
            seats.set(seat, Some(&node));
            node.record_beat();
            if was_overdue {
                wait_until_overdue(&node).await;
            }
            seats.record_end(seat);
            let ended_us = node.now_us();
            wait_until_overdue(&node).await;
            outlive(&node, ended_us).await;
            assert!(lag_us(&mut seats) > 0, "the lag until the beat counts");
            wait_until_overdue(&node).await;
            assert_eq!(lag_us(&mut seats) > 0, was_overdue);
        }
    }
}
