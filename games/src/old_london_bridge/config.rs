//! The choices for a match of Old London Bridge.

use std::sync::Arc;

use super::components::{Area, Face};
use super::edition::Edition;
use crate::FieldError;

/// The choice of the face for an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaceChoice {
    /// This face, which must belong to the area.
    Face(Face),
    /// One of the four expansion faces, drawn uniformly from the seed.
    Random,
}

/// The income that a leader at position 0 gets from a face that pays each round (R14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StartLeaders {
    /// The leader earns nothing.
    #[default]
    Unpaid,
    /// The leader earns the same as at any other position.
    Paid,
}

/// The choices for a match. The default is the base game with the built-in edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The faces for chapel, gate, inn and bridge, in this order.
    pub faces: [FaceChoice; 4],
    /// The income of leaders at position 0 (R14).
    pub start_leaders: StartLeaders,
    /// The edition data, such as stacks and tracks.
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
    pub(super) fn check_faces(&self) -> Result<(), FieldError> {
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
