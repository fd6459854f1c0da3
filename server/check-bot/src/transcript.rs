//! The messages exchanged with a bot, and the constraints on the bot's next Hello.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Hello, play_request::Message as FromBot,
    play_response::Message as FromServer,
};
use tokio::time::Instant;

use super::{
    catalog::section,
    report::{Verdict, failed},
};

/// The messages exchanged with the bot, across all of its streams.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The history id of the last Welcome; empty before the first Welcome.
    pub(super) history_id: String,
    /// The highest sequence number sent to the bot.
    pub(super) last_sequence: u32,
    /// The sequence number of the last request that the bot answered. The bot must have read all
    /// messages up to this number.
    pub(super) min_sequence: u32,
    /// The requests sent to the bot, by id, each with its sequence number for the bot.
    pub(super) requests: BTreeMap<u32, (u32, DecisionRequest)>,
    /// All of the bot's answers, by request id.
    pub(super) answers: BTreeMap<u32, Vec<Decision>>,
    /// True if MatchEnded was sent to the bot.
    pub(super) ended: bool,
    /// The number of streams that the bot has opened.
    pub(super) streams: u32,
    /// Nonces of Pongs that match no Ping.
    pub(super) unexpected_pongs: Vec<u64>,
    /// Unanswered Pings on the current stream, each with the time when it was sent.
    open_pings: BTreeMap<u64, Instant>,
    /// Nonces of the open Pings that the script sent.
    script_pings: BTreeSet<u64>,
}

impl Transcript {
    /// Records one of the bot's messages.
    pub(super) fn record_from_bot(&mut self, message: &FromBot) {
        match message {
            FromBot::Decision(decision) => {
                if let Some((sequence, _)) = self.requests.get(&decision.request_id) {
                    self.min_sequence = self.min_sequence.max(*sequence);
                }
                let answers = self.answers.entry(decision.request_id).or_default();
                answers.push(decision.clone());
            }
            FromBot::Pong(pong) => {
                if self.open_pings.remove(&pong.nonce).is_none() {
                    self.unexpected_pongs.push(pong.nonce);
                }
            }
            FromBot::Hello(_) | FromBot::Resign(_) => {}
        }
    }

    /// Returns the number of requests and answers so far.
    pub(super) fn progress(&self) -> usize {
        self.requests.len() + self.answers.len()
    }

    /// Records a message sent to the bot with this sequence number.
    pub(super) fn record_from_server(&mut self, sequence: u32, message: &FromServer) {
        match message {
            FromServer::Ping(ping) => {
                self.open_pings.insert(ping.nonce, Instant::now());
            }
            FromServer::DecisionRequest(request) => {
                let entry = (sequence, request.clone());
                self.requests.insert(request.request_id, entry);
            }
            FromServer::Welcome(welcome) => self.history_id.clone_from(&welcome.history_id),
            FromServer::MatchEnded(_) => self.ended = true,
            _ => {}
        }
        self.record_sequence(sequence);
    }

    /// Records a message's sequence number.
    pub(super) fn record_sequence(&mut self, sequence: u32) {
        self.last_sequence = self.last_sequence.max(sequence);
    }

    /// Records a Ping that the script sent.
    pub(super) fn record_script_ping(&mut self, nonce: u64) {
        self.open_pings.insert(nonce, Instant::now());
        self.script_pings.insert(nonce);
    }

    /// Removes the script's Ping that a Pong answers. Returns whether there was such a Ping.
    pub(super) fn take_script_ping(&mut self, nonce: u64) -> bool {
        self.script_pings.remove(&nonce)
    }

    /// Removes the open Pings of a stream that was replaced.
    pub(super) fn reset_stream(&mut self) {
        self.open_pings.clear();
        self.script_pings.clear();
    }

    /// Resets sequence numbers, requests and answers after a Welcome that does not resume.
    pub(super) fn start_over(&mut self) {
        (self.last_sequence, self.min_sequence) = (0, 0);
        self.requests.clear();
        self.answers.clear();
    }

    /// Checks a Hello's last_sequence and history_id.
    pub(super) fn check_hello(&self, hello: &Hello) -> Verdict<()> {
        self.check_last_sequence(hello)?;
        let history_id = hello.history_id.as_deref();
        if hello.last_sequence.is_none() || history_id == Some(&self.history_id) {
            return Ok(());
        }
        Err(failed(
            format!(
                "history_id {:?} of the last Welcome, together with last_sequence in Hello",
                self.history_id
            ),
            match history_id {
                None => "no history_id".to_owned(),
                Some(history_id) => format!("history_id {history_id:?}"),
            },
            section::RECONNECTING,
        ))
    }

    fn check_last_sequence(&self, hello: &Hello) -> Verdict<()> {
        let (min, max) = (self.min_sequence, self.last_sequence);
        let has_valid_sequence = match hello.last_sequence {
            None => min == 0,
            Some(last) => (min..=max).contains(&last),
        };
        if has_valid_sequence {
            return Ok(());
        }
        let expected = match max {
            0 => "no last_sequence in Hello, since no message was sent yet".to_owned(),
            _ => format!(
                "last_sequence {min} to {max} in Hello: the bot answered message {min}, and \
                 message {max} was sent last"
            ),
        };
        let seen = match hello.last_sequence {
            None => "no last_sequence".to_owned(),
            Some(last) => format!("last_sequence {last}"),
        };
        Err(failed(expected, seen, section::RECONNECTING))
    }

    /// Returns the oldest unanswered Ping, with the time when it was sent.
    pub(super) fn oldest_ping(&self) -> Option<(u64, Instant)> {
        let pings = self.open_pings.iter();
        pings.map(|(nonce, sent)| (*nonce, *sent)).min_by_key(|(_, sent)| *sent)
    }

    /// Describes the match's progress for failure messages.
    pub(super) fn describe_progress(&self) -> String {
        let asked = self.requests.len();
        let answered = self.answers.len();
        match (self.streams, self.ended) {
            (0, _) => "the bot opened no stream".to_owned(),
            (streams, true) => format!("after MatchEnded; {streams} streams were opened"),
            (streams, false) => format!(
                "so far {asked} requests were sent and {answered} answered, on {streams} streams"
            ),
        }
    }
}
