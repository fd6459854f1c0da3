//! Isolation levels for bot processes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The isolation of a bot's processes, from the weakest to the strongest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// No supervisor. On Linux, a bot's process group is killed with the bot, but a process that
    /// leaves the group, for example by `setsid`, outlives the bot. On other systems, only the
    /// first process is killed.
    ProcessGroup,
    /// A process tree below a supervisor that adopts orphans (`PR_SET_CHILD_SUBREAPER`). All
    /// processes end with the bot or with its parent, unless a process kills the supervisor first.
    ProcessTree,
    /// A PID namespace with the parent's `/proc`, because the operating system refuses a separate
    /// `/proc`. Processes end as with `PidNamespace`. Bots can see other processes, and bots that
    /// run as root can read the environments of other processes.
    PidNamespaceSharedProc,
    /// A PID namespace with its own `/proc`. The kernel ends all processes with the bot or with its
    /// parent.
    PidNamespace,
}

impl Isolation {
    /// All levels, from the weakest to the strongest.
    pub const ALL: [Self; 4] =
        [Self::ProcessGroup, Self::ProcessTree, Self::PidNamespaceSharedProc, Self::PidNamespace];

    /// Returns the level's name in reports, flags and supervisor messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProcessGroup => "process_group",
            Self::ProcessTree => "process_tree",
            Self::PidNamespaceSharedProc => "pid_namespace_shared_proc",
            Self::PidNamespace => "pid_namespace",
        }
    }

    /// Returns the number of processes between this process and the bot: supervisor and init.
    #[cfg(target_os = "linux")]
    pub(crate) const fn processes_above(self) -> usize {
        match self {
            Self::ProcessGroup => 0,
            Self::ProcessTree => 1,
            Self::PidNamespaceSharedProc | Self::PidNamespace => 2,
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProcessGroup => {
                "a process group per bot: processes other than the first can outlive their bot"
            }
            Self::ProcessTree => {
                "a supervised process tree per bot: all processes end with their bot, \
                 unless a process kills the supervisor"
            }
            Self::PidNamespaceSharedProc => {
                "a PID namespace per bot with a shared /proc: all processes end with their bot, \
                 but bots can see processes of other bots"
            }
            Self::PidNamespace => "a PID namespace per bot: all processes end with their bot",
        })
    }
}
