//! The real binary with a PostgreSQL database in place of a data folder.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Output, Stdio},
};

use libtest_mimic::{Completion, Failed, Trial};

use crate::postgres_server::{self, PostgresServer};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let trial = Trial::ignorable_test(
        "postgres_store::has_the_matches_of_a_killed_server_and_belongs_to_the_newest",
        || match postgres_server::absent() {
            Some(absent) => Ok(Completion::ignored_with(absent)),
            None => {
                has_the_matches_of_a_killed_server_and_belongs_to_the_newest()?;
                Ok(Completion::Completed)
            }
        },
    );
    std::iter::once(trial)
}

/// A server, killed when dropped.
struct Served {
    process: Child,
    url: String,
}

impl Served {
    fn start(store: &str) -> Result<Self, Failed> {
        let mut process = bridgemaster(&["serve", "--listen", "127.0.0.1:0", "--no-page"])
            .args(["--require-keys", "--store", store])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("it has an output")?;
        BufReader::new(output).read_line(&mut line)?;
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let url = url.ok_or_else(|| format!("the server did not come up: {line}"))?;
        let url = url.to_owned();
        Ok(Self { process, url })
    }

    /// Waits for its end by itself, and gives what it said.
    fn end(mut self) -> Result<String, Failed> {
        let mut said = String::new();
        let errors = self.process.stderr.as_mut().ok_or("it has errors")?;
        errors.read_to_string(&mut said)?;
        assert!(!self.process.wait()?.success(), "{said}");
        Ok(said)
    }

    fn call(&self, key: &str, words: &[&str]) -> Result<Output, Failed> {
        let output = bridgemaster(words)
            .env("BRIDGEMASTER_SERVER", &self.url)
            .env("BRIDGEMASTER_KEY", key)
            .output()?;
        Ok(output)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn bridgemaster(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    command.args(words).env_remove("RUST_LOG");
    command.stdin(Stdio::null());
    command
}

fn has_the_matches_of_a_killed_server_and_belongs_to_the_newest() -> Result<(), Failed> {
    let store = PostgresServer::shared().fresh();
    let made = bridgemaster(&["key", "add", "referee", "--scope", "create"])
        .args(["--scope", "read", "--store", &store])
        .output()?;
    assert!(made.status.success(), "{made:?}");
    let key = String::from_utf8(made.stdout)?.trim().to_owned();

    let mut first = Served::start(&store)?;
    let created = first.call(&key, &["match", "create", "--seats", "2", "--json"])?;
    assert!(created.status.success(), "{created:?}");
    let created: serde_json::Value = serde_json::from_slice(&created.stdout)?;
    let match_id = created["match"]["matchId"]
        .as_str()
        .ok_or("a match has an id")?;
    first.process.kill()?;
    first.process.wait()?;

    let second = Served::start(&store)?;
    let listed = second.call(&key, &["match", "list", "--json"])?;
    let listed = String::from_utf8(listed.stdout)?;
    assert!(listed.contains(match_id), "{listed}");

    let third = Served::start(&store)?;
    let refused = second.call(&key, &["match", "create", "--seats", "2"])?;
    assert!(!refused.status.success(), "{refused:?}");
    let said = second.end()?;
    assert!(said.contains("taken over by another server"), "{said}");
    let listed = third.call(&key, &["match", "list", "--json"])?;
    let listed = String::from_utf8(listed.stdout)?;
    assert_eq!(listed.matches(match_id).count(), 1, "{listed}");
    Ok(())
}
