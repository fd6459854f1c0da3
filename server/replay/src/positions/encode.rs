//! Encoding of all positions in a replay.

use bridgemaster_games::{SeatCount, Viewer};
use bridgemaster_proto::v1::{Replay, WatchPositionsResponse};
use prost::Message as _;

use super::{disclosure::Disclosure, error::PositionError, player::Positions};
use crate::match_info::match_info;

/// Encodes the length-delimited messages of a position stream for a spectator and each seat. The
/// replay is not verified: see [`verify`](crate::verify).
///
/// # Errors
/// Returns an error that names the first invalid field.
pub fn encode_positions(replay: &Replay) -> Result<Vec<u8>, PositionError> {
    let seats = replay.config.as_ref().map(|config| config.seats);
    let seats = seats.and_then(|seats| SeatCount::new(u8::try_from(seats).ok()?));
    let seats = seats.into_iter().flat_map(|seats| seats.seats());
    let viewers = std::iter::once(Viewer::Spectator).chain(seats.map(Viewer::Seat));
    let viewers: Vec<Viewer> = viewers.collect();
    let mut positions = Positions::open(replay, &viewers, 0, Disclosure::Everything)?;
    let first = WatchPositionsResponse {
        position: positions.first(),
        r#match: Some(match_info(replay)),
    };
    let mut bytes = first.encode_length_delimited_to_vec();
    for record in &replay.records {
        if let Some(position) = positions.after(record)? {
            let message = WatchPositionsResponse {
                position: Some(position),
                r#match: None,
            };
            bytes.extend(message.encode_length_delimited_to_vec());
        }
    }
    Ok(bytes)
}
