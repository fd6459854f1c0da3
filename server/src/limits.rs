//! Every limit on what comes from outside, with its default and its reason.

use std::time::Duration;

use bridgemaster_referee::MAX_MESSAGES_KEPT;

/// Limits of one server. Each refusal for a limit names its field.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest message of a bot. A decision takes under 100 bytes; the rest is room for games
    /// whose decisions are long.
    pub play_message_bytes: usize,
    /// Largest request of the unary services: a match config with edition data has about 3 KiB.
    pub request_bytes: usize,
    /// Matches that wait or run at once: at 32 KiB each, about 300 MiB.
    pub open_matches: usize,
    /// Matches that have ended and can still be asked for; the oldest is forgotten first.
    pub ended_matches_kept: usize,
    /// Streams of one connection: HTTP/2 asks for a bound, and a bot host with more slots opens
    /// a second connection.
    pub streams_per_connection: u32,
    /// Time for the first message of a stream.
    pub hello_time: Duration,
    /// Messages that wait for one bot. A match sends one a request, so a longer queue means that
    /// the bot does not read. A bot that comes back is sent up to
    /// [`MAX_MESSAGES_KEPT`](bridgemaster_referee::MAX_MESSAGES_KEPT) messages and the state of
    /// its match at once; there is room for twice that.
    pub outbound_queue: usize,
    /// Spectators of one match.
    pub watchers_per_match: usize,
    /// News that wait for one spectator.
    pub watcher_queue: usize,
    /// Interval of Pings on a stream.
    pub ping_interval: Duration,
    /// Interval of HTTP/2 keepalive pings, and the time for their answer: finds dead peers.
    pub keepalive: Duration,
    /// How long a key that was read from the store is taken for what it is: a revoked key makes no
    /// new call after this time, and its streams end within twice this time.
    pub key_cache_time: Duration,
    /// Time that a stopping server gives open streams to end.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            play_message_bytes: 64 * 1024,
            request_bytes: 256 * 1024,
            open_matches: 10_000,
            ended_matches_kept: 1_000,
            streams_per_connection: 2_048,
            hello_time: Duration::from_secs(10),
            outbound_queue: 2 * MAX_MESSAGES_KEPT,
            watchers_per_match: 32,
            watcher_queue: 256,
            ping_interval: Duration::from_secs(15),
            keepalive: Duration::from_secs(20),
            key_cache_time: Duration::from_secs(2),
            stop_time: Duration::from_secs(5),
        }
    }
}

/// Longest name of a bot, and longest version of one, in characters: fits a table column.
pub(crate) const MAX_BOT_TEXT_CHARS: usize = 64;

/// Characters of a client's text that a refusal repeats: it travels in a header, and clients
/// refuse long ones.
pub(crate) const MAX_REPEATED_CHARS: usize = 64;

/// Most matches of one page of ListMatches.
pub(crate) const MAX_PAGE_SIZE: u32 = 500;

/// Matches of one page when the caller does not say.
pub(crate) const DEFAULT_PAGE_SIZE: u32 = 50;
