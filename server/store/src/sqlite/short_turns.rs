//! A thread that works for microseconds at a time is given a processor soon.

/// Asks the system to give the calling thread a processor soon whenever it has something to do, and
/// never for long. Where other threads keep all processors busy, one that has waited for the disk would
/// wait for these for longer than for the disk. It takes no rights; before Linux 6.12, and elsewhere, it
/// has no effect.
pub(super) fn ask_for() {
    #[cfg(target_os = "linux")]
    {
        use uapi::{sched_getattr, sched_setattr};

        /// The shortest turn that Linux knows.
        const TURN_NS: u64 = 100_000;

        let calling_thread = 0;
        if let Ok(mut attributes) = sched_getattr(calling_thread, 0) {
            attributes.sched_runtime = TURN_NS;
            // Without it the thread is only slower.
            let _ = sched_setattr(calling_thread, &attributes, 0);
        }
    }
}
