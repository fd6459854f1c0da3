//! What is known of a match, over all streams of its seat: decides what a received message calls
//! for. Knows no network.

use std::{sync::Arc, time::Instant};

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{self, play_request, play_response},
};
use tracing::{debug, info, warn};

use crate::{
    Choice, Options, PlayError, Request,
    bot_thread::{Answer, Task},
    seed_commitment::seed_commitment,
};

/// Refused answers to one request after which the bot is given up: it cannot find a legal one, and
/// going on would end as a flood.
const MAX_REFUSED_ANSWERS: u32 = 3;

/// What a received message calls for.
#[derive(Debug)]
pub(crate) enum Reaction {
    /// Nothing.
    None,
    /// Sending this.
    Send(v1::PlayRequest),
    /// Giving the bot this task.
    Give(Task),
    /// Telling the bot about a refusal, and asking it again.
    AskAgain(v1::DecisionRejected, Arc<Request>),
    /// Telling the bot that the match is over; this is its result.
    End(v1::MatchResult),
}

/// The newest request, until another replaces it.
#[derive(Debug)]
struct OpenRequest {
    request: Arc<Request>,
    answer: Option<v1::PlayRequest>,
    /// Whether the answer went out on the stream in use: a lost stream may have swallowed it.
    sent_on_this_stream: bool,
    refused_answers: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// Sequence of the last counted message; 0 before the first.
    last_sequence: u32,
    /// The history that the server named last; empty before the first Welcome.
    history_id: String,
    match_id: String,
    seat: u32,
    welcomed_before: bool,
    /// Empty until the start, and with a server that commits to nothing.
    seed_commitment: String,
    /// The seed is told when the group of the match is over, which may be later.
    seed_comes_with_group: bool,
    open: Option<OpenRequest>,
}

impl Conversation {
    /// Begins a stream: the Hello that it starts with.
    pub(crate) fn hello(&mut self, options: &Options) -> v1::PlayRequest {
        if let Some(open) = &mut self.open {
            open.sent_on_this_stream = false;
        }
        request(play_request::Message::Hello(v1::Hello {
            protocol_revision: PROTOCOL_REVISION,
            bot_name: options.bot_name.clone(),
            bot_version: options.bot_version.clone(),
            games: options.games.clone(),
            last_sequence: (self.last_sequence > 0).then_some(self.last_sequence),
            history_id: (self.last_sequence > 0).then(|| self.history_id.clone()),
        }))
    }

    /// Sequence of the last counted message; 0 before the first.
    pub(crate) fn last_sequence(&self) -> u32 {
        self.last_sequence
    }

    /// Whether a server ever welcomed this bot.
    pub(crate) fn was_welcomed(&self) -> bool {
        self.welcomed_before
    }

    /// Takes the Welcome of a stream. Gives the answer that the stream before may have lost: the
    /// server ignores it if it had arrived. A server that does not go on where the bot left off has
    /// lost the end of what was played, and all that is known of the course of the match with it.
    pub(crate) fn welcome(
        &mut self,
        welcome: v1::Welcome,
    ) -> Result<Option<v1::PlayRequest>, PlayError> {
        if self.welcomed_before && (welcome.match_id != self.match_id || welcome.seat != self.seat)
        {
            return Err(PlayError::Protocol(
                "the ticket leads to another seat than before",
            ));
        }
        self.welcomed_before = true;
        self.match_id = welcome.match_id;
        self.seat = welcome.seat;
        self.history_id = welcome.history_id;
        if !welcome.resumed {
            if self.last_sequence > 0 {
                warn!("the server has lost what was played last: beginning anew");
            }
            self.last_sequence = 0;
            self.open = None;
        }
        Ok(self.open.as_mut().and_then(OpenRequest::send_again))
    }

    /// Takes a message that came after the Welcome, received at `now`.
    pub(crate) fn receive(
        &mut self,
        response: v1::PlayResponse,
        now: Instant,
    ) -> Result<Reaction, PlayError> {
        use play_response::Message;
        let sequence = response.sequence;
        let Some(message) = response.message else {
            // A kind that this SDK does not know. It is counted all the same.
            self.last_sequence = self.last_sequence.max(sequence);
            return Ok(Reaction::None);
        };
        match message {
            Message::Ping(ping) => {
                let pong = v1::Pong { nonce: ping.nonce };
                return Ok(Reaction::Send(request(play_request::Message::Pong(pong))));
            }
            Message::Draining(draining) => {
                let v1::Draining {
                    time_left_ms,
                    matches_resume,
                    ..
                } = draining;
                info!(time_left_ms, matches_resume, "the server is going to stop");
                return Ok(Reaction::None);
            }
            Message::Welcome(_) => {
                return Err(PlayError::Protocol("a second Welcome on one stream"));
            }
            _ => {}
        }
        if sequence <= self.last_sequence {
            return Ok(match message {
                Message::DecisionRequest(again) => self.asked_again(again.request_id),
                _ => Reaction::None,
            });
        }
        self.last_sequence = sequence;
        match message {
            Message::MatchStarted(started) => self.started(started),
            Message::SeatStatus(status) => Ok(Reaction::Give(Task::SeatChanged(status))),
            Message::DecisionRequest(asked) => Ok(self.asked(asked, now)),
            Message::DecisionRejected(rejected) => self.rejected(rejected),
            Message::MatchEnded(ended) => self.ended(ended).map(Reaction::End),
            Message::Ping(_) | Message::Draining(_) | Message::Welcome(_) => Ok(Reaction::None),
        }
    }

    /// Takes an answer of the bot: what to send for it.
    pub(crate) fn answer(&mut self, answer: Answer) -> Option<v1::PlayRequest> {
        let Some(open) = self
            .open
            .as_mut()
            .filter(|open| Arc::ptr_eq(&open.request, &answer.request))
        else {
            warn!(
                request_id = answer.request.request_id,
                "the answer came too late: another request is open"
            );
            return None;
        };
        let message = message(open.request.request_id, answer.choice, String::new());
        open.answer = Some(request(message));
        open.send_again()
    }

    fn started(&mut self, started: v1::MatchStarted) -> Result<Reaction, PlayError> {
        if self.seed_commitment.is_empty() {
            self.seed_commitment.clone_from(&started.seed_commitment);
        } else if self.seed_commitment != started.seed_commitment {
            return Err(PlayError::Protocol("the seed commitment changed"));
        }
        let config = started.config.as_ref();
        let group = config.and_then(|config| config.group.as_ref());
        self.seed_comes_with_group =
            group.is_some_and(|group| group.seed_reveal() == v1::SeedReveal::WithGroup);
        Ok(Reaction::Give(Task::Started(started)))
    }

    fn ended(&self, ended: v1::MatchEnded) -> Result<v1::MatchResult, PlayError> {
        let result = ended
            .result
            .ok_or(PlayError::Protocol("MatchEnded has no result"))?;
        let is_untold = ended.seed.is_empty() && ended.seed_salt.is_empty();
        if is_untold && self.seed_comes_with_group {
            info!("the seed is told when the group of the match is over");
            return Ok(result);
        }
        let commitment = &self.seed_commitment;
        let revealed = seed_commitment(&ended.seed, &ended.seed_salt);
        if !commitment.is_empty() && revealed.as_ref() != Some(commitment) {
            return Err(PlayError::BrokenSeedCommitment {
                commitment: commitment.clone(),
                seed: ended.seed,
                seed_salt: ended.seed_salt,
                result: Box::new(result),
            });
        }
        Ok(result)
    }

    fn asked(&mut self, asked: v1::DecisionRequest, now: Instant) -> Reaction {
        if let Some(open) = &self.open
            && open.request.request_id >= asked.request_id
        {
            return self.asked_again(asked.request_id);
        }
        let request = Arc::new(Request::new(asked, self.seat, now));
        self.open = Some(OpenRequest {
            request: Arc::clone(&request),
            answer: None,
            sent_on_this_stream: false,
            refused_answers: 0,
        });
        Reaction::Give(Task::Decide(request))
    }

    /// A request that is known came again. The bot is not asked twice: its answer is sent when it
    /// has one, unless this stream carried it already.
    fn asked_again(&mut self, request_id: u32) -> Reaction {
        debug!(request_id, "the request came again");
        let open = self
            .open
            .as_mut()
            .filter(|open| open.request.request_id == request_id);
        open.and_then(OpenRequest::send_again)
            .map_or(Reaction::None, Reaction::Send)
    }

    fn rejected(&mut self, rejected: v1::DecisionRejected) -> Result<Reaction, PlayError> {
        warn!(
            request_id = rejected.request_id,
            reason = rejected.reason().as_str_name(),
            field = rejected.field,
            strikes = rejected.strikes,
            "a decision was refused: {}",
            rejected.detail,
        );
        let still_open = rejected.open_request_id == rejected.request_id;
        let Some(open) = self
            .open
            .as_mut()
            .filter(|open| still_open && open.request.request_id == rejected.request_id)
        else {
            return Ok(Reaction::Give(Task::Rejected(rejected)));
        };
        open.answer = None;
        open.refused_answers += 1;
        if open.refused_answers >= MAX_REFUSED_ANSWERS {
            return Err(PlayError::NoLegalDecision {
                request_id: rejected.request_id,
                times: open.refused_answers,
                last: Box::new(rejected),
            });
        }
        open.sent_on_this_stream = false;
        Ok(Reaction::AskAgain(rejected, Arc::clone(&open.request)))
    }
}

impl OpenRequest {
    /// The answer, if there is one that the stream in use has not carried.
    fn send_again(&mut self) -> Option<v1::PlayRequest> {
        if self.sent_on_this_stream {
            return None;
        }
        let answer = self.answer.clone()?;
        self.sent_on_this_stream = true;
        Some(answer)
    }
}

/// What to send for a choice with this note.
fn message(request_id: u32, choice: Choice, note: String) -> play_request::Message {
    let choice = match choice {
        // The server refuses an index that is out of range, and more so one out of u32.
        Choice::Index(index) => {
            v1::decision::Choice::Index(u32::try_from(index).unwrap_or(u32::MAX))
        }
        Choice::Decision(full) => v1::decision::Choice::Decision(full),
        Choice::Resign => return play_request::Message::Resign(v1::Resign {}),
        Choice::Noted { choice, note } => return message(request_id, *choice, note),
    };
    play_request::Message::Decision(v1::Decision {
        request_id,
        choice: Some(choice),
        note,
    })
}

fn request(message: play_request::Message) -> v1::PlayRequest {
    v1::PlayRequest {
        message: Some(message),
    }
}
