//! Recovery of a match in play from its journal. The recovered match has exactly the state that the
//! match had after the last entry.

use bridgemaster_proto::games::{FieldError, WireGame};
use bridgemaster_referee::{Histories, Output, Referee, Time};
use bridgemaster_replay::ReplayWriter;

use super::{
    Header, Unreplayable,
    entry::{HistoryStart, StoredInput, read_entry},
    header::OpenedHeader,
};
use crate::{
    Entries, MatchId, Origin,
    clocks::WallClockMap,
    return_tracker::{Presence, ReturnTracker},
};

/// A match in the state after the last entry of its journal.
pub struct Recovered<G: WireGame> {
    /// The facts that were fixed at creation.
    pub origin: Origin,
    /// The referee after the last entry.
    pub referee: Referee<G>,
    /// The match's histories, including the last server's.
    pub histories: Histories,
    /// The replay with the records so far.
    pub replay: ReplayWriter,
    /// The number of entries in the journal.
    pub entries: Entries,
    /// The time of the last input.
    pub known_until: Time,
    pub(crate) wall_clock: WallClockMap,
    pub(crate) returns: ReturnTracker,
}

/// Rebuilds the match `id` from its header and its journal entries.
///
/// # Errors
/// Returns an error that names the first header field or entry that is invalid or unsupported, or
/// whose replay leads to another state.
pub fn recover<G: WireGame>(
    id: MatchId,
    header: &Header,
    journal: &[Vec<u8>],
) -> Result<Recovered<G>, Unreplayable> {
    let OpenedHeader { rules, origin, created_at, history_id } = header.open::<G>(id)?;
    let referee =
        Referee::new(rules, created_at).map_err(|error| FieldError::new("config", error))?;
    let mut recovered = Recovered {
        wall_clock: WallClockMap::new(created_at, origin.created_unix_ms),
        returns: ReturnTracker::default(),
        origin,
        referee,
        histories: Histories::new(history_id),
        replay: ReplayWriter::default(),
        entries: Entries::NONE,
        known_until: created_at,
    };
    for bytes in journal {
        recovered.replay_entry(bytes)?;
    }
    Ok(recovered)
}

impl<G: WireGame> Recovered<G> {
    fn replay_entry(&mut self, bytes: &[u8]) -> Result<(), Unreplayable> {
        let number = self.entries.0;
        let bad = |problem: String| Unreplayable::Entry { number, problem };
        let entry = read_entry::<G>(bytes).map_err(bad)?;
        let mut outputs = Vec::new();
        for stored in entry.inputs {
            self.replay_input(stored, &mut outputs).map_err(bad)?;
        }
        for output in outputs {
            match output {
                Output::Record(record) => self.replay.push(&record),
                // These were sent, or may have been. The referee determines what to send again.
                Output::Send { .. } | Output::Close { .. } => {}
                Output::Ended | Output::Cancelled => {
                    return Err(bad("the match ends there, but is stored as in play".to_owned()));
                }
            }
        }
        if !self.referee.is_secret_who_decided() {
            self.replay.publish();
        }
        self.check_end(entry.state_digest, entry.records)?;
        self.entries = Entries(number + 1);
        Ok(())
    }

    fn replay_input(
        &mut self,
        stored: StoredInput<G>,
        outputs: &mut Vec<Output<G>>,
    ) -> Result<(), String> {
        let StoredInput { time, input, history_start, ticket } = stored;
        if let Some(HistoryStart { history_id, unix_ms }) = history_start {
            let sent = self.referee.sent().collect();
            self.histories.begin(history_id, sent);
            self.wall_clock.add(time, unix_ms);
        }
        if let Some((seat, ticket)) = ticket {
            let tickets = self.origin.tickets.get_mut(seat.index());
            *tickets.ok_or_else(|| format!("the match has no seat {seat}"))? = ticket;
        }
        self.known_until = self.known_until.max(time);
        let (presence, before) = (Presence::from_input(&input), outputs.len());
        self.referee.handle(time, input, outputs);
        let seats = self.origin.tickets.len();
        self.returns.take(presence, seats, &outputs[before..]);
        Ok(())
    }

    /// Checks that the state after an entry equals the state in the journal.
    fn check_end(&self, state_digest: u64, written: u32) -> Result<(), Unreplayable> {
        let number = self.entries.0;
        let differs =
            |what, replayed, written| Unreplayable::Differs { number, what, replayed, written };
        let digest = self.referee.digest().0;
        if digest != state_digest {
            return Err(differs(
                "the digest of the state",
                format!("{digest:016x}"),
                format!("{state_digest:016x}"),
            ));
        }
        let records = self.referee.records();
        if records != written {
            return Err(differs("the number of records", records.to_string(), written.to_string()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
