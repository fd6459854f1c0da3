//! Limits that are the same on every server.

use std::{ops::RangeInclusive, time::Duration};

/// The maximum length of a bot's name, and of a bot's version, in characters. A name or version of
/// this length fits in a table column.
pub const MAX_BOT_TEXT_CHARS: usize = 64;

/// Returns the number of `connections` that can be protected: three quarters. One of the others can
/// always be evicted for a new connection.
pub(crate) fn max_protected_connections(connections: usize) -> usize {
    connections - connections.div_ceil(UNPROTECTED_DIVISOR).min(connections)
}

/// The divisor for the connections that are never protected: a quarter of all. With the default
/// limits, a new connection keeps its slot until 512 newer ones arrive from its address. By then
/// its bot has had enough time to present a ticket.
const UNPROTECTED_DIVISOR: usize = 4;

/// The maximum number of viewers of one position stream: one for each seat and one for a spectator,
/// with one to spare.
pub const MAX_VIEWERS: usize = 8;

/// The minimum interval between two polls of a match for its spectators. People cannot follow
/// faster changes, and each move of a fast bot would otherwise cause a write to every spectator.
pub const SPECTATOR_INTERVAL: Duration = Duration::from_millis(50);

/// The size, in bytes, of the buffer for the newest positions of a match, which all spectators
/// share. The buffer holds at least a dozen positions. Older positions are computed for each
/// spectator.
pub const BROADCAST_BUFFER_BYTES: usize = 32 * 1024;

/// The maximum number of matches in an overview: enough to fill a page.
pub const MAX_OVERVIEW_MATCHES: u32 = 100;
/// The default number of matches in an overview.
pub const DEFAULT_OVERVIEW_MATCHES: u32 = 20;

/// The range of an overview's polling interval, in ms. Each poll covers all of its matches, so the
/// minimum is longer than [`SPECTATOR_INTERVAL`].
pub const OVERVIEW_INTERVAL_MS: RangeInclusive<u32> = 100..=60_000;
/// The default polling interval of an overview, in ms.
pub const DEFAULT_OVERVIEW_INTERVAL_MS: u32 = 1_000;

/// The maximum size of an uploaded replay file, in bytes: forty times the size of a long match's
/// replay.
pub const MAX_REPLAY_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The maximum number of uploaded replay files that are processed at a time.
pub const MAX_OPENED_REPLAYS: usize = 4;

/// The maximum number of uploaded replay files of one caller: half of all.
pub const MAX_OPENED_REPLAYS_PER_CALLER: usize = MAX_OPENED_REPLAYS / 2;

/// The maximum number of characters that a refusal quotes from a client's text. A refusal is sent
/// in a header, and clients reject long headers.
pub const MAX_QUOTED_CHARS: usize = 64;

/// The maximum size of a call's metadata, in bytes as HTTP/2 counts them. A ticket and a key take
/// under 300 bytes.
pub const MAX_METADATA_BYTES: u32 = 8 * 1024;

/// The size of a browser connection's buffers, in bytes, for HTTP/1.1 requests and for responses.
pub(crate) const PAGE_BUFFER_BYTES: usize = 64 * 1024;

/// The maximum number of connections to the metrics port: a few programs that scrape them.
pub const MAX_METRICS_CONNECTIONS: usize = 32;

/// The maximum number of connections to the metrics port from one address: a quarter of all. A
/// scraper needs one.
pub const MAX_METRICS_CONNECTIONS_PER_ADDRESS: usize = 8;

/// The maximum total size of replays that are queued for the replay folder, in bytes: several
/// hundred matches. A working disk writes replays of this size in a second.
pub const MAX_UNWRITTEN_REPLAY_BYTES: usize = 64 * 1024 * 1024;

/// The maximum number of replays that wait for the end of a match group or of a delay. Without a
/// store they are kept in memory, at most [`MAX_UNWRITTEN_REPLAY_BYTES`] in total.
pub const MAX_WITHHELD_REPLAYS: usize = 100_000;
/// The maximum difference between the clocks of nodes that share a store. It ensures that no node
/// shows the end of a match earlier than the node that serves its delayed view.
pub const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

/// The flow-control window of a stream, in bytes: several decisions, or most match configs. A
/// larger request takes a round trip per window.
pub(crate) const STREAM_WINDOW_BYTES: u32 = 16 * 1024;

/// The number of bytes of one stream that the transport buffers until the peer reads them: three
/// ordinary decision requests.
pub(crate) const SEND_BUFFER_BYTES: usize = 16 * 1024;

/// The size of messages queued for one bot that do not count against
/// [`Limits::bot_queue_bytes`](super::Limits::bot_queue_bytes): the start of a match, a request and
/// some updates. The queue of a bot that reads its messages never exceeds this size.
pub const UNCOUNTED_BOT_QUEUE_BYTES: usize = 8 * 1024;

/// The flow-control window of a forwarded call, in bytes. It limits the data that the other node
/// has sent and the caller has not read yet. A request with a long list takes 32 KiB.
pub const FORWARD_WINDOW_BYTES: u32 = 32 * 1024;

/// The size of each call's read buffer, in bytes.
pub const CALL_BUFFER_BYTES: usize = 8 * 1024;

/// The number of bytes reserved for each match before a ListMatches page is produced: 3 KiB for a
/// match with edition data, plus its labels.
pub const LISTED_MATCH_BYTES: usize = 3 * 1024 + MAX_LABELS_BYTES;

/// The maximum length of a match group's identifier, in bytes.
pub const MAX_GROUP_ID_BYTES: usize = 64;

/// The maximum total size of a match group's replay files in one response, in bytes. With framing,
/// the response stays below the 4 MiB that gRPC libraries accept.
pub const MAX_GROUP_REPLAYS_BYTES: usize = 3 * 1024 * 1024;

/// The maximum time for which a call waits until a match has ended, in ms: long enough that
/// repeated calls cost little, and short enough to detect disconnected callers.
pub const MAX_MATCH_END_WAIT_MS: u32 = 60_000;

/// The maximum number of matches in a match group: one deal in every order of six seats takes 720
/// matches.
pub const MAX_GROUP_MATCHES: u32 = 1000;

/// The maximum length of an idempotency key, in bytes: a UUID, or a hash in hex digits.
pub const MAX_IDEMPOTENCY_KEY_BYTES: usize = 64;

/// The maximum length of a cancellation reason, in characters: a sentence or two.
pub const MAX_REASON_CHARS: usize = 256;

/// The maximum number of labels of a match: a few to search by.
pub const MAX_LABELS: usize = 16;

/// The maximum length of a label's name, in bytes.
pub const MAX_LABEL_NAME_BYTES: usize = 64;

/// The maximum length of a label's value, in characters: a link, or a sentence.
pub const MAX_LABEL_VALUE_CHARS: usize = 256;

/// The maximum total size of a match's labels, in bytes. The size is limited because every match
/// list includes the labels.
pub const MAX_LABELS_BYTES: usize = 1024;

/// The maximum spectator delay of a match, in ms: an hour.
pub const MAX_SPECTATOR_DELAY_MS: u32 = 3_600_000;

/// The maximum number of matches with a spectator delay. A match counts until its delayed view has
/// ended, since it stays in memory regardless of `ended_matches_kept`.
pub const MAX_DELAYED_MATCHES: usize = 500;

/// The maximum number of matches with a spectator delay that one API key creates: a quarter of
/// [`MAX_DELAYED_MATCHES`].
pub const MAX_DELAYED_MATCHES_PER_KEY: usize = MAX_DELAYED_MATCHES / 4;

/// The maximum number of slots in an attendance. A bot plays one match at a time in each slot.
pub const MAX_BOT_SLOTS: u32 = 64;

/// The maximum number of ladders on a server. Each ladder has its results in memory, at some 100
/// bytes per match. Only the operator creates ladders.
pub const MAX_LADDERS: usize = 100;

/// The maximum number of bots on a ladder: enough for a large league. All versions of a bot count
/// as one. The ladder can hold two versions of each bot.
pub const MAX_LADDER_BOTS: usize = 500;

/// The maximum number of bot versions on a ladder. The duration of a rating fit grows with the cube
/// of this number, and is about 1 s at the maximum.
pub const MAX_LADDER_VERSIONS: usize = 1_000;

/// The maximum number of versions of one bot on a ladder: one a day for a season of three months.
/// All versions, with their rating histories, fit into one response.
pub const MAX_VERSIONS_OF_BOT: usize = 100;

/// The maximum number of points in a version's rating history. When a history exceeds this number,
/// every other point is dropped.
pub const MAX_RATING_POINTS: usize = 200;

/// The maximum number of new versions of one bot on a ladder within a day. Each new version is
/// validated first.
pub const MAX_VERSIONS_OF_BOT_PER_DAY: usize = 20;

/// The maximum number of bot versions on all ladders of a server: enough for four large ladders.
/// See [`memory_bound`](super::Limits::memory_bound).
pub const MAX_VERSIONS_OF_ALL_LADDERS: usize = 4 * MAX_LADDER_VERSIONS;

/// The maximum number of a ladder's concurrent matches.
pub const MAX_LADDER_MATCHES: u32 = 10_000;

/// The maximum number of organisers' actions on a ladder: enough for several on each day of a
/// season. All are read when the ladder is loaded.
pub const MAX_LADDER_ACTIONS: usize = 500;

/// The maximum number of house bots on a ladder. A ladder needs only a few, of known strengths.
pub const MAX_HOUSE_BOTS: usize = 64;

/// The maximum number of API keys that a queue lists: enough for a class or a league.
pub const MAX_QUEUE_KEYS: usize = 1_000;

/// The maximum number of matches on a ListMatches page.
pub const MAX_PAGE_SIZE: u32 = 500;

/// The default number of matches on a ListMatches page.
pub const DEFAULT_PAGE_SIZE: u32 = 50;
