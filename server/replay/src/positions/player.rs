//! The positions of a match of any game.

use bridgemaster_games::{Viewer, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{Position, Record, Replay},
};

use super::{
    disclosure::Disclosure,
    error::PositionError,
    reel::{GameReel, Reel},
};

/// The positions of one match, as its viewers see them.
pub struct Positions(Box<dyn Reel>);

impl Positions {
    /// Those of the match that `head` begins, whose records need not be in it, from the one after
    /// `from` decisions on.
    ///
    /// # Errors
    /// Names the first field that cannot be played from.
    pub fn open(
        head: &Replay,
        viewers: &[Viewer],
        from: u32,
        disclosure: Disclosure,
    ) -> Result<Self, PositionError> {
        with_game!(head.game_id.as_str(), G => open::<G>(head, viewers, from, disclosure))
            .unwrap_or_else(|| Err(PositionError::UnknownGame(head.game_id.clone())))
    }

    /// The position before the first decision: asked for once, before any record is given. `None`
    /// if it is not wanted, or if a record must come first.
    pub fn first(&mut self) -> Option<Position> {
        self.0.take()
    }

    /// Goes on with the next record, and gives the position that is complete with it, if one is and
    /// it is wanted.
    ///
    /// # Errors
    /// Names what of the record does not go with the rules. Nothing may be asked for after that.
    pub fn after(&mut self, record: &Record) -> Result<Option<Position>, PositionError> {
        self.0.record(record).map_err(|bad| PositionError::Field {
            field: format!("records[{}].{}", record.number, bad.field),
            problem: bad.problem,
        })?;
        Ok(self.0.take())
    }

    /// From the next record on, all that records have is told: the match is over.
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
    let reel = GameReel::<G>::open(head, viewers.to_vec(), from, disclosure)?;
    Ok(Positions(Box::new(reel)))
}
