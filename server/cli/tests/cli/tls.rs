//! `serve` with TLS, and commands that connect to it.

#![cfg(unix)]

use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

use crate::{
    certificates::{Authority, Certified},
    program::{Ran, bridgemaster, run, signal, wait_for, words},
    served_match::Served,
};

fn serve(own: &Certified, log: &tempfile::NamedTempFile) -> Served {
    let flags = ["--tls-cert", own.cert.to_str().unwrap()];
    let flags = [&flags[..], &["--tls-key", own.key.to_str().unwrap()]].concat();
    Served::start_logging_to(log.reopen().unwrap().into(), &flags)
}

fn create(server: &Served, ca: &Path) -> Ran {
    run(words(&format!(
        "match create --server {} --seats 2 --json --ca {}",
        server.url,
        ca.to_str().unwrap()
    )))
}

#[test]
fn commands_and_bots_reach_a_server_with_tls() {
    let (authority, log) = (Authority::new(), tempfile::NamedTempFile::new().unwrap());
    let server = serve(&authority.certify("server"), &log);
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let made = create(&server, &authority.ca());
    assert_eq!(made.code, Some(0), "{}", made.err);
    let made: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    let tickets = made["tickets"].as_array().unwrap();
    let bots: Vec<_> = tickets
        .iter()
        .map(|ticket| {
            bridgemaster(["bot", "random"])
                .env("BRIDGEMASTER_SERVER", &server.url)
                .env("BRIDGEMASTER_CA", authority.ca())
                .env("BRIDGEMASTER_TICKET", ticket["ticket"].as_str().unwrap())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut bot in bots {
        assert!(bot.wait().unwrap().success());
    }
    let stranger = create(&server, &Authority::new().ca());
    assert_eq!(stranger.code, Some(1));
    assert!(stranger.err.contains("certificate"), "{}", stranger.err);
}

#[test]
fn a_hangup_makes_a_server_read_its_files_again_and_keep_the_old_when_they_are_bad() {
    let (before, after) = (Authority::new(), Authority::new());
    let log = tempfile::NamedTempFile::new().unwrap();
    let logged = |text: &str| {
        let log = std::fs::read_to_string(log.path()).unwrap();
        log.contains(text).then_some(())
    };
    let own = before.certify("server");
    let server = serve(&own, &log);

    std::fs::write(&own.cert, "").unwrap();
    assert!(signal("-HUP", server.process.id()));
    wait_for("the refusal of the new file", || {
        logged("contains no PEM certificate")
    });
    let made = create(&server, &before.ca());
    assert_eq!(made.code, Some(0), "{}", made.err);

    let new = after.certify("server");
    std::fs::copy(&new.cert, &own.cert).unwrap();
    std::fs::copy(&new.key, &own.key).unwrap();
    assert!(signal("-HUP", server.process.id()));
    wait_for("the new certificate", || logged("TLS files reloaded"));
    assert_eq!(create(&server, &after.ca()).code, Some(0));
    assert_eq!(create(&server, &before.ca()).code, Some(1));
}

#[test]
fn a_hangup_does_not_end_a_server_without_tls() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Served::start_logging_to(log.reopen().unwrap().into(), &[]);
    for count in 1..=2 {
        assert!(signal("-HUP", server.process.id()));
        wait_for("the line that says so", || {
            let log = std::fs::read_to_string(log.path()).unwrap();
            (log.matches("SIGHUP ignored").count() == count).then_some(())
        });
    }
    let create = ["match", "create", "--seats", "2", "--server", &server.url];
    assert_eq!(run(create).code, Some(0));
}

#[test]
fn files_that_cannot_be_used_are_told_before_the_server_listens() {
    let authority = Authority::new();
    let own = authority.certify("server");
    let other = authority.certify("other");
    let (cert, key) = (own.cert.to_str().unwrap(), own.key.to_str().unwrap());
    let other_key = other.key.to_str().unwrap();
    for (flags, expected) in [
        (vec!["--tls-cert", cert], "--tls-key"),
        (vec!["--tls-key", key], "--tls-cert"),
        (vec!["--tls-client-ca", cert], "--tls-cert"),
        (vec!["--tls-cert", key, "--tls-key", key], key),
        (vec!["--tls-cert", cert, "--tls-key", other_key], other_key),
        (
            vec!["--tls-cert", "no/such.pem", "--tls-key", key],
            "no/such.pem",
        ),
    ] {
        let ran = run(["serve", "--listen", "127.0.0.1:0"].iter().chain(&flags));
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{flags:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
}

/// A certificate that nobody else has signed: as the operator's page makes it, or one for signing
/// others, as `openssl req -x509` makes it by itself.
fn self_signed(folder: &Path, is_ca: IsCa) -> Certified {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = is_ca;
    let key = KeyPair::generate().unwrap();
    let made = params.self_signed(&key).unwrap();
    let (cert, file) = (folder.join("server.pem"), folder.join("server.key"));
    std::fs::write(&cert, made.pem()).unwrap();
    std::fs::write(&file, key.serialize_pem()).unwrap();
    Certified { cert, key: file }
}

#[test]
fn a_certificate_that_nobody_else_has_signed_is_trusted_or_its_mistake_is_explained() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let own = self_signed(folder.path(), IsCa::ExplicitNoCa);
    let server = serve(&own, &log);
    let made = create(&server, &own.cert);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let stranger = create(&server, &Authority::new().ca());
    assert!(stranger.err.contains("hint: "), "{}", stranger.err);
    assert!(stranger.err.contains("--ca FILE"), "{}", stranger.err);
    drop(server);

    let folder = tempfile::tempdir().unwrap();
    let own = self_signed(folder.path(), IsCa::Ca(BasicConstraints::Unconstrained));
    let refused = create(&serve(&own, &log), &own.cert);
    assert_eq!(refused.code, Some(1));
    let hint = "-addext basicConstraints=critical,CA:FALSE";
    assert!(refused.err.contains(hint), "{}", refused.err);
}

#[test]
fn a_client_without_the_certificate_that_the_server_asks_for_is_told_so() {
    let (authority, log) = (Authority::new(), tempfile::NamedTempFile::new().unwrap());
    let own = authority.certify("server");
    let ca = authority.ca();
    let ca = ca.to_str().unwrap();
    let server = Served::start_logging_to(
        log.reopen().unwrap().into(),
        &[
            "--tls-cert",
            own.cert.to_str().unwrap(),
            "--tls-key",
            own.key.to_str().unwrap(),
            "--tls-client-ca",
            ca,
        ],
    );
    let asked = ["--server", &server.url, "--ca", ca];
    // What is read of the reason before the connection is gone differs from time to time.
    for _ in 0..4 {
        let refused = run(["match", "list"].iter().chain(&asked));
        assert_eq!(refused.code, Some(1));
        assert!(refused.err.contains("--client-cert"), "{}", refused.err);
    }
    let watch = ["match", "watch", "0123456789abcdef", "--reconnect-for", "0"];
    let refused = run(watch.iter().chain(&asked));
    assert!(refused.err.contains("--client-cert"), "{}", refused.err);
}

#[test]
fn tls_on_one_side_only_is_explained() {
    let (authority, log) = (Authority::new(), tempfile::NamedTempFile::new().unwrap());
    let encrypted = serve(&authority.certify("server"), &log);
    let plain = Served::start_logging_to(log.reopen().unwrap().into(), &[]);
    for (server, wrong, right) in [
        (&encrypted, "http://", "https://"),
        (&plain, "https://", "http://"),
    ] {
        let url = server.url.replace(right, wrong);
        let refused = run(["match", "create", "--seats", "2", "--server", &url]);
        assert_eq!(refused.code, Some(1));
        let hint = format!("begin the address with {right}");
        assert!(refused.err.contains(&hint), "{}", refused.err);
    }
}
