//! Options of a contest: format, test, seeds, rules and clocks.

use std::{collections::BTreeSet, fs};

use crate::{
    contest::Contest,
    kit::{
        program::{refused, succeed},
        results::{LAGGING, read_json},
        served::Served,
    },
    served_match::create,
};

/// Edition data of Old London Bridge.
const EDITION: &str = include_str!("../../../../games/data/old_london_bridge/built_in.toml");
const ODDS: &str = "random=70/10";

#[test]
fn each_format_plays_its_matches() {
    let four = "--bot greedy --bot one=random --bot two=random --bot three=random";
    for (flags, matches) in [
        // Two matches: each of the two bots takes each seat.
        ("--format series --groups 1 --bot greedy --bot random".to_owned(), 2),
        // A gauntlet against three opponents.
        (format!("--format gauntlet --rounds 1 {four}"), 6),
        // A round robin of six pairs.
        (format!("--format round-robin --rounds 1 {four}"), 12),
        // A Swiss tournament with two tables in each round.
        (format!("--format swiss --rounds 2 {four}"), 8),
    ] {
        let contest = Contest::new();
        contest.run(&flags).exits(0);
        assert_eq!(contest.scores().len(), matches, "{flags}");
    }
}

#[test]
fn a_verdict_comes_from_the_chosen_test_and_bounds() {
    let common = "--bot greedy --against random --seed spring --max-groups 40";
    for (flags, expected) in [
        ("--test pentanomial --elo 0,400", "accepted by the pentanomial test"),
        ("--nelo 0,300", "accepted by"),
        ("--elo 0,400 --level 0.8", "intervals of 80 %"),
    ] {
        let ran = Contest::new().run(format!("{common} {flags}"));
        ran.prints(0, &[expected]);
    }
}

#[test]
fn a_contest_plays_each_listed_seed_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seeds");
    fs::write(&file, "spring\nautumn\n\nspring\n").unwrap();
    let contest = Contest::new();
    let bots = "--bot one=random --bot other=random";
    contest
        .run(format!("{bots} --seeds {}", file.display()))
        .prints(3, &["1 group skipped because of a repeated seed"]);
    assert_eq!(contest.scores().len(), 4);
    let rows = contest.rows();
    let played: BTreeSet<&str> = rows.iter().filter_map(|row| row["seed"].as_str()).collect();
    assert_eq!(played, BTreeSet::from(["autumn", "spring"]));
}

#[test]
fn nothing_is_played_by_another_version_of_the_rules() {
    let flags = "--bot greedy --bot random --groups 1 --rules-version";
    Contest::new().run(format!("{flags} 1")).exits(0);
    let contest = Contest::new();
    contest.run(format!("{flags} 99")).fails(2, &["version"]);
    assert!(!contest.path.exists(), "a refused contest leaves no folder");
}

#[test]
fn a_contest_file_can_have_an_edition_and_a_clock() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    let text = |edition: &str| {
        format!(
            "test = {{ kind = \"fixed\", groups = 1 }}\n\
             [match]\ngame = \"old_london_bridge\"\nrules_version = 1\nseats = 2\n\
             clock = {{ time_control = \"600/10\", referee_lag_limit_ms = 10000 }}\n\
             [match.options]\nedition = '''\n{edition}'''\n\
             [format]\nkind = \"series\"\n\
             [[bots]]\nname = \"greedy\"\n[[bots]]\nname = \"random\"\n"
        )
    };
    let named = EDITION.replace("name = \"built-in\"", "name = \"of the attic\"");
    assert_ne!(named, EDITION);
    fs::write(&file, text(&named)).unwrap();
    let contest = Contest::new();
    contest.run_config(&file, "").exits(0);
    assert_eq!(contest.scores().len(), 2);
    let spec = contest.read("contest.json");
    assert!(spec.contains("of the attic") && spec.contains("600/10"), "{spec}");

    fs::write(&file, text("ring = 7\n")).unwrap();
    Contest::new().run_config(&file, "").fails(2, &["edition"]);
}

#[test]
fn a_bot_with_time_odds_has_its_clock_in_every_seat() {
    let contest = Contest::new();
    let json = contest.path.with_extension("json");
    let flags = format!("--groups 1 --clock-of {ODDS} --json {}", json.display());
    contest
        .run(format!("--bot greedy --against random {flags}"))
        .prints(0, &["time odds: random has 70/10 s"]);
    let report = read_json(json);
    assert_eq!(report["spec"]["bots"][1]["time_control"], "70/10", "{report}");
    let mut seen = Vec::new();
    for row in contest.rows() {
        let mut bots = row["seats"].as_array().unwrap().iter();
        let seat = bots.position(|seat| seat["bot"] == 1).unwrap();
        let replay = contest.path.join(row["replay"].as_str().unwrap());
        let shown = succeed(format!("replay show {}", replay.display()));
        let expected = format!("clock of seat {seat}: 70/10 s");
        assert!(shown.contains(&expected), "{shown}");
        succeed(format!("replay verify {}", replay.display()));
        if row["annulled"].is_null() {
            seen.push(seat);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1], "each seat once");
}

#[test]
fn time_odds_of_an_unknown_bot_are_refused_before_the_start() {
    let unknown = "unknown bot \"nobody\"; the bots are greedy, random";
    for (odds, expected) in [
        ("nobody=1", unknown),
        ("greedy=time:1", "expected a time control such as 60+0.5/10: BANK"),
        ("greedy", "expected WHO="),
        ("greedy=0", "BANK is 0 s; the range is 0.001 to 86400 s"),
    ] {
        let line = Contest::new().line("--bot greedy --against random --clock-of");
        refused(format!("{line} {odds}"), &[expected]);
    }
}

#[test]
fn a_match_is_created_with_a_clock_for_each_seat() {
    let server = Served::start("");
    let made = create(&server, "--clock-of 1=60/0.25");
    let clocks = &made["match"]["config"]["seatClocks"];
    assert_eq!(clocks[0]["seat"], 1, "{made}");
    assert_eq!(clocks[0]["timeControl"]["fischer"]["capMs"], 250);
}

#[test]
fn invalid_contests_are_refused_before_the_start() {
    let both = "--bot greedy --against random";
    for (flags, texts) in [
        ("--bot greddy --against random", &["greddy", "random, greedy"][..]),
        ("--bot greedy@7 --against random", &["version 1"]),
        ("", &["--bot"]),
        ("--bot greedy", &["--against"]),
        ("--bot greedy --against random,mien", &["unknown bot \"mien\"", "greedy, random"]),
        (&format!("{both} --candidate mien"), &["unknown bot \"mien\""]),
        ("--bot greedy --bot random --format round-robin --elo 0,50", &["--elo needs a test"]),
        (&format!("{both} --require 'mien:faults<=0'"), &["unknown bot \"mien\""]),
        (&format!("{both} --elo 50,0"), &["lower bound"]),
        (&format!("{both} --require 'fun>=3'"), &["--require", "margin"]),
        (&format!("{both} --bot-files no/such/*"), &["no/such/*"]),
        (&format!("{both} --svg no/such/c.svg"), &["--svg: cannot write no/such/c.svg"]),
    ] {
        let contest = Contest::new();
        refused(contest.line(flags), texts);
        assert!(!contest.path.exists(), "{flags}");
    }
    let empty = tempfile::tempdir().unwrap();
    refused(format!("contest --resume {}", empty.path().display()), &["no contest"]);
}

#[test]
fn the_folder_of_another_contest_is_not_overwritten() {
    let contest = Contest::new();
    let flags = "--bot greedy --against random --groups 1";
    contest.run(flags).exits(0);
    let before = contest.rows();
    contest.run(flags).fails(2, &["--resume"]);
    assert_eq!(contest.rows(), before);
}

#[test]
fn a_server_that_does_not_answer_has_exit_code_6() {
    let flags = "--bot greedy --against random --server http://127.0.0.1:1";
    Contest::new().run(flags).fails(6, &["no server answers"]);
}

/// The TOML of docs/reference/contest.md.
fn documented() -> String {
    let text = include_str!("../../../../docs/reference/contest.md");
    let (_, behind) = text.split_once("```toml\n").unwrap();
    behind.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_contest_is_read_from_the_file_of_the_documentation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    // The bots in the documentation do not exist, so they are replaced.
    let text = documented().replace("python3 bot.py", "sh bot");
    fs::write(&file, text.replace("python3 old_bot.py", "sh")).unwrap();
    // The contest starts, and then fails because the two commands are not bots.
    Contest::new().run_config(&file, "").exits(52);
    fs::write(&file, documented().replace("seats = 2", "seats = 99")).unwrap();
    let ran = Contest::new().run_config(&file, "");
    ran.fails(2, &["match.seats: 99 is out of range"]);
}

#[test]
fn a_flag_that_a_contest_file_or_folder_overrides_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    fs::write(&file, documented()).unwrap();
    for flags in [
        "--require 'faults<=0'",
        "--faults fail",
        "--alpha 0.1",
        "--game alhambra",
        "--time-control 1",
        "--on-late forfeit",
        "--fields off",
        "--bot greedy",
        "--rounds 3",
        "--seats 2",
        "--house first",
    ] {
        let named = &flags[..flags.find(' ').unwrap()];
        Contest::new().run_config(&file, flags).fails(2, &[named]);
        let at = folder.path().display();
        refused(format!("contest --resume {at} {flags}"), &[named]);
    }
}

#[test]
fn with_one_output_on_standard_output_nothing_else_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("contest");
    let bots = "--bot random --bot other=random --groups 1 --json -";
    let line = format!("contest --game bridges_to_nowhere --folder {} {bots}", at.display());
    crate::report_files::json(&succeed(format!("{line} {LAGGING}")));
}
