//! The maximum memory use of a server, computed from its limits.
//!
//! The sizes are estimates with a margin, for 64-bit Linux. `server/cli/tests/storm/attack`
//! verifies their sum: it drives a real server to its limits, and measures the memory of the server
//! process.

use bridgemaster_referee::MATCH_NOTE_BYTES;
use bridgemaster_rules::{MAX_ANSWER_BYTES, POSITION_BYTES};

use crate::limits::{
    FORWARD_WINDOW_BYTES, Limits, MAX_DELAYED_MATCHES, MAX_LADDER_VERSIONS,
    MAX_METRICS_CONNECTIONS, MAX_OPENED_REPLAYS, MAX_REPLAY_FILE_BYTES, MAX_UNWRITTEN_REPLAY_BYTES,
    MAX_VERSIONS_OF_ALL_LADDERS, MAX_WITHHELD_REPLAYS, PAGE_BUFFER_BYTES,
};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The program itself, with its threads and the data folder's cache.
const PROGRAM_BYTES: u64 = 64 * MIB;
/// A match in play without its streams: rules, state, journal and the replay so far. An ordinary
/// match ends at 20 KiB. The rest covers the worst case of six seats: the maximum number of
/// recorded connects and disconnects with the longest names (100 KiB), two copies of the maximum
/// number of recorded faults (120 KiB), and the notes of the bots.
const MATCH_BYTES: u64 = 256 * KIB + MATCH_NOTE_BYTES as u64;
/// A finished match: its info and its replay, in bytes.
const ENDED_MATCH_BYTES: u64 = 256 * KIB + MATCH_NOTE_BYTES as u64;
/// A match with a spectator delay: the match itself, and a second copy of its records.
const DELAYED_MATCH_BYTES: u64 = 2 * ENDED_MATCH_BYTES;
/// An open match group: its names, and the record of which matches were played.
const GROUP_BYTES: u64 = 2 * KIB;
/// A replay that is withheld: its match and its group.
const WITHHELD_REPLAY_BYTES: u64 = 512;
/// A queue: the names of the keys that may attend it.
const MAX_QUEUE_BYTES: u64 = 96 * KIB;
/// An attending bot: an offer and a withdrawn offer for each slot.
const ATTENDANCE_BYTES: u64 = 32 * KIB;
/// A bot version on a ladder: its names, its rating history, and its rows in the eleven matrices of
/// the last fit and of a fit in progress. A row has one number for each version.
const LADDER_VERSION_BYTES: u64 = 48 * KIB + 11 * 8 * MAX_LADDER_VERSIONS as u64;
/// A connection without unread bytes: socket, TLS, and HTTP/2 with its header tables and a buffer
/// of one frame in each direction.
const CONNECTION_BYTES: u64 = 64 * KIB;
/// A TLS handshake in progress.
const HANDSHAKE_BYTES: u64 = 64 * KIB;
/// A bot's stream: read and write buffers, messages on their way to the transport, and queued
/// messages that are not counted.
const BOT_STREAM_BYTES: u64 = 128 * KIB;
/// Another call: metadata, read and write buffers, and a small response or the next update of a
/// spectator.
const CALL_BYTES: u64 = 64 * KIB;
/// The ratio of the decoded size of a queued message to its encoded size.
const DECODED_FACTOR: u64 = 6;
/// The ratio of the decoded size of a session request to its encoded size. A request can contain an
/// operation for every two bytes.
const DECODED_OPERATIONS_FACTOR: u64 = 24;
/// The ratio of buffer size to received bytes for an incomplete request. A buffer doubles when it
/// grows, and the old buffer exists until its bytes are copied.
const GROWTH_FACTOR: u64 = 3;
/// Freed memory that the allocator retains, as a share of the memory in use.
const ALLOCATOR_OVERHEAD: f64 = 0.25;

impl Limits {
    /// The maximum memory use, in bytes, of a server with these limits, regardless of its callers.
    ///
    /// Includes the store's memory; excludes the operating system's socket buffers.
    pub fn memory_bound(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let window = u64::from(self.connection_window_bytes());
        let parts = [
            PROGRAM_BYTES,
            many(self.open_matches, MATCH_BYTES),
            many(self.ended_matches_kept, ENDED_MATCH_BYTES),
            many(MAX_DELAYED_MATCHES, DELAYED_MATCH_BYTES),
            many(self.open_groups, GROUP_BYTES),
            many(self.queues, MAX_QUEUE_BYTES),
            many(self.attendances, ATTENDANCE_BYTES),
            many(MAX_VERSIONS_OF_ALL_LADDERS, LADDER_VERSION_BYTES),
            many(self.connections, CONNECTION_BYTES + window),
            many(self.page_connections, CONNECTION_BYTES + window + 2 * PAGE_BUFFER_BYTES as u64),
            // Twice, since the page's port has handshakes too.
            many(2 * self.tls_handshakes, HANDSHAKE_BYTES),
            many(MAX_METRICS_CONNECTIONS, CONNECTION_BYTES),
            many(self.bot_streams, BOT_STREAM_BYTES),
            many(self.other_calls, CALL_BYTES),
            many(self.unfinished_request_bytes, GROWTH_FACTOR),
            many(self.unread_answer_bytes, 1),
            // The size is counted twice, since withheld replays are kept as well.
            many(2, MAX_UNWRITTEN_REPLAY_BYTES as u64),
            many(MAX_WITHHELD_REPLAYS, WITHHELD_REPLAY_BYTES),
            // The file, and the message that is decoded from it during verification.
            many(MAX_OPENED_REPLAYS * MAX_REPLAY_FILE_BYTES, 1 + DECODED_FACTOR),
            many(self.bot_queue_bytes, DECODED_FACTOR),
            many(self.watcher_queue_bytes, DECODED_FACTOR),
        ];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_OVERHEAD)) as u64
    }

    /// The additional memory of a node that forwards calls, in bytes. Each caller's connection
    /// needs a connection to another node, and the windows of its forwarded streams.
    pub fn memory_bound_of_forwarding(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let window = u64::from(FORWARD_WINDOW_BYTES);
        let connections = self.connections.saturating_add(self.page_connections);
        let calls = self.bot_streams.saturating_add(self.other_calls);
        let parts = [
            many(connections, CONNECTION_BYTES),
            // One window for each direction.
            many(calls, 2 * window),
        ];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_OVERHEAD)) as u64
    }

    /// The additional memory of `RulesService`, in bytes.
    pub fn memory_bound_of_rules(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let requests = many(self.request_bytes, DECODED_OPERATIONS_FACTOR);
        let per_call = requests + many(MAX_ANSWER_BYTES, DECODED_FACTOR);
        let parts =
            [many(self.rules_calls, per_call), many(self.rules_positions, POSITION_BYTES as u64)];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_OVERHEAD)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_limits_states_the_bound_of_the_defaults() {
        let page = include_str!("../../../docs/reference/limits.md");
        let gib = Limits::default().memory_bound() as f64 / (1024 * MIB) as f64;
        let stated = format!("at most {gib:.1} GiB");
        assert!(page.contains(&stated), "{stated}");
        let mib = Limits::default().memory_bound_of_rules() / MIB;
        let stated = format!("up to {mib} MiB more");
        assert!(page.contains(&stated), "{stated}");
    }
}
