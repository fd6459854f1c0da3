//! Checks the messages to a seat over all its streams and all restarts of the server: numbers have
//! no gaps, each number always belongs to the same message, and there is one open request at a time.

use std::collections::BTreeMap;

use bridgemaster_proto::v1::{
    DecisionRequest, MatchEnded, MatchStarted, PlayResponse, Welcome, play_response::Message,
};
use prost::Message as _;
use xxhash_rust::xxh64::xxh64;

/// Next expected message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// This number, and then each next one.
    Next(u32),
    /// The bot knows nothing though it had a stream before: MatchStarted.
    Start,
    /// After the MatchStarted with this number: the open request, or new messages. Those in between
    /// are omitted.
    OpenRequest(u32),
    /// After the open request of this number: what is new. The states of seats that followed the
    /// request are left out.
    New(u32),
}

/// All messages that one seat received.
#[derive(Debug)]
pub(crate) struct SequenceWatch {
    expected: Expected,
    had_stream: bool,
    /// The history that the server named last.
    history_id: Option<String>,
    /// The bot said on this stream that it knows something.
    has_claimed: bool,
    /// The bot has shown that it has all messages up to this number: nobody sends them again.
    acknowledged: u32,
    /// The sum of each message, by its number.
    received: BTreeMap<u32, u64>,
    /// The newest request, its clock left out.
    last_request: Option<DecisionRequest>,
    pub(crate) started: Option<MatchStarted>,
    pub(crate) ended: Option<MatchEnded>,
}

/// A message that was as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// For the first time.
    New,
    /// Again, and the same.
    Repeated,
}

impl SequenceWatch {
    pub(crate) fn new() -> Self {
        Self {
            expected: Expected::Next(1),
            had_stream: false,
            history_id: None,
            has_claimed: false,
            acknowledged: 0,
            received: BTreeMap::new(),
            last_request: None,
            started: None,
            ended: None,
        }
    }

    /// The newest number; 0 before the first.
    pub(crate) fn newest(&self) -> u32 {
        self.received.keys().next_back().copied().unwrap_or(0)
    }

    /// The number up to which the bot has shown to have all messages, by Hello or an answer.
    pub(crate) fn acknowledged(&self) -> u32 {
        self.acknowledged
    }

    /// The bot shows that it has all messages up to a number.
    pub(crate) fn acknowledge(&mut self, number: u32) {
        self.acknowledged = self.acknowledged.max(number);
    }

    /// The newest request.
    pub(crate) fn last_request(&self) -> Option<&DecisionRequest> {
        self.last_request.as_ref()
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> u32 {
        self.last_request
            .as_ref()
            .map_or(0, |request| request.request_id)
    }

    /// A stream begins on which the bot says that it knows everything up to a number, or nothing.
    /// Must be called before the server can hear of it.
    pub(crate) fn stream_begins(&mut self, last_sequence: Option<u32>) {
        self.expected = match last_sequence {
            Some(last) => Expected::Next(last + 1),
            None if self.had_stream => Expected::Start,
            None => Expected::Next(1),
        };
        self.had_stream = true;
        self.has_claimed = last_sequence.is_some();
        self.acknowledge(last_sequence.unwrap_or(0));
    }

    /// The history that the server named last.
    pub(crate) fn history_id(&self) -> Option<String> {
        self.history_id.clone()
    }

    /// Checks a stream's Welcome. A restarted server still has everything that was
    /// sent, so a bot that claims to know messages must be resumed.
    ///
    /// # Errors
    /// Describes the problem.
    pub(crate) fn welcomed(&mut self, welcome: &Welcome) -> Result<(), String> {
        self.history_id = Some(welcome.history_id.clone());
        if welcome.resumed == self.has_claimed {
            return Ok(());
        }
        Err(format!(
            "a bot that said {} begins with {welcome:?}",
            match self.has_claimed {
                true => "what it has",
                false => "that it knows nothing",
            }
        ))
    }

    /// Receives a counted message.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub(crate) fn receive(&mut self, response: &PlayResponse) -> Result<Received, String> {
        let number = response.sequence;
        let message = response
            .message
            .as_ref()
            .ok_or_else(|| format!("message {number} is of no kind"))?;
        let newest = self.newest();
        match self.expected {
            Expected::Next(next) if number != next => {
                return Err(format!("message {number} came where {next} was due"));
            }
            Expected::Start if !matches!(message, Message::MatchStarted(_)) => {
                return Err(format!(
                    "a bot that knows nothing was first sent message {number}, no MatchStarted"
                ));
            }
            Expected::OpenRequest(before) | Expected::New(before) if number <= before => {
                return Err(format!("message {number} came after message {before}"));
            }
            _ => {}
        }
        self.expected = match self.expected {
            Expected::Start => Expected::OpenRequest(number),
            Expected::OpenRequest(_) if matches!(message, Message::DecisionRequest(_)) => {
                Expected::New(number)
            }
            Expected::Next(_) | Expected::OpenRequest(_) | Expected::New(_) => {
                Expected::Next(number + 1)
            }
        };
        let sum = sum_of(message);
        let again = match self.received.insert(number, sum) {
            Some(before) if before != sum => {
                return Err(format!("message {number} is not what it was: {message:?}"));
            }
            Some(_) => Received::Repeated,
            None => Received::New,
        };
        self.keep(message, number > newest)?;
        Ok(again)
    }

    fn keep(&mut self, message: &Message, is_newest: bool) -> Result<(), String> {
        match message {
            Message::MatchStarted(started) => self.started = Some(started.clone()),
            Message::MatchEnded(ended) => self.ended = Some(ended.clone()),
            Message::DecisionRequest(request) if is_newest => {
                let (number, due) = (request.request_id, self.requests() + 1);
                if number != due {
                    return Err(format!("request {number} came where {due} was due"));
                }
                self.last_request = Some(without_clock(request));
            }
            _ => {}
        }
        Ok(())
    }
}

fn without_clock(request: &DecisionRequest) -> DecisionRequest {
    DecisionRequest {
        clock: None,
        ..request.clone()
    }
}

/// The checksum of a message's permanent content. Excludes a request's clock, which depends on the
/// time of sending, and the seats in MatchStarted, which have their current state.
fn sum_of(message: &Message) -> u64 {
    let message = match message {
        Message::DecisionRequest(request) => Message::DecisionRequest(without_clock(request)),
        Message::MatchStarted(started) => Message::MatchStarted(MatchStarted {
            seats: Vec::new(),
            ..started.clone()
        }),
        other => other.clone(),
    };
    let message = PlayResponse {
        sequence: 0,
        message: Some(message),
    };
    xxh64(&message.encode_to_vec(), 0)
}
