//! Cgroups: one with a memory limit for each bot (v2), which contains all processes that the bot
//! starts even if they detach, and the CPU quota of this process's own cgroup.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

/// Name prefix for folders that contain bots' cgroups. The id of the process that created the
/// folder follows.
const PREFIX: &str = "bridgemaster-bots-";
/// Maximum time to wait until killed processes have ended and their cgroups are removed.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between two attempts to remove a cgroup.
const REMOVAL_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// A folder for bots' cgroups. Dropping this value removes the folder and the remaining cgroups in
/// it.
#[derive(Debug)]
pub struct BotGroups {
    folder: PathBuf,
    created: AtomicU64,
    /// Cgroups whose killed processes have not ended yet.
    pending_removal: Arc<Mutex<Vec<PathBuf>>>,
    /// Maximum time to wait on drop until the killed processes have ended.
    removal_timeout: Duration,
}

/// One bot's cgroup. Dropping this value kills the processes in the cgroup and removes it.
#[derive(Debug)]
pub struct BotGroup {
    folder: PathBuf,
    pending_removal: Arc<Mutex<Vec<PathBuf>>>,
}

impl BotGroups {
    /// Creates a folder in the nearest writable cgroup with memory accounting: this process's
    /// cgroup or one of its ancestors. Existing cgroups are not changed. Returns `None` if there is
    /// no such cgroup.
    pub fn open() -> Option<Self> {
        let (mount, own) = own_group("")?;
        let above = own.ancestors();
        let within = above.take_while(|folder| folder.starts_with(&mount));
        within.map(Path::to_owned).find_map(|at| Self::at(&at, REMOVAL_TIMEOUT))
    }

    /// Creates a folder in this cgroup, if possible.
    fn at(parent: &Path, removal_timeout: Duration) -> Option<Self> {
        let counted = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        if !counted.split_whitespace().any(|name| name == "memory") {
            return None;
        }
        // Moving a process between cgroups requires write access to their common ancestor.
        let mut above = OpenOptions::new();
        above.write(true).open(parent.join("cgroup.procs")).ok()?;
        sweep(parent);
        let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let groups = Self {
            folder,
            created: AtomicU64::new(0),
            pending_removal: Arc::default(),
            removal_timeout,
        };
        fs::write(groups.folder.join("cgroup.subtree_control"), "+memory").ok()?;
        // Checks that cgroups can be created in the folder.
        drop(groups.group(u64::MAX >> 1).ok()?);
        Some(groups)
    }

    /// Creates a cgroup whose processes are killed when their total memory exceeds the limit.
    ///
    /// # Errors
    /// Returns an error if the operating system refuses to create the cgroup.
    pub fn group(&self, max_memory_bytes: u64) -> io::Result<BotGroup> {
        self.pending_removal.lock().retain(|folder| !try_remove(folder));
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder)?;
        let group = BotGroup { folder, pending_removal: Arc::clone(&self.pending_removal) };
        group.set("memory.max", &max_memory_bytes.to_string())?;
        // `memory.swap.max` does not exist without swap or on older kernels.
        let _ = group.set("memory.swap.max", "0");
        let _ = group.set("memory.oom.group", "1");
        Ok(group)
    }
}

impl Drop for BotGroups {
    fn drop(&mut self) {
        let until = Instant::now() + self.removal_timeout;
        loop {
            self.pending_removal.lock().retain(|folder| !try_remove(folder));
            // The folder can be removed once all cgroups in it have been removed.
            if try_remove(&self.folder) || Instant::now() >= until {
                return;
            }
            sleep(REMOVAL_RETRY_INTERVAL);
        }
    }
}

impl BotGroup {
    /// Returns the cgroup's folder. A process that writes 0 to `cgroup.procs` in this folder joins
    /// the cgroup, with all its future descendants.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the kernel killed a process in the cgroup because memory ran out.
    pub fn has_oom_kill(&self) -> bool {
        let killed = read_count(&self.folder.join("memory.events"), "oom_kill");
        killed.is_some_and(|count| count > 0)
    }

    /// Kills all processes in the cgroup.
    pub(crate) fn kill(&self) {
        // `cgroup.kill` does not exist on older kernels, where only the process group is killed.
        let _ = self.set("cgroup.kill", "1");
    }

    fn set(&self, name: &str, value: &str) -> io::Result<()> {
        fs::write(self.folder.join(name), value)
    }
}

impl Drop for BotGroup {
    fn drop(&mut self) {
        self.kill();
        if !try_remove(&self.folder) {
            self.pending_removal.lock().push(self.folder.clone());
        }
    }
}

/// Removes a cgroup without processes. Returns whether the cgroup no longer exists.
fn try_remove(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok() || !folder.exists()
}

/// Removes unused cgroups that were left behind by killed commands.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) else {
            continue;
        };
        if Path::new("/proc").join(number.to_string()).exists() {
            continue;
        }
        for group in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let _ = fs::remove_dir(group.path());
        }
        let _ = fs::remove_dir(entry.path());
    }
}

/// Returns the mount point of the controller's cgroups, and the folder of this process's cgroup. In
/// cgroup v2, all controllers share one tree, whose controller name is empty.
/// Only Linux has cgroups.
#[cfg(target_os = "linux")]
pub(crate) fn own_group(controller: &str) -> Option<(PathBuf, PathBuf)> {
    let own = procfs::process::Process::myself().ok()?;
    let mounts = own.mountinfo().ok()?;
    let mount = mounts.into_iter().find(|mount| match controller {
        "" => mount.fs_type == "cgroup2",
        _ => mount.fs_type == "cgroup" && mount.super_options.contains_key(controller),
    })?;
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let folder = group_folder(&group, controller, &mount.mount_point, &mount.root)?;
    Some((mount.mount_point, folder))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn own_group(_: &str) -> Option<(PathBuf, PathBuf)> {
    None
}

/// Returns the folder of a process's cgroup. `cgroups` is the content of `/proc/PID/cgroup`, and
/// `root` is the part of the hierarchy that is mounted at `mount`.
#[cfg(target_os = "linux")]
fn group_folder(cgroups: &str, controller: &str, mount: &Path, root: &str) -> Option<PathBuf> {
    let path = cgroups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let mut controllers = controllers.split(',');
        controllers.any(|name| name == controller).then_some(path)
    })?;
    let within = Path::new(path).strip_prefix(root).ok()?;
    let is_outside = within.components().any(|part| part.as_os_str() == "..");
    (!is_outside).then(|| mount.join(within))
}

/// A CPU quota, as set for containers (`cpu.max`, or `cpu.cfs_quota_us` in cgroup v1).
#[derive(Clone, Debug, PartialEq)]
pub struct CpuQuota {
    /// The quota in cores, such as 1.5.
    pub cores: f64,
    /// The cgroup that has the quota.
    folder: PathBuf,
}

impl CpuQuota {
    /// Returns the smallest quota among this process's cgroups; `None` if there is no quota.
    pub fn for_this_process() -> Option<Self> {
        let groups = ["", "cpu"].into_iter().filter_map(own_group);
        let quotas = groups.flat_map(|(mount, own)| Self::within(&mount, &own));
        quotas.min_by(|one, other| one.cores.total_cmp(&other.cores))
    }

    fn within(mount: &Path, own: &Path) -> Vec<Self> {
        let groups = own.ancestors().take_while(|group| group.starts_with(mount));
        let quotas = groups.filter_map(|group| {
            let cores = quota_v2(group).or_else(|| quota_v1(group))?;
            let folder = group.to_owned();
            Some(Self { cores, folder })
        });
        quotas.collect()
    }

    /// Returns the total time for which the quota has throttled processes.
    pub fn throttled(&self) -> Duration {
        let stat = self.folder.join("cpu.stat");
        let v2 = read_count(&stat, "throttled_usec").map(Duration::from_micros);
        let v1 = || read_count(&stat, "throttled_time").map(Duration::from_nanos);
        v2.or_else(v1).unwrap_or_default()
    }
}

/// Reads a number from a file with one name and one number per line.
fn read_count(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let mut counts = text.lines().filter_map(|line| line.split_once(' '));
    let (_, count) = counts.find(|(found, _)| *found == name)?;
    count.trim().parse().ok()
}

fn quota_v2(group: &Path) -> Option<f64> {
    let text = fs::read_to_string(group.join("cpu.max")).ok()?;
    let (quota, period) = text.split_once(' ')?;
    cores_of(quota, period)
}

fn quota_v1(group: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    cores_of(&read("cpu.cfs_quota_us")?, &read("cpu.cfs_period_us")?)
}

/// Converts a quota and its period to cores; `None` for `max` and -1.
fn cores_of(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u32, u32) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::BotCommand;

    /// A fake cgroup folder. The test itself removes the files that the kernel would remove.
    struct Fake(tempfile::TempDir);

    impl Fake {
        fn new(counted: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("cgroup.subtree_control"), counted).unwrap();
            fs::write(folder.path().join("cgroup.procs"), "").unwrap();
            Self(folder)
        }

        fn open(&self) -> Option<BotGroups> {
            BotGroups::at(self.0.path(), Duration::ZERO)
        }

        /// Returns the names of the folders for cgroups.
        fn folders(&self) -> Vec<String> {
            let entries = fs::read_dir(self.0.path()).unwrap().flatten();
            let names = entries.map(|entry| entry.file_name().into_string().unwrap());
            names.filter(|name| name.starts_with(PREFIX)).collect()
        }
    }

    fn read(group: &BotGroup, name: &str) -> String {
        fs::read_to_string(group.folder().join(name)).unwrap()
    }

    /// Simulates the end of the last process in a cgroup.
    fn empty(folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_file() {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    #[test]
    fn groups_are_created_only_where_memory_is_accounted() {
        for counted in ["", "cpu pids\n", "memory_of_somebody\n"] {
            let fake = Fake::new(counted);
            assert!(fake.open().is_none(), "{counted:?}");
            assert!(fake.folders().is_empty(), "{counted:?}");
        }
        assert!(Fake::new("cpu memory pids\n").open().is_some());
        let fake = Fake::new("memory");
        fs::remove_file(fake.0.path().join("cgroup.procs")).unwrap();
        assert!(fake.open().is_none(), "no process may be moved there");
        assert!(BotGroups::at(Path::new("/no/such/folder"), Duration::ZERO).is_none());
    }

    #[test]
    fn a_group_has_the_memory_limit_and_no_swap_and_is_killed_as_a_whole() {
        let fake = Fake::new("memory");
        let groups = fake.open().unwrap();
        let one = groups.group(1 << 20).unwrap();
        let other = groups.group(1 << 21).unwrap();
        assert_ne!(one.folder(), other.folder());
        assert_eq!(read(&one, "memory.max"), "1048576");
        assert_eq!(read(&other, "memory.max"), "2097152");
        assert_eq!(read(&one, "memory.swap.max"), "0");
        assert_eq!(read(&one, "memory.oom.group"), "1");
        let counted = fs::read_to_string(groups.folder.join("cgroup.subtree_control"));
        assert_eq!(counted.unwrap(), "+memory");
    }

    #[test]
    fn an_oom_kill_is_detected_from_the_events_of_the_group() {
        let fake = Fake::new("memory");
        let groups = fake.open().unwrap();
        let group = groups.group(1 << 20).unwrap();
        assert!(!group.has_oom_kill(), "without a word of the kernel");
        let has_oom_kill = |events: &str| {
            group.set("memory.events", events).unwrap();
            group.has_oom_kill()
        };
        assert!(!has_oom_kill("low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\n"));
        assert!(has_oom_kill("max 7\noom 1\noom_kill 2\noom_group_kill 1\n"));
    }

    #[test]
    fn a_dropped_group_is_killed_and_removed_once_its_processes_have_ended() {
        let fake = Fake::new("memory");
        let groups = fake.open().unwrap();
        let folder = groups.group(1 << 20).unwrap().folder().to_owned();
        assert_eq!(fs::read_to_string(folder.join("cgroup.kill")).unwrap(), "1");
        assert!(folder.exists(), "its processes are not gone yet");
        empty(&folder);
        drop(groups.group(1 << 20));
        assert!(!folder.exists());
    }

    #[test]
    fn groups_of_killed_commands_are_removed_and_those_of_running_ones_are_kept() {
        let fake = Fake::new("memory");
        // No process has such a large id.
        let gone = fake.0.path().join(format!("{PREFIX}4294967295"));
        fs::create_dir_all(gone.join("0")).unwrap();
        let running = fake.0.path().join(format!("{PREFIX}1"));
        fs::create_dir_all(running.join("0")).unwrap();
        let _groups = fake.open().unwrap();
        assert!(!gone.exists());
        assert!(running.join("0").exists());
    }

    #[test]
    fn the_group_folder_of_a_process_is_found_below_any_mount_root() {
        let mount = Path::new("/sys/fs/cgroup");
        let found = |cgroups, root| group_folder(cgroups, "", mount, root);
        let at = |path: &str| Some(mount.join(path));
        let scope = found("0::/user.slice/a.scope\n", "/");
        assert_eq!(scope, at("user.slice/a.scope"));
        assert_eq!(found("4:memory:/x\n0::/y\n", "/"), at("y"));
        assert_eq!(found("0::/docker/abc/in\n", "/docker/abc"), at("in"));
        assert_eq!(found("0::/elsewhere\n", "/docker/abc"), None);
        assert_eq!(found("0::/../outside\n", "/"), None);
        assert_eq!(found("4:memory:/x\n", "/"), None, "version 1 only");
        let cpu = group_folder("4:memory:/x\n2:cpu,cpuacct:/y\n", "cpu", mount, "/");
        assert_eq!(cpu, at("y"));
    }

    #[tokio::test]
    #[ignore = "needs a cgroup v2 with the controller `memory` in which the test may make groups, \
            as a user of systemd has one: many machines and most containers give none"]
    async fn processes_in_separate_process_groups_are_killed_when_their_total_exceeds_the_limit() {
        let groups = BotGroups::open().expect("a place where groups may be made");
        let group = groups.group(40_000_000).unwrap();
        let folder = group.folder().to_owned();
        // Neither of the two commands alone exceeds the limit, and setsid moves one of them out of
        // the process group.
        let hold = "head -c 30000000 /dev/zero | tail -c 30000000 | sleep 600";
        let script = format!(
            "echo 0 >{}/cgroup.procs; setsid sh -c '{hold}' & {hold}",
            group.folder().display()
        );
        let mut command = BotCommand::new("sh").with(["-c", &script]);
        command.group = Some(Arc::new(group));
        let mut process = command.start("http://127.0.0.1:1", "none").await.unwrap();
        // The process has the only other reference.
        drop(command);
        let status = process.ended().await.unwrap();
        assert!(process.ran_out_of_memory(status, ""), "{status}");
        drop((process, groups));
        assert!(!folder.exists());
    }

    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    #[test]
    fn quota_and_throttled_time_are_read_from_both_cgroup_versions() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("pod/container");
        write(mount.path(), &[("cpu.max", "max 100000\n")]);
        let stat = "usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n";
        let files = [("cpu.max", "150000 100000\n"), ("cpu.stat", stat)];
        write(&mount.path().join("pod"), &files);
        let stat = "nr_periods 9\nnr_throttled 3\nthrottled_time 2000000000\n";
        let (quota, period) = ("cpu.cfs_quota_us", "cpu.cfs_period_us");
        let files = [(quota, "200000\n"), (period, "100000\n"), ("cpu.stat", stat)];
        write(&own, &files);
        let quotas = CpuQuota::within(mount.path(), &own);
        let read: Vec<_> =
            quotas.iter().map(|quota| (quota.cores, quota.throttled().as_millis())).collect();
        assert_eq!(read, [(2.0, 2_000), (1.5, 1_500)]);
        write(&own, &[("cpu.cfs_quota_us", "-1\n")]);
        assert_eq!(CpuQuota::within(mount.path(), &own).len(), 1);
    }
}
