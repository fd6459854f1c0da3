//! Delays that the machine caused, not the server: times at which the server was runnable without a
//! CPU (as the kernel reports), times at which a CPU stalled (which a virtual machine cannot
//! report), and times at which the disk was slow.

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

/// Interval at which the system is polled.
const INTERVAL: Duration = Duration::from_millis(100);
/// Minimum waiting time within an interval that counts as a lack of CPU time: half of the lag that
/// a match allows for one request.
const WITHHELD: Duration = Duration::from_millis(50);
/// Time before and after such a moment that counts as affected.
const ABOUT: Duration = Duration::from_millis(300);

/// Interval at which a core is checked for a stall. It is so short that no stall is missed.
const STALL_INTERVAL: Duration = Duration::from_millis(10);

/// Watches a process and all cores until it is stopped.
pub(crate) struct MachineWatch {
    stopped: Arc<AtomicBool>,
    watching: Vec<JoinHandle<Vec<SystemTime>>>,
}

/// Moments at which the server was not the cause, and the time before and after them that they
/// affect.
#[derive(Debug)]
pub(crate) struct Moments {
    at: Vec<SystemTime>,
    about: Duration,
}

impl MachineWatch {
    /// Starts to watch the threads of a process, and all cores.
    pub(crate) fn start(process: u32) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let until = || Arc::clone(&stopped);
        let is_stopped = until();
        let mut watching = vec![thread::spawn(move || withheld(process, &is_stopped))];
        let processors = thread::available_parallelism().map_or(1, usize::from);
        watching.extend((0..processors).map(|processor| {
            let is_stopped = until();
            thread::spawn(move || stalls(processor, &is_stopped))
        }));
        Self { stopped, watching }
    }

    /// Stops, and returns the moments at which a thread got no core or a core stalled.
    pub(crate) fn stop(self) -> Moments {
        self.stopped.store(true, Ordering::Relaxed);
        let moments = self.watching.into_iter().flat_map(JoinHandle::join);
        Moments { at: moments.flatten().collect(), about: ABOUT }
    }
}

/// Returns the moments at which a thread of the process was ready to run and got no CPU.
fn withheld(process: u32, is_stopped: &AtomicBool) -> Vec<SystemTime> {
    let mut moments = Vec::new();
    let mut before = waited(process);
    while !is_stopped.load(Ordering::Relaxed) {
        thread::sleep(INTERVAL);
        let now = waited(process);
        let is_withheld = now.iter().any(|(thread, waited)| {
            let before = before.get(thread).copied().unwrap_or_default();
            waited.saturating_sub(before) >= WITHHELD
        });
        if is_withheld {
            moments.push(SystemTime::now());
        }
        before = now;
    }
    moments
}

/// Returns the moments at which a core stalled, as measured by a thread that sleeps on it. A core
/// can stall while the others run.
fn stalls(processor: usize, is_stopped: &AtomicBool) -> Vec<SystemTime> {
    stay_on(processor);
    let mut moments = Vec::new();
    while !is_stopped.load(Ordering::Relaxed) {
        let asleep = Instant::now();
        thread::sleep(STALL_INTERVAL);
        if asleep.elapsed() >= STALL_INTERVAL + WITHHELD {
            moments.push(SystemTime::now());
        }
    }
    moments
}

/// Pins this thread to one core. If that is not possible, the thread runs on any core.
fn stay_on(processor: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_setaffinity};
        let mut processors = CpuSet::new();
        if processor < CpuSet::MAX_CPU {
            processors.set(processor);
            let _ = sched_setaffinity(None, &processors);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
}

impl Moments {
    pub(crate) fn new(about: Duration) -> Self {
        let at = Vec::new();
        Self { at, about }
    }

    pub(crate) fn push(&mut self, moment: SystemTime) {
        self.at.push(moment);
    }

    /// Returns whether one of the moments explains the time from `from` to `to`.
    pub(crate) fn explain(&self, from: SystemTime, to: SystemTime) -> bool {
        let blamed = from - self.about..=to + self.about;
        self.at.iter().any(|moment| blamed.contains(moment))
    }
}

/// Returns the total time for which each thread of a process was runnable without a CPU; empty
/// where the system does not report it.
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
