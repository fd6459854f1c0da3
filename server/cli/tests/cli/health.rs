//! `cluster health`, as a health check runs it.

use crate::{
    certificates::Authority,
    program::{Ran, bridgemaster, run, signal, succeed, wait_for},
    served_match::Served,
};

fn health(server: &str) -> Ran {
    run(["cluster", "health", "--server", server])
}

#[test]
fn a_server_that_serves_is_told_from_one_that_drains_and_one_that_is_gone() {
    let mut server = Served::start(&["--drain-time", "3600"]);
    let ran = health(&server.url);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "SERVING\n"));

    // A match keeps the drain from being over at once.
    succeed(["match", "create", "--server", &server.url, "--seats", "2"]);
    assert!(signal("-TERM", server.process.id()));
    let ran = wait_for("the drain", || {
        let ran = health(&server.url);
        (ran.code != Some(0)).then_some(ran)
    });
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("NOT_SERVING"), "{}", ran.err);

    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let ran = health(&server.url);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("no server answers"), "{}", ran.err);
}

#[test]
fn a_server_with_keys_and_tls_is_asked_without_a_key() {
    let authority = Authority::new();
    let (own, folder) = (authority.certify("server"), tempfile::tempdir().unwrap());
    let server = Served::start(&[
        "--data",
        folder.path().join("data").to_str().unwrap(),
        "--require-keys",
        "--tls-cert",
        own.cert.to_str().unwrap(),
        "--tls-key",
        own.key.to_str().unwrap(),
    ]);
    let asked = bridgemaster(["cluster", "health"])
        .env("BRIDGEMASTER_SERVER", &server.url)
        .env("BRIDGEMASTER_CA", authority.ca())
        .output()
        .unwrap();
    let ran = Ran::from(asked);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "SERVING\n"));
}
