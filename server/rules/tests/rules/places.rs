//! The memory of a position.

use allocation_counter::measure;
use bridgemaster_games::Viewer;
use bridgemaster_proto::games::WireGame;
use bridgemaster_rules::{POSITION_BYTES, Position};

use crate::{of_every_game, playthrough::Playthrough};

of_every_game! {
    a_position_fits_its_memory_budget as a_position_fits_its_accounted_bytes,
}

fn a_position_fits_its_memory_budget<G: WireGame>() {
    let mut playthrough = Playthrough::<G>::new(*G::SEATS.end(), 2);
    while let Some(seat) = playthrough.turn() {
        if playthrough.decisions.len().is_multiple_of(40) {
            let message = playthrough.as_seen_by(Viewer::Seat(seat), "a");
            let mut rebuilt = Vec::with_capacity(1);
            let taken = measure(|| rebuilt.extend(Position::rebuild(&message)));
            assert_eq!(rebuilt.len(), 1);
            let bytes = taken.bytes_current;
            assert!(bytes <= POSITION_BYTES as i64, "{}: {bytes}", G::ID);
        }
        playthrough.step(seat);
    }
}
