//! The error for an invalid value from outside. The error names the field and the valid values.

use std::{fmt::Display, ops::RangeInclusive};

use thiserror::Error;

use crate::{Seat, SeatCount};

/// A field of a config, a setup, a chance result or an observation has a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// The path of the field, such as `stacks[2][5]`.
    pub field: String,
    /// The problem and the valid values.
    pub problem: String,
}

impl FieldError {
    /// Returns an `Err` that reports one field.
    pub fn refuse<T>(field: impl Into<String>, problem: impl Into<String>) -> Result<T, Self> {
        Err(Self {
            field: field.into(),
            problem: problem.into(),
        })
    }
}

/// Returns a field error if `holds` is false.
pub(crate) fn require_at(
    holds: bool,
    field: impl FnOnce() -> String,
    problem: &str,
) -> Result<(), FieldError> {
    if holds {
        Ok(())
    } else {
        FieldError::refuse(field(), problem)
    }
}

/// Like [`require_at`], for a field whose name is constant.
pub(crate) fn require(field: &str, is_right: bool, problem: &str) -> Result<(), FieldError> {
    require_at(is_right, || field.to_owned(), problem)
}

/// Checks that a number is in a range.
pub(crate) fn check_range<T: Display + PartialOrd>(
    field: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), FieldError> {
    if range.contains(&value) {
        Ok(())
    } else {
        let (first, last) = range.into_inner();
        FieldError::refuse(field, format!("{value} is out of range ({first}..={last})"))
    }
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
pub(crate) fn check_at_table(seats: SeatCount, seat: Seat, field: &str) -> Result<(), FieldError> {
    if seats.contains(seat) {
        Ok(())
    } else {
        FieldError::refuse(field, "is a seat that is not at the table")
    }
}
