//! What a node decides about its lease, without I/O and without a clock: the store and the server
//! carry it out, and the simulation of matches drives the same code in virtual time.
//!
//! * [`Trust`] says whether a node may answer, by its own clock, and when it renews its lease;
//! * [`Fence`] says what a transaction has found in the row of its node, and [`RowLock`] how it locks
//!   that row before it looks;
//! * [`Tries`] says when a transaction that failed is tried again, and [`Commits`] which number the
//!   next commit has: so one whose answer was lost is found, and not made twice. It also says which
//!   of those a crash has lost that were not flushed yet, and [`Flushed`] what a flush comes to.
//!
//! What the database decides by itself is SQL in `server/store/src/postgres`: who may take a node
//! over, and until when a lease runs.
//!
//! Moments are times since a beginning that the caller chooses, by the clock of the node.

#![forbid(unsafe_code)]

mod commits;
mod fence;
pub mod limits;
mod tries;
mod trust;

pub use commits::{Commits, Contradicted, Flushed, Unsure};
pub use fence::{Fence, RowLock};
pub use tries::Tries;
pub use trust::Trust;
