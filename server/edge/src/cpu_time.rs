//! The CPU time of this process.

use std::time::Duration;

/// Returns the CPU time that this process has used.
#[cfg(target_os = "linux")]
pub fn cpu_time() -> Option<Duration> {
    use uapi::{
        c::{CLOCK_PROCESS_CPUTIME_ID, timespec},
        clock_gettime,
    };

    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time).ok()?;
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

/// Other systems are not supported.
#[cfg(not(target_os = "linux"))]
pub fn cpu_time() -> Option<Duration> {
    None
}
