//! Puts a bot into namespaces, with its own process ids, its own `/proc` and few capabilities, and
//! protects other processes from bots that run as the same user.

use std::{fs, io};

use procfs::sys::kernel::Version;
use rustix::{
    io::Errno,
    process::{DumpableBehavior, Gid, Resource, Uid, getegid, geteuid, set_dumpable_behavior},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
        clear_ambient_capability_set, configure_capability_in_ambient_set,
        remove_capability_from_bounding_set, set_capabilities,
    },
};
use uapi::{c, mount, unshare};

use crate::limits::lower;

/// Capabilities that a bot started by root keeps: access to files, and changing to a user with
/// fewer rights. Without the other capabilities, the bot cannot trace its user's processes, mount
/// file systems or raise limits.
const ROOT_CAPABILITIES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Maximum number of a bot's processes and threads, including its supervisor and init. The kernel
/// counts only processes in the bot's user namespace, and does not limit root.
const MAX_PROCESSES: u64 = 1_024;
/// The first kernel version that counts processes per user namespace. Older kernels count all of
/// the user's processes.
const COUNTS_BY_NAMESPACE: Version = Version { major: 5, minor: 14, patch: 0 };
/// Limits on the number of namespaces below a bot's user namespace, including the bot's own
/// namespaces. Without these limits, a bot could exhaust the whole machine's namespaces.
const LIMITS: [&str; 8] = ["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"];
const MAX_NAMESPACES: &str = "16";

/// The result of entering a PID namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamespaceStatus {
    Entered,
    /// The operating system refuses namespaces to this user; nothing has changed.
    Refused,
    /// The namespaces were created but cannot be set up.
    Incomplete,
}

/// Puts the children of this process into a PID namespace.
///
/// A process that lacks the capability also gets a user namespace, in which only its user and group
/// are mapped, with unchanged ids.
///
/// # Errors
/// Returns an error if the machine currently cannot create more namespaces.
pub(super) fn enter() -> io::Result<NamespaceStatus> {
    let has_right = capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN);
    if has_right && check_refusal(unshare(c::CLONE_NEWPID).map_err(Into::into))? {
        return Ok(NamespaceStatus::Entered);
    }
    let (user, group) = (geteuid(), getegid());
    if !check_refusal(unshare(c::CLONE_NEWUSER | c::CLONE_NEWPID).map_err(Into::into))? {
        return Ok(NamespaceStatus::Refused);
    }
    if check_refusal(complete_user_namespace(user, group))? {
        Ok(NamespaceStatus::Entered)
    } else {
        Ok(NamespaceStatus::Incomplete)
    }
}

/// Returns false if the refusal is permanent. Fails if resources are temporarily exhausted,
/// possibly by a bot.
fn check_refusal(done: io::Result<()>) -> io::Result<bool> {
    let Err(error) = done else {
        return Ok(true);
    };
    match Errno::from_io_error(&error) {
        Some(Errno::PERM | Errno::ACCESS | Errno::INVAL | Errno::NOSYS) => Ok(false),
        // A limit of 0 is a permanent refusal.
        Some(Errno::NOSPC) if has_limit_0("user") || has_limit_0("pid") => Ok(false),
        _ => Err(error),
    }
}

fn has_limit_0(kind: &str) -> bool {
    fs::read_to_string(limit_file(kind)).is_ok_and(|limit| limit.trim() == "0")
}

fn limit_file(kind: &str) -> String {
    format!("/proc/sys/user/max_{kind}_namespaces")
}

/// Sets up this process's user namespace.
fn complete_user_namespace(user: Uid, group: Gid) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    let (user_id, group_id) = (user.as_raw(), group.as_raw());
    fs::write("/proc/self/uid_map", format!("{user_id} {user_id} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group_id} {group_id} 1"))?;
    if Version::current().is_ok_and(|kernel| kernel >= COUNTS_BY_NAMESPACE) {
        lower(Resource::Nproc, MAX_PROCESSES)?;
    }
    for kind in LIMITS {
        // If /proc/sys is read-only, the machine's limits apply.
        let _ = fs::write(limit_file(kind), MAX_NAMESPACES);
    }
    if !user.is_root() {
        // Users other than root lose their capabilities on exec, but the init process needs
        // `SYS_ADMIN` to mount its own /proc.
        let own = capabilities(None)?;
        let inheritable = own.inheritable | CapabilitySet::SYS_ADMIN;
        set_capabilities(None, CapabilitySets { inheritable, ..own })?;
        configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    }
    Ok(())
}

/// Mounts a `/proc` that shows only this process and its descendants. Must be called in the PID
/// namespace. Returns false if the operating system refuses the mount, as is common in containers.
/// The parent's `/proc` then stays mounted.
pub(super) fn hide_other_processes() -> bool {
    if unshare(c::CLONE_NEWNS).is_err() {
        return false;
    }
    let flags = c::MS_NOSUID | c::MS_NODEV | c::MS_NOEXEC;
    // The mount is made private first, so that the new mount does not propagate to other
    // namespaces.
    mount("none", "/", "", c::MS_REC | c::MS_PRIVATE, None)
        .and_then(|()| mount("proc", "/proc", "proc", flags, None))
        .is_ok()
}

/// Drops the capabilities that bots do not need.
///
/// # Errors
/// Returns an error if the operating system refuses the change.
pub(super) fn drop_capabilities() -> io::Result<()> {
    if geteuid().is_root() {
        for capability in (!ROOT_CAPABILITIES).iter() {
            // Capabilities that this kernel does not know need not be dropped.
            if capability_is_in_bounding_set(capability).unwrap_or(false) {
                remove_capability_from_bounding_set(capability)?;
            }
        }
        // A program that root executes also gets the inheritable capabilities, so they are cleared.
        let (inheritable, own) = (CapabilitySet::empty(), capabilities(None)?);
        return Ok(set_capabilities(None, CapabilitySets { inheritable, ..own })?);
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, none)?)
}

/// Denies the same user's other processes access to this process's memory, environment and
/// descriptors, until this process executes another program. Bots without their own namespace run
/// as the same user. Also disables core dumps for this process.
///
/// # Errors
/// Returns an error if the operating system refuses the setting.
pub fn hide_from_bots() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}
