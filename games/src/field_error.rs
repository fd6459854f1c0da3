//! Why a value from outside is refused: the field, and what would be valid.

use std::{fmt::Display, ops::RangeInclusive};

use thiserror::Error;

use crate::{Seat, SeatCount};

/// A field of a config, a setup, a chance result or an observation that has a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// Path of the field, such as `stacks[2][5]`.
    pub field: String,
    /// What is wrong with it, and what would be valid.
    pub problem: String,
}

impl FieldError {
    /// `Err` of a wrong field.
    pub fn refuse<T>(field: impl Into<String>, problem: impl Into<String>) -> Result<T, Self> {
        Err(Self {
            field: field.into(),
            problem: problem.into(),
        })
    }
}

/// Fails with a named field unless `holds`.
pub(crate) fn require(
    holds: bool,
    field: impl FnOnce() -> String,
    problem: &str,
) -> Result<(), FieldError> {
    match holds {
        true => Ok(()),
        false => FieldError::refuse(field(), problem),
    }
}

/// As [`require`], of a field that has a name.
pub(crate) fn holds(field: &str, is_right: bool, problem: &str) -> Result<(), FieldError> {
    require(is_right, || field.to_owned(), problem)
}

/// Checks that a number is in a range.
pub(crate) fn check_range<T: Display + PartialOrd>(
    field: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), FieldError> {
    match range.contains(&value) {
        true => Ok(()),
        false => {
            let (first, last) = range.into_inner();
            FieldError::refuse(field, format!("{value} is not in {first} to {last}"))
        }
    }
}

/// Checks how many seats a match has.
pub(crate) fn check_seats(seats: SeatCount, range: RangeInclusive<u8>) -> Result<(), FieldError> {
    match (seats.get(), range.start(), range.end()) {
        (count, first, last) if first == last && count != *first => {
            FieldError::refuse("seats", format!("{seats} is not {first}"))
        }
        (count, ..) => check_range("seats", count, range),
    }
}

/// Checks that a seat is at the table.
pub(crate) fn check_at_table(seats: SeatCount, seat: Seat, field: &str) -> Result<(), FieldError> {
    match seats.contains(seat) {
        true => Ok(()),
        false => FieldError::refuse(field, "is a seat that is not at the table"),
    }
}
