//! `key`, and a server that asks for keys.

#![cfg(unix)]

use std::{ffi::OsStr, path::Path};

use crate::{
    program::{Ran, bridgemaster, run, succeed},
    served_match::Served,
};

/// Runs `bridgemaster key` on a data folder.
fn key(data: &Path, arguments: &[&str]) -> Ran {
    let flags = [OsStr::new("--data"), data.as_os_str()];
    let arguments = ["key"].iter().chain(arguments).map(OsStr::new);
    run(arguments.chain(flags))
}

fn add(data: &Path, name: &str, scopes: &[&str]) -> String {
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
        again.err.contains("alice.key cannot be made"),
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
    for told in [id, "Ælfric", "create play", "UTC"] {
        assert!(listed.contains(told), "{told:?} is missing in:\n{listed}");
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
    let create = ["create", "--seats", "2", "--server", &server.url];

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
    assert_eq!(listed.matches("UTC").count(), 3, "{listed}");

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
    let cases: [(&[&str], &str); 5] = [
        (&["add", "x"], "--scope"),
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
    for (arguments, told) in cases {
        let ran = key(folder.path(), arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
    }
    add(folder.path(), "twice", &["play"]);
    let ran = key(folder.path(), &["add", "twice", "--scope", "play"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("twice"), "{}", ran.err);

    // Cyrillic, and another case: also of a name whose key is revoked.
    for likeness in ["Twice", "tw\u{456}ce"] {
        let ran = key(folder.path(), &["add", likeness, "--scope", "play"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains("looks like \"twice\""), "{}", ran.err);
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
