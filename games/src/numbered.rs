//! The macro for newtypes that wrap a small number.

/// Declares a newtype that wraps a number below a bound. The number identifies an item of a fixed
/// list.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident below $count:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u8);

        impl $name {
            #[doc = concat!("Creates a value; `None` if not below [`", stringify!($count), "`].")]
            pub const fn new(number: u8) -> Option<Self> {
                if (number as usize) < $count {
                    Some(Self(number))
                } else {
                    None
                }
            }

            /// Returns the number, counted from 0.
            pub const fn number(self) -> u8 {
                self.0
            }

            /// Returns the number as an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use numbered;
