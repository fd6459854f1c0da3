//! `--bot-env`: environment variables that are passed to bots.

use std::ffi::OsString;

use bridgemaster_bot_process::{BotCommand, read_variable};
use clap::Args;

use super::failure::misuse;

#[derive(Args)]
pub(super) struct BotEnvFlag {
    /// Pass this environment variable to bots (repeatable)
    ///
    /// Bots get only PATH, LANG, LC_*, TZ, VIRTUAL_ENV and the variables of language runtimes, with
    /// a private HOME and TMPDIR, so that no secret reaches them. Name other variables that bots
    /// need, such as CUDA_VISIBLE_DEVICES. OMP_NUM_THREADS and similar variables are 1 unless
    /// passed.
    #[arg(long = "bot-env", value_name = "NAME")]
    names: Vec<String>,
}

impl BotEnvFlag {
    /// Reads the values of the variables.
    pub(super) fn read(&self) -> anyhow::Result<BotEnv> {
        let variables = self.names.iter().map(|name| {
            let value = read_variable(name);
            let value = value.map_err(|error| misuse(format!("--bot-env: {error}")))?;
            Ok((name.clone(), value))
        });
        Ok(BotEnv(variables.collect::<anyhow::Result<_>>()?))
    }
}

/// Variables for bots, with their values.
pub(super) struct BotEnv(Vec<(String, OsString)>);

impl BotEnv {
    /// Adds the variables to a bot's command.
    pub(super) fn pass_to(&self, command: BotCommand) -> BotCommand {
        let variables = self.0.iter();
        variables.fold(command, |command, (name, value)| {
            command.with_variable(name, value)
        })
    }
}
