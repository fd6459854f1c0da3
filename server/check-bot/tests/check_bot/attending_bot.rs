//! Bots that attend a queue, soundly or with one flaw, and what the check `attend` finds of each.

use std::{env, process::ExitCode, time::Duration};

use bridgemaster_bot_process::BotCommand;
use bridgemaster_bots::Random;
use bridgemaster_check_bot::{Check, Outcome, Plan, check_bot};
use bridgemaster_games::Seed;
use bridgemaster_sdk::{AttendOptions, Connection, Options, Told};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

/// The ways to attend, and what the check expects of a bot that does not.
const WAYS: [(&str, Option<&str>); 5] = [
    ("soundly", None),
    ("without_coming", Some("a bot that attends the queue")),
    ("without_playing", Some("a match without a fault")),
    (
        "until_a_lost_stream",
        Some("there again after a lost connection"),
    ),
    ("with_exit_code_1", Some("exit code 0")),
];

/// A bot that attends in one of the ways.
pub(crate) fn run(way: &str) -> ExitCode {
    let bot = || Random::new(&Seed::from(7));
    Runtime::new().unwrap().block_on(async {
        let Some(options) = AttendOptions::from_env("attending").unwrap() else {
            // Every bot is started with a ticket first.
            let options = Options::from_env("attending").unwrap();
            let played = bridgemaster_sdk::play(bot(), options).await;
            return ExitCode::from(u8::from(played.is_err()));
        };
        let ended = match way {
            "without_coming" => return ExitCode::from(3),
            "without_playing" => {
                let connection = Connection::to(&options.server_url).unwrap();
                let mut attending = connection.attending(options).unwrap();
                // It lets every offer be.
                while let Ok(Some(Told::Attendance(_) | Told::Offer(_) | Told::Withdrawn(_))) =
                    attending.next().await
                {}
                Ok(())
            }
            "until_a_lost_stream" => {
                let once = AttendOptions {
                    reconnect_for: Duration::ZERO,
                    ..options
                };
                bridgemaster_sdk::attend(bot, once).await
            }
            _ => bridgemaster_sdk::attend(bot, options).await,
        };
        match ended {
            Ok(()) => ExitCode::from(u8::from(way == "with_exit_code_1")),
            Err(_) => ExitCode::from(4),
        }
    })
}

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    WAYS.into_iter().map(|(way, missing)| {
        let name = match missing {
            None => "a_bot_that_attends_soundly_passes".to_owned(),
            Some(_) => format!("finds_a_bot_that_attends_{way}"),
        };
        Trial::test(name, move || check(way, missing))
    })
}

fn check(way: &str, missing: Option<&str>) -> Result<(), Failed> {
    let plan = Plan {
        command: BotCommand::new(env::current_exe()?).with(["attending-bot", way]),
        games: vec!["old_london_bridge".to_owned()],
        only: vec![Check::Attend],
        attends: false,
        // Who lets an offer be does so for as long as it holds.
        time_factor: if way == "without_playing" { 0.2 } else { 1.0 },
    };
    let report = Runtime::new()?.block_on(check_bot(plan, |_| {}))?;
    let found = report.checks.iter().find(|check| check.name == "attend");
    let found = found.ok_or_else(|| format!("it was not carried out: {:#?}", report.checks))?;
    let is_right = match (&found.outcome, missing) {
        (Outcome::Passed, None) => true,
        (Outcome::Failed(failure), Some(missing)) => failure.expected.contains(missing),
        _ => false,
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("{found:#?}").into()),
    }
}
