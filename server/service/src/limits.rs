//! Every limit on what comes from outside, with its reason: here those that whoever runs the server
//! may set, with their defaults; in [`fixed`] the others.

mod fixed;

use std::time::Duration;

use bridgemaster_referee::MAX_MESSAGES_KEPT;
use serde::{Deserialize, Deserializer, de};

pub(crate) use fixed::*;

/// Limits of one server. A refusal because of a limit names its field. In a config file, names of
/// times end with `_ms`. No value may be 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest message of a bot. A decision takes under 100 bytes and a Hello under 1 KiB; a stream
    /// has a read buffer of this size anyway.
    #[serde(deserialize_with = "positive")]
    pub play_message_bytes: usize,
    /// Largest request of the other services. A match config with edition data takes about 3 KiB. A
    /// replay file that a match is forked from must fit, too.
    #[serde(deserialize_with = "positive")]
    pub request_bytes: usize,
    /// Waiting and running matches. Ordinary ones take 20 KiB each, so that
    /// 10,000 take about 200 MiB; with faults and lost streams without end each takes up to 256 KiB.
    #[serde(deserialize_with = "positive")]
    pub open_matches: usize,
    /// Ended matches that can still be requested. The oldest is dropped first.
    #[serde(deserialize_with = "positive")]
    pub ended_matches_kept: usize,
    /// Open connections. The operating system's limit on open files must be higher.
    #[serde(deserialize_with = "positive")]
    pub connections: usize,
    /// Open connections of one address, or of one IPv6 network of 64 bits: a quarter of all, since
    /// the bots of one machine or office often share an address. A new connection over the limit
    /// replaces an unprotected one.
    #[serde(deserialize_with = "positive")]
    pub connections_per_address: usize,
    /// Protected connections of one API key: connections that carry its bots and are never replaced
    /// by others. A sixteenth of those of an address, so that one key with many matches leaves room
    /// for other bots there. Further ones can be replaced like connections without a bot; a host of
    /// more bots puts several on one connection. Not counted on a server without keys.
    #[serde(deserialize_with = "positive")]
    pub protected_connections_per_key: usize,
    /// Open connections to the page: a browser opens up to six, and keeps one for what it follows. A
    /// new one over the limit replaces the oldest.
    #[serde(deserialize_with = "positive")]
    pub page_connections: usize,
    /// The same from one address: half of all, since a room full of people often shares an address.
    #[serde(deserialize_with = "positive")]
    pub page_connections_per_address: usize,
    /// Time from the connection to the HTTP/2 preface. Clients send it at once; the transport
    /// itself would wait for ever.
    #[serde(rename = "preface_time_ms", deserialize_with = "from_ms")]
    pub preface_time: Duration,
    /// TLS handshakes in progress. A new one over the limit replaces the oldest of the address that
    /// has most.
    #[serde(deserialize_with = "positive")]
    pub tls_handshakes: usize,
    /// Time for a TLS handshake, which takes a few round trips.
    #[serde(rename = "tls_handshake_time_ms", deserialize_with = "from_ms")]
    pub tls_handshake_time: Duration,
    /// Calls from one address, new streams of bots included, but for those with an API key of the
    /// server, which count for the key. A call costs about 30 µs, so one address gets a sixth of a
    /// core.
    pub calls_per_address: Rate,
    /// Calls with the ticket of one seat that do not count for their address: others at its address
    /// must not keep a bot from coming back. SDKs try at most three times a second.
    pub calls_per_seat: Rate,
    /// Calls with one API key, new streams of bots included: enough for 64 slots that each play ten
    /// matches a second.
    pub calls_per_key: Rate,
    /// Matches made by one API key. A match costs about 100 µs and 20 KiB.
    pub creates_per_key: Rate,
    /// Waiting and running matches of one API key: a tenth of all.
    #[serde(deserialize_with = "positive")]
    pub open_matches_per_key: usize,
    /// Groups of matches whose chance is held back and that are not over. Each takes 2 KiB, also
    /// while none of its matches is in play.
    #[serde(deserialize_with = "positive")]
    pub open_groups: usize,
    /// The same of one API key: a tenth of all. Who gives a group up closes it.
    #[serde(deserialize_with = "positive")]
    pub open_groups_per_key: usize,
    /// Queues of contests in which bots wait. Each takes 96 KiB with the most keys that may attend
    /// it.
    #[serde(deserialize_with = "positive")]
    pub queues: usize,
    /// The same of one API key: a contest needs one, and a few may run.
    #[serde(deserialize_with = "positive")]
    pub queues_per_key: usize,
    /// Bots that attend queues. Each takes 32 KiB with the most slots; its stream counts as a call.
    #[serde(deserialize_with = "positive")]
    pub attendances: usize,
    /// The same of one API key, or of one address on a server without keys: an eighth of all.
    #[serde(deserialize_with = "positive")]
    pub attendances_per_caller: usize,
    /// Time for which a bot whose stream is lost still attends: enough to start a machine again.
    #[serde(rename = "attendance_absence_ms", deserialize_with = "from_ms")]
    pub attendance_absence: Duration,
    /// Calls in progress of one API key that list matches or read ended ones from the store. A
    /// caller that wants more waits for its own answers.
    #[serde(deserialize_with = "positive")]
    pub reads_per_key: usize,
    /// The same for one address, which several keys may share.
    #[serde(deserialize_with = "positive")]
    pub reads_per_address: usize,
    /// The same for one connection.
    #[serde(deserialize_with = "positive")]
    pub reads_per_connection: usize,
    /// Concurrent reads of ended matches from the store. They are bound by the processor rather
    /// than the disk: more would be no faster, and matches in play need the processor too.
    #[serde(deserialize_with = "positive")]
    pub store_reads: usize,
    /// Calls that wait to read from the store. At about 10 ms a read, a longer queue would mean
    /// waiting for more than five seconds.
    #[serde(deserialize_with = "positive")]
    pub store_reads_waiting: usize,
    /// Streams of one connection. HTTP/2 asks for a bound, and each takes 512 bytes of the
    /// connection's flow-control window; a host with more bots opens a second connection.
    #[serde(deserialize_with = "positive")]
    pub streams_per_connection: u32,
    /// Open streams of bots: two for each match that may be open.
    #[serde(deserialize_with = "positive")]
    pub bot_streams: usize,
    /// Open streams of bots of one API key: a fifth of all. Not counted on a server without keys,
    /// where the seats of an address need not be one caller's.
    #[serde(deserialize_with = "positive")]
    pub bot_streams_per_caller: usize,
    /// Calls in progress other than streams of bots, spectators included. Each may take 64 KiB
    /// until its answer is read. A new one over the limit replaces calls that wait for their peers,
    /// or some of the caller that has most.
    #[serde(deserialize_with = "positive")]
    pub other_calls: usize,
    /// Calls in progress other than streams of bots, of one caller. A call with an API key of the
    /// server counts for the key from its beginning; others count for their address.
    #[serde(deserialize_with = "positive")]
    pub other_calls_per_caller: usize,
    /// Bytes of incomplete requests, beyond the first 8 KiB of each. Every call has room for those
    /// 8 KiB, so an ordinary request is never refused for this limit.
    #[serde(deserialize_with = "positive")]
    pub unfinished_request_bytes: usize,
    /// The share of one address or key in `unfinished_request_bytes`.
    #[serde(deserialize_with = "positive")]
    pub unfinished_request_bytes_per_caller: usize,
    /// Bytes of large answers (lists and replays) that are produced and not read. A call over the
    /// limit waits until others are read.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes: usize,
    /// The share of one address or key in `unread_answer_bytes`.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes_per_caller: usize,
    /// The share of one connection in `unread_answer_bytes`: eight replays or two long pages at a
    /// time.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes_per_connection: usize,
    /// Time in which a peer has to read something of its answer, and in which a call waits for
    /// room. Progress is noticed in steps of 16 KiB, so the slowest accepted reader takes about 1
    /// KiB/s. After this time the answer is dropped; after as much time again the stream is reset.
    #[serde(rename = "unread_time_ms", deserialize_with = "from_ms")]
    pub unread_time: Duration,
    /// Time for the first message of a stream, and for the whole request of a call of another
    /// service.
    #[serde(rename = "hello_time_ms", deserialize_with = "from_ms")]
    pub hello_time: Duration,
    /// Messages queued for one bot. A match sends one a request, so a longer queue means that the
    /// bot does not read. A bot that comes back is sent up to
    /// [`MAX_MESSAGES_KEPT`](bridgemaster_referee::MAX_MESSAGES_KEPT) messages and the state of its
    /// match at once; there is room for twice that.
    #[serde(deserialize_with = "outbound_queue")]
    pub outbound_queue: usize,
    /// Bytes of messages queued behind others, for all bots together. A bot that reads has none
    /// there.
    #[serde(deserialize_with = "positive")]
    pub bot_queue_bytes: usize,
    /// The share of the bots of one caller in `bot_queue_bytes`.
    #[serde(deserialize_with = "positive")]
    pub bot_queue_bytes_per_caller: usize,
    /// Spectators of one match: a hall full of them. They share what they are told, and each counts
    /// as a call too. A new one over the limit replaces one that reads nothing, or one of the caller
    /// that has most.
    #[serde(deserialize_with = "positive")]
    pub watchers_per_match: usize,
    /// Updates queued for one spectator.
    #[serde(deserialize_with = "positive")]
    pub watcher_queue: usize,
    /// Bytes of updates queued for the spectators of all matches. An update that several wait for
    /// counts once.
    #[serde(deserialize_with = "positive")]
    pub watcher_queue_bytes: usize,
    /// Threads that do the work of the rules by call. They run only while no match wants the core,
    /// so more than one for each core are of no use.
    #[serde(deserialize_with = "positive")]
    pub rules_threads: usize,
    /// Calls of the rules in progress, sessions included. Each may take 3 MiB while it is answered.
    #[serde(deserialize_with = "positive")]
    pub rules_calls: usize,
    /// The same of one API key, or of one address on a server without keys: an eighth of all. A bot
    /// needs one session for each match that it plays.
    #[serde(deserialize_with = "positive")]
    pub rules_calls_per_caller: usize,
    /// Positions of all sessions. Each takes up to 32 KiB.
    #[serde(deserialize_with = "positive")]
    pub rules_positions: usize,
    /// The same of one caller: a quarter of all, and several times the longest legal
    /// list.
    #[serde(deserialize_with = "positive")]
    pub rules_positions_per_caller: usize,
    /// Processor time of one caller, in ms: a whole core, so that one caller alone can use what
    /// matches leave, and several share it.
    pub rules_cpu_ms_per_caller: Rate,
    /// Time after which a session without a request ends: its positions take memory. Longer than
    /// the opponents of a bot think.
    #[serde(rename = "rules_idle_ms", deserialize_with = "from_ms")]
    pub rules_idle: Duration,
    /// Interval of Pings on a stream.
    #[serde(rename = "ping_interval_ms", deserialize_with = "from_ms")]
    pub ping_interval: Duration,
    /// Interval of HTTP/2 keepalive pings, and the time for their answer: detects dead peers.
    #[serde(rename = "keepalive_ms", deserialize_with = "from_ms")]
    pub keepalive: Duration,
    /// API key cache lifetime. A revoked key is refused after this time, and its streams end within
    /// twice this time. The store is checked twice in it.
    #[serde(rename = "key_cache_time_ms", deserialize_with = "from_ms")]
    pub key_cache_time: Duration,
    /// API key cache lifetime while the store cannot be read: long enough for a disk that hangs,
    /// and short enough that a revoked key does not work for long.
    #[serde(rename = "keys_trusted_ms", deserialize_with = "from_ms")]
    pub keys_trusted: Duration,
    /// Time that matches have to end in a drain: enough for the last moves of a match, and short
    /// for somebody who waits to restart a machine.
    #[serde(skip)]
    pub drain_time: Duration,
    /// Time that a stopping server gives open streams to end.
    #[serde(rename = "stop_time_ms", deserialize_with = "from_ms")]
    pub stop_time: Duration,
}

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a rate such as { per_second = 1000, burst = 5000 }")]
pub struct Rate {
    /// Sustained rate per second, from 1 on; 0 counts as 1.
    #[serde(deserialize_with = "positive")]
    pub per_second: u32,
    /// Largest burst after a pause, from 1 on.
    #[serde(deserialize_with = "positive")]
    pub burst: u32,
}

impl Limits {
    /// Flow-control window of a connection, in bytes, and so the most unread bytes that it may
    /// hold.
    pub(crate) fn connection_window_bytes(&self) -> u32 {
        let for_streams = self
            .streams_per_connection
            .saturating_mul(WINDOW_BYTES_PER_STREAM);
        for_streams.clamp(LEAST_CONNECTION_WINDOW_BYTES, MAX_CONNECTION_WINDOW_BYTES)
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
    calls_per_address: Rate {
        per_second: 5_000,
        burst: 20_000,
    },
    calls_per_seat: Rate {
        per_second: 5,
        burst: 20,
    },
    calls_per_key: Rate {
        per_second: 1_000,
        burst: 5_000,
    },
    creates_per_key: Rate {
        per_second: 100,
        burst: 1_000,
    },
    open_matches_per_key: 1_000,
    open_groups: 10_000,
    open_groups_per_key: 1_000,
    queues: 256,
    queues_per_key: 32,
    attendances: 4_096,
    attendances_per_caller: 512,
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
    rules_positions_per_caller: 2_048,
    rules_cpu_ms_per_caller: Rate {
        per_second: 1_000,
        burst: 10_000,
    },
    rules_idle: Duration::from_secs(600),
    ping_interval: Duration::from_secs(15),
    keepalive: Duration::from_secs(20),
    key_cache_time: Duration::from_secs(2),
    keys_trusted: Duration::from_secs(60),
    drain_time: Duration::from_secs(30),
    stop_time: Duration::from_secs(5),
};

const MIB: usize = 1024 * 1024;

/// Longest time that a config file may set, in ms: a day.
const MAX_TIME_MS: u64 = 86_400_000;

/// Reads a time of a config file, in ms.
fn from_ms<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let time_ms = u64::deserialize(from)?;
    if !(1..=MAX_TIME_MS).contains(&time_ms) {
        let problem = format!("{time_ms} is not in 1 to {MAX_TIME_MS} ms");
        return Err(de::Error::custom(problem));
    }
    Ok(Duration::from_millis(time_ms))
}

/// Reads a number of a config file, which must not be 0.
fn positive<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u32>,
{
    let number = u32::deserialize(from)?;
    let positive = (number > 0).then(|| T::try_from(number).ok()).flatten();
    positive.ok_or_else(|| de::Error::custom(format!("{number} is not a number from 1 on")))
}

/// Least length of the queue of a bot: what a bot that comes back is sent has to fit.
const MIN_OUTBOUND_QUEUE: usize = 2 * MAX_MESSAGES_KEPT;

/// Reads the queue length of a bot in a config file.
fn outbound_queue<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let messages = positive(from)?;
    if messages < MIN_OUTBOUND_QUEUE {
        let problem = format!("{messages} is below {MIN_OUTBOUND_QUEUE}, which a resume may need");
        return Err(de::Error::custom(problem));
    }
    Ok(messages)
}

/// Smallest flow-control window of a connection that HTTP/2 allows, in bytes.
const LEAST_CONNECTION_WINDOW_BYTES: u32 = 65_535;

/// Largest flow-control window that HTTP/2 allows, in bytes (RFC 9113, section 6.9.1).
const MAX_CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;

/// Flow-control window of a connection for each stream that it may have, in bytes. h2 closes a
/// connection (`too_many_data_frames`) whose unread small frames cost more than half its window,
/// at 256 bytes each: so an answer may wait unread on every stream at once.
const WINDOW_BYTES_PER_STREAM: u32 = 2 * 256;
