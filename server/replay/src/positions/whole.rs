//! All positions of a replay, for everybody at once.

use bridgemaster_games::{SeatCount, Viewer};
use bridgemaster_proto::v1::{Replay, WatchPositionsResponse};
use prost::Message as _;

use super::{disclosure::Disclosure, error::PositionError, player::Positions};
use crate::told::match_info;

/// The messages that a stream of positions of this replay has for a spectator and then each seat,
/// each with its length before it. The replay is taken as it is: see [`verify`](crate::verify).
///
/// # Errors
/// Names the first field that cannot be shown.
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
