//! `health`, as a health check runs it.

use crate::{
    certificates::Authority,
    program::{Ran, bridgemaster, run, signal, succeed, wait_for},
    served_match::Served,
};

fn health(server: &str) -> Ran {
    run(["health", "--server", server])
}

#[test]
fn a_server_that_serves_is_told_from_one_that_drains_and_one_that_is_gone() {
    let mut server = Served::start(&["--drain-time", "3600"]);
    let told = health(&server.url);
    assert_eq!((told.code, told.out.as_str()), (Some(0), "SERVING\n"));

    // A match keeps the drain from being over at once.
    succeed(["create", "--server", &server.url, "--seats", "2"]);
    assert!(signal("-TERM", server.process.id()));
    let told = wait_for("the drain", || {
        let told = health(&server.url);
        (told.code != Some(0)).then_some(told)
    });
    assert_eq!((told.code, told.out.as_str()), (Some(1), ""));
    assert!(told.err.contains("NOT_SERVING"), "{}", told.err);

    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let told = health(&server.url);
    assert_eq!(told.code, Some(1));
    assert!(told.err.contains("no server answers"), "{}", told.err);
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
    let asked = bridgemaster(["health"])
        .env("BRIDGEMASTER_SERVER", &server.url)
        .env("BRIDGEMASTER_CA", authority.ca())
        .output()
        .unwrap();
    let told = Ran::from(asked);
    assert_eq!((told.code, told.out.as_str()), (Some(0), "SERVING\n"));
}
