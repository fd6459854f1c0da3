//! A match in play, from its journal: exactly as it was after its last entry.

#[cfg(test)]
mod every_prefix;

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Histories, Output, Referee, Time};
use bridgemaster_replay::ReplayWriter;

use super::{
    Header, Unreplayable,
    entry::{Beginning, StoredInput, read_entry},
    header::Opening,
};
use crate::{
    Entries, MatchId, Origin,
    calendar::Calendar,
    returns::{Returns, Told},
};

/// A match as it was after its last entry.
pub struct Recovered<G: WireGame> {
    /// What was fixed before it began.
    pub origin: Origin,
    /// Its referee.
    pub referee: Referee<G>,
    /// Up to the one that the last server began.
    pub histories: Histories,
    /// Its records so far.
    pub replay: ReplayWriter,
    /// Entries of its journal.
    pub entries: Entries,
    /// Time of its last input.
    pub known_until: Time,
    pub(crate) calendar: Calendar,
    pub(crate) returns: Returns,
}

/// Plays the match `id` again from its header and the entries of its journal.
///
/// # Errors
/// Names the first field of the header or the first entry that makes no sense, that this program
/// does not play, or that leads elsewhere than before.
pub fn recover<G: WireGame>(
    id: MatchId,
    header: &Header,
    journal: &[Vec<u8>],
) -> Result<Recovered<G>, Unreplayable> {
    let Opening {
        rules,
        origin,
        created_at,
        history_id,
    } = header.open::<G>(id)?;
    let referee = Referee::new(rules, created_at).map_err(|error| Unreplayable::Header {
        field: "config",
        problem: error.to_string(),
    })?;
    let mut recovered = Recovered {
        calendar: Calendar::new(created_at, origin.created_unix_ms),
        returns: Returns::default(),
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
                // All that was sent, or may have been: the referee knows what to send again.
                Output::Send { .. } | Output::Close { .. } => {}
                Output::Ended | Output::Cancelled => {
                    return Err(bad("the match ends, and is in play".to_owned()));
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
        let StoredInput {
            time,
            input,
            begins,
            ticket,
        } = stored;
        if let Some(Beginning {
            history_id,
            unix_ms,
        }) = begins
        {
            let sent = self.referee.sent().collect();
            self.histories.begin(history_id, sent);
            self.calendar.go_on(time, unix_ms);
        }
        if let Some((seat, ticket)) = ticket {
            let tickets = self.origin.tickets.get_mut(seat.index());
            *tickets.ok_or_else(|| format!("the match has no {seat}"))? = ticket;
        }
        self.known_until = self.known_until.max(time);
        let (told, before) = (Told::by(&input), outputs.len());
        self.referee.handle(time, input, outputs);
        let seats = self.origin.tickets.len();
        self.returns.take(told, seats, &outputs[before..]);
        Ok(())
    }

    /// Makes sure that an entry has led where it led before.
    fn check_end(&self, state_digest: u64, written: u32) -> Result<(), Unreplayable> {
        let number = self.entries.0;
        let differs = |what, replayed, written| Unreplayable::Differs {
            number,
            what,
            replayed,
            written,
        };
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
            return Err(differs(
                "the number of records",
                records.to_string(),
                written.to_string(),
            ));
        }
        Ok(())
    }
}
