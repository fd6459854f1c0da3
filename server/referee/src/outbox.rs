//! Numbered messages to one seat. They are retained so that they can be sent again.

use std::{array, collections::VecDeque};

use bridgemaster_games::{Game, MAX_SEATS, Seat, SeatSet};

use crate::{FaultReason, SeatMessage};

/// Maximum number of messages that are retained per seat for a bot that reconnects. A bot that
/// missed more messages starts over, and loses only the seat states in between.
pub const MAX_RETAINED_MESSAGES: usize = 64;

/// The messages to one seat.
///
/// No message is created or numbered while the seat has no stream. A bot that reconnects needs only
/// the states of the seats, its open request and the result, and the referee can send these at any
/// time. So no messages accumulate while a bot is disconnected.
#[derive(Debug)]
pub(crate) struct Outbox<G: Game> {
    /// The last message's sequence number.
    last: u32,
    /// Unacknowledged messages, oldest first.
    retained: VecDeque<(u32, SeatMessage<G>)>,
    /// Messages up to this number are no longer retained.
    dropped: u32,
    /// The first `Started` message's sequence number.
    started: Option<u32>,
    /// The `Ended` message's sequence number.
    ended: Option<u32>,
    /// Seats that changed while this outbox's seat had no stream. `reasons` has the faults that
    /// caused the changes.
    changed: SeatSet,
    reasons: [Option<FaultReason>; MAX_SEATS],
}

impl<G: Game> Outbox<G> {
    pub(crate) fn new() -> Self {
        Self {
            last: 0,
            retained: VecDeque::new(),
            dropped: 0,
            started: None,
            ended: None,
            changed: SeatSet::EMPTY,
            reasons: array::from_fn(|_| None),
        }
    }

    /// Assigns the next number to a message, and retains the message.
    pub(crate) fn push(&mut self, message: &SeatMessage<G>) -> u32 {
        self.last += 1;
        if self.retained.len() == MAX_RETAINED_MESSAGES
            && let Some((sequence, _)) = self.retained.pop_front()
        {
            self.dropped = sequence;
        }
        match message {
            SeatMessage::Started(_) => {
                self.started = Some(self.last);
                // The message contains the state of every seat.
                self.changed = SeatSet::EMPTY;
            }
            SeatMessage::Ended(_) => self.ended = Some(self.last),
            _ => {}
        }
        self.retained.push_back((self.last, message.clone()));
        self.last
    }

    /// The last message's sequence number; 0 before the first message.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// The first `Started` message's sequence number, if it was sent.
    pub(crate) fn started(&self) -> Option<u32> {
        self.started
    }

    /// The `Ended` message's sequence number, if it was sent.
    pub(crate) fn ended(&self) -> Option<u32> {
        self.ended
    }

    /// Drops the messages up to this number, which the seat has received.
    pub(crate) fn acknowledge(&mut self, sequence: u32) {
        while self.retained.front().is_some_and(|(retained, _)| *retained <= sequence) {
            self.retained.pop_front();
        }
        self.dropped = self.dropped.max(sequence);
    }

    /// Returns whether all messages after this number can be sent again.
    pub(crate) fn can_resume_after(&self, sequence: u32) -> bool {
        self.started.is_some() && (self.dropped..=self.last).contains(&sequence)
    }

    /// The retained messages after this number.
    pub(crate) fn retained_after(
        &self,
        sequence: u32,
    ) -> impl Iterator<Item = &(u32, SeatMessage<G>)> {
        self.retained.iter().filter(move |(retained, _)| *retained > sequence)
    }

    /// Records that another seat changed while the seat of this outbox had no stream. Only the last
    /// change of each seat is kept.
    pub(crate) fn defer_change(&mut self, seat: Seat, reason: Option<FaultReason>) {
        self.changed.insert(seat);
        self.reasons[seat.index()] = reason;
    }

    /// Removes and returns the recorded changes.
    pub(crate) fn drain_changes(&mut self) -> impl Iterator<Item = (Seat, Option<FaultReason>)> {
        let reasons = self.reasons;
        std::mem::take(&mut self.changed).iter().map(move |seat| (seat, reasons[seat.index()]))
    }
}
