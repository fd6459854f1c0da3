//! Stub of the cgroup module for systems other than Linux.

use std::{io, path::Path};

/// A folder for bots' cgroups, which cannot exist on this system.
#[derive(Debug)]
pub enum BotGroups {}

/// One bot's cgroup, which cannot exist on this system.
#[derive(Debug)]
pub enum BotGroup {}

impl BotGroups {
    /// Returns `None`, because this system has no cgroups.
    pub fn open() -> Option<Self> {
        None
    }

    /// Creates a cgroup. Never called, because no value of this type exists.
    ///
    /// # Errors
    /// Never fails.
    pub fn group(&self, _: u64) -> io::Result<BotGroup> {
        match *self {}
    }
}

impl BotGroup {
    /// Returns the cgroup's folder.
    pub fn folder(&self) -> &Path {
        match *self {}
    }

    /// Returns whether the kernel killed a process in the cgroup because memory ran out.
    pub fn has_oom_kill(&self) -> bool {
        match *self {}
    }

    pub(crate) fn kill(&self) {
        match *self {}
    }
}
