//! Tests help texts, and errors, which must name the valid values.

use std::net::TcpListener;

use crate::kit::program::{Ran, all_refused, assert_has, bridgemaster, refused, run, succeed};

#[test]
fn help_shows_the_first_steps_and_every_command() {
    let commands = "demo serve match ladder contest replay bot key data cluster new-bot check-bot \
                    attend";
    let help = succeed("--help");
    assert_has(&help, &["bridgemaster demo", "replay show FILE", "BRIDGEMASTER_TICKET"]);
    for command in commands.split(' ') {
        assert_has(&help, &[command]);
        assert_has(&succeed(format!("{command} --help")), &["Usage: bridgemaster"]);
    }
    let options = ["--game", "old_london_bridge", "--faces", "random", "--edition"];
    assert_has(&succeed("match create --help"), &options);
    assert_has(&succeed("demo --help"), &options);
    assert_has(&succeed("demo --help"), bridgemaster_bots::NAMES);
    assert_has(&succeed("bot --help"), bridgemaster_bots::NAMES);
}

#[test]
fn invalid_flags_are_refused_with_the_valid_values() {
    let long_seed = format!("demo --seed {}", "x".repeat(65));
    let to_all = ["0.0.0.0:0", "--insecure", "--tls-cert", "127.0.0.1"];
    let metrics_to_all = ["--metrics 0.0.0.0:9464", "--insecure", "127.0.0.1:9464"];
    all_refused(&[
        // Errors about seats and bots.
        ("demo --seats 9", &["--seats 9", "2 to 4"]),
        ("demo --seats 1", &["--seats 1", "2 to 4"]),
        ("demo --bots random", &["--bots with 1 bot", "2 to 4"]),
        ("match create --seats five", &["--seats", "five"]),
        ("demo --seats 3 --bots greedy,random", &["--seats 3", "2 bots of --bots"]),
        ("demo --bots greddy,random", &["greddy"]),
        ("demo --bots greddy,random", bridgemaster_bots::NAMES),
        ("bot greddy --ticket t", bridgemaster_bots::NAMES),
        ("bot greedy", &["BRIDGEMASTER_TICKET", "--ticket"]),
        // `--playouts` with bots that do not search.
        ("bot human --ticket t --playouts 5", &["--playouts", "search", "human"]),
        ("bot human --ticket t --time-ms 5", &["--time-ms", "search", "human"]),
        ("bot greedy --ticket t --playouts 5", &["--playouts", "search", "greedy"]),
        ("bot greedy --ticket t --time-ms 5", &["--time-ms", "search", "greedy"]),
        ("bot human --ticket t --seed s", &["--seed", "human"]),
        // Errors about matches.
        ("demo --seed 'a b'", &["printable ASCII without spaces"]),
        (&long_seed, &["1 to 64", "65"]),
        ("demo --faces chapel_leader,spire", &["--faces", "spire", "longest_series", "random"]),
        ("demo --edition no/such/file.toml", &["--edition", "no/such/file.toml"]),
        ("match create --game chess", &["chess", "old_london_bridge"]),
        ("demo --time-control 0", &["BANK is 0 s", "0.001 to 86400 s"]),
        ("demo --on-late refuse", &["faults.late", "SUBSTITUTE"]),
        ("demo --json no/such/file", &["--json", "no/such/file", "cannot write"]),
        ("demo --replay no/such/file", &["--replay", "no/such/file", "cannot write"]),
        // Errors about servers and their addresses.
        ("serve --listen 0.0.0.0:0", &to_all),
        ("serve --listen localhost:0", &["--listen", "not resolved", "127.0.0.1:0"]),
        ("serve --metrics localhost:0", &["--metrics", "not resolved", "127.0.0.1:0"]),
        ("serve --metrics 0.0.0.0:9464", &metrics_to_all),
        ("serve --otlp collector:4317", &["http://HOST:PORT"]),
        (
            "serve --listen 127.0.0.1:0 --page 0.0.0.0:0",
            &["--page 0.0.0.0:0: other machines can reach"],
        ),
        ("serve --page 127.0.0.1:0 --no-page", &["--no-page"]),
        ("match create --page nonsense", &["nonsense"]),
        ("match watch m --server nonsense", &["nonsense", "http://"]),
        ("contest open /no/such/contest", &["/no/such/contest"]),
    ]);
}

#[test]
fn a_bad_edition_is_refused_with_its_entry() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edition.toml");
    let text = include_str!("../../../../games/data/old_london_bridge/built_in.toml");
    std::fs::write(&file, text.replacen("number = 59", "number = 58", 1)).unwrap();
    let named = file.to_str().unwrap();
    let texts = ["--edition", named, "buildings[", ".number", "58"];
    refused(format!("demo --edition {named}"), &texts);
}

#[test]
fn an_address_in_use_is_reported_with_a_remedy() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = other.local_addr().unwrap().to_string();
    let texts = [&*at, "another program", "127.0.0.1:0"];
    run(format!("serve --listen {at}")).fails(1, &texts);
    let page = run(format!("serve --listen 127.0.0.1:0 --page {at}"));
    page.fails(1, &texts[..2]);
}

#[test]
fn an_unreachable_server_is_reported_with_the_command_to_start_one() {
    // Port 1 is reserved, so nothing listens on it.
    for command in ["match watch m", "match create"] {
        let ran = run(format!("{command} --server http://127.0.0.1:1"));
        ran.fails(1, &["http://127.0.0.1:1", "bridgemaster serve"]);
    }
}

#[test]
fn a_secret_that_cannot_be_read_is_refused_without_being_shown() {
    for line in ["match list", "contest --bot greedy", "bot greedy"] {
        for variable in ["BRIDGEMASTER_KEY", "BRIDGEMASTER_TICKET"] {
            let ran = bridgemaster(line).env(variable, "two hushwords").output();
            let ran = Ran::from(ran.unwrap());
            assert_ne!(ran.code, Some(0), "{line}");
            assert!(!ran.err.contains("hush"), "{}", ran.err);
        }
    }
}

#[test]
fn an_unknown_parameter_of_a_store_is_refused_by_name_and_its_value_is_not_logged() {
    for line in ["serve", "cluster nodes", "key list"] {
        let store = "postgres://n@127.0.0.1:1/g?sslpassword=hush";
        let mut command = bridgemaster(line);
        command.env("BRIDGEMASTER_STORE", store).env("RUST_LOG", "trace");
        let ran = Ran::from(command.output().unwrap());
        assert_ne!(ran.code, Some(0), "{line}");
        assert_has(&ran.err, &["sslpassword", "sslmode"]);
        assert!(!ran.all().contains("hush"), "{}", ran.err);
    }
}
