//! Every limit on what comes from outside, with its default and its reason.

use std::time::Duration;

use bridgemaster_referee::MAX_MESSAGES_KEPT;
use serde::{Deserialize, Deserializer, de};

/// Limits of one server. Each refusal for a limit names its field. In a config file the names of
/// times end with `_ms`; none of the values may be 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest message of a bot. A decision takes under 100 bytes, a Hello under 1 KiB; this is
    /// what a stream has allocated anyway to read messages into.
    #[serde(deserialize_with = "positive")]
    pub play_message_bytes: usize,
    /// Largest request of the other services: a match config with edition data has about 3 KiB.
    #[serde(deserialize_with = "positive")]
    pub request_bytes: usize,
    /// Matches that wait or run at once: at 32 KiB each, about 300 MiB.
    #[serde(deserialize_with = "positive")]
    pub open_matches: usize,
    /// Matches that have ended and can still be asked for; the oldest is forgotten first.
    #[serde(deserialize_with = "positive")]
    pub ended_matches_kept: usize,
    /// Connections at once. The system's limit on open files must be higher.
    #[serde(deserialize_with = "positive")]
    pub connections: usize,
    /// Connections of one address, or of one IPv6 network of 64 bits: a quarter of all, since the
    /// bots of one machine or of one office may well have one address. For one more the oldest
    /// gives way that is not protected, since it carries no bot.
    #[serde(deserialize_with = "positive")]
    pub connections_per_address: usize,
    /// Connections with bots of one API key that do not give way to others, wherever they come
    /// from: a sixteenth of those of an address, so that one key with many matches leaves places
    /// to the other bots there. What is beyond gives way like a connection without a bot; a host
    /// of more bots puts several on one connection. Without keys nobody's are counted.
    #[serde(deserialize_with = "positive")]
    pub protected_connections_per_key: usize,
    /// Time from the connection to the HTTP/2 preface, which clients send at once: the transport
    /// itself would wait for ever.
    #[serde(rename = "preface_time_ms", deserialize_with = "from_ms")]
    pub preface_time: Duration,
    /// TLS handshakes under way at once; for one more the oldest gives way of the address that has
    /// most of them.
    #[serde(deserialize_with = "positive")]
    pub tls_handshakes: usize,
    /// Time for a TLS handshake: a few round trips.
    #[serde(rename = "tls_handshake_time_ms", deserialize_with = "from_ms")]
    pub tls_handshake_time: Duration,
    /// Calls from one address, new streams of bots included. A call costs some 30 µs, so one
    /// address gets a sixth of a core.
    pub calls_per_address: Rate,
    /// Calls that show the ticket of one seat, beside those of its address: a bot that comes back
    /// must not find the way closed by others at its address. SDKs try three times a second at
    /// most.
    pub calls_per_seat: Rate,
    /// Calls with one API key, new streams of bots included: 64 slots that each play ten matches a
    /// second.
    pub calls_per_key: Rate,
    /// Matches that one API key makes: a match costs some 100 µs and 32 KiB.
    pub creates_per_key: Rate,
    /// Matches of one API key that wait or run at once: a tenth of all.
    #[serde(deserialize_with = "positive")]
    pub open_matches_per_key: usize,
    /// Calls in progress of one API key that list matches or read ended ones from the store. A
    /// caller who wants more waits for the answers that it has asked for.
    #[serde(deserialize_with = "positive")]
    pub reads_per_key: usize,
    /// The same of one address, which several keys may share.
    #[serde(deserialize_with = "positive")]
    pub reads_per_address: usize,
    /// The same of one connection.
    #[serde(deserialize_with = "positive")]
    pub reads_per_connection: usize,
    /// Readings of ended matches from the store at once. They take a processor more than a disk,
    /// so that more would be no faster, and matches in play need one too.
    #[serde(deserialize_with = "positive")]
    pub store_reads: usize,
    /// Calls that wait for their turn to read from the store: at some 10 ms each, what is beyond
    /// would wait for more than five seconds.
    #[serde(deserialize_with = "positive")]
    pub store_reads_waiting: usize,
    /// Streams of one connection: HTTP/2 asks for a bound, and a bot host with more slots opens
    /// a second connection.
    #[serde(deserialize_with = "positive")]
    pub streams_per_connection: u32,
    /// Streams of bots at once: two for each match that may be open.
    #[serde(deserialize_with = "positive")]
    pub bot_streams: usize,
    /// Streams of bots at once of one API key: a fifth of all. Without keys none is counted: the
    /// seats of an address are not one caller's.
    #[serde(deserialize_with = "positive")]
    pub bot_streams_per_caller: usize,
    /// Calls in progress at once other than streams of bots, spectators among them. Each may take
    /// 64 KiB until it is answered and the answer is read. For one more, those that wait for their
    /// peers give way, or some of the caller who has most.
    #[serde(deserialize_with = "positive")]
    pub other_calls: usize,
    /// Calls in progress at once of one caller other than streams of bots. A call counts for its
    /// address until it is known which key it has.
    #[serde(deserialize_with = "positive")]
    pub other_calls_per_caller: usize,
    /// Bytes of requests that are not there whole, beyond the first 8 KiB of each, for which every
    /// call has room: an ordinary request is never refused for this limit.
    #[serde(deserialize_with = "positive")]
    pub unfinished_request_bytes: usize,
    /// The part of these that one address or key may have.
    #[serde(deserialize_with = "positive")]
    pub unfinished_request_bytes_per_caller: usize,
    /// Bytes of large answers, which are lists and replays, that are made and not read. For one
    /// more the call waits until others are read.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes: usize,
    /// The part of these that one address or key may have.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes_per_caller: usize,
    /// The part of these that one connection may have: eight replays or two long pages under way.
    #[serde(deserialize_with = "positive")]
    pub unread_answer_bytes_per_connection: usize,
    /// Time in which a peer has to read something of what waits for it, and in which a call waits
    /// for room: 16 KiB, the smallest step that is noticed, are then 1 KiB/s. After it the answer
    /// is let go of, and after as much again the stream is reset.
    #[serde(rename = "unread_time_ms", deserialize_with = "from_ms")]
    pub unread_time: Duration,
    /// Time for the first message of a stream, and for the whole request of a call of another
    /// service.
    #[serde(rename = "hello_time_ms", deserialize_with = "from_ms")]
    pub hello_time: Duration,
    /// Messages that wait for one bot. A match sends one a request, so a longer queue means that
    /// the bot does not read. A bot that comes back is sent up to
    /// [`MAX_MESSAGES_KEPT`](bridgemaster_referee::MAX_MESSAGES_KEPT) messages and the state of
    /// its match at once; there is room for twice that.
    #[serde(deserialize_with = "outbound_queue")]
    pub outbound_queue: usize,
    /// Bytes of messages that wait for bots behind others, all bots together. A bot that reads has
    /// none there.
    #[serde(deserialize_with = "positive")]
    pub bot_queue_bytes: usize,
    /// The part of these that the bots of one caller may have.
    #[serde(deserialize_with = "positive")]
    pub bot_queue_bytes_per_caller: usize,
    /// Spectators of one match. For one more, one that reads nothing gives way, or one of the
    /// caller who has most of them.
    #[serde(deserialize_with = "positive")]
    pub watchers_per_match: usize,
    /// News that wait for one spectator.
    #[serde(deserialize_with = "positive")]
    pub watcher_queue: usize,
    /// Bytes of news that wait for spectators, all matches together; news that several wait for
    /// count once.
    #[serde(deserialize_with = "positive")]
    pub watcher_queue_bytes: usize,
    /// Interval of Pings on a stream.
    #[serde(rename = "ping_interval_ms", deserialize_with = "from_ms")]
    pub ping_interval: Duration,
    /// Interval of HTTP/2 keepalive pings, and the time for their answer: finds dead peers.
    #[serde(rename = "keepalive_ms", deserialize_with = "from_ms")]
    pub keepalive: Duration,
    /// How old the keys may be that the server knows: a revoked key makes no new call after this
    /// time, and its streams end within twice this time. The store is looked at twice in it.
    #[serde(rename = "key_cache_time_ms", deserialize_with = "from_ms")]
    pub key_cache_time: Duration,
    /// How long the last keys known count while the store cannot be read: long enough for a disk
    /// that hangs, and short enough that a revoked key is not good for long.
    #[serde(rename = "keys_trusted_ms", deserialize_with = "from_ms")]
    pub keys_trusted: Duration,
    /// Time that matches have to end once the server is asked to drain: long enough for the last
    /// moves of a match, and short against what waits for a machine to be restarted.
    #[serde(skip)]
    pub drain_time: Duration,
    /// Time that a stopping server gives open streams to end.
    #[serde(rename = "stop_time_ms", deserialize_with = "from_ms")]
    pub stop_time: Duration,
}

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// How often in a second in the long run, from 1 on; 0 counts as 1.
    #[serde(deserialize_with = "positive")]
    pub per_second: u32,
    /// How often at once, after a rest; from 1 on.
    #[serde(deserialize_with = "positive")]
    pub burst: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            play_message_bytes: 8 * 1024,
            request_bytes: 64 * 1024,
            open_matches: 10_000,
            ended_matches_kept: 1_000,
            connections: 16_384,
            connections_per_address: 4_096,
            protected_connections_per_key: 256,
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
            reads_per_key: 8,
            reads_per_address: 32,
            reads_per_connection: 16,
            store_reads: 2,
            store_reads_waiting: 1_024,
            streams_per_connection: 2_048,
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
            watchers_per_match: 32,
            watcher_queue: 256,
            watcher_queue_bytes: 64 * MIB,
            ping_interval: Duration::from_secs(15),
            keepalive: Duration::from_secs(20),
            key_cache_time: Duration::from_secs(2),
            keys_trusted: Duration::from_secs(60),
            drain_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(5),
        }
    }
}

const MIB: usize = 1024 * 1024;

/// Longest time that a config file may set, in ms: a day.
const MAX_TIME_MS: u64 = 86_400_000;

/// A time of a config file, in ms.
fn from_ms<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let time_ms = u64::deserialize(from)?;
    if !(1..=MAX_TIME_MS).contains(&time_ms) {
        let problem = format!("{time_ms} is not in 1 to {MAX_TIME_MS} ms");
        return Err(de::Error::custom(problem));
    }
    Ok(Duration::from_millis(time_ms))
}

/// A number of a config file from 1 on.
fn positive<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u32>,
{
    let number = u32::deserialize(from)?;
    let positive = (number > 0).then(|| T::try_from(number).ok()).flatten();
    positive.ok_or_else(|| de::Error::custom(format!("{number} is not a number from 1 on")))
}

/// Fewest messages that must have room in the queue of a bot: what a bot that comes back is sent.
const MIN_OUTBOUND_QUEUE: usize = 2 * MAX_MESSAGES_KEPT;

/// The queue of a bot in a config file.
fn outbound_queue<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let messages = positive(from)?;
    if messages < MIN_OUTBOUND_QUEUE {
        let problem = format!("{messages} is below {MIN_OUTBOUND_QUEUE}, which a resume may need");
        return Err(de::Error::custom(problem));
    }
    Ok(messages)
}

/// Longest name of a bot, and longest version of one, in characters: fits a table column.
pub(crate) const MAX_BOT_TEXT_CHARS: usize = 64;

/// Characters of a client's text that a refusal repeats: it travels in a header, and clients
/// refuse long ones.
pub(crate) const MAX_REPEATED_CHARS: usize = 64;

/// Most bytes of the metadata of a call, as HTTP/2 counts them: a ticket and a key have under
/// 300.
pub(crate) const MAX_METADATA_BYTES: u32 = 8 * 1024;

/// Most bytes of replays that wait in memory to be written to their folder: several hundred
/// matches, which a disk that works takes in a second.
pub(crate) const MAX_UNWRITTEN_REPLAY_BYTES: usize = 64 * 1024 * 1024;

/// What a peer may send on one stream before it is read: several decisions, or most match
/// configs. A larger request takes a round trip for each so many bytes.
pub(crate) const STREAM_WINDOW_BYTES: u32 = 16 * 1024;

/// What a peer may send on all streams of a connection before it is read, and so what a connection
/// may hold of it: the least that HTTP/2 knows. A bot that answers on 600 streams at once fits.
pub(crate) const CONNECTION_WINDOW_BYTES: u32 = 65_535;

/// Bytes of one stream that are handed to the transport before the peer takes them: three ordinary
/// decision requests.
pub(crate) const SEND_BUFFER_BYTES: usize = 16 * 1024;

/// Bytes of messages that may wait for one bot before they are counted against
/// [`Limits::bot_queue_bytes`]: the start of a match, a request and some news. A bot that reads
/// never has more, whatever others do.
pub(crate) const UNCOUNTED_QUEUE_BYTES: usize = 8 * 1024;

/// Bytes that each call has to read its request into.
pub(crate) const CALL_BUFFER_BYTES: usize = 8 * 1024;

/// Room that is taken for each match of a page of ListMatches before the page is made.
pub(crate) const LISTED_MATCH_BYTES: usize = 4 * 1024;

/// Most matches of one page of ListMatches.
pub(crate) const MAX_PAGE_SIZE: u32 = 500;

/// Matches of one page when the caller does not say.
pub(crate) const DEFAULT_PAGE_SIZE: u32 = 50;
