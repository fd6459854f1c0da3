//! What a seat has chosen and nobody else may know yet.

use std::fmt;

use crate::{Seat, Viewer};

/// The choice of one seat while seats choose simultaneously. It shows to this seat alone until it
/// is revealed, so that no observation can tell it to another.
#[derive(Clone, Copy)]
pub struct Secret<T> {
    owner: Seat,
    choice: Option<T>,
}

impl<T: Copy> Secret<T> {
    /// Nothing chosen yet.
    pub const fn of(owner: Seat) -> Self {
        Self {
            owner,
            choice: None,
        }
    }

    /// What an observation tells of a choice.
    pub const fn known(owner: Seat, choice: Option<T>) -> Self {
        Self { owner, choice }
    }

    /// Sets the choice.
    pub const fn choose(&mut self, choice: T) {
        self.choice = Some(choice);
    }

    /// Whether there is a choice: no secret.
    pub const fn is_chosen(&self) -> bool {
        self.choice.is_some()
    }

    /// The choice, as far as `viewer` may know it.
    pub fn seen_by(&self, viewer: Viewer) -> Option<T> {
        self.choice.filter(|_| viewer == Viewer::Seat(self.owner))
    }

    /// Takes the choice out: from here on it is public.
    pub const fn reveal(&mut self) -> Option<T> {
        self.choice.take()
    }

    /// The choice, for the digest alone.
    pub const fn digested(&self) -> Option<T> {
        self.choice
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.choice.is_some() {
            "Secret(chosen)"
        } else {
            "Secret(none)"
        })
    }
}
