//! Notes: what bots say of their decisions, for people who look at the match. No rule reads them.

use bridgemaster_games::SeatCount;

/// Longest note that is kept, in bytes of UTF-8: some lines of text.
pub const MAX_NOTE_BYTES: usize = 1024;

/// Bytes of notes that are kept of a match, in equal parts for its seats: a line for each of several
/// hundred decisions, and little beside a replay.
pub const MATCH_NOTE_BYTES: usize = 64 * 1024;

/// Room for the notes of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteRoom {
    left_bytes: u32,
}

impl NoteRoom {
    /// That of a seat at the beginning of a match with so many seats.
    pub fn of_match(seats: SeatCount) -> Self {
        // At most 65,536.
        let left_bytes = (MATCH_NOTE_BYTES / usize::from(seats.get())) as u32;
        Self { left_bytes }
    }

    /// Bytes that are left.
    pub fn left_bytes(self) -> u32 {
        self.left_bytes
    }

    /// Whether a note of so many bytes is kept.
    pub fn has(self, note_bytes: usize) -> bool {
        note_bytes <= MAX_NOTE_BYTES && note_bytes <= self.left_bytes as usize
    }

    /// Takes the room for a note of so many bytes, if it has it: then it is kept.
    pub fn take(&mut self, note_bytes: usize) -> bool {
        let is_kept = self.has(note_bytes);
        if is_kept {
            // No more than what is left.
            self.left_bytes -= note_bytes as u32;
        }
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_kept_while_it_fits_into_its_own_limit_and_the_part_of_its_seat() {
        let mut room = NoteRoom::of_match(SeatCount::new(6).unwrap());
        assert_eq!(room.left_bytes(), 10_922);
        assert!(!room.take(MAX_NOTE_BYTES + 1));
        for _ in 0..10 {
            assert!(room.take(MAX_NOTE_BYTES));
        }
        assert_eq!(room.left_bytes(), 682);
        assert!(!room.take(683));
        assert_eq!(room.left_bytes(), 682, "what is dropped takes no room");
        assert!(room.take(682) && room.take(0) && !room.take(1));
    }
}
