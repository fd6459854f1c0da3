//! A bot: what it knows, and what it does with a request.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use bridgemaster_games::Seat;
use bridgemaster_match::Opening;
use bridgemaster_proto::{
    games::WireGame,
    v1::{DecisionRequest, PlayResponse, play_response::Message},
};
use bridgemaster_referee::{Answer, BotIdentity, HistoryId, Known};

use crate::{
    auditor::StreamId,
    dice::{Dice, Purpose},
    oracle::{Violation, demand},
    plan::Habits,
    reported::Report,
    route::Route,
};

/// A request as the bot remembers it.
#[derive(Clone, Debug)]
pub(crate) struct Asked<D> {
    pub(crate) request_id: u32,
    pub(crate) choices: u32,
    pub(crate) index: u32,
    pub(crate) decision: D,
    pub(crate) decision_left_ms: u32,
}

impl<D: Clone> Asked<D> {
    /// Its answer, by index or in full.
    pub(crate) fn answer(&self) -> Report<D> {
        Report::Answer {
            request_id: self.request_id,
            answer: match self.request_id % 3 {
                0 => Answer::Decision(self.decision.clone()),
                _ => Answer::Index(self.index),
            },
            note_bytes: NOTES_BYTES[self.request_id as usize % NOTES_BYTES.len()],
        }
    }
}

/// Lengths of a bot's notes. The long ones are more than the seat's part of a long match; the
/// shortest there is room for in any case.
const NOTES_BYTES: [usize; 7] = [0, 1, 1024, 1025, 0, 1024, 1024];

/// What a bot does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Answer,
    AnswerLate,
    StaySilent,
    Restart,
    Leave,
    AnswerIllegally,
    SendStrayAnswers,
    Flood,
    SendGarbage,
    Resign,
    OpenSecondStream,
    StopReading,
}

/// Refusals of one request after which a bot answers legally: fewer than make a flood.
const MOST_ILLEGAL_ANSWERS: u32 = 3;

/// The bot of a seat.
#[derive(Debug)]
pub(crate) struct Bot<D> {
    pub(crate) seat: Seat,
    pub(crate) habits: Habits,
    pub(crate) dice: Dice,
    seed: u64,
    pub(crate) stream: Option<StreamId>,
    pub(crate) route: Route,
    /// Sequence of the last message that it has; 0 when it knows nothing.
    pub(crate) has: u32,
    /// The history that it was told of last.
    history_id: Option<HistoryId>,
    /// Counts its processes, and how often it began anew: what it had in mind before is dropped.
    pub(crate) life: u32,
    pub(crate) asked: Option<Asked<D>>,
    /// It has decided: the answer is sent again over every new stream, for the old one may have
    /// lost it.
    pub(crate) has_decided: bool,
    /// It has answered illegally and was not told so yet.
    pub(crate) awaits_refusal: bool,
    /// A decision that it made before: mostly not legal any more.
    pub(crate) earlier: Option<D>,
    refused: u32,
    /// Times that nobody answered it since it had a stream.
    pub(crate) refused_dials: u32,
    /// Every decision that it ever sent, by its request.
    sent: BTreeMap<u32, BTreeSet<String>>,
    /// Does not come back.
    pub(crate) is_gone: bool,
    pub(crate) knows_end: bool,
}

impl<D: Clone> Bot<D> {
    pub(crate) fn new(seed: u64, seat: Seat, habits: Habits) -> Self {
        Self {
            seat,
            habits,
            dice: Dice::new(seed, Purpose::Bot(seat.number())),
            seed,
            stream: None,
            route: Route::default(),
            has: 0,
            history_id: None,
            life: 0,
            asked: None,
            has_decided: false,
            awaits_refusal: false,
            earlier: None,
            refused: 0,
            refused_dials: 0,
            sent: BTreeMap::new(),
            is_gone: false,
            knows_end: false,
        }
    }

    pub(crate) fn identity(&self) -> BotIdentity {
        BotIdentity {
            name: format!("{:?}", self.habits.kind),
            version: self.seat.to_string(),
        }
    }

    /// What its Hello says that it has.
    pub(crate) fn known(&self) -> Option<Known> {
        let history_id = self.history_id.filter(|_| self.has > 0)?;
        Some(Known {
            history_id,
            last_sequence: self.has,
        })
    }

    /// It knows nothing of the match, because its process is a new one or because the server does
    /// not know what it knows.
    pub(crate) fn begin_anew(&mut self) {
        self.life += 1;
        (self.has, self.asked) = (0, None);
        (self.has_decided, self.awaits_refusal) = (false, false);
    }

    /// It sends something: its decisions are remembered.
    pub(crate) fn sends(&mut self, report: &Report<D>)
    where
        D: fmt::Display,
    {
        let Report::Answer {
            request_id, answer, ..
        } = report
        else {
            return;
        };
        let asked = self.asked.as_ref();
        let decision = match answer {
            Answer::Decision(decision) => Some(decision),
            Answer::Index(_) => asked.map(|asked| &asked.decision),
        };
        let sent = self.sent.entry(*request_id).or_default();
        sent.extend(decision.map(ToString::to_string));
    }

    /// Demands that it made these decisions, each by its request, and each once.
    pub(crate) fn decided_so(&self, decisions: &[(u32, String)]) -> Result<(), Violation> {
        let mut decided = BTreeSet::new();
        for (request_id, decision) in decisions {
            demand!(
                decided.insert(request_id),
                "request {request_id} of {} is decided twice",
                self.seat
            );
            let sent = self.sent.get(request_id);
            demand!(
                sent.is_some_and(|sent| sent.contains(decision)),
                "{} is said to have decided {decision} for request {request_id}, and sent {sent:?}",
                self.seat
            );
        }
        Ok(())
    }

    /// Takes the Welcome of its stream; tells whether an answer may have been lost, and what it is.
    pub(crate) fn welcomed(&mut self, opening: Opening) -> Option<Report<D>> {
        let Opening {
            history_id,
            resumed,
            note_bytes_left: _,
        } = opening;
        self.history_id = Some(history_id);
        if !resumed && self.has > 0 {
            self.begin_anew();
        }
        let asked = self.asked.as_ref()?;
        // A legal answer stands for one that was not.
        (self.has_decided || self.awaits_refusal).then(|| asked.answer())
    }

    /// Takes a message of its stream, of which it has `heard`. Tells whether it has to answer.
    pub(crate) fn hear<G: WireGame<Decision = D>>(
        &mut self,
        response: &PlayResponse,
        heard: &mut Heard,
    ) -> Result<bool, Violation> {
        let sequence = response.sequence;
        let Some(message) = &response.message else {
            return Err(Violation(format!("{} hears nothing", self.seat)));
        };
        let is_start = heard.last.is_none() && matches!(message, Message::MatchStarted(_));
        demand!(
            match heard.resumed {
                true => sequence == self.has + 1,
                false => is_start || heard.last.is_some_and(|last| last < sequence),
            },
            "{} has {} and hears {sequence} next, of {heard:?}",
            self.seat,
            self.has
        );
        heard.last = Some(sequence);
        self.has = self.has.max(sequence);
        Ok(match message {
            Message::DecisionRequest(request) => {
                self.is_asked::<G>(request)?;
                true
            }
            Message::DecisionRejected(rejection) => {
                let open = self.asked.as_ref().map(|asked| asked.request_id);
                if rejection.request_id != rejection.open_request_id {
                    return Ok(false);
                }
                self.refused += 1;
                (self.has_decided, self.awaits_refusal) = (false, false);
                open == Some(rejection.open_request_id)
            }
            Message::MatchEnded(_) => {
                self.knows_end = true;
                false
            }
            _ => false,
        })
    }

    fn is_asked<G: WireGame<Decision = D>>(
        &mut self,
        request: &DecisionRequest,
    ) -> Result<(), Violation> {
        let choices = request.legal_count;
        let is_new = self
            .asked
            .as_ref()
            .is_none_or(|asked| asked.request_id != request.request_id);
        if is_new {
            self.refused = 0;
            (self.has_decided, self.awaits_refusal) = (false, false);
            self.earlier = self.asked.take().map(|asked| asked.decision);
        }
        let index = self.choice(request.request_id, choices);
        let listed = request.game.as_ref();
        let Some(decision) = listed.and_then(|game| game.legal_decision(index as usize)) else {
            return Err(Violation(format!("the list has no decision {index}")));
        };
        self.asked = Some(Asked {
            request_id: request.request_id,
            choices,
            index,
            decision: G::decision_from_wire(&decision)
                .map_err(|error| Violation(format!("a decision cannot be read: {error}")))?,
            decision_left_ms: request.clock.unwrap_or_default().decision_left_ms,
        });
        Ok(())
    }

    /// What it decides depends on nothing but the match, the seat and the request.
    fn choice(&self, request_id: u32, choices: u32) -> u32 {
        let mixed = (self.seed << 8 | u64::from(self.seat.number()))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(request_id))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) as u32 % choices.max(1)
    }

    /// Draws what it does with a request.
    pub(crate) fn deed(&mut self) -> Deed {
        let habits = &self.habits;
        let dice = &mut self.dice;
        let deeds = [
            (habits.restart, Deed::Restart),
            (habits.late, Deed::AnswerLate),
            (habits.silent, Deed::StaySilent),
            (habits.leave, Deed::Leave),
            (habits.illegal, Deed::AnswerIllegally),
            (habits.stray, Deed::SendStrayAnswers),
            (habits.flood, Deed::Flood),
            (habits.garbage, Deed::SendGarbage),
            (habits.resign, Deed::Resign),
            (habits.second_stream, Deed::OpenSecondStream),
            (habits.deaf, Deed::StopReading),
        ];
        let drawn = deeds
            .into_iter()
            .find(|(chance, _)| *chance > 0 && dice.happens(*chance))
            .map_or(Deed::Answer, |(_, deed)| deed);
        match drawn {
            Deed::AnswerIllegally if self.refused >= MOST_ILLEGAL_ANSWERS => Deed::Answer,
            drawn => drawn,
        }
    }

    pub(crate) fn think_us(&mut self) -> u64 {
        self.dice.within(self.habits.think_us.clone())
    }
}

/// What a bot has heard of one stream.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    last: Option<u32>,
    /// It was welcomed, and what it had went on.
    pub(crate) resumed: bool,
    pub(crate) is_welcomed: bool,
}
