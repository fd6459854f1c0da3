//! Bridges to Nowhere, position by position.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "BLESS=1 asks to write files anew")]

/// Asserts the error text of each change.
macro_rules! refused {
    ($error:ident: $($($change:expr),+ => $expected:expr,)*) => {
        $(assert_eq!($error($($change),+), $expected);)*
    };
}

mod model;
mod pile;
mod position;
mod recount;
mod rulings;
mod sampling;
mod secrecy;
mod setup;
