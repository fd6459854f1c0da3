//! Chaos: matches of every game between bots of both languages, while connections are cut, bots
//! are killed and the server is killed, with SIGKILL, at moments that a seed decides. In the end
//! every match has one result, every replay is valid, no message was out of sequence, no bot was
//! charged with a fault, and bots that decide only by their requests make the same decisions as
//! in an undisturbed run.
//!
//! A run that fails says what is wrong, and keeps its folder with the data and the logs of all
//! servers.

mod judging;
mod plan;
mod proxy;
mod run;
mod seats;
mod sequence_watch;
mod server_place;
mod watch_tests;
mod watched_bot;

use std::{path::Path, time::Duration};

use libtest_mimic::{Completion, Trial};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use self::{
    plan::{Order, Plan},
    run::Run,
};
use crate::{long_run::LongRun, tool::PYTHON};

/// An order of `cargo test`.
fn short(server_kills: usize, with_python: bool) -> Order {
    Order {
        seed: 7,
        matches: 8,
        server_kills,
        with_python,
        with_endless_silence: false,
        at_once: 8,
        // The runs take some seconds.
        patience: Duration::from_secs(600),
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("chaos::rust_bots_and_their_server_lose_nothing", || {
            Ok(play(&short(5, false), None).map(drop)?)
        }),
        Trial::ignorable_test("chaos::bots_of_both_languages_lose_nothing", || {
            PYTHON.with(|python| Ok(play(&short(4, true), Some(python)).map(drop)?))
        }),
        Trial::test("chaos::a_seed_decides_the_whole_plan", || {
            let one = short(10, true);
            assert_eq!(Plan::new(&one), Plan::new(&one));
            assert_ne!(Plan::new(&one), Plan::new(&Order { seed: 8, ..one }));
            Ok(())
        }),
        Trial::test("chaos::the_watch_accepts_what_is_in_order", || {
            watch_tests::accepts_what_is_in_order();
            Ok(())
        }),
        Trial::test("chaos::the_watch_sees_what_is_out_of_order", || {
            watch_tests::sees_what_is_out_of_order();
            Ok(())
        }),
    ]
}

/// Plays a long run, with Python bots where there is Python.
///
/// # Errors
/// With all that is wrong.
pub(crate) fn long(mut run: LongRun) -> Result<String, String> {
    let mut order = Order {
        seed: run.number("--seed", 1)?,
        matches: run.number("--matches", 200)? as usize,
        server_kills: run.number("--server-kills", 30)? as usize,
        with_python: true,
        with_endless_silence: true,
        at_once: 12,
        // Some ten times what each of the two runs takes on two cores.
        patience: Duration::from_secs(3_600),
    };
    run.end("--seed, --matches and --server-kills")?;
    let mut text = String::new();
    let played = PYTHON.with(|python| {
        text = play(&order, Some(python))?;
        Ok(())
    });
    let problem = match played {
        Ok(Completion::Completed) => return Ok(text),
        Ok(Completion::Ignored { reason }) => {
            println!("WITHOUT PYTHON BOTS: {}", reason.unwrap_or_default());
            order.with_python = false;
            match play(&order, None) {
                Ok(text) => return Ok(text),
                Err(problem) => problem,
            }
        }
        Err(failed) => failed.message().unwrap_or_default().to_owned(),
    };
    Err(format!(
        "{problem}\nagain: cargo test --release -p bridgemaster --test storm -- --long chaos \
         --seed {} --matches {} --server-kills {}",
        order.seed, order.matches, order.server_kills
    ))
}

/// Plays a seed undisturbed and in the storm, and judges.
fn play(order: &Order, python: Option<&Path>) -> Result<String, String> {
    let folder = TempDir::with_prefix("bridgemaster-chaos-").map_err(|error| error.to_string())?;
    let plan = Plan::new(order);
    let run = |name: &str| Run {
        order,
        plan: &plan,
        python,
        folder: folder.path().join(name),
    };
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let judged = runtime.block_on(async {
        let undisturbed = run("undisturbed").play(None).await;
        let undisturbed = undisturbed.map_err(|problem| format!("undisturbed run: {problem}"))?;
        let disturbed = run("disturbed").play(Some(undisturbed.requests)).await;
        let disturbed = disturbed.map_err(|problem| format!("disturbed run: {problem}"))?;
        judging::judge(order, &plan, &undisturbed, &disturbed).result()
    });
    judged.map_err(|problem| {
        let kept = folder.keep();
        format!("{problem}\nthe folder of the run: {}", kept.display())
    })
}
