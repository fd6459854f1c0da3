//! `bridgemaster ladder standings`: shows a ladder's standings.

use bridgemaster_proto::v1::{AttendanceState, Ladder, ListStandingsResponse, Rating, Standing};
use clap::Args;

use crate::{
    formats, ladder::client, match_client::ServerFlag, output, quantities::time_us, table,
};

/// Number of annulled matches below which a bot's share is not compared with other bots'.
const MIN_ANNULLED: u64 = 10;
/// Factor by which a bot's share of annulled matches must exceed that of other bots.
const OFTEN: u64 = 3;

#[derive(Args)]
#[command(
    after_help = "Bots whose order is not significant share a range of ranks. Elo is relative to \
    the mean of all bots; bots with fewer than 30 matches have less weight in the mean. The \
    interval contains the true value with 95 % confidence. If the table is wider than the terminal, \
    or than 120 columns without a terminal, columns are hidden in this order: thinking, faults, \
    annulled, owner, 95 %."
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
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = client::connect(&self.server).await?;
        let standings = client::standings(&mut client, &self.ladder, self.all_versions).await?;
        if self.json {
            let response = ListStandingsResponse { standings, next_page_token: String::new() };
            let text = formats::to_json("ListStandingsResponse", &response)?;
            return Ok(output::print(&text)?);
        }
        let ladder = client::get(&mut client, &self.ladder).await?;
        // Older versions of a bot do not count as other bots.
        let all = if self.all_versions {
            standings.clone()
        } else {
            client::standings(&mut client, &self.ladder, true).await?
        };
        output::print(&text(&standings, &all, &ladder, width()))?;
        Ok(output::print(&line(&ladder))?)
    }
}

/// Columns that are hidden in a narrow table, the first one first.
const OPTIONAL: [&str; 5] = ["thinking", "faults", "annulled", "owner", "95 %"];

/// Width of a table that is not printed on a terminal.
const DEFAULT_WIDTH: u16 = 120;

/// Returns the width of the terminal, or the default width.
pub(super) fn width() -> u16 {
    table::terminal_width().unwrap_or(DEFAULT_WIDTH)
}

/// Formats the table that lists bots of a ladder, for this width. `all` has all versions of these
/// bots.
pub(super) fn text(
    standings: &[Standing],
    all: &[Standing],
    ladder: &Ladder,
    width: u16,
) -> String {
    if standings.is_empty() {
        return "no bot has entered\n".to_owned();
    }
    let header = [
        "rank", "bot", "owner", "version", "elo", "95 %", "matches", "annulled", "faults",
        "forfeits", "thinking", "state",
    ];
    let mut rows: Vec<Vec<String>> =
        standings.iter().map(|standing| cells(standing, all, ladder).to_vec()).collect();
    let mut header = header.to_vec();
    // Hide the owner column if every owner is named after its bot, and other columns if they are
    // empty.
    let has_other_owner =
        |standing: &Standing| !standing.owner.is_empty() && standing.owner != standing.bot_name;
    let is_shown = |column: usize, name: &str| match name {
        "owner" => standings.iter().any(has_other_owner),
        "faults" | "forfeits" | "thinking" => rows.iter().any(|row| !row[column].is_empty()),
        _ => true,
    };
    let hidden = header.iter().enumerate().filter(|(column, name)| !is_shown(*column, name));
    let hidden: Vec<usize> = hidden.map(|(column, _)| column).collect();
    for column in hidden.into_iter().rev() {
        header.remove(column);
        for row in &mut rows {
            row.remove(column);
        }
    }
    table::narrowed(&header, rows, &OPTIONAL, "--json has all", Some(width))
}

/// Formats a bot's cells.
fn cells(standing: &Standing, all: &[Standing], ladder: &Ladder) -> [String; 12] {
    let rating = standing.rating.as_ref();
    let of = |format: fn(&Rating) -> String| rating.map_or_else(String::new, format);
    let conduct = standing.conduct.clone().unwrap_or_default();
    let number = |number: u32| if number == 0 { String::new() } else { number.to_string() };
    let forfeits = conduct.forfeits.iter();
    let forfeits = forfeits
        .map(|forfeit| format!("{} {}", forfeit.count, formats::reason_word(forfeit.reason())));
    let mean_ms = conduct.thinking_ms.checked_div(conduct.timed_matches.into());
    [
        of(rank),
        standing.bot_name.clone(),
        standing.owner.clone(),
        standing.bot_version.clone(),
        of(|rating| format!("{:+.0}", rating.elo)),
        of(|rating| format!("{:+.0} to {:+.0}", rating.elo_low, rating.elo_high)),
        of(|rating| rating.matches.to_string()),
        standing.annulled_matches.to_string(),
        number(conduct.faults),
        forfeits.collect::<Vec<_>>().join(", "),
        mean_ms.map_or_else(String::new, |mean_ms| {
            format!("{} per match", time_us(mean_ms.saturating_mul(1_000)))
        }),
        state(standing, all, ladder),
    ]
}

/// Compares a version's annulled matches with the matches of the ladder in which no version of the
/// bot played. Empty unless its share of annulled matches is more than [`OFTEN`] times as large.
fn annulled_often(standing: &Standing, all: &[Standing], ladder: &Ladder) -> String {
    let (own, played) = annulled_and_rated(standing);
    if own < MIN_ANNULLED {
        return String::new();
    }
    let (mut others, mut others_rated) = (ladder.annulled_matches, ladder.matches);
    for version in all.iter().filter(|version| version.bot_name == standing.bot_name) {
        let (annulled, rated) = annulled_and_rated(version);
        others = others.saturating_sub(annulled);
        others_rated = others_rated.saturating_sub(rated);
    }
    let others_all = others + others_rated;
    if own * others_all <= OFTEN * others * (own + played) {
        return String::new();
    }
    format!(", {own} of {} matches annulled (other bots: {others} of {others_all})", own + played)
}

/// Returns the numbers of a version's annulled matches and of those that count.
fn annulled_and_rated(standing: &Standing) -> (u64, u64) {
    let rated = standing.rating.map_or(0, |rating| u64::from(rating.matches));
    (u64::from(standing.annulled_matches), rated)
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
    let clock = ladder.config.as_ref().and_then(|config| config.clock.as_ref());
    let lag_limit_ms = clock.and_then(|clock| clock.referee_lag_limit_ms);
    let lag = lag_limit_ms.map_or_else(String::new, |limit_ms| {
        format!("; up to {limit_ms} ms of server lag per decision are not charged")
    });
    format!(
        "{}, {} matches count, {} were annulled{settled}{apart}{lag}\n",
        state_name(ladder),
        ladder.matches,
        ladder.annulled_matches
    )
}

fn rank(rating: &Rating) -> String {
    match (rating.rank_best, rating.rank_worst) {
        (0, 0) => "-".to_owned(),
        (best, worst) if best == worst => best.to_string(),
        (best, worst) => format!("{best} to {worst}"),
    }
}

fn state(standing: &Standing, all: &[Standing], ladder: &Ladder) -> String {
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
    format!("{name}{reason}{house}{changed}{}", annulled_often(standing, all, ladder))
}

pub(super) fn state_name(ladder: &Ladder) -> String {
    formats::enum_word(ladder.state().as_str_name(), "LADDER_STATE_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_whose_matches_are_annulled_far_more_often_than_others_is_shown() {
        let ladder = Ladder { matches: 900, annulled_matches: 55, ..Ladder::default() };
        let version = |annulled_matches, matches| {
            let rating = Some(Rating { matches, ..Rating::default() });
            Standing { rating, annulled_matches, ..Standing::default() }
        };
        let state_of = |annulled_matches, matches| {
            let standing = version(annulled_matches, matches);
            state(&standing, std::slice::from_ref(&standing), &ladder)
        };
        let often = state_of(49, 202);
        assert_eq!(often, ", 49 of 251 matches annulled (other bots: 6 of 704)");
        let versions = [version(49, 202), version(4, 100)];
        let often = state(&versions[0], &versions, &ladder);
        assert_eq!(often, ", 49 of 251 matches annulled (other bots: 2 of 600)", "an old version");
        // The usual opponent of the bot.
        assert_eq!(state_of(20, 250), "");
        assert_eq!(state_of(9, 1), "", "too few");
    }
}
