//! The viewers of positions.

use bridgemaster_games::{Seat, SeatCount, Viewer};
use bridgemaster_proto::v1;

use super::error::PositionError;

/// Converts a message's viewers. An empty list means a spectator.
///
/// # Errors
/// Returns an error if a seat is out of range.
pub fn viewers_from_wire(
    viewers: &[v1::Viewer],
    seats: SeatCount,
) -> Result<Vec<Viewer>, PositionError> {
    if viewers.is_empty() {
        return Ok(vec![Viewer::Spectator]);
    }
    let viewer = |(place, viewer): (usize, &v1::Viewer)| match viewer.seat {
        None => Ok(Viewer::Spectator),
        Some(number) => {
            let seat = u8::try_from(number).ok().and_then(Seat::new);
            let seat = seat.filter(|seat| seats.contains(*seat));
            seat.map(Viewer::Seat).ok_or(PositionError::NoSuchSeat {
                place,
                seat: number,
                seats,
            })
        }
    };
    viewers.iter().enumerate().map(viewer).collect()
}
