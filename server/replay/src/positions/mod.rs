//! The positions of a match: its viewers' views after each decision, replayed from the records.
//! Both replay files and matches in play can be replayed. For a match in play, the records are
//! passed in as they are written.
//!
//! While a match runs or its seed is withheld, only public events are disclosed. A viewing seat
//! also sees its own observation and decisions. A secret decision's record must not be passed in
//! before the decision is public. All decisions, including the details of illegal decisions, are
//! disclosed once the match has ended.

mod banks;
mod disclosure;
mod encode;
mod error;
mod playback;
mod player;
mod viewers;

pub use disclosure::Disclosure;
pub use encode::encode_positions;
pub use error::PositionError;
pub use player::Positions;
pub use viewers::viewers_from_wire;
