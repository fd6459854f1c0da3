//! `bridgemaster result`: what became of a match.

use std::{process::ExitCode, time::Duration};

use anyhow::Context as _;
use bridgemaster_proto::{
    outside::Outside,
    v1::{MatchInfo, MatchState},
};
use clap::Args;

use super::{
    count::count,
    failure,
    follow::{DEFAULT_PATIENCE_SECONDS, follow},
    match_client::ServerFlag,
    moment, output, proto_json,
    runtime::block_on,
    standing, table,
};

/// Exit code for a match that has not ended yet. Unlike a failure, it is worth asking again.
const NOT_ENDED: u8 = 3;
/// Exit code for a match that was cancelled: there will be no result.
const CANCELLED: u8 = 4;
/// Time for which `--wait` tries a server again that is away.
const PATIENCE: Duration = Duration::from_secs(DEFAULT_PATIENCE_SECONDS as u64);

#[derive(Args)]
#[command(
    after_help = "The exit code is 0 when the match has ended, 3 when it has not, 4 when it was \
    cancelled, 1 when the server cannot tell, and 2 when the command line makes no sense."
)]
pub(super) struct ResultArgs {
    /// Identifier of the match, as `bridgemaster create` or `bridgemaster list` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Wait until the match has ended or was cancelled
    #[arg(long)]
    wait: bool,
    /// Print the match with its result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. A match that has not ended is no failure of the command, but it has an exit
/// code of its own.
pub(super) fn run(args: ResultArgs) -> ExitCode {
    match args.run() {
        Ok(MatchState::Ended) => ExitCode::SUCCESS,
        Ok(MatchState::Cancelled) => ExitCode::from(CANCELLED),
        Ok(_) => ExitCode::from(NOT_ENDED),
        Err(error) => failure::report(&error),
    }
}

impl ResultArgs {
    /// Where the match stands.
    fn run(self) -> anyhow::Result<MatchState> {
        let mut asked = None;
        block_on(async {
            let mut client = self.server.connect().await?;
            asked = Some(match self.wait {
                true => follow(&mut client, &self.match_id, PATIENCE, |_| Ok(())).await?,
                false => client.get(&self.match_id).await?,
            });
            Ok(())
        })?;
        let info = asked.context("the server told nothing of the match")?;
        let text = match self.json {
            true => proto_json::to_json("MatchInfo", &info)?,
            false => text(&info),
        };
        output::print(&text)?;
        Ok(info.state())
    }
}

fn text(info: &MatchInfo) -> String {
    let id = Outside(&info.match_id);
    let told = match &info.result {
        Some(result) => {
            let seconds = result.duration_ms as f64 / 1e3;
            let decisions = count(result.decisions, "decision", "decisions");
            let table = table::result(result);
            format!("match {id} ended after {decisions} in {seconds:.2} s\n\n{table}")
        }
        None if info.state() == MatchState::Cancelled => {
            format!("match {id}: {}\n", standing::cancelled(info))
        }
        None => format!(
            "match {id} has not ended, {} so far: {}\n",
            count(info.decisions, "decision", "decisions"),
            standing::line(info)
        ),
    };
    told + &origin(info)
}

/// Who made the match and when, and what its maker wrote on it; empty where nothing is known.
fn origin(info: &MatchInfo) -> String {
    let mut text = String::new();
    let by = match info.maker.as_str() {
        "" => String::new(),
        maker => format!(" by {}", Outside(maker)),
    };
    if info.created_unix_ms > 0 {
        let made = moment::utc(i64::try_from(info.created_unix_ms).unwrap_or(i64::MAX));
        text += &format!("made {made}{by}\n");
    }
    if let Some(annulment) = &info.annulment {
        text += &format!("annulled: {}\n", Outside(&annulment.detail));
    }
    let config = info.config.clone().unwrap_or_default();
    if let Some(group) = &config.group {
        let is_held_back = info.result.is_some() && config.seed.is_none();
        let held_back = match is_held_back {
            true => "; its seed is secret until the group is over",
            false => "",
        };
        let (id, number) = (Outside(&group.group_id), group.number);
        text += &format!(
            "match {number} of {} of the group {id}{held_back}\n",
            group.matches
        );
    }
    for (name, value) in &info.labels {
        text += &format!("label {}={}\n", Outside(name), Outside(value));
    }
    text
}
