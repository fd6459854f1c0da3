//! The setup: every chance result that is drawn before play.

use super::OldLondonBridge;
use super::components::{
    Area, BONUS_STACKS, BUILDINGS_PER_KIND, CARD_VALUES, Face, KINDS, MARKERS_IN_BOX,
    MARKERS_PER_VALUE, MAX_PLAYERS, OUTER_SPACES, TILE_KINDS, TileKind,
};
use super::config::{Config, FaceChoice};
use super::edition::BuildingId;
use crate::field_error::check_dealt;
use crate::field_error::check_range;
use crate::{ChanceStream, FieldError, Game, Seat, SeatCount, Seed};
use arrayvec::ArrayVec;

/// The maximum number of rounds in a match.
pub const MAX_ROUNDS: usize = 12;

/// The setup of a match, with every chance result. Nothing is drawn later.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The orientation of the rondel before the first round, 0 to 5 (R25).
    pub orientation: u8,
    /// Each stack in ring order, with its top building first.
    pub stacks: [[BuildingId; BUILDINGS_PER_KIND]; KINDS],
    /// The round marker values in play, one per round, in order of the rounds.
    pub markers: ArrayVec<u8, MAX_ROUNDS>,
    /// Each bonus stack, with its face-up tile first.
    pub bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    /// The seats on the stairs A, B, C, D, which is the initial chapel order.
    pub stairs: ArrayVec<Seat, MAX_PLAYERS>,
    /// The faces for chapel, gate, inn and bridge.
    pub faces: [Face; 4],
}

/// Chance streams of the setup. Each part has its own stream. So a face that is named in the
/// config, for instance, does not change any other draw.
mod stream {
    /// The stream for the rondel's orientation.
    pub(super) const ORIENTATION: u64 = 0;
    /// The stream for the order of the round markers.
    pub(super) const MARKERS: u64 = 1;
    /// The stream for the seats on the stairs.
    pub(super) const STAIRS: u64 = 2;
    /// The stream for bonus stack 0. Stack i uses this number plus i, so the streams are 3 to 5.
    pub(super) const BONUS_STACKS: u64 = 3;
    /// The stream for the face in area 0. Area i uses this number plus i, so the streams are 6 to
    /// 9.
    pub(super) const FACES: u64 = 6;
    /// The stream for the stack of kind 0. A kind uses this number plus its index, so the streams
    /// are 10 to 15.
    pub(super) const BUILDING_STACKS: u64 = 10;
}

/// Returns the number of rounds in a match.
pub(super) const fn rounds(seats: SeatCount) -> u8 {
    if seats.get() == 2 { 6 } else { 12 }
}

/// Returns the number of cards that each seat plays in a round. The seat also has this many cards
/// of value 0.
pub(super) const fn cards_per_round(seats: SeatCount) -> u8 {
    if seats.get() == 2 { 2 } else { 1 }
}

pub(super) fn markers_in_box() -> [u8; MARKERS_IN_BOX] {
    std::array::from_fn(|i| 1 + i as u8 / MARKERS_PER_VALUE)
}

/// Returns the hand on stair `stair` (0 is A) at the start (R3).
pub(super) fn starting_hand(stair: usize, seats: SeatCount) -> [u8; CARD_VALUES] {
    let mut hand = [cards_per_round(seats), 1, 1, 1, 1];
    hand[stair + 1] += 1;
    hand
}

/// Draws a setup from the streams of a seed.
pub(super) fn draw(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
    OldLondonBridge::check_config(config, seats)?;
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
    /// Checks a setup that came from outside against the match's config.
    pub(super) fn check(&self, config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        OldLondonBridge::check_config(config, seats)?;
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

/// Checks that `order` names each seat at the table exactly once.
pub(super) fn check_seat_order(
    field: &str,
    order: &[Seat],
    seats: SeatCount,
) -> Result<(), FieldError> {
    let all: ArrayVec<Seat, MAX_PLAYERS> = seats.seats().collect();
    check_dealt(field, order, &all, all.len())
}

/// Checks that `faces` can result from a config's choices.
pub(super) fn check_faces(faces: &[Face; 4], config: &Config) -> Result<(), FieldError> {
    for ((&area, &face), choice) in Area::ALL.iter().zip(faces).zip(config.faces) {
        let problem = match choice {
            FaceChoice::Face(chosen) if face != chosen => {
                format!("is {face}, but the config has {chosen}")
            }
            FaceChoice::Random if !area.faces()[1..].contains(&face) => {
                format!("{face} is not an expansion face of the {area} area")
            }
            _ => continue,
        };
        return FieldError::refuse(format!("faces.{area}"), problem);
    }
    Ok(())
}
