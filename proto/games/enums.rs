//! Enums of the rules and their twins on the wire.

use super::{
    conversion::{Conversion, OnWire},
    wire::WireError,
    writer::{Field, Writer},
};

/// An enum value of a config, always written; its type's default stands for one that is not set.
pub(super) struct ElseDefault;

impl<E: WireEnum + Default> Conversion<E, i32> for ElseDefault {
    fn write(&self, value: &E) -> i32 {
        OnWire::to_wire(value)
    }

    fn put(&self, value: &E, field: Field, to: &mut Writer) {
        to.number(value.to_number(), field);
    }

    fn read(&self, field: &str, wire: &i32) -> Result<E, WireError> {
        Ok(Option::from_wire(field, wire)?.unwrap_or_default())
    }
}

/// An enum of the rules and its twin on the wire, whose value 0 stands for none of them.
pub(super) trait WireEnum: Copy {
    /// The number on the wire.
    fn to_number(self) -> i32;
    /// The value of a number on the wire.
    fn of_number(number: i32) -> Option<Self>;
    /// The names on the wire, in ascending order of their numbers.
    fn wire_names() -> String;
}

impl<E: WireEnum> OnWire<i32> for E {
    fn to_wire(&self) -> i32 {
        self.to_number()
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.number(self.to_number(), field);
    }

    fn from_wire(field: &str, wire: &i32) -> Result<Self, WireError> {
        Self::of_number(*wire).ok_or_else(|| {
            let names = Self::wire_names();
            let detail = match wire {
                0 => format!("must be set to one of {names}"),
                _ => format!("{wire} is not one of {names}"),
            };
            WireError::new(field, detail)
        })
    }
}

/// A value that need not be set.
impl<E: WireEnum> OnWire<i32> for Option<E> {
    fn to_wire(&self) -> i32 {
        self.map_or(0, E::to_number)
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.number(self.map_or(0, E::to_number), field);
    }

    fn from_wire(field: &str, wire: &i32) -> Result<Self, WireError> {
        match wire {
            0 => Ok(None),
            _ => E::from_wire(field, wire).map(Some),
        }
    }
}

/// Describes an enum whose variants have the same names on both sides: every one of them, or,
/// with `among others`, some of those on the wire.
macro_rules! wire_enum {
    ($rules:ty = $wire:ty { $($variant:ident)* } $(among $others:ident)?) => {
        impl $crate::games::enums::WireEnum for $rules {
            fn to_number(self) -> i32 {
                match self { $(Self::$variant => <$wire>::$variant as i32,)* }
            }

            fn of_number(number: i32) -> Option<Self> {
                match <$wire>::try_from(number).ok()? {
                    $(<$wire>::$variant => Some(Self::$variant),)*
                    <$wire>::Unspecified => None,
                    $(_ => $crate::games::enums::none_of_the!($others),)?
                }
            }

            fn wire_names() -> String {
                [$(<$wire>::$variant.as_str_name()),*].join(", ")
            }
        }
    };
}
pub(super) use wire_enum;

/// The value of a number on the wire that the rules' enum does not have.
macro_rules! none_of_the {
    (others) => {
        None
    };
}
pub(super) use none_of_the;
