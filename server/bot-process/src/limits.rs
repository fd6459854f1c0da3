//! A bot's resource limits. Limits are set before the program starts, so they apply from its first
//! instruction and to all its descendants.

use std::{ffi::OsString, path::PathBuf};

#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum size of a file that a bot writes, in bytes.
#[cfg(target_os = "linux")]
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Resource limits for a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum data memory of each process, in bytes (`RLIMIT_DATA`). Reserved address space and
    /// the program's own code do not count. `None` means no limit.
    pub memory_bytes: Option<u64>,
    /// Folder of the cgroup that the bot joins, if any.
    pub group: Option<PathBuf>,
    /// Ids of the cores to which the bot is pinned; empty for all cores.
    pub cores: Vec<usize>,
}

impl Limits {
    /// Returns whether this operating system supports limits.
    pub const fn are_supported() -> bool {
        cfg!(target_os = "linux")
    }

    /// Encodes the limits as arguments of the form `--NAME=VALUE`.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let memory = self
            .memory_bytes
            .map(|bytes| format!("--memory-bytes={bytes}"));
        let group = self.group.as_ref().map(|folder| {
            let mut argument = OsString::from("--group=");
            argument.push(folder);
            argument
        });
        let cores: Vec<String> = self.cores.iter().map(usize::to_string).collect();
        let cores = (!cores.is_empty()).then(|| format!("--cores={}", cores.join(",")));
        let texts = memory.into_iter().chain(cores).map(OsString::from);
        texts.chain(group).collect()
    }

    /// Parses one argument; `None` for an invalid argument.
    pub(crate) fn parse_argument(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "--memory-bytes" => self.memory_bytes = Some(value.parse().ok()?),
            "--group" => self.group = Some(value.into()),
            "--cores" => {
                let cores = value.split(',').map(|core| core.parse().ok());
                self.cores = cores.collect::<Option<_>>()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Applies the limits to this process.
    #[cfg(target_os = "linux")]
    pub(crate) fn apply(&self) -> std::io::Result<()> {
        use rustix::thread::{CpuSet, sched_setaffinity};

        if let Some(group) = &self.group {
            // The value 0 means the process that writes it. If joining the cgroup fails, the other
            // limits still apply.
            let _ = std::fs::write(group.join("cgroup.procs"), "0");
        }
        if let Some(bytes) = self.memory_bytes {
            lower(Resource::Data, bytes)?;
        }
        lower(Resource::Fsize, MAX_FILE_BYTES)?;
        if !self.cores.is_empty() {
            let mut cores = CpuSet::new();
            for &core in self.cores.iter().filter(|core| **core < CpuSet::MAX_CPU) {
                cores.set(core);
            }
            sched_setaffinity(None, &cores)?;
        }
        Ok(())
    }
}

/// Lowers a resource limit of this process and its descendants to `value`.
#[cfg(target_os = "linux")]
pub(crate) fn lower(resource: Resource, value: u64) -> std::io::Result<()> {
    let allowed = getrlimit(resource).maximum;
    let limit = Some(allowed.map_or(value, |allowed| allowed.min(value)));
    let (current, maximum) = (limit, limit);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

/// Returns the ids of the cores on which this process can run; empty if the operating system cannot
/// report them.
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
