//! Referees and matches that do wrong, to show that the checks notice it.

use bridgemaster_games::{Digest, Game};
use bridgemaster_match::{DueNews, Effect, Entries, News};
use bridgemaster_referee::{FaultReason, Output, RecordEntry, SeatMessage};

use crate::cluster::tampering::WrongCluster;

/// What is tampered with in a match: nothing, unless somebody says so.
#[derive(Debug, Default)]
pub(crate) struct Tamperings {
    pub(crate) referee: Option<Tampering>,
    pub(crate) effects: Option<EffectTampering>,
    pub(crate) cluster: Option<WrongCluster>,
}

/// A wrong that is done once, as soon as there is an occasion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    LosesAMessage,
    SendsTwice,
    LosesADecision,
    AltersADigest,
    BlamesForAnother,
    ChargesTooMuch,
    ForgetsToEnd,
}

impl Wrong {
    pub(crate) const ALL: [Self; 7] = [
        Self::LosesAMessage,
        Self::SendsTwice,
        Self::LosesADecision,
        Self::AltersADigest,
        Self::BlamesForAnother,
        Self::ChargesTooMuch,
        Self::ForgetsToEnd,
    ];

    /// As the name of a test says it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LosesAMessage => "loses_a_message",
            Self::SendsTwice => "sends_twice",
            Self::LosesADecision => "loses_a_decision",
            Self::AltersADigest => "alters_a_digest",
            Self::BlamesForAnother => "blames_for_another_fault",
            Self::ChargesTooMuch => "charges_too_much",
            Self::ForgetsToEnd => "forgets_to_end",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Tampering {
    wrong: Wrong,
    is_done: bool,
}

impl Tampering {
    pub(crate) fn new(wrong: Wrong) -> Self {
        Self {
            wrong,
            is_done: false,
        }
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
            (Wrong::LosesAMessage, Output::Send { sequence, .. }) if *sequence > 1 => {
                outputs.remove(at);
            }
            (
                Wrong::SendsTwice,
                Output::Send {
                    seat,
                    sequence,
                    message: message @ SeatMessage::Request(_),
                },
            ) => {
                let again = Output::Send {
                    seat: *seat,
                    sequence: *sequence,
                    message: message.clone(),
                };
                outputs.insert(at, again);
            }
            (Wrong::LosesADecision, Output::Record(record))
                if matches!(record.entry, RecordEntry::Decision(_)) =>
            {
                outputs.remove(at);
            }
            (Wrong::ForgetsToEnd, Output::Ended) => {
                outputs.remove(at);
            }
            (wrong, Output::Record(record)) => match (wrong, &mut record.entry) {
                (Wrong::AltersADigest, RecordEntry::Decision(record)) => {
                    record.digest = Digest(record.digest.0 ^ 1);
                }
                (Wrong::ChargesTooMuch, RecordEntry::Decision(record)) => {
                    match &mut record.charge {
                        Some(charge) => charge.charged_us += 1,
                        None => self.is_done = false,
                    }
                }
                (Wrong::BlamesForAnother, RecordEntry::Fault { fault, .. }) => {
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

/// A wrong that is done once to the effects of a match, as soon as there is an occasion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrongEffect {
    LosesAMessage,
    SendsTooEarly,
    SwapsMessages,
    LosesAClosing,
    LosesNews,
    LosesAnEvent,
    TellsNewsTooEarly,
    LosesAnEntry,
    ForgetsToWakeTheTimer,
    CountsTwice,
}

impl WrongEffect {
    pub(crate) const ALL: [Self; 10] = [
        Self::LosesAMessage,
        Self::SendsTooEarly,
        Self::SwapsMessages,
        Self::LosesAClosing,
        Self::LosesNews,
        Self::LosesAnEvent,
        Self::TellsNewsTooEarly,
        Self::LosesAnEntry,
        Self::ForgetsToWakeTheTimer,
        Self::CountsTwice,
    ];

    /// As the name of a test says it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LosesAMessage => "loses_a_message",
            Self::SendsTooEarly => "sends_before_it_is_stored",
            Self::SwapsMessages => "swaps_two_messages",
            Self::LosesAClosing => "leaves_a_stream_open",
            Self::LosesNews => "keeps_news_to_itself",
            Self::LosesAnEvent => "leaves_an_event_out_of_the_news",
            Self::TellsNewsTooEarly => "tells_news_before_they_are_stored",
            Self::LosesAnEntry => "loses_an_entry",
            Self::ForgetsToWakeTheTimer => "forgets_to_wake_the_timer",
            Self::CountsTwice => "counts_twice",
        }
    }
}

#[derive(Debug)]
pub(crate) struct EffectTampering {
    wrong: WrongEffect,
    is_done: bool,
}

impl EffectTampering {
    pub(crate) fn new(wrong: WrongEffect) -> Self {
        Self {
            wrong,
            is_done: false,
        }
    }

    pub(crate) fn apply(&mut self, effects: &mut Vec<Effect>) {
        let mut at = 0;
        while at < effects.len() && !self.is_done {
            self.is_done = self.alter(at, effects);
            at += 1;
        }
    }

    /// The same for what those who watch are told.
    pub(crate) fn apply_to_news(&mut self, due: &mut Option<DueNews>) {
        let Some(told) = due.as_mut().filter(|_| !self.is_done) else {
            return;
        };
        self.is_done = match self.wrong {
            WrongEffect::LosesNews => {
                *due = None;
                true
            }
            WrongEffect::LosesAnEvent => {
                let mut message = told.news.to_message();
                let lost = message.events.pop();
                told.news = News::new(move || message.clone());
                lost.is_some()
            }
            WrongEffect::TellsNewsTooEarly => {
                std::mem::replace(&mut told.after, Entries::NONE) != Entries::NONE
            }
            _ => false,
        };
    }

    fn alter(&self, at: usize, effects: &mut Vec<Effect>) -> bool {
        match (self.wrong, &mut effects[at]) {
            (WrongEffect::LosesAMessage, Effect::Send { .. })
            | (WrongEffect::LosesAClosing, Effect::Close { .. })
            | (WrongEffect::LosesAnEntry, Effect::Store(_))
            | (WrongEffect::ForgetsToWakeTheTimer, Effect::Wake) => {
                effects.remove(at);
                true
            }
            (WrongEffect::SendsTooEarly, Effect::Send { after, .. }) => {
                std::mem::replace(after, Entries::NONE) != Entries::NONE
            }
            (WrongEffect::SwapsMessages, Effect::Send { .. }) => {
                let is_next = matches!(effects.get(at + 1), Some(Effect::Send { .. }));
                if is_next {
                    effects.swap(at, at + 1);
                }
                is_next
            }
            (WrongEffect::CountsTwice, Effect::Count(counted)) => {
                let again = Effect::Count(counted.clone());
                effects.insert(at, again);
                true
            }
            _ => false,
        }
    }
}
