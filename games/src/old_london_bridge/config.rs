//! What can be chosen for a match of Old London Bridge.

use std::sync::Arc;

use thiserror::Error;

use super::components::{Area, Face, MAX_PLAYERS};
use super::edition::Edition;
use crate::SeatCount;

/// Which face an area has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaceChoice {
    /// This face; it must belong to the area.
    Face(Face),
    /// One of the four expansion faces, each equally likely, from the seed.
    Random,
}

/// Whether a leader at position 0 earns what its face pays each round (R14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StartLeaders {
    /// It earns nothing.
    #[default]
    Unpaid,
    /// It earns the same as anywhere else.
    Paid,
}

/// What can be chosen for a match. The default is the base game with the house edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Choices for chapel, gate, inn and bridge, in this order.
    pub faces: [FaceChoice; 4],
    /// Leaders at position 0 (R14).
    pub start_leaders: StartLeaders,
    /// Edition data.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            faces: std::array::from_fn(|area| FaceChoice::Face(Area::ALL[area].base_face())),
            start_leaders: StartLeaders::default(),
            edition: Edition::house(),
        }
    }
}

/// Why a config is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A number of seats that the game does not have.
    #[error("seats: {0} is not in 2 to 4")]
    Seats(SeatCount),
    /// A face in an area that it does not belong to.
    #[error("faces.{area}: {face} is a face of the {} area", face.area())]
    Face {
        /// The area.
        area: Area,
        /// The face chosen for it.
        face: Face,
    },
}

impl Config {
    pub(super) fn check(&self, seats: SeatCount) -> Result<(), ConfigError> {
        if !(2..=MAX_PLAYERS as u8).contains(&seats.get()) {
            return Err(ConfigError::Seats(seats));
        }
        for (&area, choice) in Area::ALL.iter().zip(self.faces) {
            match choice {
                FaceChoice::Face(face) if face.area() != area => {
                    return Err(ConfigError::Face { area, face });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
