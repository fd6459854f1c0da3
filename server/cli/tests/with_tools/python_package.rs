//! Tests of the Python package: its unit tests, its wheel, and the examples in its README.

use std::{
    collections::HashSet,
    env,
    ffi::OsString,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::{
    must_succeed,
    python_bot::UNIT_TESTS,
    tool::{PYTHON, workspace},
};

const BRIDGEMASTER: &str = env!("CARGO_BIN_EXE_bridgemaster");

/// Versions of protobuf that `develop.py --with-checks` installs beside the one of the environment:
/// the oldest that the package allows, and one of the major version in between.
const OTHER_PROTOBUF: [&str; 2] = ["5.29.1", "6.33.6"];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let own_tests = trial("its_own_tests_pass".to_owned(), |python| {
        must_succeed(
            Command::new(python).args(UNIT_TESTS).current_dir(workspace().join("sdk/python")),
        )
    });
    let wheel = trial(
        "its_wheel_plays_a_match_in_an_empty_environment".to_owned(),
        its_wheel_plays_a_match,
    );
    let readmes = trial(
        "the_commands_of_the_readmes_play_matches".to_owned(),
        the_commands_of_the_readmes_play_matches,
    );
    let others = OTHER_PROTOBUF.map(|version| {
        let major = version.split('.').next().unwrap_or(version);
        trial(format!("it_plays_with_protobuf_{major}"), move |python| {
            it_plays_with_protobuf(python, version)
        })
    });
    let pythons = other_pythons().map(|version| {
        trial(format!("it_plays_with_python_{version}"), move |python| {
            let other = beside(python, "pythons")?.join(&version).join("bin/python");
            it_plays(Command::new(other))
        })
    });
    [own_tests, wheel, readmes].into_iter().chain(others).chain(pythons)
}

/// Returns the versions of the other interpreters that `develop.py --with-checks` has found.
fn other_pythons() -> impl Iterator<Item = String> {
    let named = env::var_os(PYTHON.variable).map(PathBuf::from);
    let python = named.unwrap_or_else(|| workspace().join(PYTHON.installed));
    let folder = beside(&python, "pythons").ok();
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let versions = entries.into_iter().flatten().filter_map(Result::ok);
    versions.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// Runs the unit tests that play.
fn it_plays(mut python: Command) -> Result<(), Failed> {
    must_succeed(
        python
            .args(["-m", "unittest", "tests.test_play", "tests.test_request"])
            .current_dir(workspace().join("sdk/python")),
    )
}

fn trial(name: String, test: impl FnOnce(&Path) -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::ignorable_test(format!("python_package::{name}"), move || PYTHON.with(test))
}

/// Runs the unit tests that play matches, with another version of protobuf first on the path.
fn it_plays_with_protobuf(python: &Path, version: &str) -> Result<(), Failed> {
    let packages = beside(python, "protobuf")?.join(version);
    let mut has_version = Command::new(python);
    has_version
        .args(["-c", "import sys, google.protobuf as p; sys.exit(p.__version__ != sys.argv[1])"]);
    must_succeed(has_version.arg(version).env("PYTHONPATH", &packages))?;
    let mut python = Command::new(python);
    python.env("PYTHONPATH", &packages);
    it_plays(python)
}

/// Installs the wheel that was built from the sdist, and plays a match with the bot of the README.
fn its_wheel_plays_a_match(python: &Path) -> Result<(), Failed> {
    let wheels = beside(python, "wheels")?;
    let folder = TempDir::new()?;
    let made = folder.path().join(".venv");
    must_succeed(Command::new(python).args(["-m", "venv", "--without-pip"]).arg(&made))?;
    let empty = made.join("bin/python");
    must_succeed(
        Command::new(python)
            .args(["-m", "pip", "--quiet", "--python"])
            .arg(&empty)
            .args(["install", "--no-compile", "--no-index", "--find-links"])
            .arg(&wheels)
            .arg("bridgemaster"),
    )?;
    let from =
        "import bridgemaster, sys; sys.exit(not bridgemaster.__file__.startswith(sys.prefix))";
    must_succeed(Command::new(&empty).args(["-c", from]))?;
    write_bot_of_readme(folder.path())?;
    must_succeed(
        Command::new(BRIDGEMASTER)
            .args(["demo", "--bots", "random,.venv/bin/python my_bot.py"])
            .current_dir(folder.path()),
    )
}

/// Runs the commands of the READMEs in a copy of the workspace, without a network. `cargo run` is
/// replaced by the tested program, and `python3` by the interpreter of the environment. Both
/// READMEs start by installing the package; the test installs it once.
fn the_commands_of_the_readmes_play_matches(python: &Path) -> Result<(), Failed> {
    let wheels = beside(python, "wheels")?;
    let folder = TempDir::new()?;
    for part in ["proto", "sdk/python", "bots/python"] {
        copy(&workspace().join(part), &folder.path().join(part))?;
    }
    write_bot_of_readme(folder.path())?;
    let programs = folder.path().join("programs");
    fs::create_dir(&programs)?;
    let run = format!("[ \"$1 $2\" = 'run --' ] && shift 2 && exec {BRIDGEMASTER} \"$@\"");
    write_program(&programs.join("cargo"), &run)?;
    write_program(&programs.join("python3"), &format!("exec {} \"$@\"", python.display()))?;
    let mut path = OsString::from(&programs);
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());

    let mut done = HashSet::new();
    for readme in ["sdk/python/README.md", "bots/python/README.md"] {
        let text = fs::read_to_string(workspace().join(readme))?;
        let commands = blocks(&text, "sh");
        if commands.is_empty() {
            return Err(format!("{readme} has no commands").into());
        }
        for command in commands.iter().flat_map(|block| block.lines()) {
            if !done.insert(command.to_owned()) {
                continue;
            }
            must_succeed(
                Command::new("sh")
                    .args(["-c", command])
                    .env("PATH", &path)
                    .env("PIP_NO_INDEX", "1")
                    .env("PIP_NO_COMPILE", "1")
                    .env("PIP_FIND_LINKS", &wheels)
                    .current_dir(folder.path()),
            )?;
        }
    }
    Ok(())
}

/// Returns a folder that `develop.py` has created in the environment of an interpreter.
fn beside(python: &Path, name: &str) -> Result<PathBuf, Failed> {
    let environment = python.parent().and_then(Path::parent);
    let folder = environment.map(|folder| folder.join(name)).filter(|folder| folder.is_dir());
    folder.ok_or_else(|| {
        let install = PYTHON.install;
        format!("{} has no folder {name}: run `{install} --with-checks`", python.display()).into()
    })
}

/// Writes the first program of the package's README to the file that it names.
fn write_bot_of_readme(folder: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(workspace().join("sdk/python/README.md"))?;
    let bot = blocks(&text, "python").into_iter().next().ok_or("the README shows a bot")?;
    assert!(bot.lines().count() <= 10, "it promises ten lines:\n{bot}");
    Ok(fs::write(folder.join("my_bot.py"), bot)?)
}

/// Returns the blocks of a Markdown text that are marked with a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    let parts = text.split(begin.as_str()).skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

fn write_program(file: &Path, body: &str) -> Result<(), Failed> {
    fs::write(file, format!("#!/bin/sh\n{body}\n"))?;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

/// Copies a folder without hidden files, such as environments, and without compiled Python files.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.starts_with('.') || text == "__pycache__" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
