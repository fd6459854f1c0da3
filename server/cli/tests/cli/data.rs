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
    program::{Ran, run, signal, succeed},
    served_match::Served,
};

/// A server with a match that has ended and one that waits.
struct Scene {
    folder: TempDir,
    server: Option<Served>,
    ended: String,
    waiting: String,
}

impl Scene {
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
        succeed(["watch", &this.ended, "--server", this.url()]);
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
        let create = ["create", "--server", self.url(), "--seats", "2", "--json"];
        let made = succeed(create.iter().chain(flags));
        let made: Value = serde_json::from_str(&made).unwrap();
        made["match"]["matchId"].as_str().unwrap().to_owned()
    }

    fn stop(&mut self) {
        let mut server = self.server.take().unwrap();
        assert!(signal("-TERM", server.process.id()));
        assert_eq!(server.process.wait().unwrap().code(), Some(0));
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
    let mut scene = Scene::make();
    let (data, replays) = (scene.path("data"), scene.path("replays"));
    let whole = "1 match in play, 1 finished, 0 keys";
    // Beside the server, too.
    let said = scene.good(&["check", &data]);
    assert!(said.contains(whole), "{said}");
    scene.stop();
    let check_all = ["check", &data, "--replays", &replays];
    let said = scene.good(&check_all);
    assert!(said.contains(whole) && said.contains("whole"), "{said}");

    let replay = format!("{}.replay.binpb", scene.ended);
    fs::write(Path::new(&replays).join(&replay), "another").unwrap();
    scene.bad(&check_all, 1, &[&replay, "is not the replay"]);
    fs::remove_file(Path::new(&replays).join(&replay)).unwrap();
    scene.bad(&check_all, 1, &[&replay, "is missing"]);

    alter(&data, DAMAGE);
    scene.bad(
        &["check", &data],
        1,
        &["the summary of match", &scene.ended],
    );
    alter(&data, "UPDATE open_match SET header = x'00'");
    let both = [&*scene.ended, &*scene.waiting, "the header of match"];
    scene.bad(&["check", &data], 1, &both);

    scene.bad(&["check", &scene.path("none")], 2, &["there is no folder"]);
    assert!(!Path::new(&scene.path("none")).exists(), "nothing is made");
}

#[test]
fn a_match_that_was_cancelled_lacks_no_replay_file() {
    let mut scene = Scene::make();
    let (data, replays) = (scene.path("data"), scene.path("replays"));
    succeed(["cancel", &scene.waiting, "--server", scene.url()]);
    scene.stop();
    let check_all = ["check", &data, "--replays", &replays];
    let said = scene.good(&check_all);
    assert!(said.contains("2 finished"), "{said}");

    let replay = format!("{}.replay.binpb", scene.waiting);
    fs::write(Path::new(&replays).join(&replay), "").unwrap();
    scene.bad(&check_all, 1, &[&replay, "was cancelled"]);
}

#[test]
fn a_backup_made_beside_a_server_is_restored_and_served() {
    let mut scene = Scene::make();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| scene.path(name));
    let said = scene.good(&["backup", &data, &backup]);
    assert!(said.contains("1 match in play, 1 finished"), "{said}");
    scene.bad(&["backup", &data, &backup], 1, &["there is", "already"]);
    scene.bad(
        &["restore", &backup, &data],
        1,
        &["in use by another server"],
    );
    // Made after the backup: it will not be there.
    let later = scene.create(&[]);
    scene.stop();

    scene.good(&["restore", &backup, &restored]);
    for folder in [&backup, &restored] {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(Path::new(folder)), 0o700);
        for file in files(folder) {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
        scene.good(&["check", folder]);
    }
    scene.serve("restored");
    let told = succeed(["watch", &scene.ended, "--server", scene.url()]);
    assert!(told.contains("ended"), "{told}");
    let unknown = run(["watch", &later, "--server", scene.url()]);
    assert!(unknown.err.contains("MATCH_UNKNOWN"), "{}", unknown.err);
    scene.stop();

    let refused = ["there is", "bridgemaster.db", "--replace"];
    scene.bad(&["restore", &backup, &data], 2, &refused);
    scene.good(&["restore", &backup, &data, "--replace"]);
    scene.good(&["check", &data]);
    let kept = files(&data)
        .into_iter()
        .find(|path| path.to_str().unwrap().contains("replaced-"));
    let kept = kept.expect("what was replaced is kept");
    let said = scene.good(&["check", kept.to_str().unwrap()]);
    assert!(said.contains("2 matches in play"), "{said}");
}

#[test]
fn a_damaged_backup_is_not_restored_and_a_damaged_folder_not_backed_up_without_a_word() {
    let mut scene = Scene::make();
    scene.stop();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| scene.path(name));
    alter(&data, DAMAGE);
    let said = ["the summary of match", "is damaged in it"];
    scene.bad(&["backup", &data, &backup], 1, &said);
    scene.bad(
        &["restore", &backup, &restored],
        1,
        &["the summary of match"],
    );
    assert!(!Path::new(&restored).join("bridgemaster.db").exists());
    scene.bad(
        &["restore", &restored, &data, "--replace"],
        1,
        &["no backup"],
    );
    scene.bad(&["check", &data], 1, &["1 finished"]);
}

#[test]
fn a_damaged_signing_key_is_dropped_and_another_takes_its_place() {
    let mut scene = Scene::make();
    let data = scene.path("data");
    let drop_key = ["drop", &data, "--signing-key"];
    scene.bad(&drop_key, 1, &["in use by another server"]);
    scene.stop();
    scene.bad(&drop_key, 2, &["is not damaged"]);
    for damage in [
        "UPDATE secret SET value = x'00' WHERE name = 'replay_signing_key'",
        "UPDATE secret SET name = 'replay_signing_kez' WHERE name = 'replay_signing_key'",
    ] {
        alter(&data, damage);
        // With another key the replays would be those of another server, so that is not guessed.
        let refused = run(["serve", "--data", &data, "--listen", "127.0.0.1:0"]);
        assert_eq!(refused.code, Some(1), "{}", refused.err);
        assert!(refused.err.contains("signs replays"), "{}", refused.err);
        scene.bad(&["check", &data], 1, &["data drop", "--signing-key"]);
        let said = scene.good(&drop_key);
        assert!(said.contains("the next server makes another"), "{said}");
        scene.good(&["check", &data]);
        scene.serve("data");
        scene.create(&["--startup-ms", "3600000"]);
        scene.stop();
    }
}

#[test]
fn a_damaged_note_is_told_with_the_command_that_drops_it() {
    let mut scene = Scene::make();
    let data = scene.path("data");
    let create = [
        "create",
        "--server",
        scene.url(),
        "--idempotency-key",
        "one",
    ];
    let made = run(create);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let drop_notes = ["drop", &data, "--notes"];
    scene.bad(&drop_notes, 1, &["in use by another server"]);
    scene.stop();
    assert!(scene.good(&drop_notes).contains("no note is damaged"));
    alter(&data, "UPDATE note SET value = x'00'");
    scene.serve("data");
    let create = [
        "create",
        "--server",
        scene.url(),
        "--idempotency-key",
        "one",
    ];
    let refused = run(create);
    assert!(refused.err.contains("DATA_DAMAGED"), "{}", refused.err);
    scene.stop();
    scene.bad(&["check", &data], 1, &["data drop", "--notes"]);
    assert!(
        scene
            .good(&drop_notes)
            .contains("1 damaged note is removed")
    );
    scene.good(&["check", &data]);
}

#[test]
fn a_damaged_note_of_a_group_that_is_not_over_is_dropped_and_its_chance_stays_secret() {
    let mut scene = Scene::make();
    let data = scene.path("data");
    let of_group = |place| ["--startup-ms", "1", "--reveal-with-group", "--group", place];
    let first = scene.create(&of_group("g1=0/2"));
    succeed(["watch", &first, "--server", scene.url()]);
    let file = scene.path("fetched");
    let fetch = |scene: &Scene| {
        run([
            "replay",
            "fetch",
            &first,
            "--server",
            scene.url(),
            "--out",
            &file,
        ])
    };
    for damage in [
        "UPDATE note SET value = zeroblob(5)",
        "UPDATE note SET name = 'grouq' || substr(name, 6)",
    ] {
        scene.stop();
        alter(&data, damage);
        // While the note is damaged, and after it is dropped.
        for _ in 0..2 {
            scene.serve("data");
            let refused = fetch(&scene);
            assert!(refused.err.contains("GROUP_RUNNING"), "{}", refused.err);
            scene.stop();
            scene.good(&["drop", &data, "--notes"]);
        }
        scene.good(&["check", &data]);
        scene.serve("data");
    }
    let second = scene.create(&of_group("g1=1/2"));
    succeed(["watch", &second, "--server", scene.url()]);
    let fetched = fetch(&scene);
    assert_eq!(fetched.code, Some(0), "{}", fetched.err);
}

#[test]
fn a_match_is_dropped_from_a_folder_that_no_server_uses() {
    let mut scene = Scene::make();
    let data = scene.path("data");
    let (ended, waiting) = (scene.ended.clone(), scene.waiting.clone());
    let refused = ["in use by another server", "--drop-match"];
    scene.bad(&["drop", &data, &waiting], 1, &refused);
    scene.stop();
    scene.bad(
        &["drop", &data, "0000000000000000"],
        2,
        &["0000000000000000"],
    );
    // Damaged ones, which a server would set aside.
    alter(&data, DAMAGE);
    alter(&data, "UPDATE open_match SET header = x'00'");
    for id in [&ended, &waiting] {
        scene.bad(&["check", &data], 1, &[id]);
        let said = scene.good(&["drop", &data, id]);
        assert!(said.contains(&**id), "{said}");
    }
    let said = scene.good(&["check", &data]);
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
        (&path("missing"), database, "there is no folder"),
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
