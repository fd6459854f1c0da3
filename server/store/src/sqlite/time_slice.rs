//! Requests short CPU time slices for a thread that works for microseconds at a time, such as the
//! flusher.

/// Requests short time slices for the calling thread, so that it is scheduled soon after it wakes.
/// Otherwise, on a busy machine, the thread would wait longer for a CPU than for the disk. The call
/// needs no privileges. The call has no effect before Linux 6.12 and on other systems.
pub(super) fn request_short() {
    #[cfg(target_os = "linux")]
    {
        use uapi::{sched_getattr, sched_setattr};

        /// The shortest time slice that Linux accepts.
        const SLICE_NS: u64 = 100_000;

        let calling_thread = 0;
        if let Ok(mut attributes) = sched_getattr(calling_thread, 0) {
            attributes.sched_runtime = SLICE_NS;
            // A failure is ignored, since it only makes the thread slower.
            let _ = sched_setattr(calling_thread, &attributes, 0);
        }
    }
}
