//! Conversions between rules values and message fields.
//!
//! A type defines its wire form with [`OnWire`]. If the type alone does not determine the form, as
//! for a number with a range, the message description names a [`Conversion`].

use std::{fmt::Display, ops::RangeInclusive};

use arrayvec::ArrayVec;
use bridgemaster_games::{Seat, Viewer};

use super::{
    wire::{FieldError, Path},
    writer::{Field, Number, Writer},
};

/// A rules type with the wire form `W`.
pub(super) trait OnWire<W>: Sized {
    /// Returns the value for the message field.
    fn to_wire(&self) -> W;

    /// Writes the value as the message field's bytes.
    fn put(&self, field: Field, to: &mut Writer);

    /// Reads the value from a field. `field` is the field's name in the enclosing message, and
    /// starts the path in an error. For a list item, `field` is empty.
    fn from_wire(field: &str, wire: &W) -> Result<Self, FieldError>;
}

/// A field conversion between the rules type `R` and the message type `W`.
pub(super) trait Conversion<R, W> {
    /// Returns the value for the message field; see [`OnWire::to_wire`].
    fn write(&self, value: &R) -> W;

    /// Writes the value as bytes; see [`OnWire::put`].
    fn put(&self, value: &R, field: Field, to: &mut Writer);

    /// Reads the value from a field; see [`OnWire::from_wire`].
    fn read(&self, field: &str, wire: &W) -> Result<R, FieldError>;
}

/// Writes a message field as bytes. The accessor determines the field's type on the wire.
#[inline]
pub(super) fn put_field<M, R, W>(
    _of: fn(&M) -> &W,
    conversion: &impl Conversion<R, W>,
    value: &R,
    field: Field,
    to: &mut Writer,
) {
    conversion.put(value, field, to);
}

/// Writes a `oneof` entry as bytes. The constructor determines the entry's type on the wire.
#[inline]
pub(super) fn put_entry<M, R, W>(
    _of: fn(W) -> M,
    conversion: &impl Conversion<R, W>,
    value: &R,
    field: Field,
    to: &mut Writer,
) {
    conversion.put(value, field, to);
}

/// The default conversion for a field: its type's wire form.
pub(super) struct Plain;

impl<R: OnWire<W>, W> Conversion<R, W> for Plain {
    fn write(&self, value: &R) -> W {
        value.to_wire()
    }

    fn put(&self, value: &R, field: Field, to: &mut Writer) {
        value.put(field, to);
    }

    fn read(&self, field: &str, wire: &W) -> Result<R, FieldError> {
        R::from_wire(field, wire)
    }
}

/// Implements [`OnWire`] for types that are the same in the rules and on the wire.
macro_rules! identity_conversions {
    ($($type:ty: |$value:ident, $field:ident, $to:ident| $put:expr;)*) => {
        $(impl OnWire<$type> for $type {
            fn to_wire(&self) -> $type {
                self.to_owned()
            }

            fn put(&self, $field: Field, $to: &mut Writer) {
                let $value = self;
                $put
            }

            fn from_wire(_field: &str, wire: &$type) -> Result<Self, FieldError> {
                Ok(wire.to_owned())
            }
        })*
    };
}

identity_conversions! {
    bool: |value, field, to| to.number(*value, field);
    i32: |value, field, to| to.number(*value, field);
    u32: |value, field, to| to.number(*value, field);
    String: |value, field, to| to.text(value, field);
}

/// A number within a range. Reading checks the range.
pub(super) struct InRange<T>(pub(super) RangeInclusive<T>);

impl<T, W> Conversion<T, W> for InRange<T>
where
    T: Copy + Display + PartialOrd + TryFrom<W>,
    W: Copy + Display + From<T> + Number,
{
    fn write(&self, value: &T) -> W {
        W::from(*value)
    }

    fn put(&self, value: &T, field: Field, to: &mut Writer) {
        to.number(W::from(*value), field);
    }

    fn read(&self, field: &str, wire: &W) -> Result<T, FieldError> {
        match T::try_from(*wire) {
            Ok(number) if self.0.contains(&number) => Ok(number),
            _ => {
                let (first, last) = (self.0.start(), self.0.end());
                let detail = format!("{wire} is out of range ({first}..={last})");
                Err(FieldError::new(field, detail))
            }
        }
    }
}

/// An optional number from 1 to this maximum; `None` is 0 on the wire.
pub(super) struct OrZero(pub(super) u8);

impl Conversion<Option<u8>, u32> for OrZero {
    fn write(&self, value: &Option<u8>) -> u32 {
        value.map_or(0, u32::from)
    }

    fn put(&self, value: &Option<u8>, field: Field, to: &mut Writer) {
        to.number(self.write(value), field);
    }

    fn read(&self, field: &str, wire: &u32) -> Result<Option<u8>, FieldError> {
        let number: u8 = InRange(0..=self.0).read(field, wire)?;
        Ok((number != 0).then_some(number))
    }
}

/// A seat below this number, which is a game's maximum number of seats. For a viewer, an unset
/// field means a spectator.
#[derive(Clone, Copy)]
pub(super) struct SeatBelow(pub(super) usize);

impl Conversion<Seat, u32> for SeatBelow {
    fn write(&self, seat: &Seat) -> u32 {
        seat.number().into()
    }

    fn put(&self, seat: &Seat, field: Field, to: &mut Writer) {
        to.number(u32::from(seat.number()), field);
    }

    fn read(&self, field: &str, wire: &u32) -> Result<Seat, FieldError> {
        match u8::try_from(*wire).ok().and_then(Seat::new) {
            Some(seat) if seat.index() < self.0 => Ok(seat),
            _ => {
                let detail = format!("{wire} is out of range (0..={})", self.0 - 1);
                Err(FieldError::new(field, detail))
            }
        }
    }
}

impl Conversion<Viewer, Option<u32>> for SeatBelow {
    fn write(&self, viewer: &Viewer) -> Option<u32> {
        match viewer {
            Viewer::Seat(seat) => Some(self.write(seat)),
            Viewer::Spectator => None,
        }
    }

    fn put(&self, viewer: &Viewer, field: Field, to: &mut Writer) {
        if let Viewer::Seat(seat) = viewer {
            self.put(seat, field, to);
        }
    }

    fn read(&self, field: &str, wire: &Option<u32>) -> Result<Viewer, FieldError> {
        Ok(match wire {
            Some(seat) => Viewer::Seat(self.read(field, seat)?),
            None => Viewer::Spectator,
        })
    }
}

/// Converts an optional field, by converting the value if it is set.
pub(super) struct Optional<C>(pub(super) C);

impl<R, W, C: Conversion<R, W>> Conversion<Option<R>, Option<W>> for Optional<C> {
    fn write(&self, value: &Option<R>) -> Option<W> {
        value.as_ref().map(|value| self.0.write(value))
    }

    fn put(&self, value: &Option<R>, field: Field, to: &mut Writer) {
        if let Some(value) = value {
            self.0.put(value, field, to);
        }
    }

    fn read(&self, field: &str, wire: &Option<W>) -> Result<Option<R>, FieldError> {
        let read = wire.as_ref().map(|wire| self.0.read(field, wire));
        read.transpose()
    }
}

/// A config field, which is always written. `D` returns the default for an unset field.
pub(super) struct WithDefault<D, C>(pub(super) D, pub(super) C);

impl<R, W, C: Conversion<R, W>, D: Fn() -> R> Conversion<R, Option<W>> for WithDefault<D, C> {
    fn write(&self, value: &R) -> Option<W> {
        Some(self.1.write(value))
    }

    fn put(&self, value: &R, field: Field, to: &mut Writer) {
        self.1.put(value, field, to);
    }

    fn read(&self, field: &str, wire: &Option<W>) -> Result<R, FieldError> {
        match wire {
            Some(wire) => self.1.read(field, wire),
            None => Ok(self.0()),
        }
    }
}

/// A value that is omitted if it is the default. The default is an unset message, an unset enum
/// value, or an empty list. `C` converts every other value.
pub(super) struct SkipDefault<C>(pub(super) C);

impl<R, W, C> Conversion<R, W> for SkipDefault<C>
where
    R: Default + PartialEq,
    W: Default + PartialEq,
    C: Conversion<R, W>,
{
    fn write(&self, value: &R) -> W {
        if *value == R::default() { W::default() } else { self.0.write(value) }
    }

    fn put(&self, value: &R, field: Field, to: &mut Writer) {
        if *value != R::default() {
            self.0.put(value, field, to);
        }
    }

    fn read(&self, field: &str, wire: &W) -> Result<R, FieldError> {
        if *wire == W::default() { Ok(R::default()) } else { self.0.read(field, wire) }
    }
}

/// An optional list; `None` is an empty list on the wire.
pub(super) struct OptionalList<C>(pub(super) C);

impl<R, W, C: Conversion<R, Vec<W>>> Conversion<Option<R>, Vec<W>> for OptionalList<C> {
    fn write(&self, value: &Option<R>) -> Vec<W> {
        let list = value.as_ref().map(|list| self.0.write(list));
        list.unwrap_or_default()
    }

    fn put(&self, value: &Option<R>, field: Field, to: &mut Writer) {
        if let Some(list) = value {
            self.0.put(list, field, to);
        }
    }

    fn read(&self, field: &str, wire: &Vec<W>) -> Result<Option<R>, FieldError> {
        match &wire[..] {
            [] => Ok(None),
            _ => self.0.read(field, wire).map(Some),
        }
    }
}

/// A list whose items are converted by `C`. In the rules, it is a `Vec`, an `ArrayVec` or an array.
/// An `ArrayVec` limits the number of items, and an array fixes it. The index of an invalid item
/// becomes part of the path.
pub(super) struct Each<C>(pub(super) C);

impl<C> Each<C> {
    fn put_all<R, W>(&self, items: &[R], field: Field, to: &mut Writer)
    where
        C: Conversion<R, W>,
    {
        to.list(items, field, |to, item, field| self.0.put(item, field, to));
    }
}

impl<R, W, C: Conversion<R, W>> Conversion<Vec<R>, Vec<W>> for Each<C> {
    fn write(&self, items: &Vec<R>) -> Vec<W> {
        items.iter().map(|item| self.0.write(item)).collect()
    }

    fn put(&self, items: &Vec<R>, field: Field, to: &mut Writer) {
        self.put_all(items, field, to);
    }

    fn read(&self, field: &str, wire: &Vec<W>) -> Result<Vec<R>, FieldError> {
        let items = wire.iter().enumerate();
        items.map(|(place, item)| self.0.read("", item).at(field, place)).collect()
    }
}

impl<R, W, C: Conversion<R, W>, const N: usize> Conversion<ArrayVec<R, N>, Vec<W>> for Each<C> {
    fn write(&self, items: &ArrayVec<R, N>) -> Vec<W> {
        items.iter().map(|item| self.0.write(item)).collect()
    }

    fn put(&self, items: &ArrayVec<R, N>, field: Field, to: &mut Writer) {
        self.put_all(items, field, to);
    }

    fn read(&self, field: &str, wire: &Vec<W>) -> Result<ArrayVec<R, N>, FieldError> {
        if wire.len() > N {
            let detail = format!("must have at most {N} entries, found {}", wire.len());
            return Err(FieldError::new(field, detail));
        }
        let items = wire.iter().enumerate();
        items.map(|(place, item)| self.0.read("", item).at(field, place)).collect()
    }
}

impl<R, W, C: Conversion<R, W>, const N: usize> Conversion<[R; N], Vec<W>> for Each<C> {
    fn write(&self, items: &[R; N]) -> Vec<W> {
        items.iter().map(|item| self.0.write(item)).collect()
    }

    fn put(&self, items: &[R; N], field: Field, to: &mut Writer) {
        self.put_all(items, field, to);
    }

    fn read(&self, field: &str, wire: &Vec<W>) -> Result<[R; N], FieldError> {
        let wrong_length = || {
            let detail = format!("must have {N} entries, found {}", wire.len());
            FieldError::new(field, detail)
        };
        if wire.len() != N {
            return Err(wrong_length());
        }
        let items: ArrayVec<R, N> = self.read(field, wire)?;
        items.into_inner().map_err(|_| wrong_length())
    }
}

/// Implements [`OnWire`] for lists whose items need no special conversion.
macro_rules! plain_lists {
    ($([$($size:tt)*] $list:ty;)*) => {
        $(impl<T: OnWire<W>, W $($size)*> OnWire<Vec<W>> for $list {
            fn to_wire(&self) -> Vec<W> {
                Each(Plain).write(self)
            }

            fn put(&self, field: Field, to: &mut Writer) {
                Each(Plain).put_all::<T, W>(self, field, to);
            }

            fn from_wire(field: &str, wire: &Vec<W>) -> Result<Self, FieldError> {
                Each(Plain).read(field, wire)
            }
        })*
    };
}

plain_lists! {
    [] Vec<T>;
    [, const N: usize] ArrayVec<T, N>;
    [, const N: usize] [T; N];
}
