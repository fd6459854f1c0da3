//! The second process. Its arguments select what it does.

use std::{
    io::{self, Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use bridgemaster_store::{DataDir, SqliteOptions, SqliteStore};

/// The first argument of a second process.
pub(crate) const MARK: &str = "--as-second-process";

/// Opens the store, prints `open`, and holds it until the end of its input.
pub(crate) const HOLD: &str = "hold";
/// The line that is printed once the store is open.
pub(crate) const OPEN: &str = "open";

pub(crate) fn run(words: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    runtime.block_on(async {
        match words[..] {
            [HOLD, folder] => hold(folder).await,
            _ => panic!("{words:?}"),
        }
    });
}

/// Runs this program as a second process.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(MARK).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

async fn hold(folder: &str) {
    let dir = DataDir::prepare(folder);
    let opened = match dir {
        Ok(dir) => SqliteStore::open(&dir, SqliteOptions::default()).await,
        Err(error) => Err(error),
    };
    match opened {
        Ok(_store) => {
            say(OPEN);
            io::stdin().read_to_end(&mut Vec::new()).unwrap();
        }
        Err(error) => say(&error.to_string()),
    }
}

/// Prints a line and flushes it.
fn say(line: &str) {
    println!("{line}");
    #[allow(clippy::disallowed_methods, reason = "the line is the test's own")]
    io::stdout().flush().unwrap();
}
