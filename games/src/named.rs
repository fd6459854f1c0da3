//! The macros for enums whose values have names, for newtypes that wrap a small number, and for
//! types that are ordered by a key.

/// Declares a fieldless enum whose values have names. The names are used in notation, files and
/// documentation. The documentation of each value includes its name, so a comment is needed only if
/// it says more.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
        #[repr(u8)]
        pub enum $name { $(
            $(#[$vdoc])*
            #[doc = ""]
            #[doc = concat!("Named `", $text, "`.")]
            #[serde(rename = $text)]
            $variant,
        )* }

        impl $name {
            /// All values, in order of declaration.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant,)*];

            /// Returns the name used in notation, files and documentation.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the value with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }

            /// Returns the position in [`Self::ALL`].
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use named;

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

/// Orders a type by a key that is computed from a value.
macro_rules! ordered {
    ($name:ident by |$own:ident| $key:expr) => {
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let key = |$own: &Self| $key;
                key(self).cmp(&key(other))
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    };
}
pub(crate) use ordered;
