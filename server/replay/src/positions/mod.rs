//! The positions of a match: the views of its viewers after each decision, replayed from the
//! records. Works for replay files and for matches in play, whose records are passed in as they are
//! written.
//!
//! While a match runs or its seed is withheld, only public events are disclosed. A viewing seat
//! also sees its own observation and decisions. The record of a secret decision must not be passed
//! in before the decision is public. Once the match has ended, all decisions are disclosed,
//! including the details of illegal ones.

mod banks;
mod playback;

use bridgemaster_games::{SeatCount, Viewer, with_game};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{self, Position, Record, Replay, WatchPositionsResponse},
};
use prost::Message as _;

use self::playback::{GamePlayback, Playback};
use crate::{
    match_info::match_info,
    opening::{below, seat_of, unknown_game},
};

pub use self::playback::Disclosure;

/// Converts a message's viewers. An empty list means a spectator.
///
/// # Errors
/// Returns an error if a seat is out of range.
pub fn viewers_from_wire(
    viewers: &[v1::Viewer],
    seats: SeatCount,
) -> Result<Vec<Viewer>, FieldError> {
    if viewers.is_empty() {
        return Ok(vec![Viewer::Spectator]);
    }
    let viewer = |(place, viewer): (usize, &v1::Viewer)| match viewer.seat {
        None => Ok(Viewer::Spectator),
        Some(number) => {
            let seat = seat_of(seats, &format!("viewers[{place}].seat"), number);
            seat.map(Viewer::Seat)
        }
    };
    viewers.iter().enumerate().map(viewer).collect()
}

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
    ) -> Result<Self, FieldError> {
        with_game!(head.game_id.as_str(), G => open::<G>(head, viewers, from, disclosure))
            .unwrap_or_else(|| Err(unknown_game(&head.game_id)))
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
    /// Returns an error that names the field of the record that contradicts the rules. This value
    /// must not be used after an error.
    pub fn after(&mut self, record: &Record) -> Result<Option<Position>, FieldError> {
        let applied = self.0.record(record);
        applied.map_err(|error| below(&format!("records[{}]", record.number))(error))?;
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
) -> Result<Positions, FieldError> {
    let playback = GamePlayback::<G>::open(head, viewers.to_vec(), from, disclosure)?;
    Ok(Positions(Box::new(playback)))
}

/// Encodes the length-delimited messages of a position stream for a spectator and each seat. The
/// replay is not verified: see [`verify`](crate::verify).
///
/// # Errors
/// Returns an error that names the first invalid field.
pub fn encode_positions(replay: &Replay) -> Result<Vec<u8>, FieldError> {
    let seats = replay.config.as_ref().map(|config| config.seats);
    let seats = seats.and_then(|seats| SeatCount::new(u8::try_from(seats).ok()?));
    let seats = seats.into_iter().flat_map(|seats| seats.seats());
    let viewers = std::iter::once(Viewer::Spectator).chain(seats.map(Viewer::Seat));
    let viewers: Vec<Viewer> = viewers.collect();
    let mut positions = Positions::open(replay, &viewers, 0, Disclosure::Everything)?;
    let first =
        WatchPositionsResponse { position: positions.first(), r#match: Some(match_info(replay)) };
    let mut bytes = first.encode_length_delimited_to_vec();
    for record in &replay.records {
        if let Some(position) = positions.after(record)? {
            let message = WatchPositionsResponse { position: Some(position), r#match: None };
            bytes.extend(message.encode_length_delimited_to_vec());
        }
    }
    Ok(bytes)
}
