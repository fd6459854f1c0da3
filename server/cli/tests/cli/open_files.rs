//! A server that may have fewer files open than connections.

#![cfg(target_os = "linux")]

use std::{
    io::{BufRead as _, BufReader, ErrorKind, Read as _},
    net::TcpStream,
    process::{Command, Stdio},
    time::Duration,
};

use crate::{program::succeed, served_match::Served};

#[test]
fn a_server_with_few_files_accepts_whoever_comes_and_says_how_many_it_can_have() {
    let process = Command::new("sh")
        .args(["-c", "ulimit -n 160; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(["serve", "--listen", "127.0.0.1:0", "--no-page"])
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Served::of(process);
    let mut log = BufReader::new(server.process.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    assert!(line.contains("ulimit -n") && line.contains("=60"), "{line}");

    let address = server.url.trim_start_matches("http://");
    let held: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let mut oldest = &held[0];
    // A connection that is silent is only cut off after 10 s.
    oldest
        .set_read_timeout(Some(Duration::from_secs(8)))
        .unwrap();
    match oldest.read_to_end(&mut Vec::new()) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("the oldest does not give way: {other:?}"),
    }
    succeed(["match", "create", "--server", &server.url, "--seats", "2"]);
}
