//! All limits on callers and resources, with their reasons. The configurable limits and their
//! defaults are here, all other limits in `fixed.rs`.

mod fixed;

use std::time::Duration;

use bridgemaster_referee::MAX_RETAINED_MESSAGES;
use serde::{Deserialize, Deserializer, de};

pub use fixed::*;

/// The limits of a server. A refusal names the field or method of the limit. A config file can set
/// the limits that depend on the machine and on the number of users; names of durations end in
/// `_ms` there, and 0 is invalid. The other limits follow from the protocol and from the behaviour
/// of people and clients, as their comments explain; they are fields so that tests can lower them.
/// A limit that is a fixed share of another one is a method.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a message from a bot. A decision takes under 100 bytes and a Hello under
    /// 1 KiB; every stream has a read buffer of this size.
    #[serde(skip)]
    pub play_message_bytes: usize,
    /// The maximum size of a request to services other than `PlayService`. A match config with
    /// edition data takes about 3 KiB. A replay file from which a match is forked must fit as well.
    #[serde(deserialize_with = "deserialize_positive")]
    pub request_bytes: usize,
    /// Waiting and running matches. An ordinary match takes 20 KiB, so 10,000 take about 200 MiB.
    /// With very many faults and disconnects, a match takes up to 256 KiB.
    #[serde(deserialize_with = "deserialize_positive")]
    pub open_matches: usize,
    /// Ended matches that can still be requested. The oldest match is dropped first.
    #[serde(deserialize_with = "deserialize_positive")]
    pub ended_matches_kept: usize,
    /// Open connections. The operating system's limit on open files must be higher.
    #[serde(deserialize_with = "deserialize_positive")]
    pub connections: usize,
    /// Open connections from one address, or from one IPv6 network with a 64-bit prefix: a quarter
    /// of all. The bots of one machine or office often share an address. A new connection beyond
    /// the limit evicts an unprotected one.
    #[serde(deserialize_with = "deserialize_positive")]
    pub connections_per_address: usize,
    /// Protected connections of one API key. These carry the key's bots and are never evicted. The
    /// limit is a sixteenth of `connections_per_address`, so that one key with many matches does
    /// not use up the whole address. Further connections of the key can be evicted like connections
    /// without a bot, so a program with more bots should use one connection for several bots.
    /// Without keys, protected connections are not counted.
    #[serde(deserialize_with = "deserialize_positive")]
    pub protected_connections_per_key: usize,
    /// Open connections to the page: a browser opens up to six, one of them for streams. A new
    /// connection beyond the limit evicts the oldest connection.
    #[serde(deserialize_with = "deserialize_positive")]
    pub page_connections: usize,
    /// Open connections to the page from one address: half of all, since many people in one room
    /// often share an address.
    #[serde(deserialize_with = "deserialize_positive")]
    pub page_connections_per_address: usize,
    /// The time limit for the HTTP/2 preface, which clients send at once. The HTTP/2 library itself
    /// would wait forever.
    #[serde(skip)]
    pub preface_time: Duration,
    /// TLS handshakes in progress. A new handshake beyond the limit evicts the oldest handshake
    /// from the address with the most handshakes.
    #[serde(skip)]
    pub tls_handshakes: usize,
    /// The time limit for a TLS handshake, which takes a few round trips.
    #[serde(skip)]
    pub tls_handshake_time: Duration,
    /// Calls from one address, including new streams of bots. Calls with a valid API key count
    /// against the key instead. A call costs about 30 µs of CPU time, so the default gives one
    /// address a sixth of a core.
    pub calls_per_address: Rate,
    /// Calls with the ticket of one seat that do not count against their address. So other callers
    /// at the address cannot prevent a bot from reconnecting. SDKs retry at most three times a
    /// second.
    #[serde(skip)]
    pub calls_per_seat: Rate,
    /// Calls with one API key, including new streams of bots: enough for 64 slots of ten matches a
    /// second each.
    pub calls_per_key: Rate,
    /// Matches created with one API key. A match costs about 100 µs and 20 KiB.
    pub creates_per_key: Rate,
    /// Waiting and running matches of one API key: a tenth of all.
    #[serde(deserialize_with = "deserialize_positive")]
    pub open_matches_per_key: usize,
    /// Match groups that withhold their seeds and are still open. Each group takes 2 KiB, even
    /// while none of its matches is in play.
    #[serde(deserialize_with = "deserialize_positive")]
    pub open_groups: usize,
    /// Contest queues. A queue that lists the maximum number of allowed keys takes 96 KiB.
    #[serde(deserialize_with = "deserialize_positive")]
    pub queues: usize,
    /// Bots that attend (wait in) queues. A bot with the maximum number of slots takes 32 KiB, and
    /// its stream counts as a call.
    #[serde(deserialize_with = "deserialize_positive")]
    pub attendances: usize,
    /// The time for which a disconnected bot still counts as attending: enough to restart a
    /// machine.
    #[serde(skip)]
    pub attendance_absence: Duration,
    /// Calls in progress, with one API key, that list matches or read ended matches from the store.
    /// A call beyond the limit is refused.
    #[serde(skip)]
    pub reads_per_key: usize,
    /// The same limit as `reads_per_key`, but for one address. Several keys can share an address.
    #[serde(skip)]
    pub reads_per_address: usize,
    /// The same limit as `reads_per_key`, but for one connection.
    #[serde(skip)]
    pub reads_per_connection: usize,
    /// Concurrent reads of ended matches from the store. Reads are limited by the CPU rather than
    /// by the disk. More concurrent reads would not be faster, and would take CPU time from matches
    /// in play.
    #[serde(skip)]
    pub store_reads: usize,
    /// Calls that wait to read from the store. At about 10 ms per read, a longer queue would mean
    /// waiting for more than five seconds.
    #[serde(skip)]
    pub store_reads_waiting: usize,
    /// Streams per connection. HTTP/2 requires a limit, and each stream takes 512 bytes of the
    /// connection's flow-control window. A program with more bots opens a second connection.
    #[serde(skip)]
    pub streams_per_connection: u32,
    /// Open streams of bots: two for each match that can be open.
    #[serde(deserialize_with = "deserialize_positive")]
    pub bot_streams: usize,
    /// Open streams of bots with one API key: a fifth of all. They are not counted on a server
    /// without keys, where bots of several callers can share an address.
    #[serde(deserialize_with = "deserialize_positive")]
    pub bot_streams_per_caller: usize,
    /// Calls in progress other than bots' streams, including spectators. Each call can take 64 KiB
    /// until its response is read. A new call beyond the limit evicts calls that wait for their
    /// clients, or calls of the caller with the most calls.
    #[serde(deserialize_with = "deserialize_positive")]
    pub other_calls: usize,
    /// One caller's calls in progress, other than bots' streams. A call with a valid API key counts
    /// against the key from its start; all other calls count against their address.
    #[serde(deserialize_with = "deserialize_positive")]
    pub other_calls_per_caller: usize,
    /// Bytes buffered for incomplete requests, not counting the first 8 KiB of each request. Every
    /// call may buffer its first 8 KiB, so this limit never causes the refusal of an ordinary
    /// request.
    #[serde(deserialize_with = "deserialize_positive")]
    pub unfinished_request_bytes: usize,
    /// The `unfinished_request_bytes` limit for one address or key.
    #[serde(deserialize_with = "deserialize_positive")]
    pub unfinished_request_bytes_per_caller: usize,
    /// Bytes of large responses (lists and replays) that clients have not read yet. A call beyond
    /// the limit waits until other responses have been read.
    #[serde(deserialize_with = "deserialize_positive")]
    pub unread_answer_bytes: usize,
    /// The `unread_answer_bytes` limit for one address or key.
    #[serde(deserialize_with = "deserialize_positive")]
    pub unread_answer_bytes_per_caller: usize,
    /// The `unread_answer_bytes` limit for one connection: eight replays or two long pages.
    #[serde(skip)]
    pub unread_answer_bytes_per_connection: usize,
    /// The time within which a client has to read some of its response, and the time that a call
    /// waits for a permit for an unread response. Progress is measured in steps of 16 KiB, so the
    /// slowest accepted client reads about 1 KiB/s. The response is dropped after this time, and
    /// the stream is reset after twice this time.
    #[serde(rename = "unread_time_ms", deserialize_with = "deserialize_ms")]
    pub unread_time: Duration,
    /// The time limit for the first message of a stream, and for the whole request of a call to
    /// another service.
    #[serde(rename = "hello_time_ms", deserialize_with = "deserialize_ms")]
    pub hello_time: Duration,
    /// Messages queued for one bot. A match sends one message per request, so a long queue means
    /// that the bot does not read. A bot that reconnects is sent up to [`MAX_RETAINED_MESSAGES`]
    /// messages and the state of its match at once; the limit is twice that number.
    #[serde(skip)]
    pub outbound_queue: usize,
    /// Bytes of messages queued for bots that read too slowly, for all bots together. Messages to a
    /// bot that reads promptly are not counted.
    #[serde(deserialize_with = "deserialize_positive")]
    pub bot_queue_bytes: usize,
    /// The `bot_queue_bytes` limit for one caller's bots.
    #[serde(deserialize_with = "deserialize_positive")]
    pub bot_queue_bytes_per_caller: usize,
    /// Spectators of one match: enough for a large event. Spectators share their updates, and each
    /// spectator also counts as a call. A new spectator beyond the limit evicts a spectator that
    /// does not read, or otherwise a spectator of the caller with the most spectators.
    #[serde(deserialize_with = "deserialize_positive")]
    pub watchers_per_match: usize,
    /// The number of updates queued for one spectator.
    #[serde(skip)]
    pub watcher_queue: usize,
    /// Bytes of updates that are queued for all matches' spectators. An update that is queued for
    /// several spectators counts once.
    #[serde(deserialize_with = "deserialize_positive")]
    pub watcher_queue_bytes: usize,
    /// Threads of `RulesService`. These threads run only when no match needs their core, so more
    /// than one thread per core has no benefit.
    #[serde(deserialize_with = "deserialize_positive")]
    pub rules_threads: usize,
    /// Calls of `RulesService` in progress, including sessions. Each call can take 3 MiB while it
    /// is processed.
    #[serde(deserialize_with = "deserialize_positive")]
    pub rules_calls: usize,
    /// The `rules_calls` limit for one API key, or for one address on a server without keys: an
    /// eighth of all. A bot needs one session per match that it plays.
    #[serde(deserialize_with = "deserialize_positive")]
    pub rules_calls_per_caller: usize,
    /// Positions of all sessions. Each position takes up to 32 KiB.
    #[serde(deserialize_with = "deserialize_positive")]
    pub rules_positions: usize,
    /// CPU time of one caller, in ms: a whole core, so that a single caller can use all the time
    /// that matches leave. Several callers share that time.
    #[serde(skip)]
    pub rules_cpu_ms_per_caller: Rate,
    /// The time after which an idle session ends, because its positions use memory. A bot may be
    /// idle while its opponents think, so the time is longer than they usually take.
    #[serde(skip)]
    pub rules_idle: Duration,
    /// The interval between Ping messages on a stream.
    #[serde(skip)]
    pub ping_interval: Duration,
    /// The interval between HTTP/2 keepalive pings, and the time limit for each acknowledgement.
    /// The pings detect dead peers.
    #[serde(skip)]
    pub keepalive: Duration,
    /// API key cache lifetime. A revoked key is refused after this time, and its streams end within
    /// twice this time. The store is polled twice per lifetime.
    #[serde(skip)]
    pub key_cache_time: Duration,
    /// The lifetime of cached API keys while the store is unreadable: long enough for a disk that
    /// hangs for a while, and short enough to limit the use of revoked keys.
    #[serde(skip)]
    pub keys_trusted: Duration,
    /// The time that a drain leaves for matches to end: enough for the last moves of a match, and
    /// short enough for an operator who waits.
    #[serde(skip)]
    pub drain_time: Duration,
    /// The time that a stopping server waits for open streams to end.
    #[serde(skip)]
    pub stop_time: Duration,
}

/// Limits that config files of earlier versions could set. Each of them is now the same on every
/// server, or a fixed share of another limit.
pub const FIXED_LIMITS: [&str; 26] = [
    "play_message_bytes",
    "preface_time_ms",
    "tls_handshakes",
    "tls_handshake_time_ms",
    "calls_per_seat",
    "open_groups_per_key",
    "queues_per_key",
    "attendances_per_caller",
    "attendance_absence_ms",
    "reads_per_key",
    "reads_per_address",
    "reads_per_connection",
    "store_reads",
    "store_reads_waiting",
    "streams_per_connection",
    "unread_answer_bytes_per_connection",
    "outbound_queue",
    "watcher_queue",
    "rules_positions_per_caller",
    "rules_cpu_ms_per_caller",
    "rules_idle_ms",
    "ping_interval_ms",
    "keepalive_ms",
    "key_cache_time_ms",
    "keys_trusted_ms",
    "stop_time_ms",
];

/// A rate limit, as a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a rate such as { per_second = 1000, burst = 5000 }")]
pub struct Rate {
    /// The sustained rate per second, at least 1; 0 counts as 1.
    #[serde(deserialize_with = "deserialize_positive")]
    pub per_second: u32,
    /// The largest burst after a pause, at least 1.
    #[serde(deserialize_with = "deserialize_positive")]
    pub burst: u32,
}

impl Limits {
    /// The `open_groups` limit for one API key: a tenth of all. Abandoned groups have to be closed.
    pub fn open_groups_per_key(&self) -> usize {
        (self.open_groups / 10).max(1)
    }

    /// The `queues` limit for one API key: an eighth of all. Each contest needs a queue; a key can
    /// run several contests at once.
    pub fn queues_per_key(&self) -> usize {
        (self.queues / 8).max(1)
    }

    /// The `attendances` limit for one API key, or for one address on a server without keys: an
    /// eighth of all.
    pub fn attendances_per_caller(&self) -> usize {
        (self.attendances / 8).max(1)
    }

    /// The `rules_positions` limit for one caller: a quarter of all. By default this is several
    /// times the longest list of legal decisions.
    pub fn rules_positions_per_caller(&self) -> usize {
        (self.rules_positions / 4).max(1)
    }

    /// The flow-control window of a connection, in bytes, and so the maximum number of unread bytes
    /// that the connection can buffer.
    pub(crate) fn connection_window_bytes(&self) -> u32 {
        let for_streams = self.streams_per_connection.saturating_mul(WINDOW_BYTES_PER_STREAM);
        for_streams.clamp(MIN_CONNECTION_WINDOW_BYTES, MAX_CONNECTION_WINDOW_BYTES)
    }
}

impl Default for Limits {
    fn default() -> Self {
        DEFAULTS
    }
}

const DEFAULTS: Limits = Limits {
    play_message_bytes: 8 * 1024,
    request_bytes: 64 * 1024,
    open_matches: 10_000,
    ended_matches_kept: 1_000,
    connections: 16_384,
    connections_per_address: 4_096,
    protected_connections_per_key: 256,
    page_connections: 2_048,
    page_connections_per_address: 1_024,
    preface_time: Duration::from_secs(10),
    tls_handshakes: 512,
    tls_handshake_time: Duration::from_secs(10),
    calls_per_address: Rate { per_second: 5_000, burst: 20_000 },
    calls_per_seat: Rate { per_second: 5, burst: 20 },
    calls_per_key: Rate { per_second: 1_000, burst: 5_000 },
    creates_per_key: Rate { per_second: 100, burst: 1_000 },
    open_matches_per_key: 1_000,
    open_groups: 10_000,
    queues: 256,
    attendances: 4_096,
    attendance_absence: Duration::from_secs(600),
    reads_per_key: 8,
    reads_per_address: 32,
    reads_per_connection: 16,
    store_reads: 2,
    store_reads_waiting: 1_024,
    streams_per_connection: 512,
    bot_streams: 20_000,
    bot_streams_per_caller: 4_096,
    other_calls: 4_096,
    other_calls_per_caller: 1_024,
    unfinished_request_bytes: 32 * MIB,
    unfinished_request_bytes_per_caller: 4 * MIB,
    unread_answer_bytes: 64 * MIB,
    unread_answer_bytes_per_caller: 8 * MIB,
    unread_answer_bytes_per_connection: 4 * MIB,
    unread_time: Duration::from_secs(15),
    hello_time: Duration::from_secs(10),
    outbound_queue: MIN_OUTBOUND_QUEUE,
    bot_queue_bytes: 64 * MIB,
    bot_queue_bytes_per_caller: 8 * MIB,
    watchers_per_match: 1_000,
    watcher_queue: 256,
    watcher_queue_bytes: 64 * MIB,
    rules_threads: 2,
    rules_calls: 64,
    rules_calls_per_caller: 8,
    rules_positions: 8_192,
    rules_cpu_ms_per_caller: Rate { per_second: 1_000, burst: 10_000 },
    rules_idle: Duration::from_secs(600),
    ping_interval: Duration::from_secs(15),
    keepalive: Duration::from_secs(20),
    key_cache_time: Duration::from_secs(2),
    keys_trusted: Duration::from_secs(60),
    drain_time: Duration::from_secs(30),
    stop_time: Duration::from_secs(5),
};

const MIB: usize = 1024 * 1024;

/// The longest duration that a config file may set, in ms: a day.
const MAX_DURATION_MS: u64 = 86_400_000;

/// Deserializes a duration in ms.
fn deserialize_ms<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let time_ms = u64::deserialize(from)?;
    if !(1..=MAX_DURATION_MS).contains(&time_ms) {
        let problem = format!("{time_ms} is out of range (1 to {MAX_DURATION_MS} ms)");
        return Err(de::Error::custom(problem));
    }
    Ok(Duration::from_millis(time_ms))
}

/// Deserializes a positive number.
fn deserialize_positive<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u32>,
{
    let number = u32::deserialize(from)?;
    let positive = (number > 0).then(|| T::try_from(number).ok()).flatten();
    positive.ok_or_else(|| de::Error::custom(format!("{number} is not a positive number")))
}

/// The minimum length of a bot's message queue: everything that is sent to a reconnecting bot has
/// to fit.
const MIN_OUTBOUND_QUEUE: usize = 2 * MAX_RETAINED_MESSAGES;

/// The minimum flow-control window of an HTTP/2 connection, in bytes.
const MIN_CONNECTION_WINDOW_BYTES: u32 = 65_535;

/// The maximum flow-control window in HTTP/2, in bytes (RFC 9113, section 6.9.1).
const MAX_CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;

/// The part of a connection's flow-control window for each stream, in bytes. The h2 library closes
/// a connection (`too_many_data_frames`) whose unread small frames, counted as 256 bytes each,
/// exceed half of its window. With this value, every stream can have one unread response.
const WINDOW_BYTES_PER_STREAM: u32 = 2 * 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(limits: &Limits) -> [usize; 4] {
        [
            limits.open_groups_per_key(),
            limits.queues_per_key(),
            limits.attendances_per_caller(),
            limits.rules_positions_per_caller(),
        ]
    }

    #[test]
    fn a_lowered_total_lowers_the_share_of_one_caller() {
        assert_eq!(shares(&Limits::default()), [1_000, 32, 512, 2_048]);
        let of_totals = |total| Limits {
            open_groups: total,
            queues: total,
            attendances: total,
            rules_positions: total,
            ..Limits::default()
        };
        assert_eq!(shares(&of_totals(80)), [8, 10, 10, 20]);
        assert_eq!(shares(&of_totals(1)), [1; 4]);
    }
}
