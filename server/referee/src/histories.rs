//! The histories of a match, by which the sequence number of a reconnecting bot is checked.
//!
//! Messages to a seat are numbered, and a bot that reconnects sends the last number that it
//! received. After a restart, the stored state of a match can be older than messages that were
//! sent, because a power failure lost the end of the journal or a backup was restored. The server
//! would then reuse numbers for other messages, and a bot with an old number would miss them. So
//! each start of a server begins a new history with its own identifier. The match stores the
//! earlier histories with their last sequence numbers.

use std::{collections::VecDeque, fmt, str::FromStr};

use bridgemaster_games::Seat;
use thiserror::Error;

/// Maximum number of ended histories that a match stores, so that matches do not grow without bound
/// while a server restarts in a loop. Bots usually reconnect within seconds, so hardly any bot
/// misses this many restarts. A bot that does starts over, and loses only the messages in between.
pub const MAX_ENDED_HISTORIES: usize = 64;

/// Identifier of a history: 128 random bits, formatted as 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistoryId([u8; 16]);

/// The error when a text is not a valid [`HistoryId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a history identifier must have 32 lower-case hex digits")]
pub struct ParseHistoryIdError;

/// The position in the message stream from which a reconnecting bot resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// The history in which the bot received the message.
    pub history_id: HistoryId,
    /// Sequence number of the last message that the bot received.
    pub last_sequence: u32,
}

/// A match's current history and its ended histories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histories {
    /// The ended histories, oldest first.
    ended: VecDeque<EndedHistory>,
    running: HistoryId,
}

/// A history that ended when the server restarted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedHistory {
    /// The history's identifier.
    pub history_id: HistoryId,
    /// Sequence number of the last message to each seat, in seat order; 0 if there was none.
    pub sent: Vec<u32>,
}

impl Histories {
    /// Creates the histories for a new match.
    pub fn new(running: HistoryId) -> Self {
        Self { ended: VecDeque::new(), running }
    }

    /// The current history's identifier.
    pub fn running(&self) -> HistoryId {
        self.running
    }

    /// The ended histories that are still stored, oldest first.
    pub fn ended(&self) -> impl ExactSizeIterator<Item = &EndedHistory> {
        self.ended.iter()
    }

    /// Ends the current history, recording each seat's last sequence number, and begins `next`.
    pub fn begin(&mut self, next: HistoryId, sent: Vec<u32>) {
        if self.ended.len() == MAX_ENDED_HISTORIES {
            self.ended.pop_front();
        }
        self.ended.push_back(EndedHistory { history_id: self.running, sent });
        self.running = next;
    }

    /// Returns whether the messages up to a resume point are part of this match: the history of the
    /// point must still be stored, and the message must have been sent in that history.
    /// `sent_so_far` is the last number in the current history.
    pub fn covers(&self, seat: Seat, point: ResumePoint, sent_so_far: u32) -> bool {
        let sent = if point.history_id == self.running {
            Some(sent_so_far)
        } else {
            let mut ended = self.ended.iter();
            let named = ended.find(|ended| ended.history_id == point.history_id);
            named.and_then(|ended| ended.sent.get(seat.index()).copied())
        };
        sent.is_some_and(|sent| point.last_sequence <= sent)
    }
}

impl HistoryId {
    /// Creates an identifier from its bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Creates an identifier from a slice. Returns `None` unless the slice has 16 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The identifier's 16 bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for HistoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for HistoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for HistoryId {
    type Err = ParseHistoryIdError;

    fn from_str(text: &str) -> Result<Self, ParseHistoryIdError> {
        let is_lower_hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_lower_hex) {
            return Err(ParseHistoryIdError);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| ParseHistoryIdError)?;
        Ok(Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: u8) -> HistoryId {
        HistoryId::new([number; 16])
    }

    #[test]
    fn an_identifier_survives_a_round_trip_and_other_texts_are_rejected() {
        let text = "00112233445566778899aabbccddeeff";
        let id: HistoryId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(id.as_bytes()[1], 0x11);
        let upper = text.to_uppercase();
        for wrong in ["", "0", &text[1..], &upper, "+0112233445566778899aabbccddeeff"] {
            assert_eq!(wrong.parse::<HistoryId>(), Err(ParseHistoryIdError), "{wrong:?}");
        }
    }

    #[test]
    fn a_match_forgets_its_oldest_history_when_there_are_too_many() {
        let mut histories = Histories::new(id(0));
        let limit = MAX_ENDED_HISTORIES as u8;
        let seat = Seat::new(0).unwrap();
        let holds = |histories: &Histories, number| {
            let point = ResumePoint { history_id: id(number), last_sequence: 1 };
            histories.covers(seat, point, 0)
        };
        for next in 1..=limit {
            histories.begin(id(next), vec![1]);
        }
        assert!(holds(&histories, 0));
        histories.begin(id(limit + 1), vec![1]);
        assert!(!holds(&histories, 0), "it is forgotten");
        assert!(holds(&histories, 1));
    }

    proptest! {
        /// Tests the whole rule: the history is stored, and the number was sent to this seat in it.
        #[test]
        fn a_sequence_number_is_valid_up_to_the_last_one_that_its_history_sent(
            sent in prop::collection::vec(prop::collection::vec(0_u32..20, 3), 0..5),
            sent_so_far in 0_u32..20,
            named in 0_u8..8,
            seat in 0_u8..4,
            last_sequence in 0_u32..25,
        ) {
            let mut histories = Histories::new(id(0));
            for (next, sent) in (1..).zip(&sent) {
                histories.begin(id(next), sent.clone());
            }
            let point = ResumePoint { history_id: id(named), last_sequence };
            let had = match usize::from(named) {
                running if running == sent.len() => Some(sent_so_far),
                ended => sent.get(ended).and_then(|sent| sent.get(usize::from(seat))).copied(),
            };
            let holds = histories.covers(Seat::new(seat).unwrap(), point, sent_so_far);
            prop_assert_eq!(holds, had.is_some_and(|had| last_sequence <= had));
        }
    }
}
