//! The journal of the matches in play, independent of the database. This module plans the rows of a
//! commit, restores matches, and finds the batches that are no longer needed. For the encoding of a
//! batch see [`journal_batch`](crate::journal_batch).

pub(crate) mod in_play;
pub(crate) mod plan;
pub(crate) mod reader;
