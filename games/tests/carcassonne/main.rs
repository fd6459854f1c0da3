//! Tests of Carcassonne with the Drawbridges.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "BLESS=1 asks to write files anew")]

/// Asserts the error text of each change.
macro_rules! refused {
    ($error:ident: $($($change:expr),+ => $expected:expr,)*) => {
        $(assert_eq!($error($($change),+), $expected);)*
    };
}

mod drawbridges;
mod edition;
mod long_lists;
mod playing;
mod position;
mod recount;
mod recounted;
mod rendering;
mod sampling;
mod setup;
mod tiles;
