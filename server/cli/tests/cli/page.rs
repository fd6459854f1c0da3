//! The page: beside a server, of one replay, and as a file.

#![cfg(unix)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStdout, Stdio},
};

use crate::{
    contest::Contest,
    program::{bridgemaster, run, sample_replay, signal, succeed, words},
    served_match::Served,
};

/// A command that goes on until it is stopped, and the lines that it prints.
struct Running {
    process: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut process = bridgemaster(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        Self { process, lines }
    }

    /// The next line with this text.
    fn line(&mut self, with: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended without a line with {with:?}");
            if line.contains(with) {
                return line;
            }
        }
    }

    /// Asks it to stop, which it does well.
    fn stop(mut self) {
        assert!(signal("-INT", self.process.id()));
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Host and path of the address in a line.
fn address(line: &str) -> (String, String) {
    let url = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("http://"));
    let (host, path) = url.unwrap().split_once('/').unwrap();
    (host.to_owned(), format!("/{path}"))
}

/// Head and body of the answer to a request.
fn get(host: &str, path: &str, more: &str) -> (String, String) {
    let mut connection = TcpStream::connect(host).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n{more}\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn host(host: &str) -> String {
    format!("host: {host}\r\n")
}

#[test]
fn serve_tells_where_its_page_is_and_answers_for_the_names_that_it_was_given() {
    let mut served = Running::start(&words(
        "serve --listen 127.0.0.1:0 --page 127.0.0.1:0 --page-host bridge.example",
    ));
    let (at, path) = address(&served.line("page at"));
    let (head, body) = get(&at, &path, &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(body.starts_with("<!doctype html>"));
    let (head, _) = get(&at, "/m/1", &host("bridge.example"));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (head, _) = get(&at, "/m/1", &host("evil.example"));
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    served.stop();
}

#[test]
fn a_page_that_was_asked_for_and_has_no_port_keeps_the_server_from_starting() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let ran = run(["serve", "--listen", "127.0.0.1:0", "--page", &addr]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.err.contains(&addr) && ran.err.contains("another program"),
        "{}",
        ran.err
    );
}

#[test]
fn the_default_page_gives_way_to_another_program_and_goes_with_no_page() {
    let (served, line) = loop {
        // Held by this test, or by whatever has it already: that may end before the server looks.
        let taken = TcpListener::bind("127.0.0.1:8080");
        let mut served = Running::start(&["serve", "--listen", "127.0.0.1:0"]);
        let line = served.line("page");
        if taken.is_ok() || !line.contains("page at") {
            break (served, line);
        }
        served.stop();
    };
    assert!(line.contains("no page: 127.0.0.1:8080 is in use"), "{line}");
    served.stop();
    let mut without = Running::start(&["serve", "--listen", "127.0.0.1:0", "--no-page"]);
    without.line("listening");
    assert!(signal("-INT", without.process.id()));
    let mut rest = String::new();
    without.lines.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("page"), "{rest}");
}

#[test]
fn a_page_that_others_reach_needs_tls() {
    let ran = run(["serve", "--listen", "127.0.0.1:0", "--page", "0.0.0.0:0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err
            .contains("--page 0.0.0.0:0: other machines can reach"),
        "{}",
        ran.err
    );
    let both = run(["serve", "--page", "127.0.0.1:0", "--no-page"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
}

#[test]
fn a_replay_becomes_one_html_file_beside_it_or_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("ab.replay.binpb");
    fs::copy(sample_replay(), &replay).unwrap();
    let said = succeed(["replay", "html", replay.to_str().unwrap()]);
    let beside = folder.path().join("ab.html");
    assert!(said.contains(beside.to_str().unwrap()), "{said}");
    let html = fs::read_to_string(&beside).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("id=\"positions\""));
    let (_, block) = html.split_once("id=\"positions\">").unwrap();
    let (positions, _) = block.split_once('<').unwrap();
    assert!(positions.len() > 10_000, "{}", positions.len());
    let out = folder.path().join("other");
    succeed(words(&format!(
        "replay html {} -o {}",
        replay.to_str().unwrap(),
        out.to_str().unwrap()
    )));
    assert_eq!(fs::read_to_string(&out).unwrap(), html);

    let mut bytes = fs::read(&replay).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&replay, bytes).unwrap();
    for command in ["html", "open"] {
        let ran = run(["replay", command, replay.to_str().unwrap()]);
        assert_eq!(ran.code, Some(1), "{command}");
        assert!(ran.err.contains("altered"), "{command}: {}", ran.err);
    }
}

#[test]
fn a_replay_is_opened_at_an_address_of_its_own_until_it_is_stopped() {
    let replay = sample_replay().to_str().unwrap();
    let mut opened = Running::start(&["replay", "open", replay]);
    let (at, path) = address(&opened.line("http://"));
    let (head, body) = get(&at, &path, &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("script-src 'sha256-"), "{head}");
    assert!(body.contains("id=\"positions\""));
    assert!(
        get(&at, "/", &host("evil.example"))
            .0
            .starts_with("HTTP/1.1 403")
    );
    assert!(get(&at, "/other", &host(&at)).0.starts_with("HTTP/1.1 404"));
    opened.stop();
}

#[test]
fn a_contest_is_opened_with_its_matches_while_it_grows() {
    let contest = Contest::new();
    let flags = ["--bot", "greedy", "--against", "random", "--groups", "2"];
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // As it was when one match had ended.
    let results = contest.path.join("results.jsonl");
    let all = fs::read_to_string(&results).unwrap();
    let first = all.split_inclusive('\n').next().unwrap();
    fs::write(&results, first).unwrap();
    let mut opened = Running::start(&["contest", "open", contest.path.to_str().unwrap()]);
    let (at, path) = address(&opened.line("http://"));
    let (head, body) = get(&at, &path, &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(
        !head.contains("script-src") && head.contains("refresh: 5"),
        "{head}"
    );
    assert!(body.contains("<bdi>greedy</bdi>"), "{body}");
    let links = |body: &str| -> Vec<String> {
        let links = body.split("<a href=\"/match/").skip(1);
        links
            .map(|link| format!("/match/{}", link.split('"').next().unwrap()))
            .collect()
    };
    assert_eq!(links(&body).len(), 1, "{body}");
    fs::write(&results, &all).unwrap();
    let (head, body) = get(&at, &path, &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let links = links(&body);
    assert!(links.len() >= 4, "{body}");
    let (head, body) = get(&at, &links[0], &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("script-src 'sha256-"), "{head}");
    assert!(body.contains("id=\"positions\"") && body.contains("<a href=\"/\">All matches"));
    for (from, path, code) in [("evil.example", "/", 403), (&*at, "/match/9.9", 404)] {
        let (head, _) = get(&at, path, &host(from));
        assert!(head.starts_with(&format!("HTTP/1.1 {code}")), "{head}");
    }
    let foreign = format!("{}origin: http://evil.example\r\n", host(&at));
    assert!(get(&at, "/", &foreign).0.starts_with("HTTP/1.1 403"));
    opened.stop();
    let none = run(["contest", "open", "/no/such/contest"]);
    assert_eq!(none.code, Some(2), "{}", none.err);
}

#[test]
fn a_demo_that_is_opened_shows_its_match_until_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("r");
    let mut demo = Running::start(&[
        "demo",
        "--open",
        "--bots",
        "random,random",
        "--replay",
        replay.to_str().unwrap(),
    ]);
    let (at, path) = address(&demo.line("page at"));
    demo.line("replay verify");
    let target = entered(&at, &path);
    assert!(target.starts_with("/m/"), "{target}");
    let (head, _) = get(&at, &target, &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let guessed = "/enter/00112233445566778899aabbccddeeff";
    let (head, _) = get(&at, guessed, &host(&at));
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    demo.stop();
}

/// Follows the link of a demo, which sets a cookie, and returns its target.
fn entered(at: &str, path: &str) -> String {
    let (head, _) = get(at, path, &host(at));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    let header = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    let cookie = header("set-cookie:").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    header("location:").unwrap()
}

/// The ticket of a link.
fn ticket(link: &str) -> &str {
    let (path, ticket) = link.split_once("#ticket=").unwrap();
    assert!(path.ends_with("/play"), "{link}");
    ticket.trim()
}

#[test]
fn create_prints_a_link_for_each_seat_and_gives_people_time() {
    let served = Served::start(&["--no-page"]);
    let create = |flags: &[&str]| {
        let always = ["match", "create", "--server", &served.url, "--seats", "2"];
        succeed([&always, flags].concat())
    };
    let made = create(&["--page", "http://127.0.0.1:9"]);
    let links = made.lines().filter_map(|line| {
        let (_, link) = line.trim().split_once("  http://127.0.0.1:9")?;
        Some(ticket(link).to_owned())
    });
    let links: Vec<String> = links.collect();
    assert_eq!(links.len(), 2, "{made}");
    for ticket in &links {
        // Once in the list of tickets, in the link, and in the command of a bot.
        assert_eq!(made.matches(ticket.as_str()).count(), 3, "{made}");
    }
    assert!(made.contains("bots have 600 s"), "{made}");
    let made = create(&["--page", "--startup-ms", "5000"]);
    assert!(
        made.contains("http://127.0.0.1:8080/play#ticket="),
        "{made}"
    );
    assert!(made.contains("bots have 5 s"), "{made}");
    let made = create(&[]);
    assert!(!made.contains("/play#"), "{made}");
    assert!(!made.contains("bots have 600 s"), "{made}");
    let refused = run(["match", "create", "--page", "nonsense"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
}

#[test]
fn a_demo_for_a_person_prints_the_link_of_its_seat_and_waits() {
    let mut demo = Running::start(&["demo", "--human", "--game", "alhambra", "--quiet"]);
    let line = demo.line("play at");
    let (at, path) = address(&line);
    let path = entered(&at, &path);
    // The match, and 128 bits that nobody can guess.
    let ticket = ticket(&path);
    let secret = ticket.rsplit_once('-').map(|(_, secret)| secret.len());
    assert_eq!(secret, Some(32), "{line}");
    let (head, _) = get(&at, "/play", &host(&at));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(signal("-INT", demo.process.id()));
    // The match has not ended.
    assert!(!demo.process.wait().unwrap().success());
}
