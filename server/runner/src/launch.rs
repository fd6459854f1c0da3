//! How the bots of a contest are started.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bridgemaster_bot_process::{BotCommand, BotGroup, BotGroups, Limits, is_program};
use bridgemaster_contest::schedule::BotNumber;

use crate::{
    ContestSpec, MatchNumber, Player, SpecError,
    pinning::{Pinning, concurrency},
    seeds,
};

/// The newest version of every built-in bot.
const NEWEST_VERSION: u32 = 1;

/// The built-in bots and the program that has them.
#[derive(Clone, Debug)]
pub struct BuiltInBots {
    /// The program; `bot NAME --seed SEED` are its arguments, and for a bot with limits
    /// `limited --memory-bytes=BYTES --group=FOLDER --cores=CORE -- COMMAND`.
    pub program: PathBuf,
    /// Their names.
    pub names: Vec<String>,
}

/// What a bot is started for.
pub(crate) struct Start<'a> {
    pub(crate) of: MatchNumber,
    pub(crate) group_seed: &'a str,
    pub(crate) seat: usize,
    /// The place of the match among those that are played at once, from 0.
    pub(crate) place: usize,
}

/// Starts the bots of a contest.
#[derive(Debug)]
pub(crate) struct Launch {
    players: Vec<(String, Player)>,
    built_in: BuiltInBots,
    key: Option<(&'static str, String)>,
    most_memory_bytes: Option<u64>,
    /// Where the kernel counts the memory of a bot with all that it starts, if it does so for us.
    groups: Option<BotGroups>,
    pinning: Option<Pinning>,
}

impl Launch {
    /// Makes sure that all bots can be started: built-in ones are known, and programs are found.
    pub(crate) fn new(spec: &ContestSpec, built_in: BuiltInBots) -> Result<Self, SpecError> {
        let mut players = Vec::new();
        for bot in &spec.bots {
            let player = bot.player()?;
            let problem = |problem: String| {
                Err(SpecError::Bot {
                    bot: bot.name.clone(),
                    problem,
                })
            };
            match &player {
                Player::Command(words) => {
                    let program = words.first().map_or("", String::as_str);
                    if !is_program(program) {
                        return Err(SpecError::NoProgram {
                            bot: bot.name.clone(),
                            program: program.to_owned(),
                        });
                    }
                }
                Player::BuiltIn { name, version } => {
                    if !built_in.names.contains(name) {
                        return problem(format!(
                            "it has no command, and there is no built-in bot {name:?}; there are: \
                             {}",
                            built_in.names.join(", ")
                        ));
                    }
                    if version.is_some_and(|version| version != NEWEST_VERSION) {
                        return problem(format!(
                            "this program has version {NEWEST_VERSION} of {name} only"
                        ));
                    }
                }
                Player::Attending(_) => {}
            }
            players.push((bot.name.clone(), player));
        }
        if spec.bot_memory_bytes.is_some() && !Limits::are_supported() {
            return Err(SpecError::NotHere("bot_memory_bytes"));
        }
        Ok(Self {
            players,
            built_in,
            key: None,
            most_memory_bytes: spec.bot_memory_bytes,
            groups: None,
            pinning: Pinning::of(spec)?,
        })
    }

    /// Gives the API key to the bots too, in the variable of this name.
    pub(crate) fn with_key(mut self, variable: &'static str, key: Option<String>) -> Self {
        self.key = key.map(|key| (variable, key));
        self
    }

    /// Puts each bot with a limit of memory into a group of the kernel, where it may.
    pub(crate) fn with_groups(mut self) -> Self {
        self.groups = self.most_memory_bytes.and_then(|_| BotGroups::open());
        self
    }

    /// The name of a bot.
    pub(crate) fn name(&self, bot: BotNumber) -> &str {
        self.players.get(bot).map_or("", |(name, _)| name)
    }

    /// The name by which a bot attends the queue of the contest; `None` for one that is started.
    pub(crate) fn attends(&self, bot: BotNumber) -> Option<&str> {
        match self.players.get(bot) {
            Some((_, Player::Attending(name))) => Some(name),
            _ => None,
        }
    }

    /// Matches that are played at once.
    pub(crate) fn concurrency(&self, spec: &ContestSpec) -> usize {
        concurrency(spec, self.pinning.as_ref())
    }

    /// The command that starts a bot for a seat of a match. Built-in bots draw their chance from
    /// the seed of the group, so that the match can be played again as it was.
    pub(crate) fn command(&self, bot: BotNumber, to: &Start<'_>) -> BotCommand {
        let built_in = self.built_in.program.as_os_str();
        let words: Vec<OsString> = match self.players.get(bot).map(|(_, player)| player) {
            Some(Player::BuiltIn { name, .. }) => {
                let seed = seeds::of_built_in_bot(to.group_seed, to.of, to.seat);
                let arguments = ["bot", name, "--seed", &seed].map(OsString::from);
                [built_in.to_owned()].into_iter().chain(arguments).collect()
            }
            Some(Player::Command(words)) => words.iter().map(OsString::from).collect(),
            Some(Player::Attending(_)) | None => Vec::new(),
        };
        let group = self.group();
        let mut words = self.limits(to, group.as_ref()).into_iter().chain(words);
        let command = BotCommand::new(words.next().unwrap_or_default())
            .with(words)
            .in_own_group()
            .measured(self.most_memory_bytes)
            .in_group(group.map(Arc::new));
        match &self.key {
            Some((variable, key)) => command.with_variable(variable, key),
            None => command,
        }
    }

    /// A group for a bot. Where none can be made, the limits of its processes hold, and it is
    /// watched as everywhere.
    fn group(&self) -> Option<BotGroup> {
        let bytes = self.most_memory_bytes?;
        self.groups.as_ref()?.group(bytes).ok()
    }

    /// The words before a command that give it its limits; none without limits.
    fn limits(&self, to: &Start<'_>, group: Option<&BotGroup>) -> Vec<OsString> {
        let pinning = self.pinning.as_ref();
        let core = pinning.and_then(|pinning| pinning.core(to.place, to.seat));
        let core = core.map(|core| format!("--cores={core}"));
        let memory = self.most_memory_bytes;
        let memory = memory.map(|bytes| format!("--memory-bytes={bytes}"));
        let flags = memory.into_iter().chain(core).map(OsString::from);
        let mut flags: Vec<OsString> = flags.collect();
        if let Some(group) = group {
            flags.extend(["--group".into(), group.folder().into()]);
        }
        if flags.is_empty() {
            return Vec::new();
        }
        let program = self.built_in.program.clone().into_os_string();
        let words = [program, "limited".into()].into_iter();
        words.chain(flags).chain(["--".into()]).collect()
    }
}
