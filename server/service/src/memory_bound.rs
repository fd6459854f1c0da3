//! The most memory that a server takes, computed from its limits.
//!
//! The sizes are estimates with a margin, for 64-bit Linux. `server/cli/tests/attack` checks their sum
//! from outside: it has the real server hold as much as its limits allow, and reads what the system
//! says that the process takes.

use bridgemaster_referee::MATCH_NOTE_BYTES;
use bridgemaster_rules::{MAX_ANSWER_BYTES, POSITION_BYTES};

use crate::limits::{
    FORWARD_WINDOW_BYTES, Limits, MAX_LADDER_VERSIONS, MAX_LATE_MATCHES,
    MAX_UNWRITTEN_REPLAY_BYTES, MAX_VERSIONS, METRICS_CONNECTIONS, OPENED_REPLAYS,
    PAGE_BUFFER_BYTES, REPLAY_FILE_BYTES,
};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The program itself with its threads, a data folder's cache included.
const PROGRAM_BYTES: u64 = 64 * MIB;
/// A match in play without its streams: rules, state, journal and replay so far. That of an
/// ordinary match ends at 20 KiB. The rest is for six seats: as many comings and goings as are
/// recorded, with the longest names (100 KiB), as many faults as are kept, twice (120 KiB), and the
/// notes of bots.
const MATCH_BYTES: u64 = 256 * KIB + MATCH_NOTE_BYTES as u64;
/// A match that has ended: its info and its replay.
const ENDED_MATCH_BYTES: u64 = 256 * KIB + MATCH_NOTE_BYTES as u64;
/// A match that spectators see late: itself, which may have ended, and its records once more.
const LATE_MATCH_BYTES: u64 = 2 * ENDED_MATCH_BYTES;
/// A group of matches that is not over: its names, and which of its matches were played.
const GROUP_BYTES: u64 = 2 * KIB;
/// A queue in which bots wait: the names of the keys that may attend it.
const QUEUE_BYTES: u64 = 96 * KIB;
/// A bot that attends: an offer for each of its slots, and as many that hold no more.
const ATTENDANCE_BYTES: u64 = 32 * KIB;
/// A version of a bot of a ladder: its names, how its rating went, and its row in eleven matrices of
/// as many numbers as a ladder has versions, which the last fit and one under way have.
const LADDER_VERSION_BYTES: u64 = 48 * KIB + 11 * 8 * MAX_LADDER_VERSIONS as u64;
/// A connection beyond what its peer sent and nobody has read: socket, TLS, HTTP/2 with its header
/// tables and its buffers of one frame each way.
const CONNECTION_BYTES: u64 = 64 * KIB;
/// A TLS handshake that is under way.
const HANDSHAKE_BYTES: u64 = 64 * KIB;
/// A bot's stream: buffers to read and to write, messages on their way to the transport, and those
/// that may wait before they count.
const BOT_STREAM_BYTES: u64 = 128 * KIB;
/// Another call: metadata, buffers to read and to write, a small answer, or what a spectator is
/// told next.
const CALL_BYTES: u64 = 64 * KIB;
/// Bytes in memory for each byte on the wire of a message that waits unpacked.
const UNPACKED: u64 = 6;
/// The same of a request of a session, which can have an operation for every two bytes.
const UNPACKED_OPERATIONS: u64 = 24;
/// Bytes in memory for each byte of a request that is not there whole: a buffer that grows has the
/// double, and the old one while it is moved.
const GROWING: u64 = 3;
/// What the allocator keeps of memory that was given back, as a share of the rest.
const ALLOCATOR_SHARE: f64 = 0.25;

impl Limits {
    /// The most memory that a server with these limits takes, in bytes, whatever its callers do.
    ///
    /// What a store keeps in memory for itself is part of it; the system's own buffers for
    /// sockets are not.
    pub fn memory_bound(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let window = u64::from(self.connection_window_bytes());
        let parts = [
            PROGRAM_BYTES,
            many(self.open_matches, MATCH_BYTES),
            many(self.ended_matches_kept, ENDED_MATCH_BYTES),
            many(MAX_LATE_MATCHES, LATE_MATCH_BYTES),
            many(self.open_groups, GROUP_BYTES),
            many(self.queues, QUEUE_BYTES),
            many(self.attendances, ATTENDANCE_BYTES),
            many(MAX_VERSIONS, LADDER_VERSION_BYTES),
            many(self.connections, CONNECTION_BYTES + window),
            many(
                self.page_connections,
                CONNECTION_BYTES + window + 2 * PAGE_BUFFER_BYTES as u64,
            ),
            // As many again on the way to the page.
            many(2 * self.tls_handshakes, HANDSHAKE_BYTES),
            many(METRICS_CONNECTIONS, CONNECTION_BYTES),
            many(self.bot_streams, BOT_STREAM_BYTES),
            many(self.other_calls, CALL_BYTES),
            many(self.unfinished_request_bytes, GROWING),
            many(self.unread_answer_bytes, 1),
            MAX_UNWRITTEN_REPLAY_BYTES as u64,
            // The file, and its message while it is checked.
            many(OPENED_REPLAYS * REPLAY_FILE_BYTES, 1 + UNPACKED),
            many(self.bot_queue_bytes, UNPACKED),
            many(self.watcher_queue_bytes, UNPACKED),
        ];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_SHARE)) as u64
    }

    /// The memory that calls take on top on a server that passes them on: a connection to another
    /// server for each of a caller's, and the windows of what is passed on.
    pub fn memory_bound_of_forwarding(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let window = u64::from(FORWARD_WINDOW_BYTES);
        let connections = self.connections.saturating_add(self.page_connections);
        let calls = self.bot_streams.saturating_add(self.other_calls);
        let parts = [
            many(connections, CONNECTION_BYTES),
            // What is received, and what is to be sent.
            many(calls, 2 * window),
        ];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_SHARE)) as u64
    }

    /// The memory that the rules by call take on top, on a server that has them.
    pub fn memory_bound_of_rules(&self) -> u64 {
        let many = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let requests = many(self.request_bytes, UNPACKED_OPERATIONS);
        let a_call = requests + many(MAX_ANSWER_BYTES, UNPACKED);
        let parts = [
            many(self.rules_calls, a_call),
            many(self.rules_positions, POSITION_BYTES as u64),
        ];
        let sum = parts.into_iter().fold(0, u64::saturating_add);
        (sum as f64 * (1.0 + ALLOCATOR_SHARE)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_page_states_the_bound_of_the_defaults() {
        let page = include_str!("../../../docs/operating.md");
        let gib = Limits::default().memory_bound() as f64 / (1024 * MIB) as f64;
        let stated = format!("at most {gib:.1} GiB");
        assert!(page.contains(&stated), "{stated}");
        let mib = Limits::default().memory_bound_of_rules() / MIB;
        let stated = format!("up to {mib} MiB more");
        assert!(page.contains(&stated), "{stated}");
    }
}
