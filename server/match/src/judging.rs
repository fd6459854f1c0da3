//! Tells what became of an answer, once that is stored.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;

use crate::{Effect, Entries, Match, StreamNumber, Verdict};

impl<G: WireGame> Match<G> {
    /// What became of the last answer that a stream reported, once, and how many entries must be
    /// stored before that is told; `None` if the answer was dropped, because the stream does not
    /// hold the seat or the match stands still. An answer without an effect is stored for it:
    /// whoever was told that it counts does not give it again.
    pub fn take_verdict(
        &mut self,
        seat: Seat,
        stream: StreamNumber,
        effects: &mut Vec<Effect>,
    ) -> Option<(Verdict, Entries)> {
        let verdict = self.links[seat.index()].take_verdict(stream)?;
        let mut after = self.unsettled();
        // No clock waits for it, so that the time is no lag.
        if let Some(journal) = &mut self.journal
            && journal.has_noted()
        {
            effects.push(Effect::Store(journal.make_entry(&self.referee, None)));
            after = journal.entries();
        }
        Some((verdict, after))
    }
}
