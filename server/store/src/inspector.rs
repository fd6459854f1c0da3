//! A hook for code that interprets the stored bytes during a check.

use crate::{DamageReport, FinishedMatch, OpenMatch, Records};

/// Inspects values that a check has found intact. The store itself does not interpret the values.
pub trait Inspector: Send {
    /// Receives all of the store's records, before any match.
    fn inspect_records(&mut self, _notes: &Records) {}

    /// Inspects a match in play, with its whole journal.
    ///
    /// # Errors
    /// The damage found in the match.
    fn inspect_match_in_play(&mut self, open: &OpenMatch) -> Result<(), DamageReport>;

    /// Inspects a finished match, with its replay.
    ///
    /// # Errors
    /// The damage found in the match.
    fn inspect_finished_match(
        &mut self,
        finished: &FinishedMatch,
        replay: &[u8],
    ) -> Result<(), DamageReport>;
}

/// Accepts every value without inspection.
impl Inspector for () {
    fn inspect_match_in_play(&mut self, _: &OpenMatch) -> Result<(), DamageReport> {
        Ok(())
    }

    fn inspect_finished_match(&mut self, _: &FinishedMatch, _: &[u8]) -> Result<(), DamageReport> {
        Ok(())
    }
}
