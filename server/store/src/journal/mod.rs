//! The journal of the matches in play, independent of the database. Plans the rows of a commit,
//! restores matches, and finds batches that are no longer needed. The encoding of a batch is in
//! [`journal_batch`](crate::journal_batch).

pub(crate) mod in_play;
pub(crate) mod plan;
pub(crate) mod reader;
