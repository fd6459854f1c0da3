//! Consistency of the messages to bots over all servers.

use std::collections::BTreeMap;

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::{PlayResponse, play_response::Message};

use crate::oracle::{Violation, require};

/// The messages of the match so far.
#[derive(Debug)]
pub(crate) struct Witness {
    /// By seat and by sequence number.
    sent: Vec<BTreeMap<u32, PlayResponse>>,
    /// The last server that sent a new message to each seat, in the order of their takeovers.
    newest: Vec<u32>,
}

impl Witness {
    pub(crate) fn new(seats: usize) -> Self {
        Self {
            sent: vec![BTreeMap::new(); seats],
            newest: vec![0; seats],
        }
    }

    /// Records a message from the server that was the `life`th to have the match. No number may be
    /// sent with another content, and no earlier server may send a new one.
    pub(crate) fn receives(
        &mut self,
        seat: Seat,
        life: u32,
        response: PlayResponse,
    ) -> Result<(), Violation> {
        let sequence = response.sequence;
        let response = without_clocks(response);
        let sent = &mut self.sent[seat.index()];
        if let Some(before) = sent.get(&sequence) {
            require!(
                *before == response,
                "{seat} was sent {before:?}, and is now sent {response:?}"
            );
            return Ok(());
        }
        let newest = &mut self.newest[seat.index()];
        require!(
            *newest <= life,
            "server {life} sent {seat} a new message after server {newest} did"
        );
        *newest = life;
        sent.insert(sequence, response);
        Ok(())
    }

    /// The last sequence number sent to a seat.
    pub(crate) fn last_sent(&self, seat: Seat) -> u32 {
        let last = self.sent[seat.index()].last_key_value();
        last.map_or(0, |(sequence, _)| *sequence)
    }
}

/// Removes the parts that depend on the time of sending: clocks, and seat states on reconnection.
fn without_clocks(mut response: PlayResponse) -> PlayResponse {
    match &mut response.message {
        Some(Message::DecisionRequest(request)) => request.clock = None,
        Some(Message::MatchStarted(started)) => started.seats.clear(),
        _ => {}
    }
    response
}
