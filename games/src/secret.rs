//! Hidden choices of seats while they choose simultaneously.

use std::fmt;

use crate::{Seat, Viewer};

/// The choice of one seat while seats choose simultaneously. Until the choice is revealed, only
/// this seat can read it, so that no observation can leak it.
#[derive(Clone, Copy)]
pub struct Secret<T> {
    owner: Seat,
    choice: Option<T>,
}

impl<T: Copy> Secret<T> {
    /// Creates a secret without a choice.
    pub const fn new(owner: Seat) -> Self {
        Self { owner, choice: None }
    }

    /// Creates a secret from an observation's choice, if it shows one.
    pub const fn from_observation(owner: Seat, choice: Option<T>) -> Self {
        Self { owner, choice }
    }

    /// Sets the choice, replacing an earlier one.
    pub const fn choose(&mut self, choice: T) {
        self.choice = Some(choice);
    }

    /// Returns `true` if there is a choice, which is public information.
    pub const fn is_chosen(&self) -> bool {
        self.choice.is_some()
    }

    /// Returns the choice if `viewer` may know it.
    pub fn seen_by(&self, viewer: Viewer) -> Option<T> {
        self.choice.filter(|_| viewer == Viewer::Seat(self.owner))
    }

    /// Removes and returns the choice, which makes it public.
    pub const fn reveal(&mut self) -> Option<T> {
        self.choice.take()
    }

    /// Returns the choice. Must be used only for the digest.
    pub const fn for_digest(&self) -> Option<T> {
        self.choice
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.choice.is_some() { "Secret(chosen)" } else { "Secret(none)" })
    }
}
