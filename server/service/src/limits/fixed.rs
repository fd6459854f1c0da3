//! Limits that are the same on every server.

use std::{ops::RangeInclusive, time::Duration};

/// Longest name of a bot, and longest version, in characters: fits a table column.
pub(crate) const MAX_BOT_TEXT_CHARS: usize = 64;

/// How many of so many connections, of an address or of the server, may be protected: three
/// quarters, so that a new connection always finds one that gives way to it.
pub(crate) fn most_protected(connections: usize) -> usize {
    connections - connections.div_ceil(NEVER_PROTECTED).min(connections)
}

/// One in so many connections is never protected. At the defaults, a new connection keeps its slot
/// for as long as no 512 newer ones come from its address: long enough to show a ticket.
const NEVER_PROTECTED: usize = 4;

/// Most viewers of one stream of positions: each seat, and a spectator, with one to spare.
pub(crate) const MAX_VIEWERS: usize = 8;

/// Least time between two looks at a match for those who watch it, by its news or its positions:
/// people see no more of it, and bots that answer at once must not make the server write to each of
/// many spectators at that rate.
pub(crate) const SPECTATOR_INTERVAL: Duration = Duration::from_millis(50);

/// Bytes of the newest positions of a match that are kept for all who look at it as spectators: a
/// dozen or more. Who needs older ones makes them for itself.
pub(crate) const RELAY_BYTES: usize = 32 * 1024;

/// Most matches of an overview, and those of one that does not say: a page full of them.
pub(crate) const MAX_OVERVIEW_MATCHES: u32 = 100;
/// See [`MAX_OVERVIEW_MATCHES`].
pub(crate) const DEFAULT_OVERVIEW_MATCHES: u32 = 20;

/// Time between two looks of an overview, in ms. All of its matches are looked at, so the shortest is
/// longer than that for the positions of one.
pub(crate) const OVERVIEW_INTERVAL_MS: RangeInclusive<u32> = 100..=60_000;
/// The time between two looks of an overview that does not say, in ms: people follow no faster.
pub(crate) const DEFAULT_OVERVIEW_INTERVAL_MS: u32 = 1_000;

/// Largest replay file that is opened for somebody, in bytes: forty times what a long match has.
pub(crate) const REPLAY_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Replay files that are opened at once: each is in memory, unpacked while it is checked.
pub(crate) const OPENED_REPLAYS: usize = 4;

/// Characters of a client's text that a refusal repeats. It travels in a header, and clients
/// refuse long ones.
pub(crate) const MAX_REPEATED_CHARS: usize = 64;

/// Most bytes of the metadata of a call, as HTTP/2 counts them. A ticket and a key take under 300.
pub(crate) const MAX_METADATA_BYTES: u32 = 8 * 1024;

/// Bytes that a connection of a browser buffers of requests, with HTTP/1.1, and of answers.
pub(crate) const PAGE_BUFFER_BYTES: usize = 64 * 1024;

/// Connections to the port of the metrics at once: a few programs that read them.
pub(crate) const METRICS_CONNECTIONS: usize = 32;

/// Of these, connections of one address: a quarter, so that one address leaves places to others.
/// A program that reads the page needs one.
pub(crate) const METRICS_CONNECTIONS_PER_ADDRESS: usize = 8;

/// Longest time of a connection to the port of the metrics: one that says nothing must not keep the
/// place of another. Who reads them again and again connects again.
pub(crate) const METRICS_CONNECTION_TIME: Duration = Duration::from_secs(10);

/// Most bytes of replays queued in memory to be written to their folder: several hundred matches,
/// which a working disk writes in a second.
pub(crate) const MAX_UNWRITTEN_REPLAY_BYTES: usize = 64 * 1024 * 1024;

/// Flow-control window of a stream, in bytes: several decisions, or most match configs. A larger
/// request takes a round trip for each window.
pub(crate) const STREAM_WINDOW_BYTES: u32 = 16 * 1024;

/// Bytes of one stream that the transport buffers until the peer reads them: three ordinary decision
/// requests.
pub(crate) const SEND_BUFFER_BYTES: usize = 16 * 1024;

/// Bytes of messages queued for one bot that do not count against [`Limits::bot_queue_bytes`](super::Limits::bot_queue_bytes): the
/// start of a match, a request and some updates. A bot that reads never has more, whatever others
/// do.
pub(crate) const UNCOUNTED_QUEUE_BYTES: usize = 8 * 1024;

/// Flow-control window of a call that is passed on to another server, in bytes: what that has sent and
/// the caller has not read. A request with a long list takes 32 KiB.
pub(crate) const FORWARD_WINDOW_BYTES: u32 = 32 * 1024;

/// Read buffer of each call, in bytes.
pub(crate) const CALL_BUFFER_BYTES: usize = 8 * 1024;

/// Bytes reserved for each match of a page of ListMatches before the page is produced: 3 KiB with
/// edition data, and its labels.
pub(crate) const LISTED_MATCH_BYTES: usize = 3 * 1024 + MAX_LABELS_BYTES;

/// Longest identifier of a group, in bytes.
pub(crate) const MAX_GROUP_ID_BYTES: usize = 64;

/// Most bytes of the replay files of a group in one answer. With what is around them they stay below
/// the 4 MiB that gRPC libraries take.
pub(crate) const GROUP_REPLAYS_BYTES: usize = 3 * 1024 * 1024;

/// Longest time that a call waits for the end of a match, in ms: long beside what a call costs, and
/// short enough that a caller who is gone is noticed.
pub(crate) const MAX_WAIT_MS: u32 = 60_000;

/// Most matches of a group: a deal in every rotation of six seats has 720 at most.
pub(crate) const MAX_GROUP_MATCHES: u32 = 1000;

/// Longest idempotency key, in bytes: a UUID, or a hash in hex digits.
pub(crate) const MAX_IDEMPOTENCY_KEY_BYTES: usize = 64;

/// Longest reason for which a match is cancelled, in characters: a sentence or two.
pub(crate) const MAX_REASON_CHARS: usize = 256;

/// Most labels of a match: a few to search by. More tell of data that belongs elsewhere.
pub(crate) const MAX_LABELS: usize = 16;

/// Longest name of a label, in bytes.
pub(crate) const MAX_LABEL_NAME_BYTES: usize = 64;

/// Longest value of a label, in characters: a link, or a sentence.
pub(crate) const MAX_LABEL_VALUE_CHARS: usize = 256;

/// Most bytes of all labels of a match: every list of matches has them.
pub(crate) const MAX_LABELS_BYTES: usize = 1024;

/// Longest time by which spectators see a match later, in ms: an hour.
pub(crate) const MAX_SPECTATOR_DELAY_MS: u32 = 3_600_000;

/// Most matches that spectators see late, counted until nothing of them is late any more: so long each
/// is in memory, whatever `ended_matches_kept` says.
pub(crate) const MAX_LATE_MATCHES: usize = 500;

/// The same of those that one API key makes: a quarter of all, so that one maker leaves places to
/// others.
pub(crate) const MAX_LATE_MATCHES_PER_KEY: usize = MAX_LATE_MATCHES / 4;

/// Most slots of an attendance: matches that a bot plays at once.
pub(crate) const MAX_SLOTS: u32 = 64;

/// Most ladders of a server. Each has its results in memory, at some 100 bytes for each match, and
/// only whoever runs the server makes one.
pub(crate) const MAX_LADDERS: usize = 100;

/// Most bots of a ladder, by their names: a large league. So there is room for a second version of
/// each.
pub(crate) const MAX_LADDER_BOTS: usize = 500;

/// Most versions of bots of a ladder: the time of a fit grows with their third power, to about a
/// second for these.
pub(crate) const MAX_LADDER_VERSIONS: usize = 1_000;

/// Most versions of a bot on a ladder: one a day in a season of three months. With how their ratings
/// went they fit into one answer.
pub(crate) const MAX_VERSIONS_OF_BOT: usize = 100;

/// Most points of how the rating of a version went: of more, every other one stays.
pub(crate) const MAX_RATING_POINTS: usize = 200;

/// Most new versions of a bot on a ladder within a day: each is validated before others play.
pub(crate) const MAX_VERSIONS_OF_BOT_A_DAY: usize = 20;

/// Most versions of bots of all ladders of a server: four large ones. See
/// [`memory_bound`](super::Limits::memory_bound).
pub(crate) const MAX_VERSIONS: usize = 4 * MAX_LADDER_VERSIONS;

/// Most matches of a ladder at once.
pub(crate) const MAX_LADDER_MATCHES: u32 = 10_000;

/// Most house bots that a ladder names: a few kinds of known strength.
pub(crate) const MAX_HOUSE_BOTS: usize = 64;

/// Most API keys that a queue names: a class, or a league.
pub(crate) const MAX_QUEUE_KEYS: usize = 1_000;

/// Most matches of one page of ListMatches.
pub(crate) const MAX_PAGE_SIZE: u32 = 500;

/// Default matches of one page of ListMatches.
pub(crate) const DEFAULT_PAGE_SIZE: u32 = 50;
