//! Writes `docs/reference/commands.md`, the page with every command and flag, from the command
//! line's own help.

use std::{env, ffi::OsStr, fmt::Write as _, fs};

use clap::{Arg, Command, CommandFactory as _};

use crate::CommandLine;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");
const HEAD: &str = "# Commands\n\n\
    Every command and flag, as `--help` shows them. This page is generated:\n\
    `BLESS=1 cargo test -p bridgemaster --bin bridgemaster commands_page` writes it.\n";

/// The text in one cell of a table, with its paragraphs as sentences.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('<', "&lt;");
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        words.join(" ").trim_end_matches('.').to_owned()
    });
    paragraphs.collect::<Vec<_>>().join(". ")
}

fn row(page: &mut String, arg: &Arg) {
    let mut name =
        arg.get_long().map_or_else(|| String::from("argument"), |long| format!("`--{long}`"));
    if arg.is_positional() {
        name = format!("`{}`", arg.get_id().as_str().to_uppercase());
    } else if let Some(short) = arg.get_short() {
        name = format!("`-{short}`, {name}");
    }
    let takes_value = arg.get_action().takes_values();
    if takes_value
        && !arg.is_positional()
        && let Some(values) = arg.get_value_names()
    {
        let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
        let _ = write!(name, " `{}`", values.join(" "));
    }
    let mut help = arg
        .get_long_help()
        .or(arg.get_help())
        .map_or_else(String::new, |help| cell(&help.to_string()));
    let defaults: Vec<_> =
        arg.get_default_values().iter().filter_map(|value| value.to_str()).collect();
    if takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(help, " [default: {}]", cell(&defaults.join(" ")));
    }
    let values: Vec<_> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if takes_value && !values.is_empty() && !arg.is_hide_possible_values_set() {
        let _ = write!(help, " [{}]", values.join(", "));
    }
    if let Some(variable) = arg.get_env().and_then(OsStr::to_str)
        && !help.contains("[env:")
    {
        let _ = write!(help, " [env: {variable}]");
    }
    let _ = writeln!(page, "| {} | {help} |", name.replace('|', "\\|"));
}

/// Adds a command, and its subcommands after it.
fn section(page: &mut String, path: &str, command: &Command) {
    let about = command.get_about().map_or_else(String::new, ToString::to_string);
    let _ = write!(page, "\n## {path}\n\n{}.\n", cell(&about));
    let hidden = ["help", "version"];
    let args: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !hidden.contains(&arg.get_id().as_str()))
        .collect();
    if !args.is_empty() {
        page.push_str("\n| flag | effect |\n|---|---|\n");
        args.into_iter().for_each(|arg| row(page, arg));
    }
    for subcommand in command.get_subcommands().filter(|each| !each.is_hide_set()) {
        section(page, &format!("{path} {}", subcommand.get_name()), subcommand);
    }
}

#[test]
fn the_page_of_commands_has_every_command_and_flag() {
    let mut page = String::from(HEAD);
    let command_line = CommandLine::command();
    for command in command_line.get_subcommands() {
        section(&mut page, &format!("bridgemaster {}", command.get_name()), command);
    }
    if env::var_os("BLESS").is_some() {
        fs::write(PAGE, &page).unwrap();
    }
    assert!(
        fs::read_to_string(PAGE).unwrap() == page,
        "docs/reference/commands.md is out of date; write it with `BLESS=1 cargo test -p \
         bridgemaster --bin bridgemaster commands_page`"
    );
}
