//! Things that go by their number.

/// Declares a number below a bound that stands for one of as many things.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident below $count:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u8);

        impl $name {
            #[doc = concat!("The one of this number; `None` from [`", stringify!($count), "`] on.")]
            pub const fn new(number: u8) -> Option<Self> {
                if (number as usize) < $count {
                    Some(Self(number))
                } else {
                    None
                }
            }

            /// The number, from 0.
            pub const fn number(self) -> u8 {
                self.0
            }

            /// The number as an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use numbered;
