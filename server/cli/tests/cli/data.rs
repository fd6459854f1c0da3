//! `data`: a data folder is checked, backed up and restored, and a match is removed from it.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    program::{Ran, run, succeed, words},
    served_match::Served,
};

/// A server with a match that has ended and one that waits.
struct Fixture {
    folder: TempDir,
    server: Option<Served>,
    ended: String,
    waiting: String,
}

impl Fixture {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut this = Self {
            folder,
            server: None,
            ended: String::new(),
            waiting: String::new(),
        };
        this.serve("data");
        // Nobody comes, so the house plays it at once.
        this.ended = this.create(&["--startup-ms", "1"]);
        succeed(["match", "watch", &this.ended, "--server", this.url()]);
        this.waiting = this.create(&["--startup-ms", "3600000"]);
        this
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    fn serve(&mut self, data: &str) {
        let (data, replays) = (self.path(data), self.path("replays"));
        let flags = ["--data", &data, "--replays", &replays, "--drain-time", "0"];
        self.server = Some(Served::start(&flags));
    }

    fn url(&self) -> &str {
        &self.server.as_ref().unwrap().url
    }

    fn create(&self, flags: &[&str]) -> String {
        let create = [
            "match",
            "create",
            "--server",
            self.url(),
            "--seats",
            "2",
            "--json",
        ];
        let made = succeed(create.iter().chain(flags));
        let made: Value = serde_json::from_str(&made).unwrap();
        made["match"]["matchId"].as_str().unwrap().to_owned()
    }

    fn stop(&mut self) {
        self.server.take().unwrap().stop();
    }

    fn data(&self, arguments: &[&str]) -> Ran {
        run(["data"].iter().chain(arguments))
    }

    /// Runs a command that must succeed, and gives what it printed.
    fn good(&self, arguments: &[&str]) -> String {
        let ran = self.data(arguments);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must fail with these words.
    fn bad(&self, arguments: &[&str], code: i32, words: &[&str]) {
        let ran = self.data(arguments);
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {said}");
        for words in words {
            assert!(said.contains(words), "{words:?} is not in: {said}");
        }
    }
}

/// Runs a statement on a database behind the back of the program.
pub(crate) fn alter(folder: &str, sql: &'static str) {
    let database = Connection::open(Path::new(folder).join("bridgemaster.db")).unwrap();
    assert_eq!(database.execute(sql, ()).unwrap(), 1, "{sql}");
    database.close().unwrap();
}

const DAMAGE: &str = "UPDATE finished_match SET ended_at_unix_ms = ended_at_unix_ms + 1";

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_check_finds_a_whole_folder_whole_and_names_what_is_damaged() {
    let mut fixture = Fixture::make();
    let (data, replays) = (fixture.path("data"), fixture.path("replays"));
    let whole = "1 match in play, 1 finished, 0 keys";
    // Beside the server, too.
    let said = fixture.good(&["check", &data]);
    assert!(said.contains(whole), "{said}");
    fixture.stop();
    let check_all = ["check", &data, "--replays", &replays];
    let said = fixture.good(&check_all);
    assert!(
        said.contains(whole) && said.contains("no damage found"),
        "{said}"
    );

    let replay = format!("{}.replay.binpb", fixture.ended);
    fs::write(Path::new(&replays).join(&replay), "another").unwrap();
    fixture.bad(&check_all, 1, &[&replay, "differs from the replay"]);
    fs::remove_file(Path::new(&replays).join(&replay)).unwrap();
    fixture.bad(&check_all, 1, &[&replay, "is missing"]);

    alter(&data, DAMAGE);
    fixture.bad(
        &["check", &data],
        1,
        &["the summary of match", &fixture.ended],
    );
    alter(&data, "UPDATE open_match SET header = x'00'");
    let both = [&*fixture.ended, &*fixture.waiting, "the header of match"];
    fixture.bad(&["check", &data], 1, &both);

    fixture.bad(&["check", &fixture.path("none")], 2, &["no such folder"]);
    assert!(
        !Path::new(&fixture.path("none")).exists(),
        "nothing is made"
    );
}

#[test]
fn a_match_that_was_cancelled_lacks_no_replay_file() {
    let mut fixture = Fixture::make();
    let (data, replays) = (fixture.path("data"), fixture.path("replays"));
    succeed(words(&format!(
        "match cancel {} --server {}",
        fixture.waiting,
        fixture.url()
    )));
    fixture.stop();
    let check_all = ["check", &data, "--replays", &replays];
    let said = fixture.good(&check_all);
    assert!(said.contains("2 finished"), "{said}");

    let replay = format!("{}.replay.binpb", fixture.waiting);
    fs::write(Path::new(&replays).join(&replay), "").unwrap();
    fixture.bad(&check_all, 1, &[&replay, "was cancelled"]);
}

#[test]
fn a_backup_made_beside_a_server_is_restored_and_served() {
    let mut fixture = Fixture::make();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| fixture.path(name));
    let said = fixture.good(&["backup", &data, &backup]);
    assert!(said.contains("1 match in play, 1 finished"), "{said}");
    fixture.bad(&["backup", &data, &backup], 1, &["already exists"]);
    fixture.bad(
        &["restore", &backup, &data],
        1,
        &["in use by another server"],
    );
    // Made after the backup: it will not be there.
    let later = fixture.create(&[]);
    fixture.stop();

    fixture.good(&["restore", &backup, &restored]);
    for folder in [&backup, &restored] {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(Path::new(folder)), 0o700);
        for file in files(folder) {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
        fixture.good(&["check", folder]);
    }
    fixture.serve("restored");
    let output = succeed(["match", "watch", &fixture.ended, "--server", fixture.url()]);
    assert!(output.contains("ended"), "{output}");
    let unknown = run(["match", "watch", &later, "--server", fixture.url()]);
    assert!(unknown.err.contains("MATCH_UNKNOWN"), "{}", unknown.err);
    fixture.stop();

    let refused = ["already has a store", "bridgemaster.db", "--replace"];
    fixture.bad(&["restore", &backup, &data], 2, &refused);
    fixture.good(&["restore", &backup, &data, "--replace"]);
    fixture.good(&["check", &data]);
    let kept = files(&data)
        .into_iter()
        .find(|path| path.to_str().unwrap().contains("replaced-"));
    let kept = kept.expect("what was replaced is kept");
    let said = fixture.good(&["check", kept.to_str().unwrap()]);
    assert!(said.contains("2 matches in play"), "{said}");
}

#[test]
fn a_damaged_backup_is_not_restored_and_a_damaged_folder_not_backed_up_without_a_word() {
    let mut fixture = Fixture::make();
    fixture.stop();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| fixture.path(name));
    alter(&data, DAMAGE);
    let said = ["the summary of match", "contains the damaged values"];
    fixture.bad(&["backup", &data, &backup], 1, &said);
    fixture.bad(
        &["restore", &backup, &restored],
        1,
        &["the summary of match"],
    );
    assert!(!Path::new(&restored).join("bridgemaster.db").exists());
    fixture.bad(
        &["restore", &restored, &data, "--replace"],
        1,
        &["is not a backup"],
    );
    fixture.bad(&["check", &data], 1, &["1 finished"]);
}

#[test]
fn a_damaged_signing_key_is_dropped_and_another_takes_its_place() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let drop_key = ["drop", &data, "--signing-key"];
    fixture.bad(&drop_key, 1, &["in use by another server"]);
    fixture.stop();
    fixture.bad(&drop_key, 2, &["is not damaged"]);
    for damage in [
        "UPDATE secret SET value = x'00' WHERE name = 'replay_signing_key'",
        "UPDATE secret SET name = 'replay_signing_kez' WHERE name = 'replay_signing_key'",
    ] {
        alter(&data, damage);
        // With another key the replays would be those of another server, so that is not guessed.
        let refused = run(["serve", "--data", &data, "--listen", "127.0.0.1:0"]);
        assert_eq!(refused.code, Some(1), "{}", refused.err);
        assert!(refused.err.contains("signs replays"), "{}", refused.err);
        fixture.bad(&["check", &data], 1, &["data drop", "--signing-key"]);
        let said = fixture.good(&drop_key);
        assert!(said.contains("the next start creates a new key"), "{said}");
        fixture.good(&["check", &data]);
        fixture.serve("data");
        fixture.create(&["--startup-ms", "3600000"]);
        fixture.stop();
    }
}

#[test]
fn a_damaged_note_is_told_with_the_command_that_drops_it() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let create = [
        "match",
        "create",
        "--server",
        fixture.url(),
        "--idempotency-key",
        "one",
    ];
    let made = run(create);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let drop_notes = ["drop", &data, "--notes"];
    fixture.bad(&drop_notes, 1, &["in use by another server"]);
    fixture.stop();
    assert!(fixture.good(&drop_notes).contains("is damaged in"));
    alter(&data, "UPDATE record SET value = x'00'");
    fixture.serve("data");
    let create = [
        "match",
        "create",
        "--server",
        fixture.url(),
        "--idempotency-key",
        "one",
    ];
    let refused = run(create);
    assert!(refused.err.contains("DATA_DAMAGED"), "{}", refused.err);
    fixture.stop();
    fixture.bad(&["check", &data], 1, &["data drop", "--notes"]);
    assert!(
        fixture
            .good(&drop_notes)
            .contains("removed 1 damaged record")
    );
    fixture.good(&["check", &data]);
}

#[test]
fn a_damaged_note_of_a_group_that_is_not_over_is_dropped_and_its_chance_stays_secret() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let of_group = |place| ["--startup-ms", "1", "--reveal-with-group", "--group", place];
    let first = fixture.create(&of_group("g1=0/2"));
    succeed(["match", "watch", &first, "--server", fixture.url()]);
    let file = fixture.path("fetched");
    let fetch = |fixture: &Fixture| {
        run(words(&format!(
            "replay fetch {first} --server {} --out {file}",
            fixture.url()
        )))
    };
    for damage in [
        "UPDATE record SET value = zeroblob(5)",
        "UPDATE record SET name = 'grouq' || substr(name, 6)",
    ] {
        fixture.stop();
        alter(&data, damage);
        // While the record is damaged, and after it is dropped.
        for _ in 0..2 {
            fixture.serve("data");
            let refused = fetch(&fixture);
            assert!(refused.err.contains("GROUP_RUNNING"), "{}", refused.err);
            fixture.stop();
            fixture.good(&["drop", &data, "--notes"]);
        }
        fixture.good(&["check", &data]);
        fixture.serve("data");
    }
    let second = fixture.create(&of_group("g1=1/2"));
    succeed(["match", "watch", &second, "--server", fixture.url()]);
    let fetched = fetch(&fixture);
    assert_eq!(fetched.code, Some(0), "{}", fetched.err);
}

#[test]
fn a_match_is_dropped_from_a_folder_that_no_server_uses() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let (ended, waiting) = (fixture.ended.clone(), fixture.waiting.clone());
    let refused = ["in use by another server", "--drop-match"];
    fixture.bad(&["drop", &data, &waiting], 1, &refused);
    fixture.stop();
    fixture.bad(
        &["drop", &data, "0000000000000000"],
        2,
        &["0000000000000000"],
    );
    // Damaged ones, which a server would set aside.
    alter(&data, DAMAGE);
    alter(&data, "UPDATE open_match SET header = x'00'");
    for id in [&ended, &waiting] {
        fixture.bad(&["check", &data], 1, &[id]);
        let said = fixture.good(&["drop", &data, id]);
        assert!(said.contains(&**id), "{said}");
    }
    let said = fixture.good(&["check", &data]);
    assert!(said.contains("0 matches in play, 0 finished"), "{said}");
}

#[test]
fn a_copy_is_between_a_folder_and_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let database = "postgres://nobody:hush@127.0.0.1:1/none";
    let there = path("there");
    fs::create_dir(&there).unwrap();
    for (from, to, said) in [
        (&*there, &*path("to"), "data backup"),
        (database, database, "pg_dump"),
        (&path("missing"), database, "no such folder"),
    ] {
        let refused = run(["data", "copy", from, to]);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(refused.err.contains(said), "{}", refused.err);
    }
    let unreachable = run(["data", "copy", database, &path("to")]);
    assert_eq!(unreachable.code, Some(1), "{}", unreachable.err);
    assert!(
        unreachable.err.contains("127.0.0.1:1"),
        "{}",
        unreachable.err
    );
    assert!(!unreachable.err.contains("hush"), "{}", unreachable.err);
}
