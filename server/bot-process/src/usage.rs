//! A bot's resource usage.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;

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
