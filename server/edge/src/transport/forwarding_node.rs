//! Nodes that forward calls to this one, and the heartbeats ("beats") that show that they run.
//!
//! A forwarding node sends a beat at short intervals while it forwards bot streams. An overdue beat
//! means that the node or its connection stalled, which also delayed the messages of the bots. The
//! delay counts as lag while it grows, and not only when the next beat arrives. So the order in
//! which messages of the node arrive after a stall does not matter.

use std::{collections::HashMap, fmt, net::IpAddr, sync::Arc, time::Duration};

use bridgemaster_lease::limits::LEASE_TERM;
use bridgemaster_match::MIN_LAG_US;
use bridgemaster_referee::{LAG_MARGIN_MS, MAX_FORWARDING_LAG_MS};
use parking_lot::Mutex;
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;
use tonic::{codegen::http::HeaderMap, transport::Channel};

use crate::{metrics::Metrics, server_clock::ServerClock};

/// The interval between beats. It limits the part of a lag that is not measured, and costs a node
/// less than 1% of a processor for each node to which it forwards.
pub const BEAT_INTERVAL: Duration = Duration::from_millis(20);
/// The maximum transit time of a beat. Beats that arrive within this time after the end of a stream
/// may have been sent before the end.
const BEAT_DELAY: Duration = Duration::from_millis(50);

// The margin covers the part of a lag that is not measured: the time before the beat was due.
const _: () = assert!(BEAT_INTERVAL.as_millis() <= LAG_MARGIN_MS as u128);
// A node is declared lost before its lag reaches the limit for one wait.
const _: () = assert!(LEASE_TERM.as_millis() == MAX_FORWARDING_LAG_MS as u128);

/// Identifies the process of a forwarding node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardingNodeId(pub u64);

/// A node that forwards calls to this one. A node that is silent for longer than a lease is lost.
pub struct ForwardingNode {
    id: ForwardingNodeId,
    clock: Arc<ServerClock>,
    metrics: Arc<Metrics>,
    beats: Mutex<HeartbeatState>,
    lost: CancellationToken,
}

/// Omits the clock and the metrics.
impl fmt::Debug for ForwardingNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beats = self.beats.lock();
        f.debug_struct("ForwardingNode")
            .field("id", &self.id)
            .field("beats", &*beats)
            .finish_non_exhaustive()
    }
}

/// The beats of a node, by the active time of this server in µs.
#[derive(Debug)]
struct HeartbeatState {
    last_us: u64,
    /// The lag before the last beat.
    lag_us: u64,
    /// Whether the node has ended its beats because it forwards no streams.
    is_resting: bool,
}

impl HeartbeatState {
    /// Returns how long a beat has been overdue; 0 if no beat is overdue, or the node has ended its
    /// beats. The result is at most the term of a lease.
    fn overdue_us(&self, now_us: u64) -> u64 {
        if self.is_resting {
            return 0;
        }
        let silent_us = now_us.saturating_sub(self.last_us).min(as_us(LEASE_TERM));
        let overdue_us = silent_us.saturating_sub(as_us(BEAT_INTERVAL));
        if overdue_us < MIN_LAG_US { 0 } else { overdue_us }
    }

    fn lag_us(&self, now_us: u64) -> u64 {
        self.lag_us.saturating_add(self.overdue_us(now_us))
    }

    /// Records a beat, and returns how long it was overdue.
    fn record(&mut self, now_us: u64) -> u64 {
        let overdue_us = self.overdue_us(now_us);
        self.lag_us = self.lag_us.saturating_add(overdue_us);
        self.last_us = self.last_us.max(now_us);
        self.is_resting = false;
        overdue_us
    }
}

impl ForwardingNode {
    fn new(id: ForwardingNodeId, clock: Arc<ServerClock>, metrics: Arc<Metrics>) -> Self {
        let last_us = clock.active_us();
        Self {
            id,
            clock,
            metrics,
            beats: Mutex::new(HeartbeatState { last_us, lag_us: 0, is_resting: false }),
            lost: CancellationToken::new(),
        }
    }

    /// Returns the mark for which only the newest connection with beats is protected from eviction.
    pub fn protection_mark(&self) -> [u8; 32] {
        let mut mark = [0; 32];
        mark[..8].copy_from_slice(&self.id.0.to_be_bytes());
        mark
    }

    /// Records that the node has ended its beats. Until its next call, its silence does not count
    /// as lag.
    pub fn record_rest(&self) {
        self.record_beat();
        self.beats.lock().is_resting = true;
    }

    /// Records a beat. Returns how long it was overdue.
    pub fn record_beat(&self) -> Duration {
        let overdue = {
            let mut beats = self.beats.lock();
            Duration::from_micros(beats.record(self.clock.active_us()))
        };
        if !overdue.is_zero() {
            self.metrics.observe_forwarding_lag(overdue);
        }
        overdue
    }

    /// Returns the total lag of the node so far, in µs.
    pub fn lag_us(&self) -> u64 {
        let beats = self.beats.lock();
        beats.lag_us(self.clock.active_us())
    }

    /// Returns whether a beat of the node is overdue.
    pub fn is_overdue(&self) -> bool {
        self.beats.lock().overdue_us(self.clock.active_us()) > 0
    }

    /// Returns the time on this server's clock without its own lag, in µs.
    pub fn now_us(&self) -> u64 {
        self.clock.active_us()
    }

    /// Returns whether the node still ran some time after one of its streams ended at `ended_us`
    /// (active time). If so, the node did not cause the end.
    pub fn has_outlived(&self, ended_us: u64) -> bool {
        self.beats.lock().last_us > ended_us.saturating_add(as_us(BEAT_DELAY))
    }

    /// Completes when the node is lost.
    pub async fn until_lost(&self) {
        self.lost.cancelled().await;
    }

    /// Completes once it is clear whether a stream ended because the node was lost. `ended_us` is
    /// the active time at the end of the stream.
    pub async fn was_lost_at(&self, ended_us: u64) -> bool {
        while !self.has_outlived(ended_us) {
            select! {
                () = self.until_lost() => return true,
                () = sleep(2 * BEAT_DELAY) => {}
            }
        }
        false
    }

    /// Completes when the node has been silent for a lease.
    async fn until_silent(&self) {
        loop {
            let silent_us = {
                let beats = self.beats.lock();
                self.clock.active_us().saturating_sub(beats.last_us)
            };
            let left_us = as_us(LEASE_TERM).saturating_sub(silent_us);
            if left_us == 0 {
                return;
            }
            sleep(Duration::from_micros(left_us)).await;
        }
    }
}

/// Reads the lag of a node in increments, for one wait of a bot whose stream the node forwards.
#[derive(Debug)]
pub struct LagReader {
    node: Arc<ForwardingNode>,
    read_us: u64,
}

impl LagReader {
    /// Creates a reader that counts lag from now on.
    pub fn new(node: Arc<ForwardingNode>) -> Self {
        Self { read_us: node.lag_us(), node }
    }

    /// Returns the node whose lag is read.
    pub fn node(&self) -> &ForwardingNode {
        &self.node
    }

    /// Returns the lag since the last call, in µs.
    pub fn take_us(&mut self) -> u64 {
        let total_us = self.node.lag_us();
        let new_us = total_us.saturating_sub(self.read_us);
        self.read_us += new_us;
        new_us
    }
}

/// The nodes that forward calls to this one. Clones share the table.
#[derive(Clone)]
pub struct ForwardingNodes {
    clock: Arc<ServerClock>,
    metrics: Arc<Metrics>,
    by_id: Arc<Mutex<HashMap<ForwardingNodeId, Arc<ForwardingNode>>>>,
}

impl ForwardingNodes {
    /// Creates a table without nodes. Lag is measured by `clock` and observed by `metrics`.
    pub fn new(clock: Arc<ServerClock>, metrics: Arc<Metrics>) -> Self {
        Self { clock, metrics, by_id: Arc::default() }
    }

    /// Returns the node that sent a call just now, which shows that the node runs. Must be called
    /// in a task.
    pub fn caller(&self, id: ForwardingNodeId) -> Arc<ForwardingNode> {
        let mut by_id = self.by_id.lock();
        let node = by_id.entry(id).or_insert_with(|| self.add(id));
        let node = Arc::clone(node);
        drop(by_id);
        node.record_beat();
        node
    }

    /// Creates a node, and a task that removes it when it is lost.
    fn add(&self, id: ForwardingNodeId) -> Arc<ForwardingNode> {
        let node = ForwardingNode::new(id, Arc::clone(&self.clock), Arc::clone(&self.metrics));
        let node = Arc::new(node);
        let (watched, by_id) = (Arc::clone(&node), Arc::clone(&self.by_id));
        tokio::spawn(async move {
            watched.until_silent().await;
            // If the process calls again, it is added as a new node.
            by_id.lock().remove(&id);
            watched.lost.cancel();
        });
        node
    }
}

const fn as_us(duration: Duration) -> u64 {
    duration.as_micros() as u64
}

/// The origin of a forwarded call, as reported by the server that forwarded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardedOrigin {
    /// The address of the original caller.
    pub address: IpAddr,
    /// The round trip between the caller and the forwarding server, in µs; `None` if the forwarding
    /// server's system does not report it.
    pub round_trip_us: Option<u32>,
}

/// A call that another server forwarded.
#[derive(Clone, Debug)]
pub struct ForwardedCall {
    /// The origin of the call, outside the cluster.
    pub origin: ForwardedOrigin,
    /// The server that forwarded the call, if it sends beats.
    pub node: Option<Arc<ForwardingNode>>,
}

/// Reads the metadata of a forwarded call. Only servers in the cluster are trusted.
pub(crate) type ReadForwardedCall = Arc<dyn Fn(&HeaderMap) -> Option<ForwardedCall> + Send + Sync>;

/// The maximum number of cached connections. If a caller needs more, each new one replaces another.
const MAX_CACHED: usize = 16;

/// The connections to other servers for the calls of one caller's connection, one per server.
/// Callers do not share these connections, so they delay each other no more than with direct
/// connections. The connections close with the caller's connection. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ForwardChannels {
    by_address: Arc<Mutex<HashMap<String, Channel>>>,
}

impl ForwardChannels {
    /// Returns the connection to `address`; if there is none, opens it first.
    ///
    /// # Errors
    /// Returns an error if `open` fails.
    pub fn get_or_open<E>(
        &self,
        address: &str,
        open: impl FnOnce() -> Result<Channel, E>,
    ) -> Result<Channel, E> {
        let mut by_address = self.by_address.lock();
        if let Some(channel) = by_address.get(address) {
            return Ok(channel.clone());
        }
        let channel = open()?;
        // Which one is closed does not matter much, so any is taken: if a list calls all nodes in
        // turn, the least recently used one is needed next. Calls in progress keep their
        // connection.
        if by_address.len() >= MAX_CACHED
            && let Some(replaced) = by_address.keys().next().cloned()
        {
            by_address.remove(&replaced);
        }
        by_address.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000;

    fn beats() -> HeartbeatState {
        HeartbeatState { last_us: 0, lag_us: 0, is_resting: false }
    }

    #[tokio::test]
    async fn a_connection_beyond_the_limit_replaces_one_other() {
        let channels = ForwardChannels::default();
        let open = || {
            let endpoint = tonic::transport::Endpoint::from_static("http://node.example:1");
            Ok::<_, ()>(endpoint.connect_lazy())
        };
        let count = MAX_CACHED + 3;
        for number in 0..count {
            let address = format!("node-{number}.example:1");
            channels.get_or_open(&address, open).unwrap();
            assert!(channels.by_address.lock().contains_key(&address));
        }
        assert_eq!(channels.by_address.lock().len(), MAX_CACHED);
    }

    #[test]
    fn a_silence_counts_once_whether_its_end_is_seen_or_not() {
        let mut beats = beats();
        assert_eq!(beats.lag_us(29 * MS), 0);
        assert_eq!(beats.lag_us(3_000 * MS), 2_980 * MS);
        assert_eq!(beats.record(3_000 * MS), 2_980 * MS);
        assert_eq!(beats.lag_us(3_000 * MS), 2_980 * MS);
        for beat in 1..=100 {
            assert_eq!(beats.record((3_000 + beat * 20) * MS), 0, "{beat}");
        }
        assert_eq!(beats.lag_us(5_000 * MS), 2_980 * MS);
        assert_eq!(beats.lag_us(5_100 * MS), 3_060 * MS);
    }

    #[test]
    fn nearly_all_time_of_an_overloaded_node_is_lag() {
        let mut beats = beats();
        for beat in 1..=10 {
            beats.record(beat * 500 * MS);
        }
        assert_eq!(beats.lag_us(5_000 * MS), 4_800 * MS);
    }

    #[test]
    fn the_silence_of_an_idle_node_does_not_count_as_lag() {
        let mut beats = beats();
        beats.is_resting = true;
        assert_eq!(beats.lag_us(5_000 * MS), 0);
        assert_eq!(beats.record(5_000 * MS), 0);
        assert_eq!(beats.lag_us(5_100 * MS), 80 * MS, "a beat ends the idle time");
    }

    #[test]
    fn the_lag_of_a_silent_node_is_at_most_a_lease() {
        let beats = beats();
        let most_us = as_us(LEASE_TERM - BEAT_INTERVAL);
        assert_eq!(beats.lag_us(u64::MAX), most_us);
    }
}
