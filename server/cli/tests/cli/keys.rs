//! Tests `key`, and a server that requires keys.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command, time::Instant};

use crate::{
    data::alter,
    kit::{
        program::{
            Background, PATIENCE, PROGRAM, Ran, assert_has, bridgemaster, refused, run, succeed,
            wait_for, wait_until,
        },
        served::Served,
    },
};

/// Runs `bridgemaster key` on a data folder.
fn key(data: &Path, line: &str) -> Ran {
    run(format!("key {line} --data {}", data.display()))
}

/// Adds a key with these scopes, separated by spaces.
pub(crate) fn add(data: &Path, name: &str, scopes: &str) -> String {
    let scopes = scopes.split(' ').map(|scope| format!("--scope {scope} "));
    let line = format!("add {name} {}", scopes.collect::<String>());
    key(data, &line).exits(0).out.trim().to_owned()
}

fn list(data: &Path) -> String {
    key(data, "list").exits(0).out
}

/// Identifier and secret of a key.
fn parts(key: &str) -> (&str, &str) {
    key.strip_prefix("bmk_").unwrap().split_once('_').unwrap()
}

#[test]
fn a_key_is_written_to_a_file_that_only_its_owner_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let [data, file, other] =
        ["data", "alice.key", "other.key"].map(|name| folder.path().join(name));
    let add = |name: &str, file: &Path| {
        key(&data, &format!("add {name} --scope play --output {}", file.display()))
    };
    assert_eq!(add("alice", &file).exits(0).out, "");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("bmk_") && written.ends_with('\n'), "{written}");

    // An existing file is not overwritten, and no key is created for it.
    add("bob", &file).fails(1, &["cannot create ", "alice.key"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    assert!(!list(&data).contains("bob"));

    // No file is left for a key that cannot be created.
    add("alice", &other).exits(1);
    assert!(!other.exists());
}

/// Runs a line with a key in its environment.
fn run_with(key: &str, line: &str) -> Ran {
    bridgemaster(line).env("BRIDGEMASTER_KEY", key).output().unwrap().into()
}

#[test]
fn a_secret_is_printed_only_when_its_key_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let text = add(folder.path(), "Ælfric", "play create");
    let (id, secret) = parts(&text);
    let listed = list(folder.path());
    assert_has(&listed, &[id, "Ælfric", "create play", "UTC"]);
    assert!(!listed.contains(secret));
    for entry in fs::read_dir(folder.path()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(64).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn keys_are_created_and_revoked_while_a_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Served::start(format!("--data {} --require-keys -vv", data.display()));
    let create = format!("match create --seats 2 --server {}", server.url);
    run(&create).fails(1, &["KEY_MISSING"]);
    let player = add(data, "player", "play");
    assert_has(&run_with(&player, &create).err, &["SCOPE_MISSING"]);
    let maker = add(data, "maker", "create");
    run_with(&maker, &create).exits(0);
    key(data, "revoke maker").exits(0);
    let late = wait_for("the refusal of a revoked key", || {
        let ran = run_with(&maker, &create);
        (ran.code != Some(0)).then_some(ran)
    });
    assert_has(&late.err, &["KEY_REVOKED"]);
    let listed = list(data);
    let revoked = |name: &str| {
        let line = listed.lines().find(|line| line.contains(name)).unwrap();
        let cells = line.trim_end_matches('│').rsplit('┆');
        cells.map(str::trim).next().unwrap().to_owned()
    };
    assert!(revoked("maker").ends_with("UTC"), "{listed}");
    assert_eq!(revoked("player"), "", "{listed}");
    let logged = server.log();
    for text in [&player, &maker] {
        let (id, secret) = parts(text);
        assert!(logged.contains(id), "the log names the caller:\n{logged}");
        assert!(!logged.contains(secret));
    }
}

#[test]
fn an_invalid_key_is_refused_with_the_valid_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    add(data, "somebody", "play");
    let cases: [(&str, &str); 8] = [
        ("add x", "--scope play (take seats)"),
        ("add", "NAME"),
        ("add x --scope play --expires soon", "such as 90d"),
        ("add x --scope all", "play, create, read, admin and rules"),
        ("add ' x' --scope play", "without a space at either end"),
        ("add 'a\u{202e}b' --scope play", "printable"),
        (&format!("add {} --scope play", "\u{301}".repeat(64)), "combining marks"),
        ("revoke nobody", "nobody"),
    ];
    for (line, expected) in cases {
        key(data, line).fails(2, &[expected]);
    }
    add(data, "twice", "play");
    let twice = key(data, "add twice --scope play").fails(1, &["twice"]);
    assert_eq!(twice.out, "");

    // Cyrillic letters and another case are confusable, even with the name of a revoked key.
    for likeness in ["Twice", "tw\u{456}ce"] {
        let ran = key(data, &format!("add {likeness} --scope play"));
        assert_eq!(ran.fails(2, &["is confusable with \"twice\""]).out, "");
    }
    key(data, "revoke twice").exits(0);
    assert_has(&key(data, "add TWICE --scope play").err, &["revoked"]);
    add(data, "twice", "play");
    refused("serve --require-keys", &["--data"]);
    assert!(succeed("key add --help").contains("BRIDGEMASTER_KEY"));
}

#[test]
fn a_damaged_key_is_listed_and_revoking_it_frees_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let shown = data.to_str().unwrap();
    add(data, "alice", "play");
    let bob = add(data, "bob", "play");
    let (id, _) = parts(&bob);
    let damage = "UPDATE api_key SET checksum = checksum + 1
         WHERE instr(value, CAST('bob' AS BLOB)) > 0";
    alter(shown, damage);

    let listed = key(data, "list").fails(0, &["`key revoke ID`"]);
    assert_has(&listed.out, &["alice", "damaged key", id, "checksum mismatch"]);
    key(data, "add bob --scope play").fails(1, &[id]);
    key(data, "add Bob --scope play").fails(2, &["damaged"]);
    let alike = "is confusable with \"alice\"";
    key(data, "add Alice --scope play").fails(2, &[alike]);
    run(format!("data check {shown}")).prints(1, &[id]);

    key(data, &format!("revoke {id}")).prints(0, &["its name can be reused"]);
    add(data, "bob", "play");
    let listed = list(data);
    assert!(!listed.contains("damaged") && !listed.contains(id), "{listed}");
    succeed(format!("data check {shown}"));

    // A key can also be revoked by its name.
    alter(shown, damage);
    key(data, "revoke bob").exits(0);
    add(data, "bob", "play");
}

#[test]
fn listing_and_revoking_create_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("data");
    for line in ["list", "revoke alice"] {
        key(&missing, line).fails(2, &["no such folder"]);
        assert!(!missing.exists());
        key(folder.path(), line).fails(2, &["not a data folder"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn the_list_shows_when_a_key_was_last_used_and_when_it_expires() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Served::start(format!("--data {} --require-keys", data.display()));
    let maker = key(data, "add maker --scope create --expires 90d").fails(0, &[" until 2"]);
    add(data, "idle", "play");
    let times = |name: &str| {
        let listed = list(data);
        let line = listed.lines().find(|line| line.contains(name));
        line.unwrap().matches("UTC").count()
    };
    assert_eq!(times("maker"), 2, "created and expires");
    let create = format!("match create --seats 2 --server {}", server.url);
    run_with(maker.out.trim(), &create).exits(0);
    wait_until("the stored time of the last use", || times("maker") == 3);
    assert_eq!(times("idle"), 1);
}

#[test]
fn an_owner_with_a_confusable_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let add =
        |name: &str, owner: &str| key(&data, &format!("add {name} --scope play --owner '{owner}'"));
    for name in ["one", "two"] {
        add(name, "team-1").exits(0);
    }
    assert_eq!(list(&data).matches("team-1").count(), 2);
    let expected = "the owner \"Team-1\" is confusable with \"team-1\"";
    assert_eq!(add("three", "Team-1").fails(2, &[expected]).out, "");
    // Both problems are reported at once.
    add("Two", "Team-1").fails(2, &["the name \"Two\" is confusable with \"two\"", expected]);
    add("three", "a\u{7}b").exits(2);
}

#[test]
fn either_all_keys_of_a_file_are_created_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let [data, file, keys] = ["data", "class.csv", "keys.csv"].map(|name| folder.path().join(name));
    let from_file = |text: &str, flags: &str| {
        fs::write(&file, text).unwrap();
        key(&data, &format!("add --from-csv {} {flags}", file.display()))
    };
    add(&data, "taken", "play");
    let wrong = "alice,play\nbob,fly\ntaken,play\nAlice,play,9y\n";
    let problems = ["class.csv", "line 2: scopes", "line 4: expires", "no key is created"];
    assert_eq!(from_file(wrong, "").fails(2, &problems).out, "");
    let wrong = "alice,play\ntaken,play\nAlice,play,9w\n";
    let alike = "line 3: the name \"Alice\" is confusable with \"alice\", the name on line 1";
    let problems = ["line 2: the name taken", alike];
    assert_eq!(from_file(wrong, "").fails(2, &problems).out, "");
    assert!(!list(&data).contains("alice"));

    let right = "name,scopes,expires,owner\nalice,play create,90d\nbob,play,,team 1\n";
    let made = from_file(right, &format!("--output {}", keys.display()));
    assert_eq!(made.exits(0).out, "");
    let written = fs::read_to_string(&keys).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "name,key");
    assert!(lines[1].starts_with("alice,bmk_") && lines[2].starts_with("bob,bmk_"));
    let listed = list(&data);
    assert_has(&listed, &["create play", "bob"]);
    let line = |name: &str| listed.lines().find(|line| line.contains(name)).unwrap();
    assert_eq!(line("alice").matches("alice").count(), 2, "{listed}");
    assert!(line("bob").contains("team 1"), "{listed}");
}

#[test]
fn ten_thousand_keys_are_created_from_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let [data, file] = ["data", "all.csv"].map(|name| folder.path().join(name));
    let lines: String =
        (1..=10_000).map(|n| format!("player {n},play,90d,team {}\n", n / 2)).collect();
    fs::write(&file, lines).unwrap();
    let start = Instant::now();
    let made = key(&data, &format!("add --from-csv {}", file.display()));
    let made = made.fails(0, &["creating 10000 keys", "created 10000 keys"]);
    assert_eq!(made.out.lines().count(), 10_001);
    // Comparing each pair of names would take an hour.
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn twenty_keys_are_added_to_a_new_folder_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let line = |n| format!("key add player-{n} --scope play --data {}", data.display());
    let started: Vec<Background> = (0..20).map(|n| Background::start(line(n))).collect();
    for adding in started {
        adding.ended().exits(0);
    }
    assert_eq!(list(&data).matches("UTC").count(), 20);
}

#[test]
fn a_folder_that_cannot_be_read_is_not_called_missing() {
    let folder = tempfile::tempdir().unwrap();
    // Unlike missing permissions, a link to itself is unreadable for the administrator too.
    let data = folder.path().join("data");
    std::os::unix::fs::symlink(&data, &data).unwrap();
    key(&data, "list").fails(1, &["cannot read the folder", "symbolic links"]);
}

#[test]
fn no_key_is_created_if_standard_output_is_closed_or_discarded() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    add(data, "alice", "play");
    // Programs that discard the output of others open the device for reading and writing.
    for redirection in [">&-", "1<>/dev/null"] {
        let script = format!("exec \"$0\" \"$@\" {redirection}");
        let line = ["key", "add", "bob", "--scope", "play", "--data", data.to_str().unwrap()];
        let mut shell = Command::new("sh");
        let ran = shell.args(["-c", &script, PROGRAM]).args(line).output().unwrap();
        Ran::from(ran).fails(1, &["standard output is closed or discarded", "redirect it"]);
        assert!(!list(data).contains("bob"));
    }
}

#[test]
fn a_flag_overrides_the_variable_that_names_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    add(&data, "alice", "play");
    let list = |flags: &str| {
        let mut command = bridgemaster(format!("key list {flags}"));
        command.env("BRIDGEMASTER_STORE", "postgres://nobody@127.0.0.1:1/none");
        Ran::from(command.output().unwrap())
    };
    list(&format!("--data {}", data.display())).prints(0, &["alice"]);
    list("").fails(1, &["127.0.0.1:1"]);
}
