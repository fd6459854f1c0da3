//! `[ladders.NAME]` of a config file: the flags of `ladder create`, by their names.

use std::path::Path;

use bridgemaster_proto::v1::Ladder;
use clap::{CommandFactory as _, Parser, error::ErrorKind};
use toml::{Table, Value};

use crate::{failure::misuse, ladder::LadderFlags};

/// The flags of a ladder, from the entries of a table.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, color = clap::ColorChoice::Never)]
struct Entries {
    #[command(flatten)]
    flags: LadderFlags,
}

/// The ladder of this name.
///
/// # Errors
/// When an entry is none, or its value cannot be used.
pub(super) fn read(path: &Path, name: &str, table: &Table) -> anyhow::Result<Ladder> {
    let refused = |problem: String| {
        misuse(format!(
            "--config {}: [ladders.{name}]: {problem}",
            path.display()
        ))
    };
    let mut arguments = Vec::new();
    for (entry, value) in table {
        arguments.extend(flags(entry, value).map_err(refused)?);
    }
    let entries = Entries::try_parse_from(arguments).map_err(|error| {
        let text = match error.kind() {
            ErrorKind::MissingRequiredArgument => "an entry is missing".to_owned(),
            _ => error.render().to_string(),
        };
        let told = text.lines().take_while(|line| !line.is_empty());
        let told: Vec<&str> = told.map(str::trim).collect();
        refused(told.join(" ").trim_start_matches("error: ").to_owned())
    })?;
    let ladder = entries.flags.ladder(name.to_owned());
    ladder.map_err(|error| refused(error.to_string()))
}

/// The flags that an entry stands for.
fn flags(entry: &str, value: &Value) -> Result<Vec<String>, String> {
    let command = Entries::command();
    let names: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(|long| long.replace('-', "_"))
        .collect();
    if !names.iter().any(|name| name == entry) {
        return Err(format!(
            "there is no entry {entry:?}; there are {}",
            names.join(", ")
        ));
    }
    let flag = format!("--{}", entry.replace('_', "-"));
    let one = |value: &Value| match value {
        Value::String(text) => Ok(format!("{flag}={text}")),
        Value::Integer(number) => Ok(format!("{flag}={number}")),
        Value::Float(number) => Ok(format!("{flag}={number}")),
        other => Err(format!("{entry}: a {} is no value of it", other.type_str())),
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
    #![allow(clippy::unwrap_used)]

    use bridgemaster_proto::v1::LadderReplays;

    use super::*;

    fn ladder(text: &str) -> Result<Ladder, String> {
        let table: Table = text.parse().unwrap();
        let path = Path::new("server.toml");
        read(path, "class", &table).map_err(|error| error.to_string())
    }

    #[test]
    fn entries_are_the_flags_of_ladder_create() {
        let read = ladder(
            "game = \"alhambra\"\nseats = 3\ncap_ms = 1000\nhouse_bot = [\"greedy@1\", \"random\"]\n\
             owners_apart = true\nask_forced = false\nreplays = \"after-season\"\n\
             confidence = 0.9\n",
        );
        let read = read.unwrap();
        let config = read.config.unwrap();
        assert_eq!((read.ladder_id.as_str(), config.seats), ("class", 3));
        assert_eq!(config.clock.unwrap().cap_ms, Some(1000));
        assert_eq!(read.house_bots, ["greedy@1", "random"]);
        assert!(read.owners_apart && !config.ask_forced);
        assert_eq!(read.replays, LadderReplays::AfterSeason as i32);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_ladder_and_the_entry() {
        for (text, told) in [
            (
                "colour = 1",
                "[ladders.class]: there is no entry \"colour\"; there are ",
            ),
            ("server = \"x\"", "there is no entry \"server\""),
            ("game = \"chess\"", "--game"),
            ("seats = 9", "--seats 9"),
            ("seats = \"many\"", "--seats"),
            ("seed = \"s\"", "--seed"),
            ("game = { name = 1 }", "game: a table is no value of it"),
            ("replays = \"mine\"", "after-season"),
        ] {
            let problem = ladder(text).unwrap_err();
            assert!(problem.contains(told), "{told} is not in {problem}");
        }
    }
}
