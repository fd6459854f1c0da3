//! Groups of processes in which the kernel counts memory (cgroup v2): a bot is in one with all that
//! it starts, wherever that goes.

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

/// What the names of folders begin with that have the groups of bots. The number of the process
/// that made it follows.
const PREFIX: &str = "bridgemaster-bots-";
/// Time in which the last killed processes are gone, so that their groups can be removed.
const GONE_TIME: Duration = Duration::from_secs(2);
/// Pause between two attempts to remove a group.
const GONE_PAUSE: Duration = Duration::from_millis(10);

/// A folder for the groups of bots. Dropped, it is removed with those that are left.
#[derive(Debug)]
pub struct BotGroups {
    folder: PathBuf,
    made: AtomicU64,
    /// Groups whose processes had been killed and were not gone yet.
    left: Arc<Mutex<Vec<PathBuf>>>,
    /// Time for them to go, at the end.
    gone_time: Duration,
}

/// The group of one bot. Dropped, all its processes are killed, and it is removed.
#[derive(Debug)]
pub struct BotGroup {
    folder: PathBuf,
    left: Arc<Mutex<Vec<PathBuf>>>,
}

impl BotGroups {
    /// Makes a folder beside the group of this process or above it, at the first place where memory
    /// is counted and groups may be made. Nothing that is there is changed. `None` where there is
    /// no such place.
    pub fn open() -> Option<Self> {
        let (mount, own) = own_group()?;
        let above = own.ancestors();
        let within = above.take_while(|folder| folder.starts_with(&mount));
        within
            .map(Path::to_owned)
            .find_map(|at| Self::at(&at, GONE_TIME))
    }

    /// Makes a folder in this one, if that works.
    fn at(parent: &Path, gone_time: Duration) -> Option<Self> {
        let counted = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        if !counted.split_whitespace().any(|name| name == "memory") {
            return None;
        }
        // Who takes a process from one group to another must be allowed to above both.
        let mut above = OpenOptions::new();
        above.write(true).open(parent.join("cgroup.procs")).ok()?;
        sweep(parent);
        let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let groups = Self {
            folder,
            made: AtomicU64::new(0),
            left: Arc::default(),
            gone_time,
        };
        fs::write(groups.folder.join("cgroup.subtree_control"), "+memory").ok()?;
        // Who may not make one will not be able to later either.
        drop(groups.group(u64::MAX >> 1).ok()?);
        Some(groups)
    }

    /// A new group whose processes are killed when they hold more memory than this together.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn group(&self, most_memory_bytes: u64) -> io::Result<BotGroup> {
        self.left.lock().retain(|folder| !is_removed(folder));
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder)?;
        let group = BotGroup {
            folder,
            left: Arc::clone(&self.left),
        };
        group.set("memory.max", &most_memory_bytes.to_string())?;
        // Where there is no swapping, or an older kernel, these are missing.
        let _ = group.set("memory.swap.max", "0");
        let _ = group.set("memory.oom.group", "1");
        Ok(group)
    }
}

impl Drop for BotGroups {
    fn drop(&mut self) {
        let until = Instant::now() + self.gone_time;
        loop {
            self.left.lock().retain(|folder| !is_removed(folder));
            // It can be removed when all of them are gone.
            if is_removed(&self.folder) || Instant::now() >= until {
                return;
            }
            sleep(GONE_PAUSE);
        }
    }
}

impl BotGroup {
    /// Its folder. Who writes 0 to `cgroup.procs` there is in the group, and all that it starts.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the kernel killed one of its processes for want of memory.
    pub fn has_killed(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events"));
        let events = events.unwrap_or_default();
        let mut killed = events.lines().filter_map(|line| {
            let (name, count) = line.split_once(' ')?;
            (name == "oom_kill").then(|| count.trim() != "0")
        });
        killed.next().unwrap_or(false)
    }

    /// Kills all its processes.
    pub(crate) fn kill(&self) {
        // An older kernel has no such file; those of the process group are killed all the same.
        let _ = self.set("cgroup.kill", "1");
    }

    fn set(&self, name: &str, value: &str) -> io::Result<()> {
        fs::write(self.folder.join(name), value)
    }
}

impl Drop for BotGroup {
    fn drop(&mut self) {
        self.kill();
        if !is_removed(&self.folder) {
            self.left.lock().push(self.folder.clone());
        }
    }
}

/// Removes a group that has no processes any more; tells whether it is gone.
fn is_removed(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok() || !folder.exists()
}

/// Removes what programs have left that were killed, as far as nothing runs in it.
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

/// Where the groups of the system are, and the folder of that of this process.
fn own_group() -> Option<(PathBuf, PathBuf)> {
    let own = procfs::process::Process::myself().ok()?;
    let mounts = own.mountinfo().ok()?;
    let mount = mounts
        .into_iter()
        .find(|mount| mount.fs_type == "cgroup2")?;
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let folder = group_folder(&group, &mount.mount_point, &mount.root)?;
    Some((mount.mount_point, folder))
}

/// The folder of a process of which `/proc/PID/cgroup` tells this, in the file system of groups
/// that shows `root` at `mount`.
fn group_folder(told: &str, mount: &Path, root: &str) -> Option<PathBuf> {
    // That of version 2 has no controllers in its line.
    let path = told.lines().find_map(|line| line.strip_prefix("0::"))?;
    let within = Path::new(path).strip_prefix(root).ok()?;
    let is_outside = within.components().any(|part| part.as_os_str() == "..");
    (!is_outside).then(|| mount.join(within))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::BotCommand;

    /// A folder in which files and folders do nothing, and are removed by the test where the kernel
    /// would have none.
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

        /// The names of the folders of groups.
        fn folders(&self) -> Vec<String> {
            let entries = fs::read_dir(self.0.path()).unwrap().flatten();
            let names = entries.map(|entry| entry.file_name().into_string().unwrap());
            names.filter(|name| name.starts_with(PREFIX)).collect()
        }
    }

    fn read(group: &BotGroup, name: &str) -> String {
        fs::read_to_string(group.folder().join(name)).unwrap()
    }

    /// What the kernel does when the last process of a group is gone.
    fn empty(folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_file() {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    #[test]
    fn groups_are_made_only_where_memory_is_counted() {
        for counted in ["", "cpu pids\n", "memory_of_somebody\n"] {
            let fake = Fake::new(counted);
            assert!(fake.open().is_none(), "{counted:?}");
            assert!(fake.folders().is_empty(), "{counted:?}");
        }
        assert!(Fake::new("cpu memory pids\n").open().is_some());
        let fake = Fake::new("memory");
        fs::remove_file(fake.0.path().join("cgroup.procs")).unwrap();
        assert!(fake.open().is_none(), "nobody may be taken there");
        assert!(BotGroups::at(Path::new("/no/such/folder"), Duration::ZERO).is_none());
    }

    #[test]
    fn a_group_has_the_limit_and_no_swap_and_dies_as_one() {
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
    fn a_kill_for_want_of_memory_is_told_by_the_events_of_the_group() {
        let fake = Fake::new("memory");
        let groups = fake.open().unwrap();
        let group = groups.group(1 << 20).unwrap();
        assert!(!group.has_killed(), "without a word of the kernel");
        for (events, has_killed) in [
            ("low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\n", false),
            (
                "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 1\n",
                true,
            ),
        ] {
            group.set("memory.events", events).unwrap();
            assert_eq!(group.has_killed(), has_killed, "{events}");
        }
    }

    #[test]
    fn a_group_is_killed_when_it_is_dropped_and_removed_when_its_processes_are_gone() {
        let fake = Fake::new("memory");
        let groups = fake.open().unwrap();
        let folder = {
            let group = groups.group(1 << 20).unwrap();
            group.folder().to_owned()
        };
        assert_eq!(fs::read_to_string(folder.join("cgroup.kill")).unwrap(), "1");
        assert!(folder.exists(), "its processes are not gone yet");
        empty(&folder);
        drop(groups.group(1 << 20));
        assert!(!folder.exists());
    }

    #[test]
    fn what_a_killed_program_left_is_removed_and_that_of_a_running_one_stays() {
        let fake = Fake::new("memory");
        // The numbers of processes are smaller.
        let gone = fake.0.path().join(format!("{PREFIX}4294967295"));
        fs::create_dir_all(gone.join("0")).unwrap();
        let running = fake.0.path().join(format!("{PREFIX}1"));
        fs::create_dir_all(running.join("0")).unwrap();
        let _groups = fake.open().unwrap();
        assert!(!gone.exists());
        assert!(running.join("0").exists());
    }

    #[test]
    fn the_folder_of_a_process_is_found_whatever_part_of_the_system_it_sees() {
        let mount = Path::new("/sys/fs/cgroup");
        let found = |told, root| group_folder(told, mount, root);
        let at = |path: &str| Some(mount.join(path));
        assert_eq!(
            found("0::/user.slice/a.scope\n", "/"),
            at("user.slice/a.scope")
        );
        assert_eq!(found("4:memory:/x\n0::/y\n", "/"), at("y"));
        assert_eq!(found("0::/docker/abc/in\n", "/docker/abc"), at("in"));
        assert_eq!(found("0::/elsewhere\n", "/docker/abc"), None);
        assert_eq!(found("0::/../outside\n", "/"), None);
        assert_eq!(found("4:memory:/x\n", "/"), None, "version 1 only");
    }

    #[tokio::test]
    #[ignore = "needs a cgroup v2 with the controller `memory` in which the test may make groups, \
                as a user of systemd has one: many machines and most containers give none"]
    async fn processes_in_groups_of_their_own_are_killed_when_they_hold_too_much_together() {
        let groups = BotGroups::open().expect("a place where groups may be made");
        let group = Arc::new(groups.group(40_000_000).unwrap());
        // Neither of the two holds too much, and setsid takes them out of the process group.
        let hold = "head -c 30000000 /dev/zero | tail -c 30000000 | sleep 600";
        let script = format!(
            "echo 0 >{}/cgroup.procs; setsid sh -c '{hold}' & {hold}",
            group.folder().display()
        );
        let mut process = BotCommand::new("sh")
            .with(["-c", &script])
            .in_own_group()
            .in_group(Some(Arc::clone(&group)))
            .start("http://127.0.0.1:1", "none")
            .unwrap();
        let status = process.ended().await.unwrap();
        assert!(process.ran_out_of_memory(status, ""), "{status}");
        drop(process);
        let folder = group.folder().to_owned();
        drop((group, groups));
        assert!(!folder.exists());
    }
}
