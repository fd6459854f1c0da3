//! The histories of a match: whether the sequence number of a returning bot can be trusted.
//!
//! What a seat was sent is numbered, and a bot that comes back names the last number that it has.
//! A server that is started again may know less than was sent before: a power failure took the end
//! of its journal, or a backup was restored. It would then give the same numbers to other messages,
//! and a bot that believes its old ones would skip them. So every start of a server begins a new
//! history, under an identifier of its own, and the match remembers of those before how far they
//! went.

use std::{collections::VecDeque, fmt, str::FromStr};

use bridgemaster_games::Seat;
use thiserror::Error;

/// Earlier histories that a match remembers. Bots usually return within seconds of a start, so
/// hardly any is away for more starts than this; such a bot begins anew, which costs it only the
/// messages between. Without a bound, matches of a server that keeps restarting would grow for
/// ever.
pub const MAX_ENDED_HISTORIES_KEPT: usize = 64;

/// Identifies a history: 128 random bits, written as 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistoryId([u8; 16]);

/// A text that is not a [`HistoryId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an identifier of a history has 32 lower hex digits")]
pub struct NoHistoryId;

/// What a returning bot says it has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The history that sent it.
    pub history_id: HistoryId,
    /// Sequence of the last message.
    pub last_sequence: u32,
}

/// The histories of one match, the running one and those that have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histories {
    /// The oldest first.
    ended: VecDeque<EndedHistory>,
    running: HistoryId,
}

/// A history that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedHistory {
    /// Its identifier.
    pub history_id: HistoryId,
    /// Sequence of the last message that it sent to each seat, in seat order; 0 for none.
    pub sent: Vec<u32>,
}

impl Histories {
    /// Those of a match that is made in this one.
    pub fn new(running: HistoryId) -> Self {
        Self {
            ended: VecDeque::new(),
            running,
        }
    }

    /// The running one.
    pub fn running(&self) -> HistoryId {
        self.running
    }

    /// Those that have ended and are remembered, the oldest first.
    pub fn ended(&self) -> impl ExactSizeIterator<Item = &EndedHistory> {
        self.ended.iter()
    }

    /// The running one ends, having sent so much to each seat, and `next` begins.
    pub fn begin(&mut self, next: HistoryId, sent: Vec<u32>) {
        if self.ended.len() == MAX_ENDED_HISTORIES_KEPT {
            self.ended.pop_front();
        }
        self.ended.push_back(EndedHistory {
            history_id: self.running,
            sent,
        });
        self.running = next;
    }

    /// Whether the messages up to the one that a bot names are those of this match: its history is
    /// remembered, and had sent that much to the seat. `sent_so_far` is what the running one has.
    pub fn holds(&self, seat: Seat, known: Known, sent_so_far: u32) -> bool {
        let sent = if known.history_id == self.running {
            Some(sent_so_far)
        } else {
            let mut ended = self.ended.iter();
            let named = ended.find(|ended| ended.history_id == known.history_id);
            named.and_then(|ended| ended.sent.get(seat.index()).copied())
        };
        sent.is_some_and(|sent| known.last_sequence <= sent)
    }
}

impl HistoryId {
    /// The identifier of these bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The identifier of these bytes, if they are as many as one has.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
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
    type Err = NoHistoryId;

    fn from_str(text: &str) -> Result<Self, NoHistoryId> {
        let is_lower_hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_lower_hex) {
            return Err(NoHistoryId);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NoHistoryId)?;
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
    fn an_identifier_is_its_text_and_no_other_text_is_one() {
        let text = "00112233445566778899aabbccddeeff";
        let id: HistoryId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(id.as_bytes()[1], 0x11);
        let upper = text.to_uppercase();
        for wrong in [
            "",
            "0",
            &text[1..],
            &upper,
            "+0112233445566778899aabbccddeeff",
        ] {
            assert_eq!(wrong.parse::<HistoryId>(), Err(NoHistoryId), "{wrong:?}");
        }
    }

    #[test]
    fn a_match_forgets_its_oldest_history_when_there_are_too_many() {
        let mut histories = Histories::new(id(0));
        let kept = MAX_ENDED_HISTORIES_KEPT as u8;
        let seat = Seat::new(0).unwrap();
        let holds = |histories: &Histories, number| {
            let known = Known {
                history_id: id(number),
                last_sequence: 1,
            };
            histories.holds(seat, known, 0)
        };
        for next in 1..=kept {
            histories.begin(id(next), vec![1]);
        }
        assert!(holds(&histories, 0));
        histories.begin(id(kept + 1), vec![1]);
        assert!(!holds(&histories, 0), "it is forgotten");
        assert!(holds(&histories, 1));
    }

    proptest! {
        /// The rule in full: a remembered history, and a number that it had sent to this seat.
        #[test]
        fn a_number_is_believed_up_to_what_its_history_had_sent_to_the_seat(
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
            let known = Known { history_id: id(named), last_sequence };
            let had = match usize::from(named) {
                running if running == sent.len() => Some(sent_so_far),
                ended => sent.get(ended).and_then(|sent| sent.get(usize::from(seat))).copied(),
            };
            let holds = histories.holds(Seat::new(seat).unwrap(), known, sent_so_far);
            prop_assert_eq!(holds, had.is_some_and(|had| last_sequence <= had));
        }
    }
}
