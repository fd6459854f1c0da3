//! Everything that chance fixes before play.

use super::components::{
    Area, BONUS_STACKS, BUILDINGS_PER_KIND, CARD_VALUES, Face, KINDS, MARKERS_IN_BOX,
    MARKERS_PER_VALUE, MAX_PLAYERS, OUTER_SPACES, TILE_KINDS, TileKind,
};
use super::config::{Config, FaceChoice};
use super::edition::BuildingId;
use crate::dealt::check_dealt;
use crate::field_error::check_range;
use crate::{ChanceStream, FieldError, Seat, SeatCount, Seed};
use arrayvec::ArrayVec;

/// Most rounds of a match.
pub const MAX_ROUNDS: usize = 12;

/// The setup of a match: every result of chance. Nothing is drawn later.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Orientation of the rondel before the first round, 0 to 5.
    pub orientation: u8,
    /// Each stack in ring order, top building first.
    pub stacks: [[BuildingId; BUILDINGS_PER_KIND]; KINDS],
    /// Values of the round markers in play, first round first; as many as there are rounds.
    pub markers: ArrayVec<u8, MAX_ROUNDS>,
    /// Each bonus stack, the face-up tile first.
    pub bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    /// Seats on the stairs A, B, C, D: the chapel order at the start.
    pub stairs: ArrayVec<Seat, MAX_PLAYERS>,
    /// The faces of chapel, gate, inn and bridge.
    pub faces: [Face; 4],
}

/// Chance streams of the setup. Each thing that is drawn has a stream of its own, so that a face
/// named in the config, for instance, does not shift any other draw.
mod stream {
    /// Orientation of the rondel.
    pub(super) const ORIENTATION: u64 = 0;
    /// Order of the round markers.
    pub(super) const MARKERS: u64 = 1;
    /// Seats on the stairs.
    pub(super) const STAIRS: u64 = 2;
    /// Bonus stack i uses this number and i: 3 to 5.
    pub(super) const BONUS_STACKS: u64 = 3;
    /// The face of area i uses this number and i: 6 to 9.
    pub(super) const FACES: u64 = 6;
    /// The stack of a kind uses this number and the kind's index: 10 to 15.
    pub(super) const BUILDING_STACKS: u64 = 10;
}

/// Rounds of a match.
pub(super) const fn rounds(seats: SeatCount) -> u8 {
    if seats.get() == 2 { 6 } else { 12 }
}

/// Cards that each seat plays in a round, and cards of value 0 that it owns.
pub(super) const fn cards_a_round(seats: SeatCount) -> u8 {
    if seats.get() == 2 { 2 } else { 1 }
}

pub(super) fn markers_in_box() -> [u8; MARKERS_IN_BOX] {
    std::array::from_fn(|i| 1 + i as u8 / MARKERS_PER_VALUE)
}

/// The hand on stair `stair` (0 is A) at the start (R3).
pub(super) fn starting_hand(stair: usize, seats: SeatCount) -> [u8; CARD_VALUES] {
    let mut hand = [cards_a_round(seats), 1, 1, 1, 1];
    hand[stair + 1] += 1;
    hand
}

/// Draws a setup.
pub(super) fn draw(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
    config.check(seats)?;
    let edition = &config.edition;
    let stream = |number: u64| ChanceStream::new(seed, number);

    let stacks = edition.ring().map(|kind| {
        let first = kind.index() * BUILDINGS_PER_KIND;
        let mut stack: [BuildingId; BUILDINGS_PER_KIND] =
            std::array::from_fn(|i| edition.canonical(first + i));
        stream(stream::BUILDING_STACKS + kind.index() as u64).shuffle(&mut stack);
        stack
    });

    let mut markers = markers_in_box();
    stream(stream::MARKERS).shuffle(&mut markers);

    let mut bonus_stacks = *edition.bonus_stacks();
    for (i, stack) in bonus_stacks.iter_mut().enumerate() {
        stream(stream::BONUS_STACKS + i as u64).shuffle(stack);
    }

    let mut stairs: ArrayVec<Seat, MAX_PLAYERS> = seats.seats().collect();
    stream(stream::STAIRS).shuffle(&mut stairs);

    let faces = std::array::from_fn(|i| match config.faces[i] {
        FaceChoice::Face(face) => face,
        FaceChoice::Random => {
            let expansion = &Area::ALL[i].faces()[1..];
            let draw = stream(stream::FACES + i as u64).below(expansion.len() as u32);
            expansion[draw as usize]
        }
    });

    Ok(Setup {
        orientation: stream(stream::ORIENTATION).below(OUTER_SPACES as u32) as u8,
        stacks,
        markers: markers.into_iter().take(rounds(seats).into()).collect(),
        bonus_stacks,
        stairs,
        faces,
    })
}

impl Setup {
    /// Checks a setup from outside against the config of its match.
    pub(super) fn check(&self, config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        config.check(seats)?;
        check_range("orientation", self.orientation, 0..=OUTER_SPACES as u8 - 1)?;
        let edition = &config.edition;
        for (i, (stack, kind)) in self.stacks.iter().zip(edition.ring()).enumerate() {
            let stack = stack.map(|id| edition.building(id));
            let all = edition.buildings_of(*kind);
            check_dealt(&format!("stacks[{i}]"), &stack, all, all.len())?;
        }
        let rounds = rounds(seats).into();
        check_dealt("markers", &self.markers, &markers_in_box(), rounds)?;
        let stacks = self.bonus_stacks.iter().zip(edition.bonus_stacks());
        for (i, (stack, all)) in stacks.enumerate() {
            check_dealt(&format!("bonus_stacks[{i}]"), stack, all, all.len())?;
        }
        check_seat_order("stairs", &self.stairs, seats)?;
        check_faces(&self.faces, config)
    }
}

/// Checks that `order` names each seat of the table once.
pub(super) fn check_seat_order(
    field: &str,
    order: &[Seat],
    seats: SeatCount,
) -> Result<(), FieldError> {
    let all: ArrayVec<Seat, MAX_PLAYERS> = seats.seats().collect();
    check_dealt(field, order, &all, all.len())
}

/// Checks that `faces` could have come from the choices of a config.
pub(super) fn check_faces(faces: &[Face; 4], config: &Config) -> Result<(), FieldError> {
    for ((&area, &face), choice) in Area::ALL.iter().zip(faces).zip(config.faces) {
        let problem = match choice {
            FaceChoice::Face(wanted) if face != wanted => {
                format!("{face} instead of the config's {wanted}")
            }
            FaceChoice::Random if !area.faces()[1..].contains(&face) => {
                format!("{face} is no expansion face of the {area} area")
            }
            _ => continue,
        };
        return FieldError::refuse(format!("faces.{area}"), problem);
    }
    Ok(())
}
