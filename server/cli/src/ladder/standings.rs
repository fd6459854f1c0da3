//! `bridgemaster ladder standings`: shows a ladder's standings.

use bridgemaster_proto::v1::{AttendanceState, Ladder, ListStandingsResponse, Rating, Standing};
use clap::Args;

use crate::{formats, ladder::client, match_client::ServerFlag, output, process::block_on, table};

#[derive(Args)]
#[command(
    after_help = "Bots whose order is not significant share a range of ranks. Elo is relative to \
    the mean of all bots; bots with fewer than 30 matches have less weight in the mean. The \
    interval contains the true value with 95 % confidence."
)]
pub(super) struct StandingsArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Also show old versions of bots
    #[arg(long)]
    all_versions: bool,
    /// Print the standings as JSON, in the form of a ListStandingsResponse
    #[arg(long)]
    json: bool,
}

impl StandingsArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = client::connect(&self.server).await?;
            let standings = client::standings(&mut client, &self.ladder, self.all_versions).await?;
            if self.json {
                let response = ListStandingsResponse { standings, next_page_token: String::new() };
                let text = formats::to_json("ListStandingsResponse", &response)?;
                return Ok(output::print(&text)?);
            }
            let ladder = client::get(&mut client, &self.ladder).await?;
            output::print(&text(&standings))?;
            Ok(output::print(&line(&ladder))?)
        })
    }
}

/// Formats the table that lists the bots.
pub(super) fn text(standings: &[Standing]) -> String {
    if standings.is_empty() {
        return "no bot has entered\n".to_owned();
    }
    // Hide the owner column if every owner is named after its bot.
    let has_other_owner =
        |standing: &Standing| !standing.owner.is_empty() && standing.owner != standing.bot_name;
    if !standings.iter().any(has_other_owner) {
        let header = ["rank", "bot", "version", "elo", "95 %", "matches", "annulled", "state"];
        return table::plain(header, standings.iter().map(cells));
    }
    let rows = standings.iter().map(|standing| {
        let [rank, bot, rest @ ..] = cells(standing);
        let [version, elo, interval, matches, annulled, state] = rest;
        let owner = standing.owner.clone();
        [rank, bot, owner, version, elo, interval, matches, annulled, state]
    });
    let header = ["rank", "bot", "owner", "version", "elo", "95 %", "matches", "annulled", "state"];
    table::plain(header, rows)
}

/// Formats a bot's cells.
fn cells(standing: &Standing) -> [String; 8] {
    let rating = standing.rating.as_ref();
    let of = |format: fn(&Rating) -> String| rating.map_or_else(String::new, format);
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

/// Describes a ladder's state in one line.
pub(super) fn line(ladder: &Ladder) -> String {
    let top = ladder.closing.unwrap_or_default().settled_top;
    let settled = if ladder.settled {
        format!("; the order of the top {top} is settled")
    } else {
        String::new()
    };
    let apart = if ladder.owners_apart {
        "; bots of the same owner are not paired in rated matches"
    } else {
        ""
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
        // Recomputed standings have no state.
        AttendanceState::Unspecified => String::new(),
        state => formats::enum_word(state.as_str_name(), "ATTENDANCE_STATE_"),
    };
    let reason = match standing.state() {
        // An active bot has a detail if it is stuck.
        AttendanceState::Benched | AttendanceState::Active if !standing.detail.is_empty() => {
            format!(": {}", standing.detail)
        }
        _ => String::new(),
    };
    let house = if standing.is_house_bot { ", house" } else { "" };
    let changed = if standing.changed { ", changed behavior" } else { "" };
    format!("{name}{reason}{house}{changed}")
}

pub(super) fn state_name(ladder: &Ladder) -> String {
    formats::enum_word(ladder.state().as_str_name(), "LADDER_STATE_")
}
