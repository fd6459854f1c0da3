//! Defective referees and matches, which prove that the checks notice defects.

use bridgemaster_games::{Digest, Game};
use bridgemaster_match::{DueUpdate, Effect, Entries, SpectatorUpdate};
use bridgemaster_referee::{FaultReason, Output, RecordEntry, SeatMessage};

/// The defect of a match, if any.
#[derive(Debug, Default)]
pub(crate) struct Tamperings {
    pub(crate) referee: Option<Tampering>,
    pub(crate) effects: Option<EffectTampering>,
}

/// A defect that is applied once, at the first opportunity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefereeDefect {
    LosesAMessage,
    SendsTwice,
    LosesADecision,
    AltersADigest,
    BlamesForAnother,
    ChargesTooMuch,
    ForgetsToEnd,
}

impl RefereeDefect {
    /// All defects, with their names in test names.
    pub(crate) const ALL: [(Self, &'static str); 7] = [
        (Self::LosesAMessage, "loses_a_message"),
        (Self::SendsTwice, "sends_twice"),
        (Self::LosesADecision, "loses_a_decision"),
        (Self::AltersADigest, "alters_a_digest"),
        (Self::BlamesForAnother, "blames_for_another_fault"),
        (Self::ChargesTooMuch, "charges_too_much"),
        (Self::ForgetsToEnd, "forgets_to_end"),
    ];
}

#[derive(Debug)]
pub(crate) struct Tampering {
    wrong: RefereeDefect,
    is_done: bool,
}

impl Tampering {
    pub(crate) fn new(wrong: RefereeDefect) -> Self {
        Self { wrong, is_done: false }
    }

    pub(crate) fn apply<G: Game>(&mut self, outputs: &mut Vec<Output<G>>) {
        let mut at = 0;
        while at < outputs.len() && !self.is_done {
            self.alter(at, outputs);
            at += 1;
        }
    }

    fn alter<G: Game>(&mut self, at: usize, outputs: &mut Vec<Output<G>>) {
        self.is_done = true;
        match (self.wrong, &mut outputs[at]) {
            (RefereeDefect::LosesAMessage, Output::Send { sequence, .. }) if *sequence > 1 => {
                outputs.remove(at);
            }
            (
                RefereeDefect::SendsTwice,
                Output::Send { seat, sequence, message: message @ SeatMessage::Request(_) },
            ) => {
                let again =
                    Output::Send { seat: *seat, sequence: *sequence, message: message.clone() };
                outputs.insert(at, again);
            }
            (RefereeDefect::LosesADecision, Output::Record(record))
                if matches!(record.entry, RecordEntry::Decision(_)) =>
            {
                outputs.remove(at);
            }
            (RefereeDefect::ForgetsToEnd, Output::Ended) => {
                outputs.remove(at);
            }
            (wrong, Output::Record(record)) => match (wrong, &mut record.entry) {
                (RefereeDefect::AltersADigest, RecordEntry::Decision(record)) => {
                    record.digest = Digest(record.digest.0 ^ 1);
                }
                (RefereeDefect::ChargesTooMuch, RecordEntry::Decision(record)) => {
                    match &mut record.charge {
                        Some(charge) => charge.charged_us += 1,
                        None => self.is_done = false,
                    }
                }
                (RefereeDefect::BlamesForAnother, RecordEntry::Fault { fault, .. }) => {
                    fault.reason = match fault.reason {
                        FaultReason::Late => FaultReason::Disconnected,
                        _ => FaultReason::Late,
                    };
                }
                _ => self.is_done = false,
            },
            _ => self.is_done = false,
        }
    }
}

/// A defect of a match's effects that is applied once, at the first opportunity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectDefect {
    LosesAMessage,
    SendsTooEarly,
    SwapsMessages,
    LosesAClosing,
    LosesAnUpdate,
    LosesAnEvent,
    PublishesUpdatesTooEarly,
    LosesAnEntry,
    ForgetsToWakeTheTimer,
    CountsTwice,
}

impl EffectDefect {
    /// All defects, with their names in test names.
    pub(crate) const ALL: [(Self, &'static str); 10] = [
        (Self::LosesAMessage, "loses_a_message"),
        (Self::SendsTooEarly, "sends_before_it_is_stored"),
        (Self::SwapsMessages, "swaps_two_messages"),
        (Self::LosesAClosing, "leaves_a_stream_open"),
        (Self::LosesAnUpdate, "keeps_news_to_itself"),
        (Self::LosesAnEvent, "leaves_an_event_out_of_the_news"),
        (Self::PublishesUpdatesTooEarly, "tells_news_before_they_are_stored"),
        (Self::LosesAnEntry, "loses_an_entry"),
        (Self::ForgetsToWakeTheTimer, "forgets_to_wake_the_timer"),
        (Self::CountsTwice, "counts_twice"),
    ];
}

#[derive(Debug)]
pub(crate) struct EffectTampering {
    wrong: EffectDefect,
    is_done: bool,
}

impl EffectTampering {
    pub(crate) fn new(wrong: EffectDefect) -> Self {
        Self { wrong, is_done: false }
    }

    pub(crate) fn apply(&mut self, effects: &mut Vec<Effect>) {
        let mut at = 0;
        while at < effects.len() && !self.is_done {
            self.is_done = self.alter(at, effects);
            at += 1;
        }
    }

    /// Applies it to a spectator update.
    pub(crate) fn apply_to_update(&mut self, due: &mut Option<DueUpdate>) {
        let Some(update) = due.as_mut().filter(|_| !self.is_done) else {
            return;
        };
        self.is_done = match self.wrong {
            EffectDefect::LosesAnUpdate => {
                *due = None;
                true
            }
            EffectDefect::LosesAnEvent => {
                let mut message = update.update.to_message();
                let lost = message.events.pop();
                update.update = SpectatorUpdate::new(move || message.clone());
                lost.is_some()
            }
            EffectDefect::PublishesUpdatesTooEarly => {
                std::mem::replace(&mut update.after, Entries::NONE) != Entries::NONE
            }
            _ => false,
        };
    }

    fn alter(&self, at: usize, effects: &mut Vec<Effect>) -> bool {
        match (self.wrong, &mut effects[at]) {
            (EffectDefect::LosesAMessage, Effect::Send { .. })
            | (EffectDefect::LosesAClosing, Effect::Close { .. })
            | (EffectDefect::LosesAnEntry, Effect::Store(_))
            | (EffectDefect::ForgetsToWakeTheTimer, Effect::Wake) => {
                effects.remove(at);
                true
            }
            (EffectDefect::SendsTooEarly, Effect::Send { after, .. }) => {
                std::mem::replace(after, Entries::NONE) != Entries::NONE
            }
            (EffectDefect::SwapsMessages, Effect::Send { .. }) => {
                let is_next = matches!(effects.get(at + 1), Some(Effect::Send { .. }));
                if is_next {
                    effects.swap(at, at + 1);
                }
                is_next
            }
            (EffectDefect::CountsTwice, Effect::Count(counted)) => {
                let again = Effect::Count(counted.clone());
                effects.insert(at, again);
                true
            }
            _ => false,
        }
    }
}
