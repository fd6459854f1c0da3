//! Reading fields that come from outside: ranges, lengths, enums.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use bridgemaster_games::Seat;

use super::wire::{Below, WireError};

/// A number within a range.
pub(super) fn number(field: &str, value: u32, range: RangeInclusive<u8>) -> Result<u8, WireError> {
    match u8::try_from(value) {
        Ok(small) if range.contains(&small) => Ok(small),
        _ => {
            let detail = format!("{value} is not in {} to {}", range.start(), range.end());
            Err(WireError::new(field, detail))
        }
    }
}

/// A seat below `seats`, which is a game's highest number of seats.
pub(super) fn seat(field: &str, value: u32, seats: usize) -> Result<Seat, WireError> {
    match u8::try_from(value).ok().and_then(Seat::new) {
        Some(seat) if seat.index() < seats => Ok(seat),
        _ => {
            let detail = format!("{value} is not a seat; 0 to {} are", seats - 1);
            Err(WireError::new(field, detail))
        }
    }
}

/// A message that must be set.
pub(super) fn set<'a, T>(field: &str, value: Option<&'a T>) -> Result<&'a T, WireError> {
    value.ok_or_else(|| WireError::new(field, "must be set"))
}

/// A message that must be set, read.
pub(super) fn required<T, U>(
    field: &str,
    value: Option<&T>,
    read: fn(&T) -> Result<U, WireError>,
) -> Result<U, WireError> {
    read(set(field, value)?).below(field)
}

/// A message that need not be set, read.
pub(super) fn optional<T, U>(
    field: &str,
    value: Option<&T>,
    read: fn(&T) -> Result<U, WireError>,
) -> Result<Option<U>, WireError> {
    value.map(read).transpose().below(field)
}

/// Reads each item of a list of any length.
pub(super) fn each<T, U>(
    field: &str,
    items: &[T],
    read: impl Fn(&T) -> Result<U, WireError>,
) -> Result<Vec<U>, WireError> {
    let numbered = items.iter().enumerate();
    numbered
        .map(|(i, item)| read(item).map_err(|error| at(field, i, error)))
        .collect()
}

/// A list of enum values of any length.
pub(super) fn enums<E: WireEnum>(field: &str, numbers: &[i32]) -> Result<Vec<E>, WireError> {
    each(field, numbers, |&number| E::from_wire("", number))
}

/// A list of exactly `N` items; see [`list`].
pub(super) fn exactly<T, U, const N: usize>(
    field: &str,
    items: &[T],
    read: impl Fn(&str, &T) -> Result<U, WireError>,
) -> Result<[U; N], WireError> {
    let wrong_length = || {
        WireError::new(
            field,
            format!("must have {N} entries, found {}", items.len()),
        )
    };
    if items.len() != N {
        return Err(wrong_length());
    }
    list::<T, U, N>(field, items, read)?
        .into_inner()
        .map_err(|_| wrong_length())
}

/// A list of at most `N` items. `read` gets an empty name for its item, whose place in the list
/// becomes part of the path when it fails.
pub(super) fn list<T, U, const N: usize>(
    field: &str,
    items: &[T],
    read: impl Fn(&str, &T) -> Result<U, WireError>,
) -> Result<ArrayVec<U, N>, WireError> {
    if items.len() > N {
        let detail = format!("must have at most {N} entries, found {}", items.len());
        return Err(WireError::new(field, detail));
    }
    let mut read_items = ArrayVec::new();
    for (i, item) in items.iter().enumerate() {
        read_items.push(read("", item).map_err(|error| at(field, i, error))?);
    }
    Ok(read_items)
}

/// Puts the place of a list's item before the path of an error inside it. An item that is wrong
/// as a whole has an empty path.
pub(super) fn at(field: &str, place: usize, error: WireError) -> WireError {
    let path = if error.field.is_empty() {
        format!("{field}[{place}]")
    } else {
        format!("{field}[{place}].{}", error.field)
    };
    WireError::new(path, error.detail)
}

/// An enum of the rules and its twin on the wire, whose value 0 stands for none of them.
pub(super) trait WireEnum: Sized {
    /// The number on the wire.
    fn to_wire(self) -> i32;
    /// The value of a number on the wire.
    fn of_number(number: i32) -> Option<Self>;
    /// The names on the wire, in ascending order of their numbers.
    fn wire_names() -> String;

    /// Reads a value that must be set.
    fn from_wire(field: &str, number: i32) -> Result<Self, WireError> {
        Self::of_number(number).ok_or_else(|| {
            let names = Self::wire_names();
            let detail = match number {
                0 => format!("must be set to one of {names}"),
                _ => format!("{number} is not one of {names}"),
            };
            WireError::new(field, detail)
        })
    }

    /// Reads a value that need not be set.
    fn optional_from_wire(field: &str, number: i32) -> Result<Option<Self>, WireError> {
        match number {
            0 => Ok(None),
            _ => Self::from_wire(field, number).map(Some),
        }
    }
}

/// The number on the wire of a value that need not be set.
pub(super) fn optional_to_wire(value: Option<impl WireEnum>) -> i32 {
    value.map_or(0, WireEnum::to_wire)
}

/// Implements [`WireEnum`] for an enum whose variants have the same names on both sides.
macro_rules! wire_enum {
    ($rules:ty = $wire:ty { $($variant:ident)* }) => {
        impl $crate::games::field::WireEnum for $rules {
            fn to_wire(self) -> i32 {
                match self { $(<$rules>::$variant => <$wire>::$variant as i32,)* }
            }

            fn of_number(number: i32) -> Option<Self> {
                match <$wire>::try_from(number) {
                    $(Ok(<$wire>::$variant) => Some(<$rules>::$variant),)*
                    _ => None,
                }
            }

            fn wire_names() -> String {
                [$(<$wire>::$variant.as_str_name()),*].join(", ")
            }
        }
    };
}
pub(super) use wire_enum;
