//! Tests the page: of a server, of a single replay, and as a file.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use xxhash_rust::xxh64::xxh64;

use crate::{
    contest::Contest,
    kit::{
        program::{Background, assert_has, run, succeed},
        served::Served,
    },
    sample_replay,
};

/// Returns the host and the path of the address in a line.
fn address(line: &str) -> (String, String) {
    let mut words = line.split_whitespace();
    let url = words.find_map(|word| word.strip_prefix("http://"));
    let (host, path) = url.unwrap().split_once('/').unwrap();
    (host.to_owned(), format!("/{path}"))
}

/// Requests a path of a host from the server at `at`. Returns the status, the head and the body of
/// the response.
fn get(at: &str, path: &str, host: &str) -> (u16, String, String) {
    let mut connection = TcpStream::connect(at).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\nhost: {host}\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

#[track_caller]
fn assert_status(at: &str, path: &str, host: &str, expected: u16) {
    let (status, head, _) = get(at, path, host);
    assert_eq!(status, expected, "{path} for {host}: {head}");
}

/// Stops a command, which must succeed.
fn stop(running: Background) {
    running.signal("-INT");
    running.ended().exits(0);
}

#[test]
fn serve_prints_the_address_of_the_page_and_answers_configured_names() {
    let mut server = Served::start("--page 127.0.0.1:0 --page-host bridge.example");
    let (at, path) = address(&server.line("page at"));
    let (status, _, body) = get(&at, &path, &at);
    assert_eq!(status, 200);
    assert!(body.starts_with("<!doctype html>"));
    assert_status(&at, "/m/1", "bridge.example", 200);
    assert_status(&at, "/m/1", "evil.example", 403);
    server.stop();
}

#[test]
fn the_default_page_is_omitted_if_its_port_is_in_use_or_with_no_page() {
    let (server, line) = loop {
        // This test or another program holds the port; the other program may end at any time.
        let taken = TcpListener::bind("127.0.0.1:8080");
        let mut server = Served::start("");
        let line = server.line("page");
        if taken.is_ok() || !line.contains("page at") {
            break (server, line);
        }
        server.stop();
    };
    assert!(line.contains("no page: 127.0.0.1:8080 is in use"), "{line}");
    server.stop();
    let mut without = Background::start("serve --listen 127.0.0.1:0 --no-page");
    without.line("listening");
    without.signal("-INT");
    let rest = without.ended().out;
    assert!(!rest.contains("page"), "{rest}");
}

#[test]
fn replay_html_writes_one_file_beside_the_replay_or_to_the_given_path() {
    let folder = tempfile::tempdir().unwrap();
    let [replay, beside, other] =
        ["ab.replay.binpb", "ab.html", "other"].map(|name| folder.path().join(name));
    fs::copy(sample_replay(), &replay).unwrap();
    let file = replay.display();
    assert_has(&succeed(format!("replay html {file}")), &[beside.to_str().unwrap()]);
    let html = fs::read_to_string(&beside).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    let (_, block) = html.split_once("id=\"positions\">").unwrap();
    let (positions, _) = block.split_once('<').unwrap();
    assert!(positions.len() > 10_000, "{}", positions.len());
    succeed(format!("replay html {file} -o {}", other.display()));
    assert_eq!(fs::read_to_string(&other).unwrap(), html);

    let mut bytes = fs::read(&replay).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&replay, bytes).unwrap();
    for command in ["html", "open"] {
        run(format!("replay {command} {file}")).fails(1, &["altered"]);
    }
}

#[test]
fn replay_open_serves_the_replay_until_it_is_stopped() {
    let mut opened = Background::start(format!("replay open {}", sample_replay().display()));
    let (at, path) = address(&opened.line("http://"));
    let (status, head, body) = get(&at, &path, &at);
    assert_eq!(status, 200);
    assert!(head.contains("script-src 'sha256-"), "{head}");
    assert!(body.contains("id=\"positions\""));
    assert_status(&at, "/", "evil.example", 403);
    assert_status(&at, "/other", &at, 404);
    stop(opened);
}

#[test]
fn contest_open_serves_a_growing_contest_and_its_matches() {
    let contest = Contest::new();
    contest.run("--bot greedy --against random --groups 2").exits(0);
    // The state of the contest after one finished match.
    let results = contest.path.join("results.jsonl");
    let all = fs::read_to_string(&results).unwrap();
    fs::write(&results, all.split_inclusive('\n').next().unwrap()).unwrap();
    let mut opened = Background::start(format!("contest open {}", contest.path.display()));
    let (at, path) = address(&opened.line("http://"));
    let (status, head, body) = get(&at, &path, &at);
    assert_eq!(status, 200);
    assert!(!head.contains("script-src") && head.contains("refresh: 5"), "{head}");
    assert_has(&body, &["<bdi>greedy</bdi>"]);
    let links = |body: &str| -> Vec<String> {
        let links = body.split("<a href=\"/match/").skip(1);
        let paths = links.map(|link| format!("/match/{}", link.split('"').next().unwrap()));
        paths.collect()
    };
    assert_eq!(links(&body).len(), 1, "{body}");
    fs::write(&results, &all).unwrap();
    let (status, _, body) = get(&at, &path, &at);
    let links = links(&body);
    assert!(status == 200 && links.len() >= 4, "{body}");
    let (status, head, body) = get(&at, &links[0], &at);
    assert_eq!(status, 200);
    assert!(head.contains("script-src 'sha256-"), "{head}");
    assert_has(&body, &["id=\"positions\"", "<a href=\"/\">All matches"]);
    assert_status(&at, "/", "evil.example", 403);
    assert_status(&at, "/match/9.9", &at, 404);
    assert_status(&at, "/", &format!("{at}\r\norigin: http://evil.example"), 403);
    stop(opened);
}

/// Follows the link of a demo, which sets a cookie, and returns its target.
fn entered(at: &str, path: &str) -> String {
    let (status, head, _) = get(at, path, at);
    assert_eq!(status, 303, "{head}");
    let header = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    assert_has(&header("set-cookie:").unwrap(), &["HttpOnly", "SameSite=Strict"]);
    header("location:").unwrap()
}

#[test]
fn an_opened_demo_serves_its_match_until_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("r");
    let line = format!("demo --open --bots random,random --replay {}", replay.display());
    let mut demo = Background::start(line);
    let (at, path) = address(&demo.line("page at"));
    demo.line("replay verify");
    let target = entered(&at, &path);
    assert!(target.starts_with("/m/"), "{target}");
    assert_status(&at, &target, &at, 200);
    assert_status(&at, "/enter/00112233445566778899aabbccddeeff", &at, 403);
    stop(demo);
}

/// Returns the ticket of a link.
fn ticket(link: &str) -> &str {
    let (path, ticket) = link.split_once("#ticket=").unwrap();
    assert!(path.ends_with("/play"), "{link}");
    ticket.trim()
}

#[test]
fn create_prints_a_link_for_each_seat_and_gives_people_time() {
    let served = Served::start("--no-page");
    let create =
        |flags: &str| succeed(format!("match create --server {} --seats 2 {flags}", served.url));
    let made = create("--page http://127.0.0.1:9");
    let links = made.lines().filter_map(|line| {
        let (_, link) = line.trim().split_once("  http://127.0.0.1:9")?;
        Some(ticket(link))
    });
    let links: Vec<&str> = links.collect();
    assert_eq!(links.len(), 2, "{made}");
    for ticket in links {
        // The ticket is in the list of tickets, in the link, and in the command of a bot.
        assert_eq!(made.matches(ticket).count(), 3, "{made}");
    }
    assert_has(&made, &["bots have 600 s"]);
    let shown = ["http://127.0.0.1:8080/play#ticket=", "bots have 5 s"];
    assert_has(&create("--page --startup-ms 5000"), &shown);
    let made = create("");
    assert!(!made.contains("/play#") && !made.contains("bots have 600 s"), "{made}");
}

#[test]
fn a_demo_for_a_human_prints_the_link_of_the_seat_and_waits() {
    let mut demo = Background::start("demo --human --game alhambra --quiet");
    let line = demo.line("play at");
    let (at, path) = address(&line);
    let path = entered(&at, &path);
    // The ticket has the identifier of the match, and 128 random bits.
    let secret = ticket(&path).rsplit_once('-').map(|(_, secret)| secret.len());
    assert_eq!(secret, Some(32), "{line}");
    assert_status(&at, "/play", &at, 200);
    demo.signal("-INT");
    // The match has not ended.
    assert_ne!(demo.ended().code, Some(0));
}

/// Returns an unsigned replay file of 4 MiB with as many fields as it can have.
fn most_fields(field: [u8; 2]) -> Vec<u8> {
    let checksum_bytes = 9;
    let mut file = field.repeat((4 * 1024 * 1024 - checksum_bytes) / 2);
    let checksum = xxh64(&file, 0);
    file.push(0x79);
    file.extend(checksum.to_le_bytes());
    file
}

#[cfg(target_os = "linux")]
#[test]
fn uploaded_replay_files_of_many_empty_fields_are_refused_within_the_memory_bound() {
    let mut server = Served::start("--page 127.0.0.1:0");
    let (at, _) = address(&server.line("page at"));
    let peak_mib = |process: u32| -> u64 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    let before = peak_mib(server.process.id());
    // An empty record, an empty event of the opening, and an empty note.
    let files = [[0x5a, 0], [0x4a, 0], [0x32, 0]].map(most_fields);
    thread::scope(|uploads| {
        for file in files.iter().cycle().take(6) {
            uploads.spawn(|| {
                let mut connection = TcpStream::connect(&at).unwrap();
                let length = file.len();
                let head = format!(
                    "POST /open-replay HTTP/1.1\r\nconnection: close\r\nhost: {at}\r\n\
                     content-length: {length}\r\n\r\n"
                );
                connection.write_all(head.as_bytes()).unwrap();
                // A caller that exceeds a limit is refused before its file has arrived.
                let _ = connection.write_all(file);
                let mut answer = String::new();
                let _ = connection.read_to_string(&mut answer);
                assert!(!answer.contains(" 200 "), "{answer}");
            });
        }
    });
    let used = peak_mib(server.process.id()) - before;
    // Four files of 4 MiB, and the messages of 24 MiB that are decoded from each.
    assert!(used <= 4 * (4 + 24), "{used} MiB");
    server.stop();
}
