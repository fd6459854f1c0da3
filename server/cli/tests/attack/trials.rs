//! Tests of `cargo test`.

use std::time::Duration;

use bridgemaster_proto::v1::{ListMatchesRequest, match_service_client::MatchServiceClient};
use bridgemaster_server::Limits;
use libtest_mimic::{Failed, Trial};
use tokio::{
    runtime::Runtime,
    time::{Instant, sleep, timeout},
};

use crate::{
    fair_bot,
    hoards::{Hoard, Prey},
    raw_client::Failure,
    run::{self, Order},
    server_process::{Key, ServerProcess},
    thefts,
};

/// Longest time until somebody else is served.
const PATIENCE: Duration = Duration::from_secs(60);

/// Pause between two tries of somebody else.
const PAUSE: Duration = Duration::from_millis(50);

/// Limits that are reached within seconds. Times are long: what is bounded here is bounded in bytes.
const SMALL: &str = "
open_matches = 120
open_matches_per_key = 110
ended_matches_kept = 50
connections = 150
connections_per_address = 100
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

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("no_caller_has_the_server_hold_more_than_its_bound", || {
            Ok(hoard_all()?)
        }),
        Trial::test("a_bot_takes_no_win_by_calls_that_are_the_contests", || {
            Ok(thefts::run_all(2)?)
        }),
        Trial::test(
            "fair_matches_are_played_well_while_all_is_tried_at_once",
            || {
                let report = run::run(&Order::short());
                println!("{report}");
                report.must_hold().map_err(Failed::from)
            },
        ),
    ]
}

/// Has a server with small limits hold all kinds of things at once, one kind after the other.
///
/// # Errors
/// When it takes more memory than its limits say, or does not answer somebody else any more.
pub(crate) fn hoard_all() -> Result<(), String> {
    let limits: Limits = toml::from_str(SMALL).map_err(|error| error.to_string())?;
    let bound = limits.memory_bound();
    let (mut server, keys) = ServerProcess::start(SMALL, &["hoarder", "fair"]);
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let mut course = format!("{} at the start", mib(server.memory()));
    let hoarded = runtime.block_on(async {
        let prey = Prey::new(&server.target, keys[0].clone(), 100).await?;
        course += &format!(", {} with its matches", mib(server.memory()));
        let mut held = Vec::new();
        for how in Hoard::ALL {
            held.push(prey.hoard_once(how).await);
            served(&server, &keys[1]).await?;
            let after_s = begun.elapsed().as_secs();
            let memory = mib(server.memory());
            course += &format!(", {memory} with {how:?} after {after_s} s");
        }
        Ok::<_, Failure>(())
    });
    let most = server.most_memory();
    let course = format!(
        "{course}; at most {}, the bound is {}",
        mib(most),
        mib(bound)
    );
    println!("{course}");
    if !server.runs() {
        return Err(format!("the server ended: {}", server.log()));
    }
    hoarded.map_err(|error| format!("somebody else is not served: {error}; {course}"))?;
    match most <= bound {
        true => Ok(()),
        false => Err(course),
    }
}

/// Calls as somebody else until a call is answered: the hoarders have the processor too.
async fn served(server: &ServerProcess, key: &Key) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        match list(server, key).await {
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => sleep(PAUSE).await,
            Ok(()) => return Ok(()),
        }
    }
}

/// Somebody else's call, from another address.
async fn list(server: &ServerProcess, key: &Key) -> Result<(), Failure> {
    let mut client = MatchServiceClient::new(server.target.channel_from(fair_bot::ADDRESS));
    let call = key.showing(ListMatchesRequest::default())?;
    timeout(PATIENCE, client.list_matches(call)).await??;
    Ok(())
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
