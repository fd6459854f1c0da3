//! Macros that describe messages. One list of the fields generates both conversions and the byte
//! encoding.
//!
//! A message field is described as
//!
//! * `seat`: the field has the same name in the message and in the rules, and the wire form of its
//!   type;
//! * `seat: SEAT`: the field is converted by this [`Conversion`](super::conversion::Conversion);
//! * `cards => money`: the field is `cards` in the message and `money` in the rules;
//! * after a semicolon, `x: COORDINATE, y: COORDINATE => cell (Cell { x, y })`: several fields in
//!   the message are one field in the rules. The text in parentheses destructures and builds the
//!   rules value.
//!
//! Messages and rules values are destructured and built field by field. A description that lacks a
//! field does not compile.

/// A field's conversion: the named conversion, or the default.
macro_rules! conversion {
    () => {
        $crate::games::conversion::Plain
    };
    ($conversion:expr) => {
        $conversion
    };
}
pub(super) use conversion;

/// The rules value, both as a pattern and as an expression. It is either the given value or a value
/// that is derived from the fields.
macro_rules! rules_side {
    ([$($given:tt)+] $($rest:tt)*) => {
        $($given)+
    };
    ([] [] [$($path:tt)+] ($bind:ident)) => {
        $($path)+($bind)
    };
    ([] [$($rules_only:tt)*] [$($path:tt)+] {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {
        $($path)+ {
            $($($name:)? $field,)*
            $($($whole: $($parts)+,)+)?
            $($rules_only)*
        }
    };
}
pub(super) use rules_side;

/// Builds a message from variables that have the names of its fields.
macro_rules! write_fields {
    ($message:ty, {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {{
        #[allow(unused_imports, reason = "a message may have no fields")]
        use $crate::games::{conversion::Conversion, describe::conversion};
        type Described = $message;
        Described {
            $($field: Conversion::write(&conversion!($($conversion)?), $field),)*
            $($($($part: Conversion::write(&conversion!($($of_part)?), $part),)+)+)?
        }
    }};
}
pub(super) use write_fields;

/// Writes a message's fields as bytes, from variables that have the fields' names.
macro_rules! put_fields {
    ($to:ident, $message:ty, {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {{
        $($crate::games::describe::put_fields!($to, $message, $field, $($conversion)?);)*
        $($($($crate::games::describe::put_fields!($to, $message, $part, $($of_part)?);)+)+)?
        // The writer is unused if the message has no fields.
        let _ = $to;
    }};
    ($to:ident, $message:ty, $field:ident, $($conversion:expr)?) => {
        $crate::games::conversion::put_field(
            |message: &$message| &message.$field,
            &$crate::games::describe::conversion!($($conversion)?),
            $field,
            const { $crate::games::writer::field_of::<$message>(stringify!($field)) },
            $to,
        );
    };
}
pub(super) use put_fields;

/// Reads a message into variables that have the names of its fields.
macro_rules! read_fields {
    ($wire:ident, $message:ty, {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {
        type Described = $message;
        let Described { $($field,)* $($($($part,)+)+)? } = $wire;
        $(let $field = $crate::games::conversion::Conversion::read(
            &$crate::games::describe::conversion!($($conversion)?),
            stringify!($field),
            $field,
        )?;)*
        $($($(let $part = $crate::games::conversion::Conversion::read(
            &$crate::games::describe::conversion!($($of_part)?),
            stringify!($part),
            $part,
        )?;)+)+)?
    };
}
pub(super) use read_fields;

/// Describes a message:
///
/// ```text
/// wire_message! {
///     Meeple = v1::Meeple {
///         seat: SEAT,
///         segment;
///         x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
///     }
/// }
/// wire_message! { [u8; 2] = v1::Raises { first: RAISE, second: RAISE } => [first, second] }
/// ```
///
/// In the second form, the text after `=>` is both a pattern and an expression: it destructures and
/// builds the rules value. A field that exists only in the rules follows the list with its initial
/// value, as in `with games = 0`. A function that is given to `wire_game!` fills in this field
/// later. Without a list of fields, the conversion is written by hand. The macro then generates
/// only the code for using the message as a field, either required or as an `Option`.
macro_rules! wire_message {
    (
        $rules:ty = $message:ty { $($fields:tt)* }
        $(with $rules_only:ident = $value:expr)?
        $(=> $($given:tt)+)?
    ) => {
        const _: () = {
            use $crate::games::conversion::OnWire;
            use $crate::games::wire::{Path as _, FieldError};
            use $crate::games::writer::{Field, Writer};

            impl OnWire<$message> for $rules {
                fn to_wire(&self) -> $message {
                    match self {
                        $crate::games::describe::rules_side!(
                            [$($($given)+)?] [$($rules_only: _)?] [Self] { $($fields)* }
                        ) => $crate::games::describe::write_fields!($message, { $($fields)* }),
                    }
                }

                fn put(&self, field: Field, to: &mut Writer) {
                    match self {
                        $crate::games::describe::rules_side!(
                            [$($($given)+)?] [$($rules_only: _)?] [Self] { $($fields)* }
                        ) => to.message(field, |to| {
                            $crate::games::describe::put_fields!(to, $message, { $($fields)* });
                        }),
                    }
                }

                fn from_wire(field: &str, wire: &$message) -> Result<Self, FieldError> {
                    let read = || -> Result<Self, FieldError> {
                        $crate::games::describe::read_fields!(wire, $message, { $($fields)* });
                        Ok($crate::games::describe::rules_side!(
                            [$($($given)+)?] [$($rules_only: $value)?] [Self] { $($fields)* }
                        ))
                    };
                    read().below(field)
                }
            }
        };

        $crate::games::describe::wire_message! { $rules = $message }
    };
    ($rules:ty = $message:ty) => {
        const _: () = {
            use $crate::games::conversion::OnWire;
            use $crate::games::wire::FieldError;
            use $crate::games::writer::{Field, Writer};

            impl OnWire<Option<$message>> for $rules {
                fn to_wire(&self) -> Option<$message> {
                    Some(OnWire::to_wire(self))
                }

                fn put(&self, field: Field, to: &mut Writer) {
                    OnWire::<$message>::put(self, field, to);
                }

                fn from_wire(field: &str, wire: &Option<$message>) -> Result<Self, FieldError> {
                    match wire {
                        Some(wire) => OnWire::from_wire(field, wire),
                        None => Err(FieldError::new(field, "must be set")),
                    }
                }
            }

            impl OnWire<Option<$message>> for Option<$rules> {
                fn to_wire(&self) -> Option<$message> {
                    self.as_ref().map(OnWire::to_wire)
                }

                fn put(&self, field: Field, to: &mut Writer) {
                    if let Some(value) = self {
                        OnWire::<$message>::put(value, field, to);
                    }
                }

                fn from_wire(field: &str, wire: &Option<$message>) -> Result<Self, FieldError> {
                    let read = wire.as_ref().map(|wire| OnWire::from_wire(field, wire));
                    read.transpose()
                }
            }
        };
    };
}
pub(super) use wire_message;

/// Describes a `oneof` with a required entry:
///
/// ```text
/// wire_oneof! {
///     Event = v1::event::Event {
///         MoneyTaken { seat: SEAT, cards },
///         Passed as PassMessage { seat: SEAT },
///         Bought(purchase),
///         Answered { used } => (Self::Answered(used)),
///     }
/// }
/// ```
///
/// An entry has its variant's name, both in the message and in the rules. Braces contain the fields
/// of the entry's message, which is `v1::MoneyTaken` here or the type after `as`. Parentheses
/// contain a variable name for an entry whose value is converted as a whole. The text after `=>`
/// destructures and builds the rules value. It can be omitted if the value is the variant with that
/// name and these fields.
macro_rules! wire_oneof {
    ($rules:ty = $oneof:ty { $(
        $entry:ident
        $(($bind:ident $(: $whole:expr)?))?
        $($(as $message:ident)? { $($fields:tt)* })?
        $(=> ($($given:tt)+))?
    ),+ $(,)? }) => {
        const _: () = {
            #[allow(unused_imports, reason = "an entry has described fields, or is one value")]
            use $crate::games::conversion::{Conversion, OnWire, put_entry};
            #[allow(unused_imports, reason = "an entry has described fields, or is one value")]
            use $crate::games::describe::{
                conversion, entry_message, put_fields, read_fields, rules_side, write_fields,
            };
            use $crate::games::wire::{Oneof, Path as _, FieldError};
            use $crate::games::writer::{Field, Writer, field_of};

            impl OnWire<Option<$oneof>> for $rules {
                fn to_wire(&self) -> Option<$oneof> {
                    type Entries = $oneof;
                    Some(match self {
                        $(rules_side!(
                            [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                        ) => Entries::$entry(
                            $(Conversion::write(&conversion!($($whole)?), $bind))?
                            $(write_fields!(entry_message!($entry $($message)?), { $($fields)* }))?
                        ),)+
                    })
                }

                fn put(&self, _field: Field, to: &mut Writer) {
                    type Entries = $oneof;
                    match self {
                        $(rules_side!(
                            [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                        ) => {
                            let field = const { field_of::<Entries>(stringify!($entry)) };
                            $(put_entry(Entries::$entry, &conversion!($($whole)?), $bind, field, to);)?
                            $(to.message(field, |to| {
                                put_fields!(to, entry_message!($entry $($message)?), { $($fields)* });
                            });)?
                        })+
                    }
                }

                fn from_wire(field: &str, wire: &Option<$oneof>) -> Result<Self, FieldError> {
                    type Entries = $oneof;
                    let Some(wire) = wire else {
                        return Err($crate::games::none_of::<Entries>(field));
                    };
                    let read = || -> Result<Self, FieldError> {
                        Ok(match wire {
                            $(Entries::$entry(entry) => {
                                $(let $bind = Conversion::read(&conversion!($($whole)?), "", entry)?;)?
                                $(read_fields!(
                                    entry, entry_message!($entry $($message)?), { $($fields)* }
                                );)?
                                rules_side!(
                                    [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                                )
                            })+
                        })
                    };
                    read().below(Oneof::entry(wire))
                }
            }
        };
    };
}
pub(super) use wire_oneof;

/// The message type for an entry with described fields.
macro_rules! entry_message {
    ($entry:ident) => {
        v1::$entry
    };
    ($entry:ident $message:ident) => {
        v1::$message
    };
}
pub(super) use entry_message;

#[cfg(test)]
mod tests {
    use super::super::{
        conversion::{InRange, OnWire},
        wire::{FieldError, Oneof},
        writer::{Field, Fields},
    };

    /// The form that prost generates for a `oneof` with one entry.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Entry {
        Bid(u32),
    }

    impl Oneof for Entry {
        const ENTRIES: &'static [&'static str] = &["bid"];

        fn entry(&self) -> &'static str {
            Self::ENTRIES[0]
        }
    }

    impl Fields for Entry {
        const FIELDS: &'static [(&'static str, Field)] = &[("Bid", Field::new(1).present())];
    }

    #[derive(Debug, PartialEq)]
    enum Decision {
        Bid(u8),
    }

    wire_oneof! { Decision = Entry { Bid(card: InRange(1..=13)) } }

    #[test]
    fn a_oneof_of_one_entry_is_read_or_refused_by_its_name() {
        let read = |wire| Decision::from_wire("decision", &wire);
        let fields = Decision::Bid(3).to_wire();
        assert_eq!(read(fields), Ok(Decision::Bid(3)));
        let refused = |wire| read(wire).map_err(|error: FieldError| error.to_string());
        let must_be_set = "decision: bid must be set".to_owned();
        assert_eq!(refused(None), Err(must_be_set));
        let out_of_range = "bid: 14 is out of range (1..=13)".to_owned();
        assert_eq!(refused(Some(Entry::Bid(14))), Err(out_of_range));
    }
}
