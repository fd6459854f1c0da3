//! Seats: who sits at the table, and sets of them.

use std::fmt;

use crate::numbered::numbered;

/// The most seats any game has.
pub const MAX_SEATS: usize = 8;

numbered! {
    /// A place at the table, counted from 0.
    Seat below MAX_SEATS
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How many seats a match has: 1 to [`MAX_SEATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatCount(u8);

impl SeatCount {
    /// This many seats; `None` for 0 and above [`MAX_SEATS`].
    pub const fn new(count: u8) -> Option<Self> {
        if count > 0 && (count as usize) <= MAX_SEATS {
            Some(Self(count))
        } else {
            None
        }
    }

    /// The number of seats.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// All seats, ascending.
    pub fn seats(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// Whether `seat` sits at this table.
    pub const fn contains(self, seat: Seat) -> bool {
        seat.0 < self.0
    }
}

impl fmt::Display for SeatCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: Self = Self(0);

    /// All seats of a table.
    pub const fn all(seats: SeatCount) -> Self {
        Self((u8::MAX) >> (MAX_SEATS - seats.0 as usize))
    }

    /// One seat.
    pub const fn one(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Adds a seat.
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Removes a seat.
    pub fn remove(&mut self, seat: Seat) {
        self.0 &= !(1 << seat.0);
    }

    /// Whether the seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// How many seats are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no seat is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as a bit mask: bit n is seat n.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The seats in the set, ascending.
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

/// Whose eyes an observation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// One seat's own view.
    Seat(Seat),
    /// Somebody who holds no seat: knows what is public.
    Spectator,
}
