//! A bot: what it has received, and how it reacts to requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use bridgemaster_games::Seat;
use bridgemaster_match::StreamStart;
use bridgemaster_proto::{
    games::WireGame,
    v1::{DecisionRequest, PlayResponse, play_response::Message},
};
use bridgemaster_referee::{Answer, BotIdentity, HistoryId, ResumePoint};

use crate::{
    auditor::StreamId,
    dice::{Dice, Purpose},
    oracle::{Violation, require},
    plan::BotBehaviour,
    reported::Report,
};

/// A request as remembered by the bot.
#[derive(Clone, Debug)]
pub(crate) struct Asked<D> {
    pub(crate) request_id: u32,
    pub(crate) choices: u32,
    pub(crate) index: u32,
    pub(crate) decision: D,
    pub(crate) decision_left_ms: u32,
}

impl<D: Clone> Asked<D> {
    /// Returns the bot's answer, as an index or in full.
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

/// Lengths of a bot's notes, in bytes. In a long match, the long ones exceed the budget of a seat;
/// the shortest always fits.
const NOTES_BYTES: [usize; 7] = [0, 1, 1024, 1025, 0, 1024, 1024];

/// A reaction of a bot to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BotAction {
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

/// The number of rejections of one request after which a bot answers legally; below the flood
/// limit.
const MAX_ILLEGAL_ANSWERS: u32 = 3;

/// The bot of a seat.
#[derive(Debug)]
pub(crate) struct Bot<D> {
    pub(crate) seat: Seat,
    pub(crate) behaviour: BotBehaviour,
    pub(crate) dice: Dice,
    seed: u64,
    pub(crate) stream: Option<StreamId>,
    /// Sequence number of the last message that the bot has received; 0 if there is none.
    pub(crate) has: u32,
    /// The history in the bot's last Welcome.
    history_id: Option<HistoryId>,
    /// The number of the bot's restarts, each of which discards pending decisions.
    pub(crate) run: u32,
    pub(crate) asked: Option<Asked<D>>,
    /// The bot's pending answer, which is sent again on every new stream because the old one may
    /// have lost it.
    pub(crate) has_decided: bool,
    /// The bot answered illegally, and the rejection is pending.
    pub(crate) awaits_refusal: bool,
    /// An earlier decision, which is usually no longer legal.
    pub(crate) earlier: Option<D>,
    refused: u32,
    /// The number of refused connection attempts since the bot's last stream.
    pub(crate) refused_dials: u32,
    /// Every decision that the bot has sent, by request.
    sent: BTreeMap<u32, BTreeSet<String>>,
    /// The bot has left and does not reconnect.
    pub(crate) is_gone: bool,
    pub(crate) knows_end: bool,
}

impl<D: Clone> Bot<D> {
    pub(crate) fn new(seed: u64, seat: Seat, behaviour: BotBehaviour) -> Self {
        Self {
            seat,
            behaviour,
            dice: Dice::new(seed, Purpose::Bot(seat.number())),
            seed,
            stream: None,
            has: 0,
            history_id: None,
            run: 0,
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
        BotIdentity { name: format!("{:?}", self.behaviour.kind), version: self.seat.to_string() }
    }

    /// Returns the resume point for the bot's Hello.
    pub(crate) fn resume_point(&self) -> Option<ResumePoint> {
        let history_id = self.history_id.filter(|_| self.has > 0)?;
        Some(ResumePoint { history_id, last_sequence: self.has })
    }

    /// Forgets everything, because the bot's process is new or the server has lost its history.
    pub(crate) fn start_over(&mut self) {
        self.run += 1;
        (self.has, self.asked) = (0, None);
        (self.has_decided, self.awaits_refusal) = (false, false);
    }

    /// Sends a message and remembers decisions.
    pub(crate) fn record_sent(&mut self, report: &Report<D>)
    where
        D: fmt::Display,
    {
        let Report::Answer { request_id, answer, .. } = report else {
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

    /// Checks that the bot made exactly these decisions, each once.
    pub(crate) fn check_decisions(&self, decisions: &[(u32, String)]) -> Result<(), Violation> {
        let mut decided = BTreeSet::new();
        for (request_id, decision) in decisions {
            require!(
                decided.insert(request_id),
                "request {request_id} of {} is decided twice",
                self.seat
            );
            let sent = self.sent.get(request_id);
            require!(
                sent.is_some_and(|sent| sent.contains(decision)),
                "the record says that {} decided {decision} for request {request_id}, but it sent {sent:?}",
                self.seat
            );
        }
        Ok(())
    }

    /// Handles a Welcome. Returns an answer that may have been lost.
    pub(crate) fn handle_welcome(&mut self, start: StreamStart) -> Option<Report<D>> {
        let StreamStart { history_id, resumed, note_bytes_left: _ } = start;
        self.history_id = Some(history_id);
        if !resumed && self.has > 0 {
            self.start_over();
        }
        let asked = self.asked.as_ref()?;
        // A legal answer replaces an illegal one.
        (self.has_decided || self.awaits_refusal).then(|| asked.answer())
    }

    /// Handles a message of a stream with this progress. Returns whether the bot must answer.
    pub(crate) fn receive<G: WireGame<Decision = D>>(
        &mut self,
        response: &PlayResponse,
        progress: &mut StreamProgress,
    ) -> Result<bool, Violation> {
        let sequence = response.sequence;
        let Some(message) = &response.message else {
            return Err(Violation(format!("{} receives an empty message", self.seat)));
        };
        let is_start = progress.last.is_none() && matches!(message, Message::MatchStarted(_));
        require!(
            match progress.resumed {
                true => sequence == self.has + 1,
                false => is_start || progress.last.is_some_and(|last| last < sequence),
            },
            "{} has received {} and then receives {sequence}, with {progress:?}",
            self.seat,
            self.has
        );
        progress.last = Some(sequence);
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
        let is_new = self.asked.as_ref().is_none_or(|asked| asked.request_id != request.request_id);
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

    /// Returns a decision that depends only on the match, the seat and the request.
    fn choice(&self, request_id: u32, choices: u32) -> u32 {
        let mixed = (self.seed << 8 | u64::from(self.seat.number()))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(request_id))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) as u32 % choices.max(1)
    }

    /// Chooses the bot's reaction to a request.
    pub(crate) fn action(&mut self) -> BotAction {
        let behaviour = &self.behaviour;
        let dice = &mut self.dice;
        let deeds = [
            (behaviour.restart, BotAction::Restart),
            (behaviour.late, BotAction::AnswerLate),
            (behaviour.silent, BotAction::StaySilent),
            (behaviour.leave, BotAction::Leave),
            (behaviour.illegal, BotAction::AnswerIllegally),
            (behaviour.stray, BotAction::SendStrayAnswers),
            (behaviour.flood, BotAction::Flood),
            (behaviour.garbage, BotAction::SendGarbage),
            (behaviour.resign, BotAction::Resign),
            (behaviour.second_stream, BotAction::OpenSecondStream),
            (behaviour.deaf, BotAction::StopReading),
        ];
        let drawn = deeds
            .into_iter()
            .find(|(chance, _)| *chance > 0 && dice.happens(*chance))
            .map_or(BotAction::Answer, |(_, action)| action);
        match drawn {
            BotAction::AnswerIllegally if self.refused >= MAX_ILLEGAL_ANSWERS => BotAction::Answer,
            drawn => drawn,
        }
    }

    pub(crate) fn think_us(&mut self) -> u64 {
        self.dice.within(self.behaviour.think_us.clone())
    }
}

/// The progress of a bot on one stream.
#[derive(Debug, Default)]
pub(crate) struct StreamProgress {
    last: Option<u32>,
    /// A Welcome was received, and the stream was resumed.
    pub(crate) resumed: bool,
    pub(crate) is_welcomed: bool,
}
