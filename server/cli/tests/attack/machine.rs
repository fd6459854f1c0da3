//! What the machine, and not the server, is to blame for: moments at which the server was ready to
//! run and got no processor, by the system's own account, and moments at which its disk was slow.

use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

/// Interval at which the system is asked.
const INTERVAL: Duration = Duration::from_millis(100);
/// A thread that waited for so long within an interval was withheld the processor: half of the lag
/// that a match allows one request.
const WITHHELD: Duration = Duration::from_millis(50);
/// How long before and after such a moment is blamed on it.
const ABOUT: Duration = Duration::from_millis(300);

/// Looks at a process until it is told to stop.
pub(crate) struct MachineWatch {
    stopped: Arc<AtomicBool>,
    watching: JoinHandle<Vec<SystemTime>>,
}

/// Moments at which something else is to blame, and for how long before and after them.
#[derive(Debug)]
pub(crate) struct Moments {
    at: Vec<SystemTime>,
    about: Duration,
}

impl MachineWatch {
    /// Looks at the threads of this process.
    pub(crate) fn start(process: u32) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stopped);
        let watching = thread::spawn(move || {
            let mut moments = Vec::new();
            let mut before = waited(process);
            while !is_stopped.load(Ordering::Relaxed) {
                let asleep = Instant::now();
                thread::sleep(INTERVAL);
                // The machine itself may stand still, of which its system knows nothing.
                let stood_still = asleep.elapsed() >= INTERVAL + WITHHELD;
                let now = waited(process);
                let is_withheld = now.iter().any(|(thread, waited)| {
                    let before = before.get(thread).copied().unwrap_or_default();
                    waited.saturating_sub(before) >= WITHHELD
                });
                if is_withheld || stood_still {
                    moments.push(SystemTime::now());
                }
                before = now;
            }
            moments
        });
        Self { stopped, watching }
    }

    /// The moments at which a thread was withheld the processor.
    pub(crate) fn stop(self) -> Moments {
        self.stopped.store(true, Ordering::Relaxed);
        Moments {
            at: self.watching.join().unwrap_or_default(),
            about: ABOUT,
        }
    }
}

impl Moments {
    pub(crate) fn new(about: Duration) -> Self {
        let at = Vec::new();
        Self { at, about }
    }

    pub(crate) fn push(&mut self, moment: SystemTime) {
        self.at.push(moment);
    }

    /// Whether one of them explains what happened from `from` to `to`.
    pub(crate) fn explain(&self, from: SystemTime, to: SystemTime) -> bool {
        let blamed = from - self.about..=to + self.about;
        self.at.iter().any(|moment| blamed.contains(moment))
    }
}

/// How long each thread of a process was ready to run and got no processor so far. Empty where the
/// system does not say.
fn waited(process: u32) -> HashMap<String, Duration> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let waited = tasks.filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        let waited_ns = stat.split(' ').nth(1)?.parse().ok()?;
        let thread = task.file_name().to_string_lossy().into_owned();
        Some((thread, Duration::from_nanos(waited_ns)))
    });
    waited.collect()
}
