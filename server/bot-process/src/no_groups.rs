//! Groups of the kernel, where it has none that count memory.

use std::{io, path::Path};

/// A folder for the groups of bots: there is none here.
#[derive(Debug)]
pub enum BotGroups {}

/// The group of one bot.
#[derive(Debug)]
pub enum BotGroup {}

impl BotGroups {
    /// `None`.
    pub fn open() -> Option<Self> {
        None
    }

    /// A new group.
    ///
    /// # Errors
    /// None: there are no groups.
    pub fn group(&self, _: u64) -> io::Result<BotGroup> {
        match *self {}
    }
}

impl BotGroup {
    /// Its folder.
    pub fn folder(&self) -> &Path {
        match *self {}
    }

    /// Whether the kernel killed one of its processes for want of memory.
    pub fn has_killed(&self) -> bool {
        match *self {}
    }

    pub(crate) fn kill(&self) {
        match *self {}
    }
}
