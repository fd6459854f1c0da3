//! Tests `data`: a data folder is checked, backed up and restored, and a match is removed from it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use crate::kit::{
    program::{assert_has, refused, run, succeed},
    served::Served,
};

/// A server with a match that has ended and one that waits for bots.
struct Fixture {
    folder: TempDir,
    server: Option<Served>,
    ended: String,
    waiting: String,
}

impl Fixture {
    fn make() -> Self {
        let mut this = Self {
            folder: tempfile::tempdir().unwrap(),
            server: None,
            ended: String::new(),
            waiting: String::new(),
        };
        this.serve("data");
        // No bot joins, so the house plays the match at once.
        this.ended = this.create("--startup-ms 1");
        this.watch(&this.ended);
        this.waiting = this.create("--startup-ms 3600000");
        this
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn serve(&mut self, data: &str) {
        let (data, replays) = (self.path(data), self.path("replays"));
        let flags = format!("--data {data} --replays {replays} --drain-time 0");
        self.server = Some(Served::start(flags));
    }

    /// Returns the flag that names the server.
    fn at(&self) -> String {
        format!("--server {}", self.server.as_ref().unwrap().url)
    }

    fn create(&self, flags: &str) -> String {
        let line = format!("match create {} --seats 2 --json {flags}", self.at());
        let made: Value = serde_json::from_str(&succeed(line)).unwrap();
        made["match"]["matchId"].as_str().unwrap().to_owned()
    }

    /// Watches a match to its end.
    fn watch(&self, match_id: &str) -> String {
        succeed(format!("match watch {match_id} {}", self.at()))
    }

    fn stop(&mut self) {
        self.server.take().unwrap().stop();
    }
}

/// Runs a `data` command that must succeed, and checks that its output contains these texts.
#[track_caller]
fn good(line: String, words: &[&str]) {
    run(format!("data {line}")).prints(0, words);
}

/// Runs a `data` command that must fail, and checks that its error contains these texts.
#[track_caller]
fn bad(line: String, code: i32, words: &[&str]) {
    run(format!("data {line}")).says(code, words);
}

/// Runs a statement directly on a database, without the program.
pub(crate) fn alter(folder: &str, sql: &'static str) {
    let database = Connection::open(Path::new(folder).join("bridgemaster.db")).unwrap();
    assert_eq!(database.execute(sql, ()).unwrap(), 1, "{sql}");
    database.close().unwrap();
}

const DAMAGE: &str = "UPDATE finished_match SET ended_at_unix_ms = ended_at_unix_ms + 1";
const DAMAGED_HEADER: &str = "UPDATE open_match SET header = x'00'";

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_check_names_the_damaged_values() {
    let mut fixture = Fixture::make();
    let [data, replays, none] = ["data", "replays", "none"].map(|name| fixture.path(name));
    let whole = "1 match in play, 1 finished, 0 keys";
    // This also works while the server runs.
    good(format!("check {data}"), &[whole]);
    fixture.stop();
    let check_all = || format!("check {data} --replays {replays}");
    good(check_all(), &[whole, "no damage found"]);

    let replay = format!("{}.replay.binpb", fixture.ended);
    fs::write(Path::new(&replays).join(&replay), "another").unwrap();
    bad(check_all(), 1, &[&replay, "differs from the replay"]);
    fs::remove_file(Path::new(&replays).join(&replay)).unwrap();
    bad(check_all(), 1, &[&replay, "is missing"]);

    alter(&data, DAMAGE);
    bad(format!("check {data}"), 1, &["the summary of match", &fixture.ended]);
    alter(&data, DAMAGED_HEADER);
    let both = [&*fixture.ended, &*fixture.waiting, "the header of match"];
    bad(format!("check {data}"), 1, &both);

    bad(format!("check {none}"), 2, &["no such folder"]);
    assert!(!Path::new(&none).exists(), "no folder is created");
    fs::create_dir(&none).unwrap();
    bad(format!("check {none}"), 1, &["none has no store; name the database or data folder"]);
    bad(format!("backup {none} {none}/copy"), 1, &["none has no store"]);
    assert_eq!(files(&none), [""; 0].map(PathBuf::from));
}

#[test]
fn a_cancelled_match_needs_no_replay_file() {
    let mut fixture = Fixture::make();
    let (data, replays) = (fixture.path("data"), fixture.path("replays"));
    succeed(format!("match cancel {} {}", fixture.waiting, fixture.at()));
    fixture.stop();
    let check_all = || format!("check {data} --replays {replays}");
    good(check_all(), &["2 finished"]);
    let replay = format!("{}.replay.binpb", fixture.waiting);
    fs::write(Path::new(&replays).join(&replay), "").unwrap();
    bad(check_all(), 1, &[&replay, "was cancelled"]);
}

#[test]
fn a_backup_made_beside_a_server_is_restored_and_served() {
    let mut fixture = Fixture::make();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| fixture.path(name));
    good(format!("backup {data} {backup}"), &["1 match in play, 1 finished"]);
    bad(format!("backup {data} {backup}"), 1, &["already exists"]);
    bad(format!("restore {backup} {data}"), 1, &["in use by another server"]);
    // This match is created after the backup, so it must be missing after the restore.
    let later = fixture.create("");
    fixture.stop();

    let modified = || fs::metadata(&backup).unwrap().modified().unwrap();
    let before = modified();
    good(format!("check {backup}"), &[]);
    assert_eq!(modified(), before, "a check works on a read-only medium");
    good(format!("restore {backup} {restored}"), &[]);
    for folder in [&backup, &restored] {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(Path::new(folder)), 0o700);
        for file in files(folder) {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
        good(format!("check {folder}"), &[]);
    }
    fixture.serve("restored");
    assert_has(&fixture.watch(&fixture.ended), &["ended"]);
    let unknown = run(format!("match watch {later} {}", fixture.at()));
    assert_has(&unknown.err, &["MATCH_UNKNOWN"]);
    fixture.stop();

    let replacing = ["already has a store", "bridgemaster.db", "--replace"];
    bad(format!("restore {backup} {data}"), 2, &replacing);
    good(format!("restore {backup} {data} --replace"), &[]);
    good(format!("check {data}"), &[]);
    let kept = files(&data).into_iter().map(|path| path.display().to_string());
    let kept = kept.into_iter().find(|path| path.contains("replaced-"));
    let kept = kept.expect("the replaced data is kept");
    good(format!("check {kept}"), &["2 matches in play"]);
}

#[test]
fn damage_is_reported_by_backup_and_refused_by_restore() {
    let mut fixture = Fixture::make();
    fixture.stop();
    let [data, backup, restored] = ["data", "backup", "restored"].map(|name| fixture.path(name));
    alter(&data, DAMAGE);
    let said = ["the summary of match", "contains the damaged values"];
    bad(format!("backup {data} {backup}"), 1, &said);
    bad(format!("restore {backup} {restored}"), 1, &["the summary of match"]);
    assert!(!Path::new(&restored).join("bridgemaster.db").exists());
    bad(format!("restore {restored} {data} --replace"), 1, &["is not a backup"]);
    bad(format!("check {data}"), 1, &["1 finished"]);
}

#[test]
fn a_damaged_or_missing_signing_key_is_dropped_and_replaced() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let drop_key = || format!("drop {data} --signing-key");
    bad(drop_key(), 1, &["in use by another server"]);
    fixture.stop();
    bad(drop_key(), 2, &["neither damaged nor missing"]);
    for damage in [
        "UPDATE secret SET value = x'00' WHERE name = 'replay_signing_key'",
        "UPDATE secret SET name = 'replay_signing_kez' WHERE name = 'replay_signing_key'",
        "DELETE FROM secret WHERE name = 'replay_signing_key'",
    ] {
        alter(&data, damage);
        // With a new key, replays would appear to be signed by another server, so the start is
        // refused.
        assert_has(&Served::refused(format!("--data {data}")), &["signs replays"]);
        bad(format!("check {data}"), 1, &["data drop", "--signing-key"]);
        good(drop_key(), &["the next start creates a new key"]);
        good(format!("check {data}"), &[]);
        fixture.serve("data");
        fixture.create("--startup-ms 3600000");
        fixture.stop();
    }
}

#[test]
fn a_missing_row_is_reported_until_its_loss_is_accepted() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    fixture.stop();
    bad(format!("drop {data} --missing"), 2, &["no rows are missing"]);
    alter(&data, "DELETE FROM open_match");
    bad(format!("check {data}"), 1, &["the table open_match", "missing", "data drop", "--missing"]);
    good(format!("drop {data} --missing"), &["accepted", "open_match"]);
    good(format!("check {data}"), &[]);
}

#[test]
fn a_damaged_record_is_reported_with_the_command_that_drops_it() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let create =
        |fixture: &Fixture| run(format!("match create {} --idempotency-key one", fixture.at()));
    create(&fixture).exits(0);
    let drop_notes = || format!("drop {data} --notes");
    bad(drop_notes(), 1, &["in use by another server"]);
    fixture.stop();
    good(drop_notes(), &["is damaged in"]);
    alter(&data, "UPDATE record SET value = x'00'");
    fixture.serve("data");
    assert_has(&create(&fixture).err, &["DATA_DAMAGED"]);
    fixture.stop();
    bad(format!("check {data}"), 1, &["data drop", "--notes"]);
    good(drop_notes(), &["removed 1 damaged record"]);
    good(format!("check {data}"), &[]);
}

#[test]
fn dropping_the_damaged_record_of_a_running_group_keeps_its_seeds_secret() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let of_group = |place| format!("--startup-ms 1 --reveal-with-group --group {place}");
    let first = fixture.create(&of_group("g1=0/2"));
    fixture.watch(&first);
    let file = fixture.path("fetched");
    let fetch =
        |fixture: &Fixture| run(format!("replay fetch {first} {} --out {file}", fixture.at()));
    for damage in [
        "UPDATE record SET value = zeroblob(5)",
        "UPDATE record SET name = 'grouq' || substr(name, 6)",
    ] {
        fixture.stop();
        alter(&data, damage);
        // Holds while the record is damaged, and after it is removed.
        for _ in 0..2 {
            fixture.serve("data");
            assert_has(&fetch(&fixture).err, &["GROUP_RUNNING"]);
            fixture.stop();
            good(format!("drop {data} --notes"), &[]);
        }
        good(format!("check {data}"), &[]);
        fixture.serve("data");
    }
    let second = fixture.create(&of_group("g1=1/2"));
    fixture.watch(&second);
    fetch(&fixture).exits(0);
}

#[test]
fn a_match_or_ladder_is_dropped_from_a_folder_that_no_server_uses() {
    let mut fixture = Fixture::make();
    let data = fixture.path("data");
    let (ended, waiting) = (fixture.ended.clone(), fixture.waiting.clone());
    let created = succeed(format!("ladder create class --seats 2 {}", fixture.at()));
    // The server does not listen on the default address, so commands that users copy name it.
    assert_eq!(created.matches(&fixture.at()).count(), 2, "{created}");
    let in_use = ["in use by another server", "--drop-match"];
    bad(format!("drop {data} {waiting}"), 1, &in_use);
    fixture.stop();
    bad(format!("drop {data} 0000000000000000"), 2, &["0000000000000000"]);
    let typo = ["clas: no such ladder", "its ladders: class"];
    bad(format!("drop {data} --ladder clas"), 2, &typo);
    good(format!("drop {data} --ladder class"), &["removed ladder class"]);
    // Damaged records, which a server would quarantine.
    alter(&data, DAMAGE);
    alter(&data, DAMAGED_HEADER);
    for id in [&ended, &waiting] {
        bad(format!("check {data}"), 1, &[id]);
        good(format!("drop {data} {id}"), &[id]);
    }
    good(format!("check {data}"), &["0 matches in play, 0 finished"]);
}

#[test]
fn data_is_copied_only_between_a_folder_and_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let database = "postgres://nobody:hush@127.0.0.1:1/none";
    let [there, to, missing] = ["there", "to", "missing"].map(path);
    fs::create_dir(&there).unwrap();
    refused(format!("data copy {there} {to}"), &["data backup"]);
    refused(format!("data copy {database} {database}"), &["pg_dump"]);
    refused(format!("data copy {missing} {database}"), &["no such folder"]);
    let unreachable = run(format!("data copy {database} {to}"));
    let unreachable = unreachable.fails(1, &["127.0.0.1:1"]);
    assert!(!unreachable.err.contains("hush"), "{}", unreachable.err);
}

#[test]
fn a_folder_that_is_too_old_is_refused_and_a_current_one_needs_no_migration() {
    let mut fixture = Fixture::make();
    fixture.server.take().unwrap().stop();
    let data = fixture.path("data");
    let set_version = |version| {
        let database = Connection::open(Path::new(&data).join("bridgemaster.db")).unwrap();
        let pragma = format!("PRAGMA user_version = {version}");
        database.execute_batch(&pragma).unwrap();
    };
    set_version(7);
    for line in [
        format!("data migrate {data}"),
        format!("serve --no-page --listen 127.0.0.1:0 --data {data}"),
        format!("key list --data {data}"),
        format!("data check {data}"),
        format!("data drop {data} {}", fixture.waiting),
    ] {
        let text = "has schema version 7, which this program cannot migrate to version 8; run the \
                    older version that wrote it, or start with an empty store";
        run(line).fails(1, &[text]);
    }
    set_version(8);
    let current = succeed(format!("data migrate {data}"));
    assert_eq!(current, "already at schema version 8\n");
    fixture.serve("data");
}
