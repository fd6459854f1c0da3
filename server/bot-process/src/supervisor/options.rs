//! A supervisor's arguments: the stage, the limits and the bot's command.

use std::ffi::OsString;

use crate::{Isolation, Limits};

/// The first argument that makes a program supervise a bot.
pub const SUPERVISOR_COMMAND: &str = "limited";

/// A stage in the start of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Creates the namespaces, starts the next stage, and ends all of the bot's processes when the
    /// supervisor's parent ends.
    Supervisor,
    /// Runs as PID 1 of the namespace: starts the bot and reaps orphans.
    Init,
    /// Executes the bot's program in this process.
    Program,
}

/// The options with which a stage is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SupervisorOptions {
    pub(crate) stage: Stage,
    pub(crate) may_use_namespaces: bool,
    /// The weakest isolation that is accepted.
    pub(crate) min_isolation: Isolation,
    /// True if the bot's programs can change their user, as `sudo` does.
    pub(crate) may_gain_privileges: bool,
    pub(crate) limits: Limits,
    /// The program and its arguments; never empty.
    pub(crate) command: Vec<OsString>,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Supervisor, Self::Init, Self::Program];

    const fn name(self) -> &'static str {
        match self {
            Self::Supervisor => "supervisor",
            Self::Init => "init",
            Self::Program => "program",
        }
    }
}

impl SupervisorOptions {
    /// Encodes the options as arguments.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let stage = format!("--stage={}", self.stage.name());
        let min_isolation = format!("--min-isolation={}", self.min_isolation.name());
        let mut arguments: Vec<OsString> = vec![
            SUPERVISOR_COMMAND.into(),
            stage.into(),
            min_isolation.into(),
        ];
        if self.may_use_namespaces {
            arguments.push("--namespaces".into());
        }
        if self.may_gain_privileges {
            arguments.push("--may-gain-privileges".into());
        }
        arguments.extend(self.limits.arguments());
        arguments.push("--".into());
        arguments.extend(self.command.iter().cloned());
        arguments
    }

    /// Parses the arguments after [`SUPERVISOR_COMMAND`]. Returns `None` if they are invalid.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut stage = None;
        let mut may_use_namespaces = false;
        let mut min_isolation = Isolation::ProcessGroup;
        let mut may_gain_privileges = false;
        let mut limits = Limits::default();
        loop {
            let argument = arguments.next()?;
            let text = argument.to_str()?;
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            match name {
                "--stage" => stage = Stage::ALL.into_iter().find(|one| one.name() == value),
                "--namespaces" => may_use_namespaces = true,
                "--min-isolation" => min_isolation = Isolation::from_name(value)?,
                "--may-gain-privileges" => may_gain_privileges = true,
                "--" => break,
                name => limits.parse_argument(name, value)?,
            }
        }
        let command: Vec<OsString> = arguments.collect();
        (!command.is_empty()).then_some(Self {
            stage: stage?,
            may_use_namespaces,
            min_isolation,
            may_gain_privileges,
            limits,
            command,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_a_round_trip_through_arguments() {
        for stage in Stage::ALL {
            let options = SupervisorOptions {
                stage,
                may_use_namespaces: stage == Stage::Supervisor,
                min_isolation: Isolation::PidNamespace,
                may_gain_privileges: stage == Stage::Program,
                limits: Limits {
                    memory_bytes: Some(1 << 28),
                    group: Some("/sys/fs/cgroup/a b=c".into()),
                    cores: vec![0, 3],
                },
                command: ["bot", "--", "--stage=init", ""].map(OsString::from).into(),
            };
            let mut arguments = options.arguments().into_iter();
            assert_eq!(arguments.next().unwrap(), SUPERVISOR_COMMAND);
            assert_eq!(SupervisorOptions::parse(arguments), Some(options));
        }
    }

    #[test]
    fn other_arguments_are_rejected() {
        for arguments in [
            "",
            "--stage=init",
            "--stage=init --",
            "--stage=other -- bot",
            "-- bot",
            "--stage=init --memory-bytes=x -- bot",
            "--stage=init --unknown -- bot",
        ] {
            let words = arguments.split_whitespace().map(OsString::from);
            assert_eq!(SupervisorOptions::parse(words), None, "{arguments}");
        }
    }
}
