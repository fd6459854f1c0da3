//! Reports whether an answer was accepted, once this outcome is stored.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;

use crate::{Effect, Entries, Match, StreamNumber, Verdict};

impl<G: WireGame> Match<G> {
    /// Removes and returns the outcome of the last answer from a stream. Its journal position must
    /// be stored before the bot receives the outcome. Returns `None` if the answer was dropped
    /// because the stream was replaced or the match is parked. Also stores an answer that had no
    /// effect, because a bot does not repeat an acknowledged answer.
    pub fn take_verdict(
        &mut self,
        seat: Seat,
        stream: StreamNumber,
        effects: &mut Vec<Effect>,
    ) -> Option<(Verdict, Entries)> {
        let verdict = self.streams[seat.index()].take_verdict(stream)?;
        let mut after = self.uncommitted();
        // No clock waits for this entry, so the time until it is stored does not count as lag.
        if let Some(journal) = &mut self.journal
            && journal.has_pending()
        {
            effects.push(Effect::Store(journal.make_entry(&self.referee, None)));
            after = journal.entries();
        }
        Some((verdict, after))
    }
}
