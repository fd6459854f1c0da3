//! Protects a process from bots that run as the same user.

use std::io;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Denies the same user's other processes access to this process's memory, environment and
/// descriptors, until this process executes another program. Bots without their own namespace run
/// as the same user. Also disables core dumps for this process.
///
/// # Errors
/// The operating system refuses the setting.
pub fn hide_from_bots() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}
