//! Alhambra, the card game: rulebook examples, rulings, and an independent recount of matches.

#![allow(clippy::unwrap_used)]

/// Asserts the error text of each change.
macro_rules! refused {
    ($error:ident: $($($change:expr),+ => $expected:expr,)*) => {
        $(assert_eq!($error($($change),+), $expected);)*
    };
}

mod listing;
mod naive;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod shuffles;
