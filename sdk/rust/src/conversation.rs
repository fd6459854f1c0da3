//! Tracks a seat's conversation with the server, across all of the seat's streams, and decides how
//! to react to each received message. Does no I/O.

use std::{sync::Arc, time::Instant};

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{self, play_request, play_response},
};
use sha2::{Digest as _, Sha256};
use tracing::{debug, info, warn};

use crate::{
    Choice, Options, PlayError, Request,
    bot::{Answer, Task},
};

/// The number of refused answers to one request after which the SDK abandons the match. A bot that
/// finds no legal decision would only flood the server with further attempts.
const MAX_REFUSED_ANSWERS: u32 = 3;

/// The reaction to a received message.
#[derive(Debug)]
pub(crate) enum Reaction {
    /// The message needs no reaction.
    None,
    /// Send this message to the server.
    Send(v1::PlayRequest),
    /// Pass this task to the bot.
    Dispatch(Task),
    /// The match has ended with this result.
    End(v1::MatchResult),
}

/// The newest request in the match, with the bot's answer once it is known.
#[derive(Debug)]
struct OpenRequest {
    request: Arc<Request>,
    answer: Option<v1::PlayRequest>,
    /// Whether the answer was sent on the current stream. An answer that was sent on a lost stream
    /// might not have arrived.
    sent_on_current_stream: bool,
    refused_answers: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The last numbered message's sequence number; 0 before the first message.
    last_sequence: u32,
    /// The history id in the last Welcome; empty before the first Welcome.
    history_id: String,
    match_id: String,
    seat: u32,
    welcomed_before: bool,
    /// The commitment to the seed; empty before MatchStarted, and if the server makes no
    /// commitment.
    seed_commitment: String,
    /// Whether the seed is revealed only when the match group ends, which can be later than the end
    /// of the match.
    seed_revealed_with_group: bool,
    open: Option<OpenRequest>,
}

impl Conversation {
    /// Starts a new stream, which has this number, and returns its Hello.
    pub(crate) fn hello(
        &mut self,
        options: &Options,
        (client_instance_id, stream_number): (String, u32),
    ) -> v1::PlayRequest {
        if let Some(open) = &mut self.open {
            open.sent_on_current_stream = false;
        }
        request(play_request::Message::Hello(v1::Hello {
            protocol_revision: PROTOCOL_REVISION,
            bot_name: options.bot_name.clone(),
            bot_version: options.bot_version.clone(),
            games: options.games.clone(),
            last_sequence: (self.last_sequence > 0).then_some(self.last_sequence),
            history_id: (self.last_sequence > 0).then(|| self.history_id.clone()),
            client_instance_id,
            stream_number,
        }))
    }

    /// Returns the last numbered message's sequence number; 0 before the first message.
    pub(crate) fn last_sequence(&self) -> u32 {
        self.last_sequence
    }

    /// Processes a stream's Welcome. If the last answer might have been lost with the previous
    /// stream, returns the answer so that it is sent again. The server ignores a duplicate. If the
    /// Welcome does not resume the match, the server has lost the most recent part of the match, so
    /// this function resets the match's state.
    pub(crate) fn welcome(
        &mut self,
        welcome: v1::Welcome,
    ) -> Result<Option<v1::PlayRequest>, PlayError> {
        if self.welcomed_before && (welcome.match_id != self.match_id || welcome.seat != self.seat)
        {
            return Err(PlayError::Protocol("the ticket now belongs to a different seat"));
        }
        self.welcomed_before = true;
        self.match_id = welcome.match_id;
        self.seat = welcome.seat;
        self.history_id = welcome.history_id;
        if !welcome.resumed {
            if self.last_sequence > 0 {
                warn!("the server lost the last part of the match; starting over");
            }
            self.last_sequence = 0;
            self.open = None;
        }
        Ok(self.open.as_mut().and_then(OpenRequest::unsent_answer))
    }

    /// Processes a message after the Welcome, received at `now`.
    pub(crate) fn receive(
        &mut self,
        response: v1::PlayResponse,
        now: Instant,
    ) -> Result<Reaction, PlayError> {
        use play_response::Message;
        let sequence = response.sequence;
        let Some(message) = response.message else {
            // The SDK does not know this kind of message, but the message's sequence number counts.
            self.last_sequence = self.last_sequence.max(sequence);
            return Ok(Reaction::None);
        };
        match message {
            Message::Ping(ping) => {
                let pong = v1::Pong { nonce: ping.nonce };
                return Ok(Reaction::Send(request(play_request::Message::Pong(pong))));
            }
            Message::Draining(draining) => {
                let v1::Draining { time_left_ms, matches_resume, .. } = draining;
                info!(time_left_ms, matches_resume, "the server is shutting down");
                return Ok(Reaction::None);
            }
            Message::Welcome(_) => {
                return Err(PlayError::Protocol("a second Welcome on one stream"));
            }
            _ => {}
        }
        if sequence <= self.last_sequence {
            return Ok(match message {
                Message::DecisionRequest(repeated) => self.request_repeated(repeated.request_id),
                _ => Reaction::None,
            });
        }
        self.last_sequence = sequence;
        match message {
            Message::MatchStarted(started) => self.started(started),
            Message::SeatStatus(status) => Ok(Reaction::Dispatch(Task::SeatChanged(status))),
            Message::DecisionRequest(request) => Ok(self.requested(request, now)),
            Message::DecisionRejected(rejected) => self.rejected(rejected),
            Message::MatchEnded(ended) => {
                self.open = None;
                self.ended(ended).map(Reaction::End)
            }
            Message::Ping(_) | Message::Draining(_) | Message::Welcome(_) => Ok(Reaction::None),
        }
    }

    /// Records one of the bot's answers. Returns the message to send if the answered request is
    /// still open.
    pub(crate) fn answer(&mut self, answer: Answer) -> Option<v1::PlayRequest> {
        let Some(open) =
            self.open.as_mut().filter(|open| Arc::ptr_eq(&open.request, &answer.request))
        else {
            warn!(
                request_id = answer.request.request_id,
                "answer ignored: the request is not open"
            );
            return None;
        };
        let message = message(open.request.request_id, answer.choice, String::new());
        open.answer = Some(request(message));
        open.unsent_answer()
    }

    fn started(&mut self, started: v1::MatchStarted) -> Result<Reaction, PlayError> {
        if self.seed_commitment.is_empty() {
            self.seed_commitment.clone_from(&started.seed_commitment);
        } else if self.seed_commitment != started.seed_commitment {
            return Err(PlayError::Protocol("the seed commitment changed"));
        }
        let config = started.config.as_ref();
        let group = config.and_then(|config| config.group.as_ref());
        self.seed_revealed_with_group =
            group.is_some_and(|group| group.seed_reveal() == v1::SeedReveal::WithGroup);
        Ok(Reaction::Dispatch(Task::Started(started)))
    }

    fn ended(&self, ended: v1::MatchEnded) -> Result<v1::MatchResult, PlayError> {
        let result = ended.result.ok_or(PlayError::Protocol("MatchEnded contains no result"))?;
        let is_withheld = ended.seed.is_empty() && ended.seed_salt.is_empty();
        if is_withheld && self.seed_revealed_with_group {
            info!("the seed will be revealed once the match group has ended");
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

    fn requested(&mut self, request: v1::DecisionRequest, now: Instant) -> Reaction {
        if let Some(open) = &self.open
            && open.request.request_id >= request.request_id
        {
            return self.request_repeated(request.request_id);
        }
        let request = Arc::new(Request::new(request, self.seat, now));
        self.open = Some(OpenRequest {
            request: Arc::clone(&request),
            answer: None,
            sent_on_current_stream: false,
            refused_answers: 0,
        });
        Reaction::Dispatch(Task::Decide(request))
    }

    /// Handles a repeated request, which the bot already has. If its answer has not been sent on
    /// the current stream yet, the answer is sent.
    fn request_repeated(&mut self, request_id: u32) -> Reaction {
        debug!(request_id, "received the open request again");
        let open = self.open.as_mut().filter(|open| open.request.request_id == request_id);
        open.and_then(OpenRequest::unsent_answer).map_or(Reaction::None, Reaction::Send)
    }

    fn rejected(&mut self, rejected: v1::DecisionRejected) -> Result<Reaction, PlayError> {
        warn!(
            request_id = rejected.request_id,
            reason = rejected.reason().as_str_name(),
            field = rejected.field,
            strikes = rejected.strikes,
            "decision refused: {}",
            rejected.detail,
        );
        let still_open = rejected.open_request_id == rejected.request_id;
        let Some(open) = self
            .open
            .as_mut()
            .filter(|open| still_open && open.request.request_id == rejected.request_id)
        else {
            return Ok(Reaction::Dispatch(Task::Rejected(rejected, None)));
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
        open.sent_on_current_stream = false;
        let open = Some(Arc::clone(&open.request));
        Ok(Reaction::Dispatch(Task::Rejected(rejected, open)))
    }
}

impl Drop for OpenRequest {
    /// Notifies the bot that the answer is no longer needed.
    fn drop(&mut self) {
        self.request.cancel();
    }
}

impl OpenRequest {
    /// Returns the answer if there is one that has not been sent on the current stream yet.
    fn unsent_answer(&mut self) -> Option<v1::PlayRequest> {
        if self.sent_on_current_stream {
            return None;
        }
        let answer = self.answer.clone()?;
        self.sent_on_current_stream = true;
        Some(answer)
    }
}

/// Converts a choice and its note to a message.
fn message(request_id: u32, choice: Choice, note: String) -> play_request::Message {
    let choice = match choice {
        // An index that does not fit into u32 is out of range for every list, so the server refuses
        // it in any case.
        Choice::Index(index) => {
            v1::decision::Choice::Index(u32::try_from(index).unwrap_or(u32::MAX))
        }
        Choice::Decision(full) => v1::decision::Choice::Decision(full),
        Choice::Resign => return play_request::Message::Resign(v1::Resign {}),
        Choice::Noted { choice, note } => return message(request_id, *choice, note),
    };
    play_request::Message::Decision(v1::Decision { request_id, choice: Some(choice), note })
}

fn request(message: play_request::Message) -> v1::PlayRequest {
    v1::PlayRequest { message: Some(message) }
}

/// Computes the commitment to a seed, as `PROTOCOL.md` defines it: the SHA-256 hash of the salt
/// followed by the seed's text, as 64 lowercase hex digits. Returns `None` if `seed_salt` is not
/// valid hex.
///
/// [`play`](crate::play()) compares the result with the commitment in MatchStarted. If the seed is
/// revealed only when the match group ends (`SEED_REVEAL_WITH_GROUP`), the caller must make this
/// comparison afterwards. Once the group has ended, `MatchInfo` contains the seed.
pub fn seed_commitment(seed: &str, seed_salt: &str) -> Option<String> {
    let digest =
        Sha256::new().chain_update(hex::decode(seed_salt).ok()?).chain_update(seed).finalize();
    Some(hex::encode(digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commitment_of_the_example_match_is_that_of_its_seed_and_salt() {
        let page = include_str!("../../../docs/reference/example-match.md");
        let value = |name: &str| {
            let (_, rest) = page.split_once(&format!("\"{name}\": \""))?;
            rest.split_once('"').map(|(value, _)| value)
        };
        let (seed, salt) = (value("seed"), value("seedSalt"));
        let commitment = seed.zip(salt).and_then(|(seed, salt)| seed_commitment(seed, salt));
        assert!(commitment.is_some());
        assert_eq!(commitment.as_deref(), value("seedCommitment"));
    }

    #[test]
    fn a_salt_that_is_not_hex_has_no_commitment() {
        for salt in ["0", "0g", "+1", "ä"] {
            assert_eq!(seed_commitment("seed", salt), None, "{salt}");
        }
    }
}
