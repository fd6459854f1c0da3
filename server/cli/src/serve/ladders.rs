//! The ladders in a server's config file. A `[ladders.NAME]` table has the flags of
//! `ladder create`.

use std::path::Path;

use bridgemaster_proto::v1::Ladder;
use clap::{CommandFactory as _, Parser, error::ErrorKind};
use toml::{Table, Value};

use crate::{failure::misuse, ladder::LadderFlags, serve::settings::Settings};

/// Parses the ladders of the config file.
///
/// # Errors
/// Returns a misuse error if an entry is unknown, or its value is invalid.
pub(super) fn parse(settings: &Settings) -> anyhow::Result<Vec<Ladder>> {
    let path = settings.config.as_deref().unwrap_or(Path::new(""));
    let ladders = settings.ladders.iter();
    ladders.map(|(name, table)| ladder_of(path, name, table)).collect()
}

/// Parser for a ladder's flags. Each flag has the name of an entry.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, color = clap::ColorChoice::Never)]
struct Entries {
    #[command(flatten)]
    flags: LadderFlags,
}

/// Parses the ladder of this name.
///
/// # Errors
/// Returns an error if an entry is unknown, or its value is invalid.
fn ladder_of(path: &Path, name: &str, table: &Table) -> anyhow::Result<Ladder> {
    let invalid = |problem: String| {
        misuse(format!("--config {}: [ladders.{name}]: {problem}", path.display()))
    };
    let mut arguments = Vec::new();
    for (entry, value) in table {
        arguments.extend(flags(entry, value).map_err(invalid)?);
    }
    let entries = Entries::try_parse_from(arguments).map_err(|error| {
        let text = match error.kind() {
            ErrorKind::MissingRequiredArgument => "a required entry is missing".to_owned(),
            _ => error.render().to_string(),
        };
        let message = text.lines().take_while(|line| !line.is_empty());
        let message: Vec<&str> = message.map(str::trim).collect();
        invalid(message.join(" ").trim_start_matches("error: ").to_owned())
    })?;
    let ladder = entries.flags.ladder(name.to_owned());
    ladder.map_err(|error| invalid(error.to_string()))
}

/// Returns the command-line arguments that correspond to an entry.
fn flags(entry: &str, value: &Value) -> Result<Vec<String>, String> {
    let command = Entries::command();
    let names: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(|long| long.replace('-', "_"))
        .collect();
    if !names.iter().any(|name| name == entry) {
        return Err(format!("unknown entry {entry:?}; valid entries are {}", names.join(", ")));
    }
    let flag = format!("--{}", entry.replace('_', "-"));
    let one = |value: &Value| match value {
        Value::String(text) => Ok(format!("{flag}={text}")),
        Value::Integer(number) => Ok(format!("{flag}={number}")),
        Value::Float(number) => Ok(format!("{flag}={number}")),
        other => Err(format!("{entry}: a value of type {} is not valid here", other.type_str())),
    };
    match value {
        Value::Boolean(true) => Ok(vec![flag]),
        Value::Boolean(false) => Ok(Vec::new()),
        Value::Array(values) => values.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{LadderReplays, TimeControl};

    use super::*;

    fn ladder(text: &str) -> Result<Ladder, String> {
        let table: Table = text.parse().unwrap();
        let path = Path::new("server.toml");
        ladder_of(path, "class", &table).map_err(|error| error.to_string())
    }

    #[test]
    fn entries_are_the_flags_of_ladder_create() {
        let parsed = ladder(
            "game = \"alhambra\"\nseats = 3\ntime_control = \"60/1\"\nhouse_bot = [\"greedy@1\", \"random\"]\n\
             owners_apart = true\nask_forced = false\nreplays = \"after-season\"\n\
             confidence = 0.9\n",
        );
        let ladder = parsed.unwrap();
        let config = ladder.config.unwrap();
        assert_eq!((ladder.ladder_id.as_str(), config.seats), ("class", 3));
        let control = config.clock.unwrap().time_control;
        assert_eq!(control, Some(TimeControl::fischer(60_000, 0, 1000)));
        assert_eq!(ladder.house_bots, ["greedy@1", "random"]);
        assert!(ladder.owners_apart && !config.ask_forced);
        assert_eq!(ladder.replays, LadderReplays::AfterSeason as i32);
    }

    #[test]
    fn an_error_names_the_ladder_and_the_entry() {
        for (text, expected) in [
            ("colour = 1", "[ladders.class]: unknown entry \"colour\"; valid entries are "),
            ("server = \"x\"", "unknown entry \"server\""),
            ("game = \"chess\"", "--game"),
            ("seats = 9", "--seats 9"),
            ("seats = \"many\"", "--seats"),
            ("seed = \"s\"", "--seed"),
            ("game = { name = 1 }", "game: a value of type table is not valid here"),
            ("replays = \"mine\"", "after-season"),
        ] {
            let problem = ladder(text).unwrap_err();
            assert!(problem.contains(expected), "{expected} is not in {problem}");
        }
    }
}
