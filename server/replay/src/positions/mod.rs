//! The positions of a match, one after the other: what its viewers see after each decision, from its
//! records. The same for a match in play, whose records come as they are made, and for a file.
//!
//! While a match runs, or a group holds its chance back, only what everybody may know is told:
//! events, and of a seat that looks its own observation and decisions. What seats choose in secret
//! has no event, so its record must not be given before it is public; which decision it was, and
//! what was wrong with an illegal one, is told when the match is over.

mod banks;
mod disclosure;
mod error;
mod player;
mod reel;
mod viewers;
mod whole;

pub use disclosure::Disclosure;
pub use error::PositionError;
pub use player::Positions;
pub use viewers::viewers_from_wire;
pub use whole::encode_positions;
