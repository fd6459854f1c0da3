//! Notes: bots' comments on their decisions, for spectators. The rules never read them.

use bridgemaster_games::SeatCount;

/// Maximum length of a note, in bytes of UTF-8: a few lines of text.
pub const MAX_NOTE_BYTES: usize = 1024;

/// Maximum total length of a match's notes in bytes, split evenly between its seats. This is enough
/// for one line per decision in a long match, and small compared with the replay.
pub const MATCH_NOTE_BYTES: usize = 64 * 1024;

/// The number of bytes left for one seat's notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteBudget {
    remaining_bytes: u32,
}

impl NoteBudget {
    /// Creates one seat's budget in a new match.
    pub fn for_match(seats: SeatCount) -> Self {
        // The quotient is at most 65,536, the value for one seat.
        let remaining_bytes = (MATCH_NOTE_BYTES / usize::from(seats.get())) as u32;
        Self { remaining_bytes }
    }

    /// The number of bytes left.
    pub fn remaining_bytes(self) -> u32 {
        self.remaining_bytes
    }

    /// Returns whether a note of this length is accepted.
    pub fn has(self, note_bytes: usize) -> bool {
        note_bytes <= MAX_NOTE_BYTES && note_bytes <= self.remaining_bytes as usize
    }

    /// Deducts the length of a note if it fits. Returns whether it fits.
    pub fn take(&mut self, note_bytes: usize) -> bool {
        let fits = self.has(note_bytes);
        if fits {
            // Cannot underflow, since `has` was checked before.
            self.remaining_bytes -= note_bytes as u32;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_accepted_within_its_length_limit_and_the_budget_of_its_seat() {
        let mut budget = NoteBudget::for_match(SeatCount::new(6).unwrap());
        assert_eq!(budget.remaining_bytes(), 10_922);
        assert!(!budget.take(MAX_NOTE_BYTES + 1));
        for _ in 0..10 {
            assert!(budget.take(MAX_NOTE_BYTES));
        }
        assert_eq!(budget.remaining_bytes(), 682);
        assert!(!budget.take(683));
        assert_eq!(
            budget.remaining_bytes(),
            682,
            "a dropped note uses no budget"
        );
        assert!(budget.take(682) && budget.take(0) && !budget.take(1));
    }
}
