//! The journal of the matches in play, as every database has it: which batches there are and are
//! needed, what a commit comes to, and what the matches are when it is read back. The bytes of a
//! batch are [`journal_batch`](crate::journal_batch).

pub(crate) mod batch_numbers;
pub(crate) mod in_play;
pub(crate) mod plan;
pub(crate) mod reading;
pub(crate) mod sweep;
