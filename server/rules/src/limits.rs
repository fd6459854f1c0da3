//! Bounds of single calls and operations, with their reasons. What a caller may have in all is for
//! the server to say.

/// Most decisions of a position, and of one operation that applies some: several times those of the
/// longest matches.
pub const MAX_DECISIONS: usize = 2_000;

/// Most operations of one request of a session: copies, decisions and playouts for some 300 legal
/// decisions.
pub const MAX_OPERATIONS: usize = 1_000;

/// Most playouts of one operation: seconds of work for random ones. What greedy ones take is bounded
/// by the processor time of their caller.
pub const MAX_PLAYOUTS: u32 = 10_000;

/// Most samples of one call.
pub const MAX_SAMPLES: u32 = 1_000;

/// Most decisions or texts that one call converts: a legal list of most games.
pub const MAX_CONVERSIONS: usize = 1_000;

/// Most bytes of one answer: the places and scores of 10,000 playouts of two seats. In memory an answer
/// takes several times as much.
pub const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// Most bytes in memory of one position of a session.
pub const POSITION_BYTES: usize = 32 * 1024;

/// Most decisions of one playout. A match of any game has a hundredth of them; no state that
/// comes from outside may play for ever.
pub(crate) const MAX_PLAYOUT_DECISIONS: usize = 20_000;
