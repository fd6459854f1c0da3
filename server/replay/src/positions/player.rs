//! The positions of a match, whatever its game is.

use bridgemaster_games::{Viewer, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{Position, Record, Replay},
};

use super::{
    disclosure::Disclosure,
    error::PositionError,
    playback::{GamePlayback, Playback},
};

/// Iterates over the positions of one match, as its viewers see them.
pub struct Positions(Box<dyn Playback>);

impl Positions {
    /// Starts the match in `head`. The first returned position is the one after `from` decisions.
    /// Records in `head` are ignored.
    ///
    /// # Errors
    /// Returns an error that names the first invalid field.
    pub fn open(
        head: &Replay,
        viewers: &[Viewer],
        from: u32,
        disclosure: Disclosure,
    ) -> Result<Self, PositionError> {
        with_game!(head.game_id.as_str(), G => open::<G>(head, viewers, from, disclosure))
            .unwrap_or_else(|| Err(PositionError::UnknownGame(head.game_id.clone())))
    }

    /// Returns the position before the first decision. Must be called once, before the first record
    /// is applied. Returns `None` if the position was not requested or a chance result must come
    /// first.
    pub fn first(&mut self) -> Option<Position> {
        self.0.take()
    }

    /// Applies the next record, and returns the position that it completes, if any and if
    /// requested.
    ///
    /// # Errors
    /// Returns an error that names the record field that contradicts the rules. The player must not
    /// be used after an error.
    pub fn after(&mut self, record: &Record) -> Result<Option<Position>, PositionError> {
        self.0.record(record).map_err(|bad| PositionError::Field {
            field: format!("records[{}].{}", record.number, bad.field),
            problem: bad.problem,
        })?;
        Ok(self.0.take())
    }

    /// Discloses everything from the next record on. Must be called only when the match has ended.
    pub fn disclose(&mut self) {
        self.0.disclose();
    }
}

fn open<G: WireGame>(
    head: &Replay,
    viewers: &[Viewer],
    from: u32,
    disclosure: Disclosure,
) -> Result<Positions, PositionError> {
    let playback = GamePlayback::<G>::open(head, viewers.to_vec(), from, disclosure)?;
    Ok(Positions(Box::new(playback)))
}
