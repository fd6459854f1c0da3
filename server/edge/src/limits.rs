//! All limits on callers and resources, with their reasons. The configurable limits and their
//! defaults are here, all other limits in `fixed.rs`.

mod fixed;

use std::time::Duration;

use bridgemaster_referee::MAX_RETAINED_MESSAGES;
use serde::{Deserialize, Deserializer, de};

pub use fixed::*;

/// Declares the limits: for each its name, its type, how a config file sets it, and its default.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty [$($serde:tt)*] = $default:expr,)*) => {
        /// The limits of a server. A refusal names the field or method of the limit. A config file
        /// can set the limits that depend on the machine and on the number of users; names of
        /// durations end in `_ms` there, and 0 is invalid. The other limits follow from the
        /// protocol and from the behaviour of people and clients, as their comments explain; they
        /// are fields so that tests can lower them. A limit that is a fixed share of another one
        /// is a method.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Limits {
            $($(#[$doc])* #[serde($($serde)*)] pub $name: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}

limits! {
    /// The maximum size of a message from a bot. A decision takes under 100 bytes and a Hello under
    /// 1 KiB; every stream has a read buffer of this size.
    play_message_bytes: usize [skip] = 8 * 1024,
    /// The maximum size of a request to services other than `PlayService`. A match config with
    /// edition data takes about 3 KiB. A replay file from which a match is forked must fit as well.
    request_bytes: usize [deserialize_with = "positive"] = 64 * 1024,
    /// Waiting and running matches. An ordinary match takes 20 KiB, so 10,000 take about 200 MiB.
    /// With very many faults and disconnects, a match takes up to 256 KiB.
    open_matches: usize [deserialize_with = "positive"] = 10_000,
    /// Finished matches that can still be requested. The oldest match is dropped first.
    ended_matches_kept: usize [deserialize_with = "positive"] = 1_000,
    /// Open connections. The operating system's limit on open files must be higher.
    connections: usize [deserialize_with = "positive"] = 16_384,
    /// Open connections from one address, or from one IPv6 network with a 64-bit prefix: a quarter
    /// of all. The bots of one machine or office often share an address. A new connection beyond
    /// the limit evicts an unprotected one.
    connections_per_address: usize [deserialize_with = "positive"] = 4_096,
    /// Protected connections of one API key. These carry the key's bots and are never evicted. The
    /// limit is a sixteenth of `connections_per_address`, so that one key with many matches does
    /// not use up the whole address. Further connections of the key can be evicted like connections
    /// without a bot, so a program with more bots should use one connection for several bots.
    /// Without keys, protected connections are not counted.
    protected_connections_per_key: usize [deserialize_with = "positive"] = 256,
    /// Open connections to the page: a browser opens up to six, one of them for streams. A new
    /// connection beyond the limit evicts the oldest connection.
    page_connections: usize [deserialize_with = "positive"] = 2_048,
    /// Open connections to the page from one address: half of all, since many people in one room
    /// often share an address.
    page_connections_per_address: usize [deserialize_with = "positive"] = 1_024,
    /// The time limit for the HTTP/2 preface, which clients send at once. The HTTP/2 library itself
    /// would wait forever.
    preface_time: Duration [skip] = Duration::from_secs(10),
    /// TLS handshakes in progress. A new handshake beyond the limit evicts the oldest handshake
    /// from the address with the most handshakes.
    tls_handshakes: usize [skip] = 512,
    /// The time limit for a TLS handshake, which takes a few round trips.
    tls_handshake_time: Duration [skip] = Duration::from_secs(10),
    /// Calls from one address, including new streams of bots. Calls with a valid API key count
    /// against the key instead. A call costs about 30 µs of CPU time, so the default gives one
    /// address a sixth of a core.
    calls_per_address: Rate [] = Rate { per_second: 5_000, burst: 20_000 },
    /// Calls with the ticket of one seat that do not count against their address. So other callers
    /// at the address cannot prevent a bot from reconnecting. SDKs retry at most three times a
    /// second.
    calls_per_seat: Rate [skip] = Rate { per_second: 5, burst: 20 },
    /// Calls with one API key, including new streams of bots: enough for 64 slots of ten matches a
    /// second each.
    calls_per_key: Rate [] = Rate { per_second: 1_000, burst: 5_000 },
    /// Matches created with one API key. A match costs about 100 µs and 20 KiB.
    creates_per_key: Rate [] = Rate { per_second: 100, burst: 1_000 },
    /// Waiting and running matches of one API key: a tenth of all.
    open_matches_per_key: usize [deserialize_with = "positive"] = 1_000,
    /// Match groups that withhold their seeds and are still open. Each group takes 2 KiB, even
    /// while none of its matches is in play.
    open_groups: usize [deserialize_with = "positive"] = 10_000,
    /// Contest queues. A queue that lists the maximum number of allowed keys takes 96 KiB.
    queues: usize [deserialize_with = "positive"] = 256,
    /// Bots that attend (wait in) queues. A bot with the maximum number of slots takes 32 KiB, and
    /// its stream counts as a call.
    attendances: usize [deserialize_with = "positive"] = 4_096,
    /// The time for which a disconnected bot still counts as attending: enough to restart a
    /// machine.
    attendance_absence: Duration [skip] = Duration::from_secs(600),
    /// Calls in progress, with one API key, that list matches or read finished matches from the
    /// store. A call beyond the limit is refused.
    reads_per_key: usize [skip] = 8,
    /// The same limit as `reads_per_key`, but for one address. Several keys can share an address.
    reads_per_address: usize [skip] = 32,
    /// The same limit as `reads_per_key`, but for one connection.
    reads_per_connection: usize [skip] = 16,
    /// Concurrent reads of finished matches from the store. Reads are limited by the CPU rather
    /// than by the disk. More concurrent reads would not be faster, and would take CPU time from
    /// matches in play.
    store_reads: usize [skip] = 2,
    /// Calls that wait to read from the store. At about 10 ms per read, a longer queue would mean
    /// waiting for more than five seconds.
    store_reads_waiting: usize [skip] = 1_024,
    /// Streams per connection. HTTP/2 requires a limit, and each stream takes 512 bytes of the
    /// connection's flow-control window. A program with more bots opens a second connection.
    streams_per_connection: u32 [skip] = 512,
    /// Open streams of bots: two for each match that can be open.
    bot_streams: usize [deserialize_with = "positive"] = 20_000,
    /// Open streams of bots with one API key: a fifth of all. They are not counted on a server
    /// without keys, where bots of several callers can share an address.
    bot_streams_per_caller: usize [deserialize_with = "positive"] = 4_096,
    /// Calls in progress other than bots' streams, including spectators. Each call can take 64 KiB
    /// until its response is read. A new call beyond the limit evicts calls that wait for their
    /// clients, or calls of the caller with the most calls.
    other_calls: usize [deserialize_with = "positive"] = 4_096,
    /// One caller's calls in progress, other than bots' streams. A call with a valid API key counts
    /// against the key from its start; all other calls count against their address.
    other_calls_per_caller: usize [deserialize_with = "positive"] = 1_024,
    /// Bytes buffered for incomplete requests, not counting the first 8 KiB of each request. Every
    /// call may buffer its first 8 KiB, so this limit never causes the refusal of an ordinary
    /// request.
    unfinished_request_bytes: usize [deserialize_with = "positive"] = 32 * MIB,
    /// The `unfinished_request_bytes` limit for one address or key.
    unfinished_request_bytes_per_caller: usize [deserialize_with = "positive"] = 4 * MIB,
    /// Bytes of large responses (lists and replays) that clients have not read yet. A call beyond
    /// the limit waits until other responses have been read.
    unread_answer_bytes: usize [deserialize_with = "positive"] = 64 * MIB,
    /// The `unread_answer_bytes` limit for one address or key.
    unread_answer_bytes_per_caller: usize [deserialize_with = "positive"] = 8 * MIB,
    /// The `unread_answer_bytes` limit for one connection: eight replays or two long pages.
    unread_answer_bytes_per_connection: usize [skip] = 4 * MIB,
    /// The time within which a client has to read some of its response, and the time that a call
    /// waits for a permit for an unread response. Progress is measured in steps of 16 KiB, so the
    /// slowest accepted client reads about 1 KiB/s. The response is dropped after this time, and
    /// the stream is reset after twice this time.
    unread_time: Duration [rename = "unread_time_ms", deserialize_with = "ms"] = Duration::from_secs(15),
    /// The time limit for the first message of a stream, and for the whole request of a call to
    /// another service.
    hello_time: Duration [rename = "hello_time_ms", deserialize_with = "ms"] = Duration::from_secs(10),
    /// Messages queued for one bot. A match sends one message per request, so a long queue means
    /// that the bot does not read. A bot that reconnects is sent up to [`MAX_RETAINED_MESSAGES`]
    /// messages and the state of its match at once; the limit is twice that number.
    outbound_queue: usize [skip] = MIN_OUTBOUND_QUEUE,
    /// Bytes of messages queued for bots that read too slowly, for all bots together. Messages to a
    /// bot that reads promptly are not counted.
    bot_queue_bytes: usize [deserialize_with = "positive"] = 64 * MIB,
    /// The `bot_queue_bytes` limit for one caller's bots.
    bot_queue_bytes_per_caller: usize [deserialize_with = "positive"] = 8 * MIB,
    /// Spectators of one match: enough for a large event. Spectators share their updates, and each
    /// spectator also counts as a call. A new spectator beyond the limit evicts a spectator that
    /// does not read, or otherwise a spectator of the caller with the most spectators.
    watchers_per_match: usize [deserialize_with = "positive"] = 1_000,
    /// The number of updates queued for one spectator.
    watcher_queue: usize [skip] = 256,
    /// Bytes of updates that are queued for all matches' spectators. An update that is queued for
    /// several spectators counts once.
    watcher_queue_bytes: usize [deserialize_with = "positive"] = 64 * MIB,
    /// Threads of `RulesService`. These threads run only when no match needs their core, so more
    /// than one thread per core has no benefit.
    rules_threads: usize [deserialize_with = "positive"] = 2,
    /// Calls of `RulesService` in progress, including sessions. Each call can take 3 MiB while it
    /// is processed.
    rules_calls: usize [deserialize_with = "positive"] = 64,
    /// The `rules_calls` limit for one API key, or for one address on a server without keys: an
    /// eighth of all. A bot needs one session per match that it plays.
    rules_calls_per_caller: usize [deserialize_with = "positive"] = 8,
    /// Positions of all sessions. Each position takes up to 32 KiB.
    rules_positions: usize [deserialize_with = "positive"] = 8_192,
    /// CPU time of one caller, in ms: a whole core, so that a single caller can use all the time
    /// that matches leave. Several callers share that time.
    rules_cpu_ms_per_caller: Rate [skip] = Rate { per_second: 1_000, burst: 10_000 },
    /// The time after which an idle session ends, because its positions use memory. A bot may be
    /// idle while its opponents think, so the time is longer than they usually take.
    rules_idle: Duration [skip] = Duration::from_secs(600),
    /// The interval between Ping messages on a stream.
    ping_interval: Duration [skip] = Duration::from_secs(15),
    /// The interval between HTTP/2 keepalive pings, and the time limit for each acknowledgement.
    /// The pings detect dead peers.
    keepalive: Duration [skip] = Duration::from_secs(20),
    /// API key cache lifetime. A revoked key is refused after this time, and its streams end within
    /// twice this time. The store is polled twice per lifetime.
    key_cache_time: Duration [skip] = Duration::from_secs(2),
    /// The lifetime of cached API keys while the store is unreadable: long enough for a disk that
    /// hangs for a while, and short enough to limit the use of revoked keys.
    keys_trusted: Duration [skip] = Duration::from_secs(60),
    /// The time that a drain leaves for matches to end: enough for the last moves of a match, and
    /// short enough for an operator who waits.
    drain_time: Duration [skip] = Duration::from_secs(30),
    /// The time that a stopping server waits for open streams to end.
    stop_time: Duration [skip] = Duration::from_secs(5),
}

/// A rate limit, as a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a rate such as { per_second = 1000, burst = 5000 }")]
pub struct Rate {
    /// The sustained rate per second, at least 1; 0 counts as 1.
    #[serde(deserialize_with = "positive")]
    pub per_second: u32,
    /// The largest burst after a pause, at least 1.
    #[serde(deserialize_with = "positive")]
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

const MIB: usize = 1024 * 1024;

/// The longest duration that a config file may set, in ms: a day.
const MAX_DURATION_MS: u64 = 86_400_000;

/// Deserializes a duration in ms.
fn ms<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let time_ms = u64::deserialize(from)?;
    if !(1..=MAX_DURATION_MS).contains(&time_ms) {
        let problem = format!("{time_ms} is out of range (1 to {MAX_DURATION_MS} ms)");
        return Err(de::Error::custom(problem));
    }
    Ok(Duration::from_millis(time_ms))
}

/// Deserializes a positive number.
fn positive<'de, D, T>(from: D) -> Result<T, D::Error>
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
