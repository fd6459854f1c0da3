//! Attacks on the real server from outside, over loopback.
//!
//! In one test, a server with small limits holds as much as they permit, one kind of resource at a
//! time, and its memory is measured. In another, matches are played during all attacks at once. In
//! a third, a bot in a contest tries to steal a win. The bots and the attackers are processes of
//! this program, which are started with hidden arguments.

mod attacker;
mod fair_bot;
mod fair_matches;
mod hoards;
mod judging;
mod machine;
mod metrics_page;
mod raw_client;
mod run;
mod server_process;
mod target;
mod thief;

use std::{process::ExitCode, time::Duration};

use bridgemaster_proto::v1::ListMatchesRequest;
use bridgemaster_server::Limits;
use libtest_mimic::Trial;
use tokio::{
    runtime::Runtime,
    time::{Instant, sleep, timeout},
};

use self::{
    hoards::{Hoard, Prey},
    raw_client::Failure,
    run::Order,
    server_process::ServerProcess,
    thief::Theft,
};
use crate::{
    kit::{calls::showing, program::PATIENCE},
    long_run::LongRun,
};

/// Number of groups in each contest of a long run with a thief, of two matches each.
const THEFT_GROUPS: u32 = 25;
/// Pause between two attempts of another caller.
const PAUSE: Duration = Duration::from_millis(50);

/// Limits that are reached within seconds. The time limits are long, since the limits on bytes are
/// tested here.
const SMALL: &str = "
open_matches = 120
open_matches_per_key = 110
ended_matches_kept = 50
connections = 150
connections_per_address = 100
page_connections = 1
bot_streams = 150
bot_streams_per_caller = 100
other_calls = 400
other_calls_per_caller = 300
unfinished_request_bytes = 4194304
unfinished_request_bytes_per_caller = 2097152
unread_answer_bytes = 8388608
unread_answer_bytes_per_caller = 4194304
bot_queue_bytes = 1048576
bot_queue_bytes_per_caller = 524288
watcher_queue_bytes = 1048576
unread_time_ms = 60000
hello_time_ms = 60000
";

/// Runs as a bot or an attacker, if the arguments request it.
pub(crate) fn process(arguments: &[String]) -> Option<ExitCode> {
    let (name, arguments) = arguments.split_first()?;
    match name.as_str() {
        "fair-bot" => Some(fair_bot::run()),
        "thief" => Some(thief::run(arguments)),
        "attacker" => Some(attacker::run(arguments)),
        _ => None,
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("attack::no_caller_has_the_server_hold_more_than_its_bound", || {
            Ok(hoard_all()?)
        }),
        Trial::test("attack::a_bot_takes_no_win_by_calls_that_are_the_contests", || {
            Ok(Theft::ALL.into_iter().try_for_each(|theft| theft.fails(2))?)
        }),
        Trial::test("attack::fair_matches_are_played_well_while_all_is_tried_at_once", || {
            let verdict = run::run(&Order::short());
            println!("{verdict}");
            Ok(verdict.result().map(drop)?)
        }),
    ]
}

/// Runs the attacks for as long as the arguments say.
///
/// # Errors
/// Returns an error if a check fails. The error lists all failed checks.
pub(crate) fn long(mut arguments: LongRun) -> Result<String, String> {
    let order = Order {
        time: Duration::from_secs(arguments.number("--seconds", 600)?),
        matches: arguments.number("--matches", 64)? as usize,
        is_calm: arguments.has_flag("--calm"),
        only: arguments.value("--only")?,
        is_quiet: true,
    };
    arguments.end("--seconds, --matches, --only and --calm")?;
    if !order.is_calm && order.only.is_none() {
        hoard_all()?;
        Theft::ALL.into_iter().try_for_each(|theft| theft.fails(THEFT_GROUPS))?;
    }
    run::run(&order).result()
}

/// Makes a server with small limits hold all kinds of resources, one kind after the other.
///
/// # Errors
/// Returns an error if the server uses more memory than its limits allow, or no longer answers
/// other callers.
fn hoard_all() -> Result<(), String> {
    let limits: Limits = toml::from_str(SMALL).map_err(|error| error.to_string())?;
    let bound = limits.memory_bound();
    let mut server = ServerProcess::start(SMALL);
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let mut course = format!("{} at the start", mib(server.memory()));
    let hoarded = runtime.block_on(async {
        let prey = Prey::new(&server.target, &server.attacker_key, 100).await?;
        course += &format!(", {} with its matches", mib(server.memory()));
        let mut held = Vec::new();
        for how in Hoard::ALL {
            held.push(prey.hoard_once(how).await);
            serves_others(&server).await?;
            let (memory, after) = (mib(server.memory()), begun.elapsed().as_secs());
            course += &format!(", {memory} with {how:?} after {after} s");
        }
        Ok::<_, Failure>(())
    });
    let most = server.most_memory();
    course += &format!("; at most {}, the bound is {}", mib(most), mib(bound));
    println!("{course}");
    if !server.served.is_running() {
        return Err(format!("the server ended: {}", server.served.log()));
    }
    hoarded.map_err(|error| format!("another caller is not served: {error}; {course}"))?;
    if most <= bound { Ok(()) } else { Err(course) }
}

/// Makes calls as another caller, from another address, until one is answered. This can take long,
/// because the hoarders use the cores too.
async fn serves_others(server: &ServerProcess) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        let mut client = server.target.matches_from(fair_bot::ADDRESS);
        let call = showing(ListMatchesRequest::default(), "", &server.fair_key);
        match timeout(PATIENCE, client.list_matches(call)).await? {
            Err(error) if Instant::now() >= until => return Err(error.into()),
            Err(_) => sleep(PAUSE).await,
            Ok(_) => return Ok(()),
        }
    }
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
