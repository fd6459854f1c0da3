//! `bridgemaster match result`: shows a match's result.

use std::{process::ExitCode, time::Duration};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchInfo, MatchState, SeatState},
};
use clap::Args;

use crate::{
    follow::{DEFAULT_RETRY_SECONDS, follow},
    formats,
    match_client::{ServerFlag, get_match},
    quantities::{self, count},
    table,
};

/// Exit code for a match that has not ended yet. Scripts can distinguish this case from a failure,
/// and try again later.
const NOT_ENDED: u8 = 3;
/// Exit code for a cancelled match, which never has a result.
const CANCELLED: u8 = 4;
/// Time for which `--wait` retries an unresponsive server.
const RETRY_TIMEOUT: Duration = Duration::from_secs(DEFAULT_RETRY_SECONDS as u64);

#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 the match has ended; 1 the request failed; 2 invalid command line; 3 \
    the match has not ended; 4 the match was cancelled."
)]
pub(super) struct ResultArgs {
    /// Identifier of the match, as `match create` and `match list` print it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Wait until the match has ended or is cancelled
    #[arg(long)]
    wait: bool,
    /// Print the match with its result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. A match that has not ended is not an error, but has its own exit code.
pub(super) async fn run(args: ResultArgs) -> anyhow::Result<ExitCode> {
    Ok(match args.run().await? {
        MatchState::Ended => ExitCode::SUCCESS,
        MatchState::Cancelled => ExitCode::from(CANCELLED),
        _ => ExitCode::from(NOT_ENDED),
    })
}

impl ResultArgs {
    /// Prints the match and returns the match's state.
    async fn run(self) -> anyhow::Result<MatchState> {
        let mut client = self.server.connect().await?;
        let info = if self.wait {
            follow(&mut client, &self.match_id, RETRY_TIMEOUT, |_| Ok(())).await?
        } else {
            get_match(&mut client, &self.match_id).await?
        };
        formats::print("MatchInfo", &info, self.json, text)?;
        Ok(info.state())
    }
}

fn text(info: &MatchInfo) -> String {
    let id = Escaped(&info.match_id);
    let text = match &info.result {
        Some(result) => {
            let seconds = result.duration_ms as f64 / 1e3;
            let decisions = count(result.decisions, "decision", "decisions");
            let table = table::result(result);
            format!("match {id} ended after {decisions} in {seconds:.2} s\n\n{table}")
        }
        None if info.state() == MatchState::Cancelled => {
            format!("match {id}: {}\n", cancellation(info))
        }
        None => format!(
            "match {id} has not ended, {} so far: {}\n",
            count(info.decisions, "decision", "decisions"),
            status_line(info)
        ),
    };
    text + &origin(info)
}

/// Describes a match's origin: its creator, creation time, annulment, group and labels.
fn origin(info: &MatchInfo) -> String {
    let mut text = String::new();
    let by = match info.maker.as_str() {
        "" => String::new(),
        maker => format!(" by {}", Escaped(maker)),
    };
    if info.created_unix_ms > 0 {
        let created = quantities::utc(i64::try_from(info.created_unix_ms).unwrap_or(i64::MAX));
        text += &format!("created {created}{by}\n");
    }
    if let Some(annulment) = &info.annulment {
        text += &format!("annulled: {}\n", Escaped(&annulment.detail));
    }
    let config = info.config.clone().unwrap_or_default();
    if let Some(group) = &config.group {
        let is_withheld = info.result.is_some() && config.seed.is_none();
        let withheld = if is_withheld {
            "; the seed is secret until the group is complete or closed"
        } else {
            ""
        };
        let (id, number) = (Escaped(&group.group_id), group.number);
        text += &format!("match {number} of {} of group {id}{withheld}\n", group.matches);
    }
    for (name, value) in &info.labels {
        text += &format!("label {}={}\n", Escaped(name), Escaped(value));
    }
    text
}

/// Describes who cancelled a match and why.
pub(super) fn cancellation(info: &MatchInfo) -> String {
    let why = info.cancellation.clone().unwrap_or_default();
    let mut text = "the match was cancelled".to_owned();
    if !why.cancelled_by.is_empty() {
        text += &format!(" by {}", Escaped(&why.cancelled_by));
    }
    if !why.reason.is_empty() {
        text += &format!(": {}", Escaped(&why.reason));
    }
    text
}

/// Describes the states of a match and its seats in one line.
pub(super) fn status_line(info: &MatchInfo) -> String {
    let state = match info.state() {
        MatchState::Waiting => "waiting for bots",
        MatchState::Running => "running",
        MatchState::Ended => "ended",
        MatchState::Cancelled => "cancelled",
        MatchState::Unspecified => "unknown",
    };
    let seats = info.seats.iter().map(|seat| {
        let name = Escaped(match seat.bot_name.as_str() {
            "" => "(vacant)",
            name => name,
        });
        let state = match seat.state() {
            SeatState::Connected | SeatState::Vacant | SeatState::Unspecified => "",
            SeatState::Paused => " (stream lost)",
            SeatState::Forfeited => " (forfeited)",
        };
        format!("seat {} {name}{state}", seat.seat)
    });
    format!("{state}; {}", seats.collect::<Vec<_>>().join(", "))
}
