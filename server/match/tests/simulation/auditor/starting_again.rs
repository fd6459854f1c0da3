//! A server that starts again from what was stored.

use bridgemaster_games::Seat;
use bridgemaster_match::{Entries, Moment, read_entry};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Histories, HistoryId, Referee};

use super::{Auditor, LagBook, effects::Public};
use crate::{
    oracle::{Oracle, Violation, demand},
    trace::Trace,
};

impl<G: WireGame> Auditor<G> {
    /// The server is gone, and so much of what it had stored with it that `kept` entries are left.
    pub(crate) fn killed(&mut self, kept: usize, stored: usize) {
        self.is_behind |= kept < stored;
        self.links.fill(None);
        self.turned_away_at.fill(None);
        self.expected.clear();
        self.demanded.clear();
        self.reporter = None;
        self.reported.clear();
    }

    /// Plays what is left of the journal: it must go the way that it went before.
    pub(crate) fn replay(
        &mut self,
        entries: &[Vec<u8>],
        first: HistoryId,
        now: Moment,
    ) -> Result<(), Violation> {
        let (rules, created_at) = (self.referee.rules().clone(), self.referee.created_at());
        self.referee = Referee::new(rules, created_at)
            .map_err(|error| Violation(format!("the stored rules are refused: {error}")))?;
        self.oracle = Oracle::new(&self.referee)?;
        self.histories = Histories::new(first);
        self.records.clear();
        self.after = Entries(entries.len() as u64);
        self.stored = self.after;
        self.asked.fill((0, Entries::NONE));
        self.is_parked = false;
        self.standings.truncate(entries.len());
        let standings = std::mem::take(&mut self.standings);
        for (number, (bytes, then)) in entries.iter().zip(&standings).enumerate() {
            let read = read_entry::<G>(bytes)
                .map_err(|problem| Violation(format!("entry {number}: {problem}")))?;
            let mut said = String::new();
            for stored in read.inputs {
                if let Some(next) = stored.begins {
                    let sent = self.referee.sent().collect();
                    self.histories.begin(next.history_id, sent);
                }
                let mut trace = Trace::default();
                said.push_str(&self.play(stored.time, stored.input, None, &mut trace)?);
            }
            // What was tampered with was not the referee's.
            demand!(
                self.tampering.is_some()
                    || (
                        self.referee.digest(),
                        self.referee.records(),
                        self.referee.deadline(),
                        &said
                    ) == (then.digest, then.records, then.deadline, &then.said),
                "replayed from its journal the match goes another way at entry {number}: {said}"
            );
        }
        self.standings = standings;
        self.lag = LagBook::new(now, self.stored);
        self.public = Public::default();
        Ok(())
    }

    /// Demands that a bot has no message that the match does not know of, unless that was lost
    /// after it had been stored.
    pub(crate) fn knows_what_was_sent(&self, seat: Seat, has: u32) -> Result<(), Violation> {
        let sent = self.oracle.sent_to(seat);
        demand!(
            has as usize <= sent || self.is_behind,
            "{seat} has message {has}, and after the restart {sent} were sent to it"
        );
        Ok(())
    }
}
