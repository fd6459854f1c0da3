//! What can be chosen for a match of Old London Bridge.

use std::sync::Arc;

use super::OldLondonBridge;
use super::components::{Area, Face};
use super::edition::Edition;
use crate::field_error::check_seats;
use crate::{FieldError, Rules, SeatCount};

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

/// What can be chosen for a match. The default is the base game with the built-in edition.
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
            faces: Area::ALL.map(|area| FaceChoice::Face(area.base_face())),
            start_leaders: StartLeaders::default(),
            edition: Edition::built_in(),
        }
    }
}

impl Config {
    pub(super) fn check(&self, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, OldLondonBridge::SEATS)?;
        for (&area, choice) in Area::ALL.iter().zip(self.faces) {
            if let FaceChoice::Face(face) = choice
                && face.area() != area
            {
                let problem = format!("{face} is a face of the {} area", face.area());
                return FieldError::refuse(format!("faces.{area}"), problem);
            }
        }
        Ok(())
    }
}
