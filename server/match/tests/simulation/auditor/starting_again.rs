//! Restarts of a server from the stored data.

use bridgemaster_games::Seat;
use bridgemaster_match::{Entries, ServerTime, read_entry};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Histories, HistoryId, Referee};

use super::{Auditor, LagAccount, effects::Public};
use crate::{
    oracle::{Oracle, Violation, require},
    trace::Trace,
};

impl<G: WireGame> Auditor<G> {
    /// Handles the loss of the server together with all but `kept` stored entries.
    pub(crate) fn handle_kill(&mut self, retained: usize, stored: usize) {
        self.is_behind |= retained < stored;
        self.links.fill(None);
        self.turned_away_at.fill(None);
        self.expected.clear();
        self.expected_effects.clear();
        self.reporter = None;
        self.reported.clear();
    }

    /// Replays the rest of the journal, which must lead to the same states as before.
    pub(crate) fn replay(
        &mut self,
        entries: &[Vec<u8>],
        first: HistoryId,
        now: ServerTime,
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
        self.snapshots.truncate(entries.len());
        let snapshots = std::mem::take(&mut self.snapshots);
        for (number, (bytes, then)) in entries.iter().zip(&snapshots).enumerate() {
            let read = read_entry::<G>(bytes)
                .map_err(|problem| Violation(format!("entry {number}: {problem}")))?;
            let mut said = String::new();
            for stored in read.inputs {
                if let Some(next) = stored.history_start {
                    let sent = self.referee.sent().collect();
                    self.histories.begin(next.history_id, sent);
                }
                let mut trace = Trace::default();
                said.push_str(&self.play(stored.time, stored.input, None, &mut trace)?);
            }
            // Tampered outputs differ from those of the referee.
            require!(
                self.tampering.is_some()
                    || (
                        self.referee.digest(),
                        self.referee.records(),
                        self.referee.deadline(),
                        &said
                    ) == (then.digest, then.records, then.deadline, &then.said),
                "the replay of the journal differs from the match at entry {number}: {said}"
            );
        }
        self.snapshots = snapshots;
        self.lag = LagAccount::new(now, self.stored);
        self.public = Public::default();
        Ok(())
    }

    /// Checks that no bot has received a message that the match has not sent, unless stored entries
    /// were lost.
    pub(crate) fn check_received(&self, seat: Seat, has: u32) -> Result<(), Violation> {
        let sent = self.oracle.sent_to(seat);
        require!(
            has as usize <= sent || self.is_behind,
            "{seat} has received message {has}, but the restarted match has sent only {sent}"
        );
        Ok(())
    }
}
