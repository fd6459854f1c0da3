//! The review of a finished match: the expected loss of each decision of a seat, and each seat's
//! skill and luck.
//!
//! A decision is compared with the choice of a judge in states that are sampled from what the seat
//! knew. Both are played on to the end by a fixed policy in all seats, with the same random
//! numbers. The mean difference is the expected loss. [`Review::seats`] splits each result into the
//! fair share, the expected effects of decisions, and luck as the rest.
//!
//! The crate has no I/O and no clock. Equal arguments give equal reviews, whatever the number of
//! threads.

#![forbid(unsafe_code)]

mod accounts;
mod comparison;
#[cfg(test)]
mod laws;
mod parallel;
mod review;
mod values;

pub use accounts::{Account, SeatAccount};
pub use comparison::{Judge, Question, ReviewError};
pub use review::{DecisionReview, Review, Settings, review};
