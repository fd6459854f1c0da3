//! Builds the commands that start a contest's bots.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bridgemaster_bot_process::{
    BotCommand, BotGroups, Isolation, Limits, StartError, VariableError, program_path,
    read_variable, windows_line_endings,
};
use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_sdk::{Bot, KEY_VARIABLE};

use crate::{
    BotSpec, BuiltInBots, ContestSpec, MatchNumber, Player, ServerAddress, SpecError,
    cpu::{Pinning, concurrency},
    seeds,
};

/// The newest version of every built-in bot.
const NEWEST_VERSION: u32 = 1;

/// The seat for which a bot is started.
pub(crate) struct BotStart<'a> {
    pub(crate) of: MatchNumber,
    pub(crate) group_seed: &'a str,
    pub(crate) seat: usize,
    /// The match's slot among the concurrent matches, from 0.
    pub(crate) slot: usize,
}

/// Builds the commands for all bots in a contest.
#[derive(Debug)]
pub(crate) struct Launch {
    players: Vec<(String, Player)>,
    /// The additional environment variables, by bot.
    env: Vec<Vec<(String, OsString)>>,
    /// The environment variables for every bot: its API key, and the TLS files as absolute paths.
    credentials: Vec<(&'static str, OsString)>,
    built_in: BuiltInBots,
    max_memory_bytes: Option<u64>,
    /// The control groups that limit the memory of each bot, including its child processes; `None`
    /// if control groups are not available.
    groups: Option<BotGroups>,
    pinning: Option<Pinning>,
    reuses_bots: bool,
    min_isolation: Isolation,
    /// The contest's folder, which is hidden from the bots.
    folder: Option<PathBuf>,
}

impl Launch {
    /// Checks that all bots can be started: built-in bots exist and programs are found.
    pub(crate) fn new(spec: &ContestSpec, built_in: BuiltInBots) -> Result<Self, SpecError> {
        let (mut players, mut env) = (Vec::new(), Vec::new());
        for bot in &spec.bots {
            let player = bot.player()?;
            let problem = |problem: String| Err(bot.invalid(problem));
            match &player {
                Player::Command(words) => {
                    let program = words.first().map_or("", String::as_str);
                    if program_path(program).is_none() {
                        return Err(SpecError::NoProgram {
                            bot: bot.name.clone(),
                            program: program.to_owned(),
                        });
                    }
                }
                Player::BuiltIn { name, version } => {
                    if !built_in.names.contains(name) {
                        return problem(format!(
                            "it has no command, and {name:?} is not a built-in bot; built-in bots: {}",
                            built_in.names.join(", ")
                        ));
                    }
                    if version.is_some_and(|version| version != NEWEST_VERSION) {
                        return problem(format!(
                            "this program has only version {NEWEST_VERSION} of {name}"
                        ));
                    }
                }
                Player::Attending(_) => {}
            }
            env.push(given_variables(bot)?);
            players.push((bot.name.clone(), player));
        }
        if spec.bot_memory_bytes.is_some() && !Limits::are_supported() {
            return Err(SpecError::Unsupported("bot_memory_bytes"));
        }
        Ok(Self {
            players,
            env,
            credentials: Vec::new(),
            built_in,
            max_memory_bytes: spec.bot_memory_bytes,
            groups: None,
            pinning: Pinning::new(spec)?,
            reuses_bots: spec.reuse,
            min_isolation: Isolation::ProcessGroup,
            folder: None,
        })
    }

    /// Passes the server's credentials to the bots, and hides the contest's folder from them. Runs
    /// each bot that has a memory limit in a control group, if possible.
    pub(crate) fn on_server(
        mut self,
        server: &ServerAddress,
        folder: PathBuf,
        min_isolation: Isolation,
    ) -> Self {
        // A path that cannot be made absolute was refused earlier.
        let files = server.tls.variables().unwrap_or_default();
        self.credentials = files.into_iter().map(|(name, file)| (name, file.into())).collect();
        if let Some(key) = &server.bot_key {
            let key = key.metadata();
            // Keys are ASCII.
            let key = key.to_str().unwrap_or_default();
            self.credentials.push((KEY_VARIABLE, key.into()));
        }
        self.groups = self.max_memory_bytes.and_then(|_| BotGroups::open());
        self.min_isolation = min_isolation;
        self.folder = Some(folder);
        self
    }

    /// Returns a bot's name; empty for an unknown number.
    pub(crate) fn name(&self, bot: BotNumber) -> &str {
        self.players.get(bot).map_or("", |(name, _)| name)
    }

    /// Returns the name under which a bot attends the queue; `None` for a bot that the contest
    /// starts.
    pub(crate) fn attends(&self, bot: BotNumber) -> Option<&str> {
        match self.players.get(bot) {
            Some((_, Player::Attending(name))) => Some(name),
            _ => None,
        }
    }

    /// Returns an error if the bot's program is a script with Windows line endings.
    pub(crate) fn windows_line_endings(&self, bot: BotNumber) -> Option<StartError> {
        match self.players.get(bot) {
            Some((_, Player::Command(words))) => windows_line_endings(words.first()?.as_ref()),
            _ => None,
        }
    }

    /// Returns whether each process of a bot plays several matches.
    pub(crate) fn is_reused(&self, bot: BotNumber) -> bool {
        let player = self.players.get(bot).map(|(_, player)| player);
        self.reuses_bots && matches!(player, Some(Player::Command(_)))
    }

    /// Returns the core to which a seat's bot is pinned, if any.
    pub(crate) fn core(&self, to: &BotStart<'_>) -> Option<usize> {
        self.pinning.as_ref()?.core(to.slot, to.seat)
    }

    /// Creates the built-in bot of a seat and returns it with its name. Returns `None` for a bot
    /// that runs as a process. If there are resource limits, built-in bots run as processes too,
    /// since the limits apply to whole processes.
    pub(crate) fn built_in(
        &self,
        bot: BotNumber,
        to: &BotStart<'_>,
    ) -> Option<(&str, Box<dyn Bot>)> {
        let (_, Player::BuiltIn { name, .. }) = self.players.get(bot)? else {
            return None;
        };
        if self.max_memory_bytes.is_some() || self.pinning.is_some() {
            return None;
        }
        let seed = seeds::built_in_bot_seed(to.group_seed, to.of, to.seat);
        Some((name, (self.built_in.make)(name, &seed.parse().ok()?)?))
    }

    /// Returns the number of concurrent matches.
    pub(crate) fn concurrency(&self, spec: &ContestSpec) -> usize {
        concurrency(spec, self.pinning.as_ref())
    }

    /// Returns the command that starts a bot for a seat. A built-in bot's seed is derived from the
    /// group's seed, so that a repeated match has the same decisions.
    pub(crate) fn command(&self, bot: BotNumber, to: &BotStart<'_>) -> BotCommand {
        let built_in = self.built_in.program.as_os_str();
        let words: Vec<OsString> = match self.players.get(bot).map(|(_, player)| player) {
            Some(Player::BuiltIn { name, .. }) => {
                let seed = seeds::built_in_bot_seed(to.group_seed, to.of, to.seat);
                let arguments = ["bot", name, "--seed", &seed].map(OsString::from);
                [built_in.to_owned()].into_iter().chain(arguments).collect()
            }
            Some(Player::Command(words)) => words.iter().map(OsString::from).collect(),
            Some(Player::Attending(_)) | None => Vec::new(),
        };
        let mut words = words.into_iter();
        let mut command = BotCommand::new(words.next().unwrap_or_default())
            .with(words)
            .supervised(&self.built_in.program);
        command.limits = Limits {
            memory_bytes: self.max_memory_bytes,
            cores: self.core(to).into_iter().collect(),
            group: None,
        };
        command.is_measured = true;
        command.min_isolation = self.min_isolation;
        command.excluded.clone_from(&self.folder);
        // Without a control group, a bot has only per-process limits and monitoring.
        command.group = self
            .max_memory_bytes
            .zip(self.groups.as_ref())
            .and_then(|(bytes, groups)| groups.group(bytes).ok().map(Arc::new));
        let player = self.players.get(bot);
        command.has_working_copy = !matches!(player, Some((_, Player::BuiltIn { .. })));
        for (name, value) in self.env.get(bot).into_iter().flatten() {
            command = command.with_variable(name, value);
        }
        for (variable, value) in &self.credentials {
            command = command.with_variable(variable, value);
        }
        command
    }
}

/// Reads the environment variables that a bot's spec names.
fn given_variables(bot: &BotSpec) -> Result<Vec<(String, OsString)>, SpecError> {
    let names = bot.env.iter();
    let given = names.map(|name| Ok((name.clone(), read_variable(name)?)));
    given
        .collect::<Result<_, VariableError>>()
        .map_err(|error| bot.invalid(format!("env: {error}")))
}
