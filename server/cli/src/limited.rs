//! `bridgemaster limited`: a command with limits. Contests start bots by it; people have no use for
//! it, so no help names it.

use std::{ffi::OsString, path::PathBuf};

use anyhow::Context as _;
use bridgemaster_bot_process::Limits;
use clap::Args;

#[derive(Args)]
pub(super) struct LimitedArgs {
    /// Memory that each process may have for data, in bytes
    #[arg(long, value_name = "BYTES")]
    memory_bytes: Option<u64>,
    /// The folder of the group of the kernel (cgroup v2) that they are in
    #[arg(long, value_name = "FOLDER")]
    group: Option<PathBuf>,
    /// The cores that it may run on, by their numbers, separated by commas
    #[arg(long, value_name = "CORE,..", value_delimiter = ',')]
    cores: Vec<usize>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl LimitedArgs {
    /// Becomes the command. Comes back only when that fails.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let limits = Limits {
            memory_bytes: self.memory_bytes,
            group: self.group,
            cores: self.cores,
        };
        let (program, arguments) = self.command.split_first().context("there is no command")?;
        let error = limits.become_limited(program, arguments);
        Err(error).with_context(|| format!("{} cannot be started", program.display()))
    }
}
