//! One ladder whole, without I/O: bots come and go, and the ladder says which match is played next
//! and how the bots stand.
//!
//! A [`Ladder`] is the fold of what is stored of it: its versions, and its matches in the order of
//! their numbers, first paired and later ended. [`Ladder::next_match`] proposes a match; once that is
//! stored, [`Ladder::paired`] takes it in, and [`Ladder::ended`] takes in what came of it. A server
//! that starts again gives the same calls from its store, and has the same ladder.
//!
//! Only matches that were played for the rating, ended, and are not annulled count. The ratings are
//! those of one fit over all of them, in which their order has no part ([`ratings_of`]). A fit takes
//! long, so it is made beside the ladder ([`Ladder::fitting`]) and taken in ([`Ladder::take_fit`]);
//! until then pairing goes by the last one, and by what has been paired since.

#![forbid(unsafe_code)]

mod bots;
mod closing_round;
mod conduct;
mod knowledge;
mod ladder;
mod matches;
mod pairing;
mod ratings;
mod results;
mod rules;
mod seating;
mod suspicion;
mod table;

pub use bots::{BotVersion, Presence};
pub use closing_round::CLOSING_WAIT_MS;
pub use conduct::{BENCH_AFTER_FAILURES, CHANGE_WINDOW_MATCHES};
pub use ladder::{Counts, Ladder, Refused, Standing, StandingState};
pub use matches::{End, Pairing, Purpose, SeatEnd, Span};
pub use pairing::RequestRefused;
pub use ratings::{CONFIDENCE, Rated, ratings_of};
pub use results::{HeadToHead, Meetings, Results};
pub use rules::{ClosingRule, Rules, State};
pub use suspicion::Suspicion;
pub use table::{Fitted, Fitting, Table};
