//! Tests the checks with flawed bots.

use std::env;

use bridgemaster_bot_process::BotCommand;
use bridgemaster_check_bot::{CheckReport, Outcome, Plan, check_bot};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::flaw::Flaw;

/// A game with short matches and forced decisions.
const GAME: &str = "old_london_bridge";

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    Flaw::ALL.iter().map(|(flaw, found_by)| {
        let name = match flaw {
            Flaw::None => "a_correct_bot_passes_every_check".to_owned(),
            _ => format!("a_bot_fails_its_checks_and_no_others::{flaw:?}"),
        };
        Trial::test(name, move || check(*flaw, found_by))
    })
}

fn check(flaw: Flaw, found_by: &[&str]) -> Result<(), Failed> {
    let plan = Plan {
        command: BotCommand::new(env::current_exe()?).with(["flawed-bot", &format!("{flaw:?}")]),
        games: vec![GAME.to_owned()],
        only: Vec::new(),
        attends: false,
        time_factor: 1.0,
    };
    let report = Runtime::new()?.block_on(check_bot(plan, |_| {}))?;
    let mut failed: Vec<String> = Vec::new();
    for check in &report.checks {
        match &check.outcome {
            Outcome::Passed => {}
            Outcome::Failed(failure) => {
                assert!(!failure.expected.is_empty() && !failure.seen.is_empty());
                failed.push(title(check));
            }
            Outcome::Skipped { reason } => {
                return Err(format!("{} is skipped: {reason}", check.title()).into());
            }
        }
    }
    let may_find = flaw.may_be_found_by();
    let is_found = found_by.iter().all(|check| failed.iter().any(|name| name == check));
    let is_alone =
        failed.iter().all(|name| found_by.contains(&&**name) || may_find.contains(&&**name));
    if is_found && is_alone {
        return Ok(());
    }
    Err(format!("{failed:?} failed, not {found_by:?}: {:#?}", report.checks).into())
}

/// Returns a title that distinguishes whole matches by their number of seats.
fn title(check: &CheckReport) -> String {
    match check.name {
        "whole-match" => check.title(),
        name => name.to_owned(),
    }
}
