//! The macros that describe messages: from one list of its fields follow both conversions, and how
//! it is written as bytes.
//!
//! A field of a message is described as
//!
//! * `seat`: the field has the same name on both sides, and its type's own form;
//! * `seat: SEAT`: it is converted by this [`Conversion`](super::conversion::Conversion);
//! * `cards => money`: the message calls it `cards`, the rules `money`;
//! * after a semicolon, `x: COORDINATE, y: COORDINATE => cell (Cell { x, y })`: several fields
//!   of the message are one field of the rules. What stands in the parentheses takes it apart
//!   and builds it.
//!
//! Both sides are taken apart field by field and built field by field, so that a field that is
//! missing here, on either side, does not compile.

/// The conversion of a field.
macro_rules! conversion {
    () => {
        $crate::games::conversion::Plain
    };
    ($conversion:expr) => {
        $conversion
    };
}
pub(super) use conversion;

/// The value of the rules, as a pattern and as an expression: the given one, or the one that
/// follows from the fields.
macro_rules! rules_side {
    ([$($given:tt)+] $($rest:tt)*) => {
        $($given)+
    };
    ([] [] [$($path:tt)+] ($bind:ident)) => {
        $($path)+($bind)
    };
    ([] [$($not_sent:tt)*] [$($path:tt)+] {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {
        $($path)+ {
            $($($name:)? $field,)*
            $($($whole: $($parts)+,)+)?
            $($not_sent)*
        }
    };
}
pub(super) use rules_side;

/// Builds a message out of variables with the names of its fields.
macro_rules! write_fields {
    ($message:ty, {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {{
        type Described = $message;
        Described {
            $($field: $crate::games::conversion::Conversion::write(
                &$crate::games::describe::conversion!($($conversion)?),
                $field,
            ),)*
            $($($($part: $crate::games::conversion::Conversion::write(
                &$crate::games::describe::conversion!($($of_part)?),
                $part,
            ),)+)+)?
        }
    }};
}
pub(super) use write_fields;

/// Writes as bytes the fields of a message out of variables with their names.
macro_rules! put_fields {
    ($to:ident, $message:ty, {
        $($field:ident $(=> $name:ident)? $(: $conversion:expr)?),* $(,)?
        $(; $($($part:ident $(: $of_part:expr)?),+ => $whole:ident ($($parts:tt)+)),+ $(,)?)?
    }) => {{
        $($crate::games::describe::put_fields!($to, $message, $field, $($conversion)?);)*
        $($($($crate::games::describe::put_fields!($to, $message, $part, $($of_part)?);)+)+)?
        // A message without fields.
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

/// Reads a message into variables with the names of its fields.
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
/// The second form says how the value of the rules is taken apart and built: it is a pattern
/// and an expression at once. A field of the rules alone is named after the list, with what
/// stands for it until a function given to `wire_game!` fills it in: `with games = 0`. Without a
/// list of fields, a message whose conversion is written by hand gets only its form as a field:
/// required, or as an `Option`.
macro_rules! wire_message {
    (
        $rules:ty = $message:ty { $($fields:tt)* }
        $(with $not_sent:ident = $value:expr)?
        $(=> $($given:tt)+)?
    ) => {
        impl $crate::games::conversion::OnWire<$message> for $rules {
            fn to_wire(&self) -> $message {
                match self {
                    $crate::games::describe::rules_side!(
                        [$($($given)+)?] [$($not_sent: _)?] [Self] { $($fields)* }
                    ) => $crate::games::describe::write_fields!($message, { $($fields)* }),
                }
            }

            fn put(
                &self,
                field: $crate::games::writer::Field,
                to: &mut $crate::games::writer::Writer,
            ) {
                match self {
                    $crate::games::describe::rules_side!(
                        [$($($given)+)?] [$($not_sent: _)?] [Self] { $($fields)* }
                    ) => to.message(field, |to| {
                        $crate::games::describe::put_fields!(to, $message, { $($fields)* });
                    }),
                }
            }

            fn from_wire(
                field: &str,
                wire: &$message,
            ) -> Result<Self, $crate::games::wire::WireError> {
                let read = || -> Result<Self, $crate::games::wire::WireError> {
                    $crate::games::describe::read_fields!(wire, $message, { $($fields)* });
                    Ok($crate::games::describe::rules_side!(
                        [$($($given)+)?] [$($not_sent: $value)?] [Self] { $($fields)* }
                    ))
                };
                $crate::games::wire::Path::below(read(), field)
            }
        }

        $crate::games::describe::wire_message! { $rules = $message }
    };
    ($rules:ty = $message:ty) => {
        impl $crate::games::conversion::OnWire<Option<$message>> for $rules {
            fn to_wire(&self) -> Option<$message> {
                Some($crate::games::conversion::OnWire::to_wire(self))
            }

            fn put(
                &self,
                field: $crate::games::writer::Field,
                to: &mut $crate::games::writer::Writer,
            ) {
                $crate::games::conversion::OnWire::<$message>::put(self, field, to);
            }

            fn from_wire(
                field: &str,
                wire: &Option<$message>,
            ) -> Result<Self, $crate::games::wire::WireError> {
                match wire {
                    Some(wire) => $crate::games::conversion::OnWire::from_wire(field, wire),
                    None => Err($crate::games::wire::WireError::new(field, "must be set")),
                }
            }
        }

        impl $crate::games::conversion::OnWire<Option<$message>> for Option<$rules> {
            fn to_wire(&self) -> Option<$message> {
                self.as_ref().map($crate::games::conversion::OnWire::to_wire)
            }

            fn put(
                &self,
                field: $crate::games::writer::Field,
                to: &mut $crate::games::writer::Writer,
            ) {
                if let Some(value) = self {
                    $crate::games::conversion::OnWire::<$message>::put(value, field, to);
                }
            }

            fn from_wire(
                field: &str,
                wire: &Option<$message>,
            ) -> Result<Self, $crate::games::wire::WireError> {
                let read = wire.as_ref().map(|wire| {
                    $crate::games::conversion::OnWire::from_wire(field, wire)
                });
                read.transpose()
            }
        }
    };
}
pub(super) use wire_message;

/// Describes a `oneof`, of which one entry must be set:
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
/// An entry has the name of its variant on both sides. In braces are the fields of its message,
/// `v1::MoneyTaken` or the one after `as`; in parentheses is a name for an entry whose value is
/// converted as a whole. What follows `=>` says how the value of the rules is taken apart and
/// built, where it is no variant of that name and these fields.
macro_rules! wire_oneof {
    ($rules:ty = $oneof:ty { $(
        $entry:ident
        $(($bind:ident $(: $whole:expr)?))?
        $($(as $message:ident)? { $($fields:tt)* })?
        $(=> ($($given:tt)+))?
    ),+ $(,)? }) => {
        impl $crate::games::conversion::OnWire<Option<$oneof>> for $rules {
            fn to_wire(&self) -> Option<$oneof> {
                type Entries = $oneof;
                Some(match self {
                    $($crate::games::describe::rules_side!(
                        [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                    ) => Entries::$entry(
                        $($crate::games::conversion::Conversion::write(
                            &$crate::games::describe::conversion!($($whole)?),
                            $bind,
                        ))?
                        $($crate::games::describe::write_fields!(
                            $crate::games::describe::entry_message!($entry $($message)?),
                            { $($fields)* }
                        ))?
                    ),)+
                })
            }

            fn put(
                &self,
                _field: $crate::games::writer::Field,
                to: &mut $crate::games::writer::Writer,
            ) {
                type Entries = $oneof;
                match self {
                    $($crate::games::describe::rules_side!(
                        [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                    ) => {
                        let field = const {
                            $crate::games::writer::field_of::<Entries>(stringify!($entry))
                        };
                        $($crate::games::conversion::put_entry(
                            Entries::$entry,
                            &$crate::games::describe::conversion!($($whole)?),
                            $bind,
                            field,
                            to,
                        );)?
                        $(to.message(field, |to| {
                            $crate::games::describe::put_fields!(
                                to,
                                $crate::games::describe::entry_message!($entry $($message)?),
                                { $($fields)* }
                            );
                        });)?
                    })+
                }
            }

            fn from_wire(
                field: &str,
                wire: &Option<$oneof>,
            ) -> Result<Self, $crate::games::wire::WireError> {
                type Entries = $oneof;
                let Some(wire) = wire else {
                    return Err($crate::games::wire::WireError::none_of::<Entries>(field));
                };
                let read = || -> Result<Self, $crate::games::wire::WireError> {
                    Ok(match wire {
                        $(Entries::$entry(entry) => {
                            $(let $bind = $crate::games::conversion::Conversion::read(
                                &$crate::games::describe::conversion!($($whole)?),
                                "",
                                entry,
                            )?;)?
                            $($crate::games::describe::read_fields!(
                                entry,
                                $crate::games::describe::entry_message!($entry $($message)?),
                                { $($fields)* }
                            );)?
                            $crate::games::describe::rules_side!(
                                [$($($given)+)?] [] [Self::$entry] $(($bind))? $({ $($fields)* })?
                            )
                        })+
                    })
                };
                let name = $crate::games::wire::Oneof::entry(wire);
                $crate::games::wire::Path::below(read(), name)
            }
        }
    };
}
pub(super) use wire_oneof;

/// The message of an entry whose fields are described.
macro_rules! entry_message {
    ($entry:ident) => {
        v1::$entry
    };
    ($entry:ident $message:ident) => {
        v1::$message
    };
}
pub(super) use entry_message;
