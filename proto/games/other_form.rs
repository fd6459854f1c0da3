//! Macros for rules types that share another type's wire form.

/// Gives a type another type's wire form, with a conversion in each direction:
///
/// ```text
/// wire_as! {
///     Rotation = u32 as u8: InRange(0..=3),
///     |rotation| rotation.number(),
///     |_field, turns| Ok(Self::ALL[usize::from(turns)])
/// }
/// ```
///
/// The last line returns the value, or an error for the field.
macro_rules! wire_as {
    (
        $rules:ty = $wire:ty as $other:ty $(: $conversion:expr)?,
        |$value:ident| $becomes:expr,
        |$field:ident, $read:pat_param| $made:expr
    ) => {
        const _: () = {
            use $crate::games::conversion::{Conversion, OnWire};
            use $crate::games::wire::FieldError;
            use $crate::games::writer::{Field, Writer};

            impl OnWire<$wire> for $rules {
                fn to_wire(&self) -> $wire {
                    let $value = self;
                    let other: $other = $becomes;
                    let conversion = $crate::games::describe::conversion!($($conversion)?);
                    Conversion::write(&conversion, &other)
                }

                fn put(&self, field: Field, to: &mut Writer) {
                    let $value = self;
                    let other: $other = $becomes;
                    let conversion = $crate::games::describe::conversion!($($conversion)?);
                    Conversion::<$other, $wire>::put(&conversion, &other, field, to);
                }

                fn from_wire($field: &str, wire: &$wire) -> Result<Self, FieldError> {
                    let conversion = $crate::games::describe::conversion!($($conversion)?);
                    let $read: $other = Conversion::read(&conversion, $field, wire)?;
                    $made
                }
            }
        };
    };
}
pub(super) use wire_as;

/// Describes the edition data in a config. After reading, the rules check the data. If the rules'
/// errors name entries differently from the message, the given function renames the entries. An
/// unset field means the built-in edition.
macro_rules! wire_edition {
    ($edition:ty = $message:ty as $parts:ty $(, errors by $to_wire_error:expr)?) => {
        const _: () = {
            use $crate::games::conversion::OnWire;
            use $crate::games::wire::{Path as _, FieldError};
            use $crate::games::writer::{Field, Writer};

            impl OnWire<Option<$message>> for std::sync::Arc<$edition> {
                fn to_wire(&self) -> Option<$message> {
                    Some(OnWire::to_wire(self.parts()))
                }

                fn put(&self, field: Field, to: &mut Writer) {
                    let parts = self.parts();
                    let parts: &$parts = std::borrow::Borrow::borrow(&parts);
                    OnWire::<$message>::put(parts, field, to);
                }

                fn from_wire(field: &str, wire: &Option<$message>) -> Result<Self, FieldError> {
                    static BUILT_IN: std::sync::OnceLock<$message> = std::sync::OnceLock::new();
                    let Some(wire) = wire else {
                        return Ok(<$edition>::built_in());
                    };
                    let built_in = || OnWire::to_wire(<$edition>::built_in().parts());
                    // If a client sends the built-in edition, the matches still share one copy.
                    if wire == BUILT_IN.get_or_init(built_in) {
                        return Ok(<$edition>::built_in());
                    }
                    let parts: $parts = OnWire::from_wire(field, wire)?;
                    let checked = <$edition>::new(&parts)$(.map_err($to_wire_error))?;
                    checked.map(std::sync::Arc::new).below(field)
                }
            }
        };
    };
}
pub(super) use wire_edition;
