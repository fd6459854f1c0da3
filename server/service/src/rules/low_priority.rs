//! Lowers the priority of threads, so that they use only idle CPU time.

use std::time::Duration;

/// Lowers the priority of the calling thread as far as the system permits, so that it runs when no
/// other thread needs its core.
#[cfg(target_os = "linux")]
pub(super) fn lower_priority() {
    use tracing::warn;
    use uapi::{
        c::{PRIO_PROCESS, SCHED_IDLE, sched_param},
        gettid, sched_setscheduler, setpriority,
    };

    /// The lowest priority of an ordinary thread.
    const LOWEST_PRIORITY: i32 = 19;
    let Err(refused) = sched_setscheduler(0, SCHED_IDLE, &sched_param { sched_priority: 0 }) else {
        return;
    };
    // In this call Linux treats a thread as a process.
    let thread = gettid().unsigned_abs();
    let which = i32::try_from(PRIO_PROCESS).unwrap_or_default();
    if let Err(error) = setpriority(which, thread, LOWEST_PRIORITY) {
        warn!(%refused, %error, "cannot lower the priority of the rules threads");
    }
}

/// Thread priorities are supported on Linux only.
#[cfg(not(target_os = "linux"))]
pub(super) fn lower_priority() {}

/// Returns the CPU time that the calling thread has used.
#[cfg(target_os = "linux")]
pub(super) fn cpu_time() -> Duration {
    use uapi::{
        c::{CLOCK_THREAD_CPUTIME_ID, timespec},
        clock_gettime,
    };

    let mut time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // The clock of the current thread always exists.
    let _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Other systems use wall-clock time instead.
#[cfg(not(target_os = "linux"))]
pub(super) fn cpu_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
