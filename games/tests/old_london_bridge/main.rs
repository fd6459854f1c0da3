//! Old London Bridge, position by position.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "BLESS=1 asks to write files anew")]

/// Asserts the error text of each change.
macro_rules! refused {
    ($error:ident: $($($change:expr),+ => $expected:expr,)*) => {
        $(assert_eq!($error($($change),+), $expected);)*
    };
}

mod averages;
mod naive;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod steered;
