//! Rules enums and their counterparts on the wire.

use super::{
    conversion::{Conversion, OnWire},
    wire::FieldError,
    writer::{Field, Writer},
};

/// An enum value in a config, which is always written. An unset field is read as the type's
/// default.
pub(super) struct OrDefault;

impl<E: WireEnum + Default> Conversion<E, i32> for OrDefault {
    fn write(&self, value: &E) -> i32 {
        OnWire::to_wire(value)
    }

    fn put(&self, value: &E, field: Field, to: &mut Writer) {
        to.number(value.to_number(), field);
    }

    fn read(&self, field: &str, wire: &i32) -> Result<E, FieldError> {
        Ok(Option::from_wire(field, wire)?.unwrap_or_default())
    }
}

/// A rules enum with a counterpart on the wire. On the wire, 0 means unset.
pub(super) trait WireEnum: Copy {
    /// Returns the enum number on the wire.
    fn to_number(self) -> i32;
    /// Returns the value that has the given enum number on the wire.
    fn from_number(number: i32) -> Option<Self>;
    /// Returns the names on the wire, in ascending order of the enum numbers.
    fn wire_names() -> String;
}

impl<E: WireEnum> OnWire<i32> for E {
    fn to_wire(&self) -> i32 {
        self.to_number()
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.number(self.to_number(), field);
    }

    fn from_wire(field: &str, wire: &i32) -> Result<Self, FieldError> {
        Self::from_number(*wire).ok_or_else(|| {
            let names = Self::wire_names();
            let detail = match wire {
                0 => format!("must be set to one of {names}"),
                _ => format!("{wire} is not one of {names}"),
            };
            FieldError::new(field, detail)
        })
    }
}

/// An optional enum value.
impl<E: WireEnum> OnWire<i32> for Option<E> {
    fn to_wire(&self) -> i32 {
        self.map_or(0, E::to_number)
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.number(self.map_or(0, E::to_number), field);
    }

    fn from_wire(field: &str, wire: &i32) -> Result<Self, FieldError> {
        match wire {
            0 => Ok(None),
            _ => E::from_wire(field, wire).map(Some),
        }
    }
}

/// Describes an enum whose variants have the same names in the rules and on the wire. With `among
/// others`, the wire enum can have further variants.
macro_rules! wire_enum {
    ($rules:ty = $wire:ty { $($variant:ident)* } $(among $others:ident)?) => {
        impl $crate::games::enums::WireEnum for $rules {
            fn to_number(self) -> i32 {
                match self { $(Self::$variant => <$wire>::$variant as i32,)* }
            }

            fn from_number(number: i32) -> Option<Self> {
                match <$wire>::try_from(number).ok()? {
                    $(<$wire>::$variant => Some(Self::$variant),)*
                    <$wire>::Unspecified => None,
                    $(_ => $crate::games::enums::unlisted!($others),)?
                }
            }

            fn wire_names() -> String {
                [$(<$wire>::$variant.as_str_name()),*].join(", ")
            }
        }
    };
}
pub(super) use wire_enum;

/// Handles a number on the wire that the rules enum does not have.
macro_rules! unlisted {
    (others) => {
        None
    };
}
pub(super) use unlisted;
