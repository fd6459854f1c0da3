//! Tests `serve` with TLS, and commands that connect to it.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use serde_json::Value;

use crate::{
    certificates::{Authority, Certified},
    kit::{
        program::{PROGRAM, Ran, all_refused, assert_has, bridgemaster, run, wait_until},
        served::Served,
    },
};

fn flags(own: &Certified) -> String {
    format!("--tls-cert {} --tls-key {}", own.cert.display(), own.key.display())
}

fn create(server: &Served, ca: &Path) -> Ran {
    let line = format!("match create --server {} --seats 2 --json", server.url);
    run(format!("{line} --ca {}", ca.display()))
}

#[test]
fn commands_and_bots_reach_a_server_with_tls() {
    let authority = Authority::new();
    let server = Served::start(flags(&authority.certify("server")));
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let made = create(&server, &authority.ca()).exits(0);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    let bots = made["tickets"].as_array().unwrap().iter().map(|ticket| {
        bridgemaster("bot random")
            .env("BRIDGEMASTER_SERVER", &server.url)
            .env("BRIDGEMASTER_CA", authority.ca())
            .env("BRIDGEMASTER_TICKET", ticket["ticket"].as_str().unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    });
    for mut bot in bots.collect::<Vec<_>>() {
        assert!(bot.wait().unwrap().success());
    }
    create(&server, &Authority::new().ca()).fails(1, &["certificate"]);
}

#[test]
fn sighup_reloads_tls_files_unless_they_are_invalid() {
    let (before, after) = (Authority::new(), Authority::new());
    let own = before.certify("server");
    let server = Served::start(flags(&own));
    let hang_up = |logged: &str| {
        server.signal("-HUP");
        wait_until(logged, || server.log().contains(logged));
    };
    fs::write(&own.cert, "").unwrap();
    hang_up("contains no PEM certificate");
    create(&server, &before.ca()).exits(0);

    let new = after.certify("server");
    fs::copy(&new.cert, &own.cert).unwrap();
    fs::copy(&new.key, &own.key).unwrap();
    hang_up("TLS files reloaded");
    create(&server, &after.ca()).exits(0);
    create(&server, &before.ca()).exits(1);
}

#[test]
fn signals_that_request_nothing_do_not_end_a_server() {
    let server = Served::start("");
    for count in 1..=2 {
        server.signal("-HUP");
        wait_until("the line about the reload", || {
            server.log().matches("SIGHUP ignored").count() == count
        });
    }
    ["-USR1", "-USR2", "-ALRM"].into_iter().for_each(|name| server.signal(name));
    run(format!("match create --seats 2 --server {}", server.url)).exits(0);
}

#[test]
fn unusable_tls_files_are_reported_before_the_server_listens() {
    let authority = Authority::new();
    let (own, other) = (authority.certify("server"), authority.certify("other"));
    let [cert, key, other_key] =
        [&own.cert, &own.key, &other.key].map(|path| path.to_str().unwrap());
    let serve = |flags: String| format!("serve --listen 127.0.0.1:0 {flags}");
    all_refused(&[
        (&serve(format!("--tls-cert {cert}")), &["--tls-key"]),
        (&serve(format!("--tls-key {key}")), &["--tls-cert"]),
        (&serve(format!("--tls-client-ca {cert}")), &["--tls-cert"]),
        (&serve(format!("--tls-cert {key} --tls-key {key}")), &[key, "no PEM certificate"]),
        (&serve(format!("--tls-cert {cert} --tls-key {cert}")), &[cert, "no unencrypted PEM key"]),
        (
            &serve(format!("--tls-cert {cert} --tls-key {other_key}")),
            &[other_key, "does not belong to"],
        ),
        (
            &serve(format!("--tls-cert no/such.pem --tls-key {key}")),
            &["no/such.pem", "No such file"],
        ),
    ]);
}

/// Creates a self-signed certificate as in docs/guides/tls.md, or a self-signed CA certificate as
/// `openssl req -x509` does by default.
fn self_signed(folder: &Path, is_ca: IsCa) -> Certified {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = is_ca;
    write_self_signed(folder, params)
}

fn write_self_signed(folder: &Path, params: CertificateParams) -> Certified {
    let pair = KeyPair::generate().unwrap();
    let (cert, key) = (folder.join("server.pem"), folder.join("server.key"));
    fs::write(&cert, params.self_signed(&pair).unwrap().pem()).unwrap();
    fs::write(&key, pair.serialize_pem()).unwrap();
    Certified { cert, key }
}

#[test]
fn an_expired_certificate_is_logged_and_its_end_is_a_metric() {
    let folder = tempfile::tempdir().unwrap();
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let own = write_self_signed(folder.path(), params);
    let mut server = Served::start(format!("{} --metrics 127.0.0.1:0", flags(&own)));
    wait_until("the warning", || server.log().contains("has expired"));
    let line = server.line("metrics at");
    let address = line.trim().strip_prefix("metrics at http://").unwrap();
    let mut connection = TcpStream::connect(address.strip_suffix("/metrics").unwrap()).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert_has(&answer, &["bridgemaster_tls_certificate_expires_seconds{} 1577836800"]);
}

#[test]
fn a_limit_on_file_sizes_fails_a_write_and_does_not_kill_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let limited = ["-c", "ulimit -f 4 && exec \"$0\" \"$@\"", PROGRAM];
    let mut command = Command::new("sh");
    command.args(limited).args(["serve", "--no-page", "--listen", "127.0.0.1:0", "--data"]);
    let ran = Ran::from(command.arg(folder.path()).output().unwrap());
    ran.exits(1);
}

#[test]
fn a_self_signed_certificate_is_trusted_or_the_problem_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let own = self_signed(folder.path(), IsCa::ExplicitNoCa);
    let server = Served::start(flags(&own));
    create(&server, &own.cert).exits(0);
    let stranger = create(&server, &Authority::new().ca());
    assert_has(&stranger.err, &["hint: ", "--ca FILE"]);
    drop(server);

    let own = self_signed(folder.path(), IsCa::Ca(BasicConstraints::Unconstrained));
    let hint = "-addext basicConstraints=critical,CA:FALSE";
    create(&Served::start(flags(&own)), &own.cert).fails(1, &[hint]);
}

#[test]
fn a_missing_client_certificate_is_reported() {
    let authority = Authority::new();
    let (own, ca) = (authority.certify("server"), authority.ca().display().to_string());
    let server = Served::start(format!("{} --tls-client-ca {ca}", flags(&own)));
    let at = format!("--server {} --ca {ca}", server.url);
    // It varies how much of the reason is read before the connection closes.
    for _ in 0..4 {
        run(format!("match list {at}")).fails(1, &["--client-cert"]);
    }
    // A certificate that another CA has signed is not accepted either.
    let others = Authority::new();
    let stranger = others.certify("stranger");
    let (cert, key) = (stranger.cert.display(), stranger.key.display());
    run(format!("match list {at} --client-cert {cert} --client-key {key}")).exits(1);
    let watch = run(format!("match watch 0123456789abcdef --reconnect-for 0 {at}"));
    assert_has(&watch.err, &["--client-cert"]);
}

#[test]
fn tls_on_only_one_side_is_explained() {
    let encrypted = Served::start(flags(&Authority::new().certify("server")));
    let plain = Served::start("");
    for (server, wrong, right) in
        [(&encrypted, "http://", "https://"), (&plain, "https://", "http://")]
    {
        let url = server.url.replace(right, wrong);
        let hint = format!("begin the address with {right}");
        run(format!("match create --seats 2 --server {url}")).fails(1, &[&hint]);
    }
}
