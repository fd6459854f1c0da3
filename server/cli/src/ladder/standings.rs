//! `bridgemaster ladder standings`.

use bridgemaster_proto::v1::{AttendanceState, Ladder, ListStandingsResponse, Rating, Standing};
use clap::Args;

use super::{client, state::state_name};
use crate::{match_client::ServerFlag, output, proto_json, runtime::block_on, table};

#[derive(Args)]
#[command(
    after_help = "Bots that cannot be told apart share a range of ranks. Elo is relative to the \
    mean of all bots, in which one with fewer than 30 matches weighs less, with the interval that \
    holds the true value in 95 of 100 cases."
)]
pub(super) struct StandingsArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Show old versions of bots too
    #[arg(long)]
    all_versions: bool,
    /// Print the standings as JSON, as ListStandings answers them
    #[arg(long)]
    json: bool,
}

impl StandingsArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = client::connect(&self.server).await?;
            let standings = client.standings(&self.ladder, self.all_versions).await?;
            if self.json {
                let answer = ListStandingsResponse {
                    standings,
                    next_page_token: String::new(),
                };
                let text = proto_json::to_json("ListStandingsResponse", &answer)?;
                return Ok(output::print(&text)?);
            }
            let ladder = client.get(&self.ladder).await?;
            output::print(&text(&standings))?;
            Ok(output::print(&line(&ladder))?)
        })
    }
}

/// The table of the bots.
pub(super) fn text(standings: &[Standing]) -> String {
    if standings.is_empty() {
        return "no bot has entered\n".to_owned();
    }
    // Most have one key, which has their name.
    let has_many =
        |standing: &Standing| !standing.owner.is_empty() && standing.owner != standing.bot_name;
    if !standings.iter().any(has_many) {
        let header = [
            "rank", "bot", "version", "elo", "95 %", "matches", "annulled", "state",
        ];
        return table::plain(header, standings.iter().map(cells));
    }
    let rows = standings.iter().map(|standing| {
        let [rank, bot, rest @ ..] = cells(standing);
        let [version, elo, interval, matches, annulled, state] = rest;
        let owner = standing.owner.clone();
        [
            rank, bot, owner, version, elo, interval, matches, annulled, state,
        ]
    });
    let header = [
        "rank", "bot", "owner", "version", "elo", "95 %", "matches", "annulled", "state",
    ];
    table::plain(header, rows)
}

/// What is told of each bot.
fn cells(standing: &Standing) -> [String; 8] {
    let rating = standing.rating.as_ref();
    let of = |shown: fn(&Rating) -> String| rating.map_or_else(String::new, shown);
    [
        of(rank),
        standing.bot_name.clone(),
        standing.bot_version.clone(),
        of(|rating| format!("{:+.0}", rating.elo)),
        of(|rating| format!("{:+.0} to {:+.0}", rating.elo_low, rating.elo_high)),
        of(|rating| rating.matches.to_string()),
        standing.annulled_matches.to_string(),
        state(standing),
    ]
}

/// Where the ladder stands, in one line.
pub(super) fn line(ladder: &Ladder) -> String {
    let settled = match ladder.settled {
        true => "; the order of the top ten is settled",
        false => "",
    };
    let apart = match ladder.owners_apart {
        true => "; bots of one owner never meet in a rated match",
        false => "",
    };
    format!(
        "{}, {} matches count, {} were annulled{settled}{apart}\n",
        state_name(ladder),
        ladder.matches,
        ladder.annulled_matches
    )
}

fn rank(rating: &Rating) -> String {
    match (rating.rank_best, rating.rank_worst) {
        (best, worst) if best == worst => best.to_string(),
        (best, worst) => format!("{best} to {worst}"),
    }
}

fn state(standing: &Standing) -> String {
    let name = match standing.state() {
        AttendanceState::Active => "active",
        AttendanceState::Paused => "paused",
        AttendanceState::Validating => "validating",
        AttendanceState::Benched => "benched",
        AttendanceState::Leaving => "leaving",
        AttendanceState::Absent => "absent",
        AttendanceState::Unspecified => "",
    };
    let why = match standing.state() {
        AttendanceState::Benched => format!(": {}", standing.detail),
        _ => String::new(),
    };
    let house = if standing.is_house_bot { ", house" } else { "" };
    let changed = match standing.changed {
        true => ", plays otherwise than before",
        false => "",
    };
    format!("{name}{why}{house}{changed}")
}
