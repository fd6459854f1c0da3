//! The messages of one seat: numbered without a gap, kept to be sent again.

use std::{array, collections::VecDeque};

use bridgemaster_games::{Game, MAX_SEATS, Seat, SeatSet};

use crate::{FaultReason, SeatMessage};

/// Messages of one seat that are kept for a bot that reconnects. A bot that missed more begins
/// anew, which costs it only the seat states between.
pub const MAX_MESSAGES_KEPT: usize = 64;

/// The messages of one seat.
///
/// A seat without a stream gets no message and uses no number: what it must learn later is the
/// state of seats, its open request and the result, all of which the machine knows anyway. So
/// nothing piles up while a bot is away.
#[derive(Debug)]
pub(crate) struct Outbox<G: Game> {
    /// Number of the last message.
    last: u32,
    /// Messages that the seat has not shown to have, oldest first.
    kept: VecDeque<(u32, SeatMessage<G>)>,
    /// Messages up to this number are not kept any more.
    dropped: u32,
    /// Number of the first message `Started`.
    started: Option<u32>,
    /// Number of the message `Ended`.
    ended: Option<u32>,
    /// Seats that changed while this one had no stream, and the fault that did it.
    changed: SeatSet,
    reasons: [Option<FaultReason>; MAX_SEATS],
}

impl<G: Game> Outbox<G> {
    pub(crate) fn new() -> Self {
        Self {
            last: 0,
            kept: VecDeque::new(),
            dropped: 0,
            started: None,
            ended: None,
            changed: SeatSet::EMPTY,
            reasons: array::from_fn(|_| None),
        }
    }

    /// Numbers a new message and keeps it.
    pub(crate) fn number(&mut self, message: &SeatMessage<G>) -> u32 {
        self.last += 1;
        if self.kept.len() == MAX_MESSAGES_KEPT
            && let Some((sequence, _)) = self.kept.pop_front()
        {
            self.dropped = sequence;
        }
        match message {
            SeatMessage::Started(_) => {
                self.started = Some(self.last);
                // It tells of all seats.
                self.changed = SeatSet::EMPTY;
            }
            SeatMessage::Ended(_) => self.ended = Some(self.last),
            _ => {}
        }
        self.kept.push_back((self.last, message.clone()));
        self.last
    }

    /// Number of the last message; 0 before the first.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// Number under which the start was told, if it was.
    pub(crate) fn started(&self) -> Option<u32> {
        self.started
    }

    /// Number under which the end was told, if it was.
    pub(crate) fn ended(&self) -> Option<u32> {
        self.ended
    }

    /// The seat has all messages up to this number.
    pub(crate) fn acknowledge(&mut self, sequence: u32) {
        while self.kept.front().is_some_and(|(kept, _)| *kept <= sequence) {
            self.kept.pop_front();
        }
        self.dropped = self.dropped.max(sequence);
    }

    /// Whether everything after this number can be sent again.
    pub(crate) fn can_resume_after(&self, sequence: u32) -> bool {
        self.started.is_some() && (self.dropped..=self.last).contains(&sequence)
    }

    /// The kept messages after this number.
    pub(crate) fn after(&self, sequence: u32) -> impl Iterator<Item = &(u32, SeatMessage<G>)> {
        self.kept.iter().filter(move |(kept, _)| *kept > sequence)
    }

    /// A seat changed while this one had no stream; only the last change is told.
    pub(crate) fn note_change(&mut self, seat: Seat, reason: Option<FaultReason>) {
        self.changed.insert(seat);
        self.reasons[seat.index()] = reason;
    }

    /// Removes and returns the noted changes.
    pub(crate) fn drain_changes(&mut self) -> impl Iterator<Item = (Seat, Option<FaultReason>)> {
        let reasons = self.reasons;
        std::mem::take(&mut self.changed)
            .iter()
            .map(move |seat| (seat, reasons[seat.index()]))
    }
}
