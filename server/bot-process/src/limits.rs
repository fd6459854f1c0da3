//! Limits of a bot: taken on by a process that then becomes the bot, so that all that the bot
//! starts has them from the first instruction on.

use std::{ffi::OsString, io, path::PathBuf};

/// Limits of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Memory that each of its processes may have for data, in bytes: what is only reserved, and
    /// the program itself, do not count. `None` for no limit.
    pub memory_bytes: Option<u64>,
    /// The folder of the group of the kernel that it is in with all that it starts, if it has one.
    pub group: Option<PathBuf>,
    /// The cores that it may run on, by their numbers; empty for all.
    pub cores: Vec<usize>,
}

impl Limits {
    /// Whether this system has such limits.
    pub const fn are_supported() -> bool {
        cfg!(target_os = "linux")
    }

    /// Takes the limits on, and becomes this program. Comes back only when that fails.
    pub fn become_limited(&self, program: &OsString, arguments: &[OsString]) -> io::Error {
        match self.take_on() {
            Ok(()) => become_program(program, arguments),
            Err(error) => error,
        }
    }

    #[cfg(target_os = "linux")]
    fn take_on(&self) -> io::Result<()> {
        use rustix::{
            process::{Resource, Rlimit, setrlimit},
            thread::{CpuSet, sched_setaffinity},
        };
        if let Some(group) = &self.group {
            // 0 is who writes it. Where the system refuses it, the other limits hold.
            let _ = std::fs::write(group.join("cgroup.procs"), "0");
        }
        if let Some(bytes) = self.memory_bytes {
            let limit = Rlimit {
                current: Some(bytes),
                maximum: Some(bytes),
            };
            setrlimit(Resource::Data, limit)?;
        }
        if !self.cores.is_empty() {
            let mut cores = CpuSet::new();
            for &core in self.cores.iter().filter(|core| **core < CpuSet::MAX_CPU) {
                cores.set(core);
            }
            sched_setaffinity(None, &cores)?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn take_on(&self) -> io::Result<()> {
        match *self == Self::default() {
            true => Ok(()),
            false => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// The cores that this process may run on, by their numbers; empty where the system does not tell.
pub fn allowed_cores() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let allowed = sched_getaffinity(None);
        let allowed = allowed.unwrap_or_else(|_| CpuSet::new());
        (0..CpuSet::MAX_CPU)
            .filter(|core| allowed.is_set(*core))
            .collect()
    }
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

#[cfg(unix)]
fn become_program(program: &OsString, arguments: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    std::process::Command::new(program).args(arguments).exec()
}

#[cfg(not(unix))]
fn become_program(_: &OsString, _: &[OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}
