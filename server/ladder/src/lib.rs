//! A ladder's state machine, without I/O: admission, pairing, ratings and benching.
//!
//! The state of a [`Ladder`] is determined by its stored records: the entries, and the pairings and
//! ends of matches in the order of the match numbers. [`Ladder::next_match`] proposes a match. Once
//! the match is stored, [`Ladder::record_pairing`] applies it. [`Ladder::record_end`] applies its
//! outcome. After a restart, replaying the same calls from the store restores the same ladder.
//!
//! Only rated matches that ended without being annulled count. The ratings are fitted to all of
//! these matches together, so they do not depend on the order of the matches ([`ratings_of`]). A
//! fit takes long, so it runs concurrently ([`Ladder::fit_job`]) and is applied when it is done
//! ([`Ladder::apply_fit`]). Until then, pairing uses the previous fit and the matches paired since
//! that fit.
//!
//! Organisers intervene by [`Actions`], which are set before matches are replayed.

#![forbid(unsafe_code)]

mod actions;
mod bots;
mod closing_round;
mod failure_record;
mod ladder;
mod matches;
mod pairing;
mod pairing_model;
mod ratings;
mod results;
mod suspicion;
mod table;

pub use actions::{
    Action, ActionRefused, Actions, BotSelector, Exclusion, OrganiserAction, SettingsChange,
};
pub use bots::{AttendingBot, BotVersion};
pub use bridgemaster_contest::RatingMethodId;
pub use closing_round::CLOSING_WAIT_MS;
pub use failure_record::{BENCH_AFTER_FAILURES, CHANGE_WINDOW_MATCHES};
pub use ladder::{Counts, EntryRefused, EntryState, Ladder, LadderEntry};
pub use matches::{ClosingRule, End, Pairing, Purpose, Rules, SeatEnd, Span, State};
pub use pairing::RequestRefused;
pub use ratings::{BotRating, CONFIDENCE, ratings_of};
pub use results::{HeadToHead, Meetings, Results};
pub use suspicion::Suspicion;
pub use table::{FitJob, FitResult, Table};
