//! Measures a bot's resource usage: the memory and CPU time of its process and all descendants.

use std::{collections::BTreeMap, time::Duration};

use procfs::process::{Process, Stat};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::{
    signal::unix::{self, SignalKind},
    time::timeout,
};

use crate::{Isolation, limits::UsageTracker, supervisor::children};

/// Interval between the first samples. It is short, because some bots end after a few milliseconds.
const MIN_SAMPLE_INTERVAL: Duration = Duration::from_millis(5);
/// Maximum interval between samples. The interval doubles until it reaches this value, of which
/// sampling a bot with ten threads takes only a thousandth.
const MAX_SAMPLE_INTERVAL: Duration = Duration::from_millis(160);

/// Takes samples of a process and its descendants until the process ends.
#[derive(Debug)]
pub(crate) struct Watch {
    root: Pid,
    /// The number of generations above the bot in the process tree: supervisor and init.
    above: usize,
    /// A stream of signals. Each signal means that at least one child of this process has ended.
    ends: unix::Signal,
    /// The processes in the last sample. Start times identify them, because process ids are reused.
    processes: BTreeMap<i32, u64>,
    pause: Duration,
    so_far: UsageTracker,
    limit_bytes: Option<u64>,
    /// True if the memory exceeded the limit in the last sample.
    was_over: bool,
    /// True once two consecutive samples exceeded the limit and the processes were killed.
    pub(crate) has_exceeded_limit: bool,
    has_ended: bool,
}

/// The result of waiting for a bot's process.
pub(crate) enum WatchEvent {
    /// The process has ended.
    End,
    /// The memory exceeded the limit in two consecutive samples, so the processes must be killed.
    OverLimit,
}

/// A sample of a bot's resource usage.
#[derive(Debug, Default)]
struct Sample {
    /// Resident memory, in bytes. Shared memory counts once for each process.
    held_bytes: u64,
    /// The part of the resident memory that is not backed by files, in bytes.
    own_bytes: u64,
    /// Peak memory of the process with the highest peak, in bytes.
    max_process_peak_bytes: u64,
    /// CPU time of the processes and their ended children, in clock ticks.
    ticks: u64,
}

impl Watch {
    /// Watches a child process that has not been reaped. Returns `None` if the operating system
    /// cannot report when children end.
    pub(crate) fn for_process(
        process: u32,
        isolation: Isolation,
        limit_bytes: Option<u64>,
    ) -> Option<Self> {
        let root = Pid::from_raw(i32::try_from(process).ok()?)?;
        Some(Self {
            root,
            above: isolation.processes_above(),
            ends: unix::signal(SignalKind::child()).ok()?,
            processes: BTreeMap::new(),
            pause: MIN_SAMPLE_INTERVAL,
            so_far: UsageTracker::default(),
            limit_bytes,
            was_over: false,
            has_exceeded_limit: false,
            has_ended: false,
        })
    }

    pub(crate) fn so_far(&self) -> UsageTracker {
        self.so_far.clone()
    }

    /// Waits until the process has ended. It must not be reaped during the wait, because the kernel
    /// discards a reaped process's usage. Cancel safe; can be called again.
    pub(crate) async fn until_ended(&mut self) -> WatchEvent {
        while !self.has_ended {
            self.has_ended = self.is_gone();
            if self.sample_exceeds_limit() && !self.has_ended && !self.has_exceeded_limit {
                self.has_exceeded_limit = true;
                return WatchEvent::OverLimit;
            }
            if !self.has_ended {
                // Wakes up after the pause, or when any child of this process ends.
                let _ = timeout(self.pause, self.ends.recv()).await;
                self.pause = (self.pause * 2).min(MAX_SAMPLE_INTERVAL);
            }
        }
        WatchEvent::End
    }

    /// Returns whether the process has ended, without reaping it.
    fn is_gone(&self) -> bool {
        let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.root), only_look), Ok(None))
    }

    /// Takes a sample, and returns whether the limit was exceeded in two consecutive samples. A
    /// single sample is not enough, because a process that is forking might be counted twice.
    fn sample_exceeds_limit(&mut self) -> bool {
        let sample = self.sample();
        let is_over = self.limit_bytes.is_some_and(|limit| sample.own_bytes > limit);
        if is_over {
            self.pause = MIN_SAMPLE_INTERVAL;
        }
        let was_over = std::mem::replace(&mut self.was_over, is_over);
        let peak_bytes = sample.held_bytes.max(sample.max_process_peak_bytes);
        let cpu_time = Duration::from_secs(sample.ticks) / ticks_per_second();
        self.so_far.record(peak_bytes, cpu_time);
        is_over && was_over
    }

    fn sample(&mut self) -> Sample {
        let mut sample = Sample::default();
        let mut current = BTreeMap::new();
        // Sampling starts with the processes in the last sample, because orphaned processes are no
        // longer the bot's descendants. The root comes first, so that each process's generation can
        // be determined.
        let mut pending: Vec<(i32, usize)> =
            self.processes.keys().map(|&number| (number, self.above)).collect();
        pending.push((self.root.as_raw_nonzero().get(), 0));
        while let Some((number, generation)) = pending.pop() {
            if current.contains_key(&number) {
                continue;
            }
            let Some((process, stat)) = process(number) else {
                continue;
            };
            let previous = self.processes.get(&number);
            if previous.is_some_and(|start| *start != stat.starttime) {
                continue;
            }
            current.insert(number, stat.starttime);
            let below = children(&process).into_iter();
            pending.extend(below.map(|child| (child, generation + 1)));
            if generation < self.above {
                sample.add_ended(&stat);
            } else {
                sample.add(&process, &stat);
            }
        }
        self.processes = current;
        sample
    }
}

impl Sample {
    /// Adds the usage of a process's children that have ended.
    fn add_ended(&mut self, stat: &Stat) {
        let of_children = stat.cutime.saturating_add(stat.cstime);
        self.ticks += of_children.max(0).cast_unsigned();
    }

    fn add(&mut self, process: &Process, stat: &Stat) {
        self.add_ended(stat);
        self.ticks += stat.utime + stat.stime;
        // A zombie has no memory.
        let Ok(status) = process.status() else { return };
        let bytes = |kib: Option<u64>| kib.unwrap_or(0).saturating_mul(1024);
        self.held_bytes += bytes(status.vmrss);
        self.own_bytes += bytes(status.rssanon) + bytes(status.rssshmem);
        self.max_process_peak_bytes = self.max_process_peak_bytes.max(bytes(status.vmhwm));
    }
}

fn process(number: i32) -> Option<(Process, Stat)> {
    let process = Process::new(number).ok()?;
    let stat = process.stat().ok()?;
    Some((process, stat))
}

fn ticks_per_second() -> u32 {
    u32::try_from(procfs::ticks_per_second()).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use crate::{BotCommand, BotProcess, Limits};

    /// Returns a bot that allocates this many bytes in a child process, and keeps them until it is
    /// killed.
    fn hoarder(bytes: usize) -> BotCommand {
        let script = format!("head -c {bytes} /dev/zero | tail -c {bytes} | sleep 600");
        BotCommand::new("sh").with(["-c", &script])
    }

    async fn start(mut command: BotCommand) -> BotProcess {
        command.is_measured = true;
        let started = command.start("http://127.0.0.1:1", "none").await;
        started.unwrap()
    }

    #[tokio::test]
    async fn descendants_of_a_bot_are_included_in_its_usage() {
        let mut process = start(hoarder(60_000_000)).await;
        let used = process.usage();
        let has_all = async {
            while used.get().peak_memory_bytes < Some(60_000_000) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            () = has_all => {}
            ended = process.ended() => panic!("{ended:?}"),
        }
        // The script takes longer than one clock tick.
        let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exit 3";
        let mut process = start(BotCommand::new("sh").with(["-c", script])).await;
        let used = process.usage();
        assert_eq!(process.ended().await.unwrap().code(), Some(3));
        assert!(used.get().cpu_time > Some(Duration::ZERO), "{used:?}");
    }

    #[tokio::test]
    async fn processes_whose_total_memory_exceeds_the_limit_are_killed() {
        let mut command = hoarder(60_000_000);
        command.limits = Limits { memory_bytes: Some(20_000_000), ..Limits::default() };
        let mut process = start(command).await;
        let status = process.ended().await.unwrap();
        assert!(!status.success());
        assert!(process.ran_out_of_memory(status, ""));
    }
}
