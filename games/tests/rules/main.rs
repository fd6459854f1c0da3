//! The rules of each game: rulebook examples, rulings, setups, sampling, and matches that an
//! independent implementation recounts.

#![allow(clippy::unwrap_used)]

/// Asserts the error text of each change.
macro_rules! refused {
    ($error:ident: $($($change:expr),+ => $expected:expr,)*) => {
        $(assert_eq!($error($($change),+), $expected);)*
    };
}

mod alhambra;
mod bridges_to_nowhere;
mod carcassonne;
mod old_london_bridge;
mod play;
