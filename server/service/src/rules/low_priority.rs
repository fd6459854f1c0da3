//! Threads that only take what others leave of the processor.

use std::time::Duration;

/// Lets the calling thread run only when no other thread of the machine wants its core, or nearly
/// so where the system refuses that.
#[cfg(target_os = "linux")]
pub(super) fn begin() {
    use tracing::warn;
    use uapi::{
        c::{PRIO_PROCESS, SCHED_IDLE, sched_param},
        gettid, sched_setscheduler, setpriority,
    };

    /// The least share that an ordinary thread can have.
    const NICEST: i32 = 19;
    let Err(refused) = sched_setscheduler(0, SCHED_IDLE, &sched_param { sched_priority: 0 }) else {
        return;
    };
    // To Linux a thread is a process here.
    let thread = gettid().unsigned_abs();
    let which = i32::try_from(PRIO_PROCESS).unwrap_or_default();
    if let Err(error) = setpriority(which, thread, NICEST) {
        warn!(%refused, %error, "the rules by call run at the priority of matches");
    }
}

/// Only Linux has priorities of threads.
#[cfg(not(target_os = "linux"))]
pub(super) fn begin() {}

/// Processor time that the calling thread has had.
#[cfg(target_os = "linux")]
pub(super) fn processor_time() -> Duration {
    use uapi::{
        c::{CLOCK_THREAD_CPUTIME_ID, timespec},
        clock_gettime,
    };

    let mut time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // The clock of the own thread is always there.
    let _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Elsewhere the time that passed counts instead.
#[cfg(not(target_os = "linux"))]
pub(super) fn processor_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};

    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    BEGINNING.get_or_init(Instant::now).elapsed()
}
