//! What a position takes in memory.

use allocation_counter::measure;
use bridgemaster_games::Viewer;
use bridgemaster_proto::games::WireGame;
use bridgemaster_rules::{POSITION_BYTES, Position};

use crate::{course::Course, of_every_game};

of_every_game! {
    a_position_fits_its_place as a_position_fits_the_bytes_that_are_reckoned_for_it,
}

fn a_position_fits_its_place<G: WireGame>() {
    let mut course = Course::<G>::new(*G::SEATS.end(), 2);
    while let Some(seat) = course.turn() {
        if course.decisions.len().is_multiple_of(40) {
            let message = course.known_to(Viewer::Seat(seat), "a");
            let mut held = Vec::with_capacity(1);
            let taken = measure(|| held.extend(Position::rebuild(&message)));
            assert_eq!(held.len(), 1);
            let bytes = taken.bytes_current;
            assert!(bytes <= POSITION_BYTES as i64, "{}: {bytes}", G::ID);
        }
        course.step(seat);
    }
}
