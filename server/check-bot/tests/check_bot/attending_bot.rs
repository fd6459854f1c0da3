//! Bots that attend a queue, either correctly or with a single flaw, and the findings of the check
//! `attend` for each of them.

use std::{env, process::ExitCode, time::Duration};

use bridgemaster_bot_process::BotCommand;
use bridgemaster_bots::Random;
use bridgemaster_check_bot::{Check, Outcome, Plan, check_bot};
use bridgemaster_games::Seed;
use bridgemaster_sdk::{AttendEvent, AttendOptions, Connection, Options};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

/// The ways to attend, each with a part of the expectation that fails; `None` for the correct way.
const WAYS: [(&str, Option<&str>); 5] = [
    ("soundly", None),
    ("without_coming", Some("a bot that attends the queue")),
    ("without_playing", Some("no faults of the bot")),
    ("until_a_lost_stream", Some("attends again after a lost connection")),
    ("with_exit_code_1", Some("exit code 0")),
];

/// Runs a bot that attends in one of the ways.
pub(crate) fn run(way: &str) -> ExitCode {
    let bot = || Random::new(&Seed::from(7));
    Runtime::new().unwrap().block_on(async {
        let Some(options) = AttendOptions::from_env("attending").unwrap() else {
            // The first check starts every bot with a ticket.
            let options = Options::from_env("attending").unwrap();
            let played = bridgemaster_sdk::play(bot(), options).await;
            return ExitCode::from(u8::from(played.is_err()));
        };
        let ended = match way {
            "without_coming" => return ExitCode::from(3),
            "without_playing" => {
                let connection = Connection::new(&options.server_url).unwrap();
                let mut attending = connection.attendance(options).unwrap();
                // Ignores every offer.
                while let Ok(Some(
                    AttendEvent::Attendance(_)
                    | AttendEvent::Offer(..)
                    | AttendEvent::OfferWithdrawn(_),
                )) = attending.next().await
                {}
                Ok(())
            }
            "until_a_lost_stream" => {
                let once = AttendOptions { reconnect_for: Duration::ZERO, ..options };
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
        // The check waits until the ignored offer expires.
        time_factor: if way == "without_playing" { 0.2 } else { 1.0 },
    };
    let report = Runtime::new()?.block_on(check_bot(plan, |_| {}))?;
    let found = report.checks.iter().find(|check| check.name == "attend");
    let found = found.ok_or_else(|| format!("the check was not run: {:#?}", report.checks))?;
    let is_expected = match (&found.outcome, missing) {
        (Outcome::Passed, None) => true,
        (Outcome::Failed(failure), Some(missing)) => failure.expected.contains(missing),
        _ => false,
    };
    if is_expected { Ok(()) } else { Err(format!("{found:#?}").into()) }
}
