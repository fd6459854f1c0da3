//! Limits for single calls and operations, with the reasons for their values. The server also
//! limits each caller's total work.

/// The maximum number of decisions in a position, and in one operation that applies decisions. Even
/// the longest matches have far fewer decisions.
pub const MAX_DECISIONS: usize = 2_000;

/// The maximum number of operations in one session request. It is enough to copy a position, apply
/// a decision and start playouts for each of some 300 legal decisions.
pub const MAX_OPERATIONS: usize = 1_000;

/// The maximum number of playouts in one operation. This many random playouts take several seconds.
/// Greedy playouts are limited by the caller's budget of processor time.
pub const MAX_PLAYOUTS: u32 = 10_000;

/// The maximum number of samples in one call.
pub const MAX_SAMPLES: u32 = 1_000;

/// The maximum number of decisions or texts that one call converts. It is enough for the legal
/// lists of most games.
pub const MAX_CONVERSIONS: usize = 1_000;

/// The maximum size of one response, in bytes. It is enough for the places and scores of 10,000
/// two-seat playouts. In memory, a response takes several times this size.
pub const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// The maximum memory size of one position in a session, in bytes.
pub const POSITION_BYTES: usize = 32 * 1024;

/// The maximum number of decisions in one playout. A match of any game has about a hundredth of
/// this number. The limit stops playouts that would never end, because their state came from
/// outside and is invalid.
pub(crate) const MAX_PLAYOUT_DECISIONS: usize = 20_000;
