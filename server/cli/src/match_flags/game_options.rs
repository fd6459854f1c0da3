//! Flags for the options that games define.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use bridgemaster_games::{GAME_IDS, Game, OptionError, OptionSource, SeatCount, with_game};
use bridgemaster_proto::{games::WireGame, v1::GameConfig};
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use crate::{failure::misuse, input_file};

/// Maximum size of an option's file, in bytes. It is the size limit for a request to a server.
const MAX_OPTION_FILE_BYTES: u64 = 256 * 1024;

/// Game options given on the command line, as names and values.
pub(super) struct GameOptions(Vec<(&'static str, String)>);

/// A command-line flag. The help describes the option for each game that defines it.
struct Flag {
    name: &'static str,
    value_name: &'static str,
    help: String,
}

/// Returns all games' flags. An option that several games have is one flag.
fn flags() -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    for game in GAME_IDS {
        for option in with_game!(*game, G => G::options()).unwrap_or_default() {
            let help = format!("{game}: {}", option.help);
            match flags.iter_mut().find(|flag| flag.name == option.name) {
                Some(flag) => {
                    flag.help.push('\n');
                    flag.help.push_str(&help);
                }
                None => flags.push(Flag {
                    name: option.name,
                    value_name: option.value_name,
                    help,
                }),
            }
        }
    }
    flags
}

impl Args for GameOptions {
    fn augment_args(command: Command) -> Command {
        let names: Vec<&str> = flags().into_iter().map(|flag| flag.name).collect();
        // The group has the name that clap's derive would choose, so other flags can conflict with
        // the whole group.
        let group = ArgGroup::new("GameOptions").multiple(true).args(names);
        let args = flags().into_iter().map(|flag| {
            Arg::new(flag.name)
                .long(flag.name)
                .value_name(flag.value_name)
                .help_heading("Game")
                .help(flag.help)
        });
        command.args(args).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GameOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = flags()
            .into_iter()
            .filter_map(|flag| Some((flag.name, matches.get_one::<String>(flag.name)?.clone())));
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl GameOptions {
    /// Returns a game's config with these options.
    pub(super) fn config(&self, game: &str, seats: SeatCount) -> anyhow::Result<GameConfig> {
        with_game!(game, G => self.game_config::<G>(seats))
            .with_context(|| format!("unknown game {game}"))?
    }

    /// Returns a game's options as text, with the content of any files.
    pub(super) fn texts(&self, game: &str) -> anyhow::Result<BTreeMap<String, String>> {
        with_game!(game, G => self.texts_of::<G>())
            .with_context(|| format!("unknown game {game}"))?
    }

    fn texts_of<G: Game>(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let mut texts = BTreeMap::new();
        for (name, value) in &self.0 {
            // Validate the option here, so that an error names the flag.
            set::<G>(&mut G::Config::default(), name, value)?;
            let (text, _) = text_of::<G>(name, value)?;
            texts.insert((*name).to_owned(), text);
        }
        Ok(texts)
    }

    fn game_config<G: WireGame>(&self, seats: SeatCount) -> anyhow::Result<GameConfig> {
        let mut config = G::Config::default();
        for (name, value) in &self.0 {
            set::<G>(&mut config, name, value)?;
        }
        G::check_config(&config, seats).map_err(|error| misuse(error.to_string()))?;
        Ok(G::config_to_wire(&config))
    }
}

fn set<G: Game>(config: &mut G::Config, name: &str, value: &str) -> anyhow::Result<()> {
    let (text, is_file) = text_of::<G>(name, value)?;
    G::set_option(config, name, &text).map_err(|error| {
        misuse(match error {
            OptionError::Value { name, problem } if is_file => {
                format!("--{name} {value}: {problem}")
            }
            other => format!("--{other}"),
        })
    })
}

/// Returns an option's value as text, and whether it was read from a file.
fn text_of<G: Game>(name: &str, value: &str) -> anyhow::Result<(String, bool)> {
    let mut options = G::options().into_iter();
    let option = options.find(|option| option.name == name);
    let is_file = option.is_some_and(|option| option.source == OptionSource::File);
    let text = if is_file {
        input_file::read_text(Path::new(value), MAX_OPTION_FILE_BYTES)
            .map_err(|error| misuse(format!("--{name}: {error:#}")))?
    } else {
        value.to_owned()
    };
    Ok((text, is_file))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::{Arg, Command, CommandFactory as _};

    use crate::CommandLine;

    /// `clap` panics at run time when two flags of a command have the same name.
    #[test]
    fn no_option_of_a_game_has_the_name_of_another_flag() {
        check_flags(&CommandLine::command());
    }

    fn check_flags(command: &Command) {
        let mut names = HashSet::from(["help"]);
        for name in command.get_arguments().filter_map(Arg::get_long) {
            let command = command.get_name();
            assert!(names.insert(name), "{command} has two flags --{name}");
        }
        command.get_subcommands().for_each(check_flags);
    }
}
