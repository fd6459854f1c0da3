//! What a bot has been told and has said, and what follows from it for what it may say next.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Hello, play_request::Message as FromBot,
    play_response::Message as FromServer,
};
use tokio::time::Instant;

use super::{
    catalog::section,
    failure::{Verdict, failed},
};

/// What the bot has been told and has said, over all its streams.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The history that the newest Welcome told; empty before the first.
    pub(super) history_id: String,
    /// The highest sequence that was sent to the bot.
    pub(super) last_sequence: u32,
    /// The highest sequence that the bot must have read: that of the last request it answered.
    pub(super) read_sequence: u32,
    /// The requests that were sent, with the sequence of the bot's numbering.
    pub(super) requests: BTreeMap<u32, (u32, DecisionRequest)>,
    /// All answers to each request.
    pub(super) answers: BTreeMap<u32, Vec<Decision>>,
    /// Whether MatchEnded was sent.
    pub(super) ended: bool,
    /// Streams that the bot has opened.
    pub(super) streams: u32,
    /// Nonces of Pongs that nothing had asked for.
    pub(super) unasked_pongs: Vec<u64>,
    /// Pings on the stream in use that no Pong has answered.
    open_pings: BTreeMap<u64, Instant>,
    /// Those among them that a script sent.
    own_pings: BTreeSet<u64>,
}

impl Told {
    /// Takes note of a message of the bot.
    pub(super) fn heard(&mut self, message: &FromBot) {
        match message {
            FromBot::Decision(decision) => {
                if let Some((sequence, _)) = self.requests.get(&decision.request_id) {
                    self.read_sequence = self.read_sequence.max(*sequence);
                }
                let answers = self.answers.entry(decision.request_id).or_default();
                answers.push(decision.clone());
            }
            FromBot::Pong(pong) => {
                if self.open_pings.remove(&pong.nonce).is_none() {
                    self.unasked_pongs.push(pong.nonce);
                }
            }
            FromBot::Hello(_) | FromBot::Resign(_) => {}
        }
    }

    /// Grows with each request that is sent for the first time and each answer to it.
    pub(super) fn progress(&self) -> usize {
        self.requests.len() + self.answers.len()
    }

    /// Takes note of a message of the server that is sent to the bot under this sequence.
    pub(super) fn tell(&mut self, sequence: u32, message: &FromServer) {
        match message {
            FromServer::Ping(ping) => {
                self.open_pings.insert(ping.nonce, Instant::now());
            }
            FromServer::DecisionRequest(request) => {
                let known = (sequence, request.clone());
                self.requests.insert(request.request_id, known);
            }
            FromServer::Welcome(welcome) => self.history_id.clone_from(&welcome.history_id),
            FromServer::MatchEnded(_) => self.ended = true,
            _ => {}
        }
        self.tell_sequence(sequence);
    }

    /// Takes note of a message under this sequence, whatever it says.
    pub(super) fn tell_sequence(&mut self, sequence: u32) {
        self.last_sequence = self.last_sequence.max(sequence);
    }

    /// Takes note of a Ping of a script.
    pub(super) fn tell_own_ping(&mut self, nonce: u64) {
        self.open_pings.insert(nonce, Instant::now());
        self.own_pings.insert(nonce);
    }

    /// Whether a Pong answers a Ping of a script, which it does once.
    pub(super) fn answers_own_ping(&mut self, nonce: u64) -> bool {
        self.own_pings.remove(&nonce)
    }

    /// Forgets what belonged to a stream that another replaces.
    pub(super) fn forget_stream(&mut self) {
        self.open_pings.clear();
        self.own_pings.clear();
    }

    /// The bot is told to begin anew: what it was told has not happened.
    pub(super) fn begin_anew(&mut self) {
        (self.last_sequence, self.read_sequence) = (0, 0);
        self.requests.clear();
        self.answers.clear();
    }

    /// Checks what a Hello says that the bot has.
    pub(super) fn check_known(&self, hello: &Hello) -> Verdict<()> {
        self.check_last_sequence(hello)?;
        let named = hello.history_id.as_deref();
        if hello.last_sequence.is_none() || named == Some(&self.history_id) {
            return Ok(());
        }
        Err(failed(
            format!(
                "history_id {:?} beside last_sequence in Hello: the newest Welcome told it",
                self.history_id
            ),
            match named {
                None => "no history_id".to_owned(),
                Some(named) => format!("history_id {named:?}"),
            },
            section::COMING_BACK,
        ))
    }

    fn check_last_sequence(&self, hello: &Hello) -> Verdict<()> {
        let (least, most) = (self.read_sequence, self.last_sequence);
        let has_valid_sequence = match hello.last_sequence {
            None => least == 0,
            Some(last) => (least..=most).contains(&last),
        };
        if has_valid_sequence {
            return Ok(());
        }
        let expected = match most {
            0 => "no last_sequence in Hello: nothing was sent yet".to_owned(),
            _ => format!(
                "last_sequence {least} to {most} in Hello: {least} was read, as an answer \
                 shows, and {most} was sent last"
            ),
        };
        let seen = match hello.last_sequence {
            None => "no last_sequence".to_owned(),
            Some(last) => format!("last_sequence {last}"),
        };
        Err(failed(expected, seen, section::COMING_BACK))
    }

    /// The Ping that has been waiting for its Pong for the longest time, and since when.
    pub(super) fn oldest_ping(&self) -> Option<(u64, Instant)> {
        let pings = self.open_pings.iter();
        pings
            .map(|(nonce, sent)| (*nonce, *sent))
            .min_by_key(|(_, sent)| *sent)
    }

    /// How far the match has come, for failures.
    pub(super) fn so_far(&self) -> String {
        let asked = self.requests.len();
        let answered = self.answers.len();
        match (self.streams, self.ended) {
            (0, _) => "the bot had opened no stream".to_owned(),
            (streams, true) => format!("after MatchEnded; {streams} streams were opened"),
            (streams, false) => format!(
                "until then {asked} requests were sent, {answered} of them answered, on {streams} \
                 streams"
            ),
        }
    }
}
