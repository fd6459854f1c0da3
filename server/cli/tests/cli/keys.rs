//! `key`, and a server that asks for keys.

#![cfg(unix)]

use std::{ffi::OsStr, path::Path};

use crate::{
    data::alter,
    program::{Ran, bridgemaster, run, succeed},
    served_match::Served,
};

/// Runs `bridgemaster key` on a data folder.
fn key(data: &Path, arguments: &[&str]) -> Ran {
    let flags = [OsStr::new("--data"), data.as_os_str()];
    let arguments = ["key"].iter().chain(arguments).map(OsStr::new);
    run(arguments.chain(flags))
}

pub(crate) fn add(data: &Path, name: &str, scopes: &[&str]) -> String {
    let mut arguments = vec!["add", name];
    for scope in scopes {
        arguments.extend(["--scope", scope]);
    }
    let ran = key(data, &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.trim().to_owned()
}

#[test]
fn a_key_is_written_to_a_file_that_nobody_else_may_open() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("alice.key");
    let to_file = ["--output", file.to_str().unwrap()];
    let made = key(
        &data,
        &[&["add", "alice", "--scope", "play"], &to_file[..]].concat(),
    );
    assert_eq!(
        (made.code, made.out.as_str()),
        (Some(0), ""),
        "{}",
        made.err
    );
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(
        written.starts_with("bmk_") && written.ends_with('\n'),
        "{written}"
    );

    // A file that is there is left alone, and no key is made for it.
    let again = key(
        &data,
        &[&["add", "bob", "--scope", "play"], &to_file[..]].concat(),
    );
    assert_eq!(again.code, Some(1));
    assert!(
        again.err.contains("cannot create ") && again.err.contains("alice.key"),
        "{}",
        again.err
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    assert!(!key(&data, &["list"]).out.contains("bob"));

    // Nor does a file stay for a key that cannot be made.
    let other = folder.path().join("other.key");
    let to_other = ["--output", other.to_str().unwrap()];
    let twice = key(
        &data,
        &[&["add", "alice", "--scope", "play"], &to_other[..]].concat(),
    );
    assert_eq!(twice.code, Some(1), "{}", twice.err);
    assert!(!other.exists());
}

/// Runs a command with a key in its environment.
fn run_with(key: &str, arguments: &[&str]) -> Ran {
    let mut command = bridgemaster(arguments);
    command
        .env("BRIDGEMASTER_KEY", key)
        .output()
        .unwrap()
        .into()
}

#[test]
fn a_secret_is_shown_once_and_never_again() {
    let folder = tempfile::tempdir().unwrap();
    let text = add(folder.path(), "Ælfric", &["play", "create"]);
    let (id, secret) = text.strip_prefix("bmk_").unwrap().split_once('_').unwrap();
    let listed = key(folder.path(), &["list"]).out;
    for expected in [id, "Ælfric", "create play", "UTC"] {
        assert!(
            listed.contains(expected),
            "{expected:?} is missing in:\n{listed}"
        );
    }
    assert!(!listed.contains(secret));
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(64).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn a_key_is_made_used_and_revoked_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Served::start_logging_to(
        log.reopen().unwrap().into(),
        &["--data", data, "--require-keys", "-vv"],
    );
    let create = ["match", "create", "--seats", "2", "--server", &server.url];

    let refused = run(create);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("KEY_MISSING"), "{}", refused.err);

    let player = add(folder.path(), "player", &["play"]);
    let refused = run_with(&player, &create);
    assert!(refused.err.contains("SCOPE_MISSING"), "{}", refused.err);

    let maker = add(folder.path(), "maker", &["create"]);
    let made = run_with(&maker, &create);
    assert_eq!(made.code, Some(0), "{}", made.err);

    let revoked = key(folder.path(), &["revoke", "maker"]);
    assert_eq!(revoked.code, Some(0), "{}", revoked.err);
    let refused = crate::program::wait_for("the refusal of a revoked key", || {
        let ran = run_with(&maker, &create);
        (ran.code != Some(0)).then_some(ran)
    });
    assert!(refused.err.contains("KEY_REVOKED"), "{}", refused.err);
    let listed = key(folder.path(), &["list"]).out;
    let revoked = |name: &str| {
        let line = listed.lines().find(|line| line.contains(name)).unwrap();
        let cells = line.trim_end_matches('│').rsplit('┆');
        cells.map(str::trim).next().unwrap().to_owned()
    };
    assert!(revoked("maker").ends_with("UTC"), "{listed}");
    assert_eq!(revoked("player"), "", "{listed}");

    drop(server);
    let logged = std::fs::read_to_string(log.path()).unwrap();
    for text in [&player, &maker] {
        let (id, secret) = text["bmk_".len()..].split_once('_').unwrap();
        assert!(logged.contains(id), "the log tells who called:\n{logged}");
        assert!(!logged.contains(secret));
    }
}

#[test]
fn misuse_of_keys_is_told_with_what_would_be_valid() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), "somebody", &["play"]);
    let cases: [(&[&str], &str); 7] = [
        (&["add", "x"], "--scope play (take seats)"),
        (&["add"], "NAME"),
        (
            &["add", "x", "--scope", "play", "--expires", "soon"],
            "such as 90d",
        ),
        (
            &["add", "x", "--scope", "all"],
            "play, create, read, admin and rules",
        ),
        (
            &["add", " x", "--scope", "play"],
            "without a space at either end",
        ),
        (&["add", "a\u{202e}b", "--scope", "play"], "printable"),
        (&["revoke", "nobody"], "nobody"),
    ];
    for (arguments, expected) in cases {
        let ran = key(folder.path(), arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
    add(folder.path(), "twice", &["play"]);
    let ran = key(folder.path(), &["add", "twice", "--scope", "play"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("twice"), "{}", ran.err);

    // Cyrillic, and another case: also of a name whose key is revoked.
    for likeness in ["Twice", "tw\u{456}ce"] {
        let ran = key(folder.path(), &["add", likeness, "--scope", "play"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(
            ran.err.contains("is confusable with \"twice\""),
            "{}",
            ran.err
        );
    }
    assert_eq!(key(folder.path(), &["revoke", "twice"]).code, Some(0));
    let ran = key(folder.path(), &["add", "TWICE", "--scope", "play"]);
    assert!(ran.err.contains("revoked"), "{}", ran.err);
    add(folder.path(), "twice", &["play"]);

    let ran = run(["serve", "--require-keys"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--data"), "{}", ran.err);
    assert!(succeed(["key", "add", "--help"]).contains("BRIDGEMASTER_KEY"));
}

#[test]
fn a_damaged_key_is_shown_as_such_and_revoking_it_frees_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    add(data, "alice", &["play"]);
    let bob = add(data, "bob", &["play"]);
    let (id, _) = bob.strip_prefix("bmk_").unwrap().split_once('_').unwrap();
    let shown = data.to_str().unwrap();
    let damage = "UPDATE api_key SET checksum = checksum + 1
         WHERE instr(value, CAST('bob' AS BLOB)) > 0";
    alter(shown, damage);

    let listed = key(data, &["list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    for expected in ["alice", "damaged key", id, "checksum mismatch"] {
        assert!(
            listed.out.contains(expected),
            "{expected:?}: {}",
            listed.out
        );
    }
    assert!(listed.err.contains("`key revoke ID`"), "{}", listed.err);
    let taken = key(data, &["add", "bob", "--scope", "play"]);
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    assert!(taken.err.contains(id), "{}", taken.err);
    for (likeness, expected) in [
        ("Bob", "damaged"),
        ("Alice", "is confusable with \"alice\""),
    ] {
        let refused = key(data, &["add", likeness, "--scope", "play"]);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(refused.err.contains(expected), "{}", refused.err);
    }
    let checked = run(["data", "check", shown]);
    assert_eq!(checked.code, Some(1));
    assert!(checked.out.contains(id), "{}", checked.out);

    let removed = key(data, &["revoke", id]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    assert!(
        removed.out.contains("its name can be reused"),
        "{}",
        removed.out
    );
    add(data, "bob", &["play"]);
    let listed = key(data, &["list"]);
    assert!(!listed.out.contains("damaged"), "{}", listed.out);
    assert!(!listed.out.contains(id), "{}", listed.out);
    succeed(["data", "check", shown]);

    // By its name, too.
    alter(shown, damage);
    let removed = key(data, &["revoke", "bob"]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    add(data, "bob", &["play"]);
}

#[test]
fn listing_and_revoking_make_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("data");
    for arguments in [&["list"][..], &["revoke", "alice"]] {
        let ran = key(&missing, arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("no such folder"), "{}", ran.err);
        assert!(!missing.exists());
        let ran = key(folder.path(), arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("not a data folder"), "{}", ran.err);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn the_list_shows_when_a_key_was_last_used_and_when_it_expires() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let server = Served::start(&["--data", data, "--require-keys"]);
    let lasting = key(
        folder.path(),
        &["add", "maker", "--scope", "create", "--expires", "90d"],
    );
    assert!(lasting.err.contains(" until 2"), "{}", lasting.err);
    add(folder.path(), "idle", &["play"]);
    let line = |name: &str| {
        let listed = key(folder.path(), &["list"]).out;
        let line = listed.lines().find(|line| line.contains(name));
        line.unwrap().to_owned()
    };
    // Made and expires.
    assert_eq!(line("maker").matches("UTC").count(), 2);
    let create = ["match", "create", "--seats", "2", "--server", &server.url];
    let made = run_with(lasting.out.trim(), &create);
    assert_eq!(made.code, Some(0), "{}", made.err);
    crate::program::wait_for("the note of the use", || {
        (line("maker").matches("UTC").count() == 3).then_some(())
    });
    assert_eq!(line("idle").matches("UTC").count(), 1);
}

#[test]
fn an_owner_of_several_keys_is_spelled_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let add = |name: &str, owner: &str| {
        let flags = ["add", name, "--scope", "play", "--owner", owner];
        key(&data, &flags)
    };
    for name in ["one", "two"] {
        assert_eq!(add(name, "team-1").code, Some(0));
    }
    let listed = key(&data, &["list"]).out;
    assert_eq!(listed.matches("team-1").count(), 2, "{listed}");
    let refused = add("three", "Team-1");
    assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
    let expected = "the owner \"Team-1\" is confusable with \"team-1\"";
    assert!(refused.err.contains(expected), "{}", refused.err);
    assert_eq!(add("three", "a\u{7}b").code, Some(2));
}

#[test]
fn many_keys_are_made_from_a_file_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (file, keys) = (
        folder.path().join("class.csv"),
        folder.path().join("keys.csv"),
    );
    let from_file = ["add", "--from-csv", file.to_str().unwrap()];
    add(&data, "taken", &["play"]);

    std::fs::write(&file, "alice,play\nbob,fly\ntaken,play\nAlice,play,9y\n").unwrap();
    let ran = key(&data, &from_file);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    for expected in [
        "class.csv",
        "line 2: scopes",
        "line 4: expires",
        "no key is created",
    ] {
        assert!(
            ran.err.contains(expected),
            "{expected} is missing in:\n{}",
            ran.err
        );
    }
    std::fs::write(&file, "alice,play\ntaken,play\nAlice,play,9w\n").unwrap();
    let ran = key(&data, &from_file);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    for expected in [
        "line 2: the name taken",
        "line 3: the name Alice is confusable with alice",
    ] {
        assert!(
            ran.err.contains(expected),
            "{expected} is missing in:\n{}",
            ran.err
        );
    }
    assert!(!key(&data, &["list"]).out.contains("alice"));

    std::fs::write(
        &file,
        "name,scopes,expires,owner\nalice,play create,90d\nbob,play,,team 1\n",
    )
    .unwrap();
    let to_file = ["--output", keys.to_str().unwrap()];
    let ran = key(&data, &[&from_file[..], &to_file].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let written = std::fs::read_to_string(&keys).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "name,key");
    assert!(lines[1].starts_with("alice,bmk_") && lines[2].starts_with("bob,bmk_"));
    let listed = key(&data, &["list"]).out;
    assert!(
        listed.contains("create play") && listed.contains("bob"),
        "{listed}"
    );
    let line = |name: &str| listed.lines().find(|line| line.contains(name)).unwrap();
    assert_eq!(line("alice").matches("alice").count(), 2, "{listed}");
    assert!(line("bob").contains("team 1"), "{listed}");
}

#[test]
fn a_flag_wins_over_the_variable_that_names_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    add(&data, "alice", &["play"]);
    let list = |flags: &[&OsStr]| {
        let arguments = ["key", "list"].map(OsStr::new);
        let mut command = bridgemaster(arguments.iter().chain(flags));
        command.env("BRIDGEMASTER_STORE", "postgres://nobody@127.0.0.1:1/none");
        Ran::from(command.output().unwrap())
    };
    let flagged = list(&[OsStr::new("--data"), data.as_os_str()]);
    assert_eq!(flagged.code, Some(0), "{}", flagged.err);
    assert!(flagged.out.contains("alice"), "{}", flagged.out);
    let named = list(&[]);
    assert_eq!(named.code, Some(1), "{}", named.out);
    assert!(named.err.contains("127.0.0.1:1"), "{}", named.err);
}
