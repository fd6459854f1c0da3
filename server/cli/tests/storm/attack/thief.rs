//! A bot in a contest that tries to win without playing: it makes calls that only the contest may
//! make, with all information that it has. Also the contests in which it plays.

use std::{env, process::ExitCode, time::Duration};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, ListMatchesRequest, ReplaceTicketsRequest,
    ResignSeatRequest, WatchSeatRequest, match_service_client::MatchServiceClient,
    seat_service_client::SeatServiceClient,
};
use bridgemaster_sdk::{Connection, Options, TICKET_VARIABLE};
use serde_json::Value;
use tokio::{runtime::Builder, time::sleep};
use tonic::transport::Channel;

use crate::kit::{
    calls::showing,
    program::{PROGRAM, quoted, run as run_program},
    results::LAGGING,
    seat_stream::hello,
};

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Attempts of a thief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theft {
    /// Takes over the seats of others with new tickets, and resigns them.
    ReplaceTickets,
    /// Cancels a match that the thief would lose.
    CancelMatch,
    /// Reveals the seed of its group.
    CloseGroup,
}

impl Theft {
    pub(crate) const ALL: [Self; 3] = [Self::ReplaceTickets, Self::CancelMatch, Self::CloseGroup];

    /// Returns the name of the call, which is also the argument that selects it.
    fn name(self) -> String {
        format!("{self:?}")
    }

    /// Plays a contest of a thief against a bot that starts later.
    ///
    /// # Errors
    /// Returns an error if the thief achieved anything. The error describes what.
    pub(crate) fn fails(self, groups: u32) -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let this = env::current_exe().map_err(|error| error.to_string())?;
        let thief = quoted(&format!("thief={} thief {}", this.display(), self.name()));
        // The victim wins if it can play undisturbed. It starts late, to give the thief time.
        let script = format!("sleep 1; exec {PROGRAM} bot greedy");
        let victim = quoted(&format!("victim=sh -c '{script}'"));
        let bots = format!("--candidate thief --bot {thief} --against victim --bot {victim}");
        let at = format!("--groups {groups} --folder {}/contest", folder.path().display());
        let game = "contest --game carcassonne --quiet --json - --concurrency 2";
        let ran = run_program(format!("{game} {LAGGING} {bots} {at}"));
        if ran.code != Some(0) {
            return Err(format!("{self:?} ended the contest: {}", ran.all()));
        }
        let report: Value = serde_json::from_str(&ran.out).map_err(|error| error.to_string())?;
        let problem = self.problem(groups, &report);
        problem.map_or(Ok(()), |problem| {
            Err(format!("{self:?}: this does not hold: {problem}\n{report:#}"))
        })
    }

    /// Returns the first expectation that a report does not meet.
    fn problem(self, groups: u32, report: &Value) -> Option<&'static str> {
        let list = |name: &str| report[name].as_array().cloned().unwrap_or_default();
        let bots = list("bots");
        let method = format!("MatchService/{}", self.name());
        let tried = |bot: &Value| {
            let mut calls = list("refused_calls").into_iter();
            calls.any(|calls| calls["bot"] == *bot && calls["method"] == method)
        };
        let number = |name: &str| {
            let bot = bots.iter().find(|bot| bot["name"] == name);
            bot.map_or(Value::Null, |bot| bot["bot"].clone())
        };
        let counts = &report["counts"];
        let mut expected = [
            ("all matches count", counts["matches"] == u64::from(groups) * 2),
            ("no match is forfeited", counts["forfeited_matches"] == 0),
            (
                "no bot has a fault",
                bots.iter().all(|bot| bot["faults"] == 0 && bot["restarts"] == 0),
            ),
            ("its calls are reported as the thief's", tried(&number("thief"))),
            ("its calls without a ticket are reported too", tried(&Value::Null)),
            ("the other bot is not blamed", !tried(&number("victim"))),
        ]
        .into_iter();
        expected.find_map(|(what, holds)| (!holds).then_some(what))
    }
}

/// Plays a seat with random decisions, and attempts the theft at the same time.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let asked = |theft: &Theft| arguments.first() == Some(&theft.name());
    let Some(theft) = Theft::ALL.into_iter().find(asked) else {
        return ExitCode::FAILURE;
    };
    let options = Options::from_env("thief").unwrap();
    let ticket = env::var(TICKET_VARIABLE).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let played = runtime.block_on(async {
        let own = Connection::new(&options.server_url).unwrap();
        let others = Connection::new(&options.server_url).unwrap();
        // The calls use the connection on which the bot plays, and another one without a ticket.
        for (connection, shown) in [(&own, ticket.clone()), (&others, String::new())] {
            let channel = connection.route().channel();
            let ticket = ticket.clone();
            tokio::spawn(async move { steal(theft, channel, &ticket, &shown).await });
        }
        // Gives the thief time for its calls before the bot plays.
        sleep(PAUSE * 5).await;
        own.play(Random::new(&Seed::from(1)), &options).await
    });
    match played {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Repeats the calls until the process ends, with and without a ticket.
async fn steal(theft: Theft, channel: Channel, ticket: &str, shown: &str) {
    let mut client = MatchServiceClient::new(channel.clone());
    let own = ticket.rsplit_once('-').map_or("", |(match_id, _)| match_id);
    loop {
        let mut match_ids = vec![own.to_owned()];
        if let Ok(listed) = client.list_matches(ListMatchesRequest::default()).await {
            let listed = listed.into_inner().matches.into_iter();
            match_ids.extend(listed.map(|info| info.match_id));
        }
        for match_id in match_ids {
            match theft {
                Theft::ReplaceTickets => take_seats(&channel, match_id, shown).await,
                Theft::CancelMatch => {
                    let reason = "lost".to_owned();
                    let request = CancelMatchRequest { match_id, reason };
                    let _ = client.cancel_match(showing(request, shown, "")).await;
                }
                Theft::CloseGroup => {
                    let request = CloseGroupRequest { match_id, ..CloseGroupRequest::default() };
                    let _ = client.close_group(showing(request, shown, "")).await;
                }
            }
        }
        sleep(PAUSE).await;
    }
}

/// Takes over the seats of a match with new tickets, and resigns them.
async fn take_seats(channel: &Channel, match_id: String, shown: &str) {
    let mut client = MatchServiceClient::new(channel.clone());
    for seat in 0..2 {
        let request = ReplaceTicketsRequest { match_id: match_id.clone(), seats: vec![seat] };
        let stolen = client.replace_tickets(showing(request, shown, "")).await;
        let Ok(stolen) = stolen else {
            continue;
        };
        for stolen in stolen.into_inner().tickets {
            let seats = SeatServiceClient::new(channel.clone());
            tokio::spawn(resign(seats, stolen.ticket));
        }
    }
}

/// Joins a stolen seat, and resigns it as soon as its match continues.
async fn resign(mut seats: SeatServiceClient<Channel>, ticket: String) {
    let hello = Some(hello("victim"));
    let watched = seats.watch_seat(showing(WatchSeatRequest { hello }, &ticket, ""));
    let _watched = watched.await;
    while seats.resign_seat(showing(ResignSeatRequest {}, &ticket, "")).await.is_err() {
        sleep(PAUSE).await;
    }
}
