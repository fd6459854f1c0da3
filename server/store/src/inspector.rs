//! What a check asks of whoever knows what the stored bytes mean.

use crate::{Damage, FinishedMatch, OpenMatch};

/// Looks into what a check has found as it was written. The store knows nothing of its meaning.
pub trait Inspector: Send {
    /// A match in play, with its whole journal.
    ///
    /// # Errors
    /// What is wrong with it.
    fn match_in_play(&mut self, open: &OpenMatch) -> Result<(), Damage>;

    /// A finished match, with its replay.
    ///
    /// # Errors
    /// What is wrong with it.
    fn finished_match(&mut self, finished: &FinishedMatch, replay: &[u8]) -> Result<(), Damage>;
}

/// Takes everything for what it is.
impl Inspector for () {
    fn match_in_play(&mut self, _: &OpenMatch) -> Result<(), Damage> {
        Ok(())
    }

    fn finished_match(&mut self, _: &FinishedMatch, _: &[u8]) -> Result<(), Damage> {
        Ok(())
    }
}
