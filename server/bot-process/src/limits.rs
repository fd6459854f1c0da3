//! A bot's resources: its limits, its usage, and out-of-memory errors in the output of programs.
//! Limits are set before the program starts, so they apply from its first instruction and to all
//! its descendants.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parking_lot::Mutex;
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Maximum size of a file that a bot writes, in bytes.
#[cfg(target_os = "linux")]
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Resource limits for a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect()
    }
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// The resource usage of a bot's processes. A value is `None` if the operating system cannot
/// measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Peak of all processes' total memory, in bytes. Shared memory counts once for each process.
    pub peak_memory_bytes: Option<u64>,
    /// Total CPU time used by all processes.
    pub cpu_time: Option<Duration>,
}

/// A shared handle to a bot's resource usage so far. The usage is final once the bot has ended.
#[derive(Clone, Debug, Default)]
pub struct UsageTracker(Arc<Mutex<Usage>>);

impl UsageTracker {
    /// Returns the resource usage so far.
    pub fn get(&self) -> Usage {
        *self.0.lock()
    }

    /// Records a sample. Recorded values never decrease: memory is a peak, and an orphan's CPU time
    /// can no longer be measured once the orphan has ended.
    pub fn record(&self, memory_bytes: u64, cpu_time: Duration) {
        let mut usage = self.0.lock();
        // A value of 0 is ignored, because an ended process uses no memory.
        let memory_bytes = (memory_bytes > 0).then_some(memory_bytes);
        usage.peak_memory_bytes = usage.peak_memory_bytes.max(memory_bytes);
        usage.cpu_time = usage.cpu_time.max(Some(cpu_time));
    }
}

/// Texts, in lower case, that programs print to standard error when memory runs out. They are
/// grouped by language.
const MESSAGES: [&str; 8] = [
    // Python and its threads.
    "memoryerror",
    "can't start new thread",
    // C++.
    "bad_alloc",
    // Rust.
    "memory allocation of",
    // Node, Go, Java code ("OutOfMemoryError: Java heap space"), and the JVM.
    "out of memory",
    "outofmemoryerror",
    // The C library, in any language.
    "cannot allocate memory",
    // GNU tools.
    "memory exhausted",
];

/// Returns whether a program's standard error contains an out-of-memory error.
pub fn reports_out_of_memory(stderr: &str) -> bool {
    let stderr = stderr.to_lowercase();
    MESSAGES.iter().any(|message| stderr.contains(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_memory_errors_are_distinguished_from_other_output() {
        for message in [
            "Traceback (most recent call last):\n  File \"bot.py\", line 3\nMemoryError",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "memory allocation of 4294967296 bytes failed",
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
            "fatal error: runtime: out of memory",
            "java.lang.OutOfMemoryError: Java heap space",
            "OSError: [Errno 12] Cannot allocate memory",
            "tail: memory exhausted",
        ] {
            assert!(reports_out_of_memory(message), "{message}");
        }
        for message in ["", "Traceback\n  out of ideas", "KeyError: 'memory'"] {
            assert!(!reports_out_of_memory(message), "{message}");
        }
    }
}
