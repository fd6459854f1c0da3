//! What a bot has used.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;

/// What the processes of a bot have used. `None` where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Most memory that they held together, in bytes. A page that several of them share counts for
    /// each.
    pub peak_memory_bytes: Option<u64>,
    /// Processor time of all of them.
    pub cpu_time: Option<Duration>,
}

/// Tells what a bot has used until now, and when it has ended what it used in all.
#[derive(Clone, Debug, Default)]
pub struct UsageSoFar(Arc<Mutex<Usage>>);

impl UsageSoFar {
    /// What it has used.
    pub fn get(&self) -> Usage {
        *self.0.lock()
    }

    /// Takes in what it uses now: memory that counts when it is the most so far, and time that
    /// counts when it is more, since that of a process for which nobody waited is lost.
    #[cfg(target_os = "linux")]
    pub(crate) fn note(&self, memory_bytes: u64, cpu_time: Duration) {
        let mut usage = self.0.lock();
        // What has ended holds nothing.
        let memory_bytes = (memory_bytes > 0).then_some(memory_bytes);
        usage.peak_memory_bytes = usage.peak_memory_bytes.max(memory_bytes);
        usage.cpu_time = usage.cpu_time.max(Some(cpu_time));
    }
}
