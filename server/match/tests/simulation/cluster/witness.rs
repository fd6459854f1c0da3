//! What must hold of what bots are told, whoever tells it.

use std::collections::BTreeMap;

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::{PlayResponse, play_response::Message};

use crate::oracle::{Violation, demand};

/// What was told of the match so far.
#[derive(Debug)]
pub(crate) struct Witness {
    /// By seat, and by number.
    told: Vec<BTreeMap<u32, PlayResponse>>,
    /// The server that told a seat something new last: they are numbered in the order in which they
    /// got the match.
    newest: Vec<u32>,
}

impl Witness {
    pub(crate) fn new(seats: usize) -> Self {
        Self {
            told: vec![BTreeMap::new(); seats],
            newest: vec![0; seats],
        }
    }

    /// A message leaves the server that was the `life`th to have the match. Nobody tells a number
    /// otherwise than it was told before, and no server that had the match earlier tells anything new.
    pub(crate) fn hears(
        &mut self,
        seat: Seat,
        life: u32,
        response: PlayResponse,
    ) -> Result<(), Violation> {
        let sequence = response.sequence;
        let response = without_clocks(response);
        let told = &mut self.told[seat.index()];
        if let Some(before) = told.get(&sequence) {
            demand!(
                *before == response,
                "{seat} was told {before:?}, and is told {response:?}"
            );
            return Ok(());
        }
        let newest = &mut self.newest[seat.index()];
        demand!(
            *newest <= life,
            "server {life} tells {seat} something new after server {newest} did"
        );
        *newest = life;
        told.insert(sequence, response);
        Ok(())
    }

    /// The number of the last message that a seat was told of.
    pub(crate) fn last_told(&self, seat: Seat) -> u32 {
        let last = self.told[seat.index()].last_key_value();
        last.map_or(0, |(sequence, _)| *sequence)
    }
}

/// Without what is as it is at the moment: clocks, and how seats stand when a bot comes.
fn without_clocks(mut response: PlayResponse) -> PlayResponse {
    match &mut response.message {
        Some(Message::DecisionRequest(request)) => request.clock = None,
        Some(Message::MatchStarted(started)) => started.seats.clear(),
        _ => {}
    }
    response
}
