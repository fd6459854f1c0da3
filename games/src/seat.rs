//! Seats, viewers, and sets of seats.

use std::fmt;

use crate::named::numbered;

/// The maximum number of seats in any game.
pub const MAX_SEATS: usize = 8;

numbered! {
    /// A seat at the table, counted from 0.
    Seat below MAX_SEATS
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of seats in a match: 1 to [`MAX_SEATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatCount(u8);

impl SeatCount {
    /// Creates a seat count. Returns `None` if the number is 0 or above [`MAX_SEATS`].
    pub const fn new(count: u8) -> Option<Self> {
        if count > 0 && (count as usize) <= MAX_SEATS { Some(Self(count)) } else { None }
    }

    /// Returns the number of seats, at least 1.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns all seats in ascending order.
    pub fn seats(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// Returns `true` if `seat` is at this table.
    pub const fn contains(self, seat: Seat) -> bool {
        seat.0 < self.0
    }
}

impl fmt::Display for SeatCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of seats, stored as a bit mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// The set without any seat.
    pub const EMPTY: Self = Self(0);

    /// Creates the set of all seats at a table.
    pub const fn all(seats: SeatCount) -> Self {
        Self((u8::MAX) >> (MAX_SEATS - seats.0 as usize))
    }

    /// Creates the set of a single seat.
    pub const fn one(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Adds a seat. Has no effect if the set already contains it.
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Removes a seat. Has no effect if the set does not contain it.
    pub fn remove(&mut self, seat: Seat) {
        self.0 &= !(1 << seat.0);
    }

    /// Returns `true` if the seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// Returns the number of seats in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns `true` if no seat is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the seats in the set in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let number = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                Seat(number)
            })
        })
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::EMPTY;
        for seat in seats {
            set.insert(seat);
        }
        set
    }
}

/// The viewer of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// A seat, which sees its own hidden information.
    Seat(Seat),
    /// A spectator, who sees only public information.
    Spectator,
}
