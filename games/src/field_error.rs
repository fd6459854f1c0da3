//! The error for an invalid value from outside. The error names the field and the valid values.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::{Seat, SeatCount};

/// A field of a value from outside has a wrong value: of a config, a setup, an observation, an
/// edition, the rules of a match, or a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}{}{problem}", if field.is_empty() { "" } else { ": " })]
pub struct FieldError {
    /// The path of the field, such as `stacks[2][5]`. List indices start at 0. Empty if the error
    /// concerns the whole value.
    pub field: String,
    /// The problem and the valid values.
    pub problem: String,
}

impl FieldError {
    /// Creates the error for a field.
    pub fn new(field: impl Into<String>, problem: impl ToString) -> Self {
        Self { field: field.into(), problem: problem.to_string() }
    }

    /// Returns an `Err` that reports one field.
    pub fn refuse<T>(field: impl Into<String>, problem: impl ToString) -> Result<T, Self> {
        Err(Self::new(field, problem))
    }

    /// Prepends the name of the enclosing field to the path. An empty name leaves the path
    /// unchanged.
    #[must_use]
    pub fn below(self, parent: &str) -> Self {
        let field = match (parent, &self.field[..]) {
            ("", field) => field.to_owned(),
            (parent, "") => parent.to_owned(),
            (parent, field) if field.starts_with('[') => format!("{parent}{field}"),
            (parent, field) => format!("{parent}.{field}"),
        };
        Self { field, ..self }
    }

    /// Prepends a list's name and an item's index to the path.
    #[must_use]
    pub fn at(self, list: &str, place: usize) -> Self {
        self.below(&format!("{list}[{place}]"))
    }
}

/// Returns a field error unless `is_right`. Callers pass computed texts as `format_args!`, so that
/// they are formatted for an error only.
pub(crate) fn require(
    field: impl Display,
    is_right: bool,
    problem: impl Display,
) -> Result<(), FieldError> {
    if is_right { Ok(()) } else { FieldError::refuse(field.to_string(), problem) }
}

/// Checks that a number is in a range.
///
/// # Errors
///
/// Returns an error that names the field, the value and the range.
pub fn check_range<T: Display + PartialOrd>(
    field: impl Display,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), FieldError> {
    let (first, last) = (range.start(), range.end());
    let problem = format_args!("{value} is out of range ({first}..={last})");
    require(field, range.contains(&value), problem)
}

/// Checks a match's number of seats.
pub(crate) fn check_seats(seats: SeatCount, range: RangeInclusive<u8>) -> Result<(), FieldError> {
    match (seats.get(), range.start(), range.end()) {
        (count, first, last) if first == last && count != *first => {
            FieldError::refuse("seats", format!("must be {first}, found {seats}"))
        }
        (count, ..) => check_range("seats", count, range),
    }
}

/// Checks that a seat is at the table.
pub(crate) fn check_at_table(
    seats: SeatCount,
    seat: Seat,
    field: impl Display,
) -> Result<(), FieldError> {
    let problem = "is a seat that is not at the table";
    require(field, seats.contains(seat), problem)
}

/// Checks a list in a setup. It must have `count` items, and no item may occur more often than in
/// `all`.
pub(crate) fn check_dealt<T: Display + PartialEq>(
    field: &str,
    dealt: &[T],
    all: &[T],
    count: usize,
) -> Result<(), FieldError> {
    if dealt.len() != count {
        let problem = format!("must have {count} entries, found {}", dealt.len());
        return FieldError::refuse(field, problem);
    }
    let times = |items: &[T], item: &T| items.iter().filter(|other| *other == item).count();
    for (i, item) in dealt.iter().enumerate() {
        let there = times(all, item);
        let problem = match times(&dealt[..=i], item) {
            _ if there == 0 => format!("{item} is not one of the items to deal"),
            dealt if dealt > there => format!("{item} is dealt too often (at most {there})"),
            _ => continue,
        };
        return FieldError::refuse(format!("{field}[{i}]"), problem);
    }
    Ok(())
}
