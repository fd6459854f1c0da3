//! `bridgemaster match list`: lists a server's matches.

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::{
    escape::Escaped,
    games::game_id,
    v1::{ListMatchesRequest, ListMatchesResponse, MatchFilter, MatchInfo, MatchState, SeatState},
};
use clap::{Args, ValueEnum, builder::PossibleValuesParser, value_parser};

use crate::{
    formats,
    match_client::{MatchClient, ServerFlag, first_items, message},
    matches::create::label,
    output, quantities, table,
};

/// Number of matches that are requested per page.
const PAGE_SIZE: u32 = 100;
/// Default of `--limit`, in matches.
const DEFAULT_LIMIT: u32 = 50;

#[derive(Args)]
#[command(after_help = "Lists the matches that pass all filters.\n\n  \
    bridgemaster match list --state running\n  \
    bridgemaster match list --state ended --game alhambra --bot greedy --limit 10\n  \
    bridgemaster match list --label run=42 --maker ci --since 2026-11-01\n  \
    bridgemaster match list --all --json")]
pub(super) struct ListArgs {
    #[command(flatten)]
    server: ServerFlag,
    #[command(flatten)]
    filter: Filter,
    /// Maximum number of matches to list, newest first
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT,
        value_parser = value_parser!(u32).range(1..))]
    limit: u32,
    /// List all matches, without a limit
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Print the matches as JSON, in the form of a ListMatchesResponse
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Filter {
    /// Only matches in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Only matches of this game
    #[arg(long, value_name = "GAME", value_parser = PossibleValuesParser::new(GAME_IDS))]
    game: Option<String>,
    /// Only matches in which a bot of this name has a seat
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Only matches with this label (repeatable)
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Only matches of the match group with this identifier
    #[arg(long, value_name = "ID")]
    group: Option<String>,
    /// Only matches whose result was annulled
    #[arg(long)]
    annulled: bool,
    /// Only matches created with the API key of this name
    #[arg(long, value_name = "NAME")]
    maker: Option<String>,
    /// Only matches created at this time or later
    ///
    /// A date such as 2026-11-21, at 00:00 UTC, or a time with a time zone such as
    /// 2026-11-21T16:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = quantities::unix_ms)]
    since: Option<u64>,
    /// Only matches created before this time, in the same form as --since
    #[arg(long, value_name = "TIME", value_parser = quantities::unix_ms)]
    before: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum State {
    /// Waiting for bots
    Waiting,
    /// In play
    Running,
    /// Ended, with a result
    Ended,
    /// Cancelled, without a result
    Cancelled,
}

impl ListArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = self.server.connect().await?;
        let limit = if self.all { usize::MAX } else { self.limit as usize };
        let listed = collect(&mut client, &self.filter, limit).await?;
        if self.json {
            let answer = ListMatchesResponse {
                matches: listed.matches,
                next_page_token: String::new(),
                damaged_match_ids: listed.damaged,
                incomplete: listed.is_incomplete,
            };
            return Ok(output::print(&formats::to_json("ListMatchesResponse", &answer)?)?);
        }
        output::print(&text(&listed))?;
        listed.report_omissions();
        Ok(())
    }
}

/// Matches that pass all filters.
struct Listed {
    matches: Vec<MatchInfo>,
    /// Identifiers of matches whose stored value the server cannot read.
    damaged: Vec<String>,
    /// True if the limit excluded some matches.
    has_more: bool,
    /// True if a server of the cluster did not list its matches in play.
    is_incomplete: bool,
}

impl Listed {
    /// Reports missing matches on standard error, so that standard output has only the table.
    fn report_omissions(&self) {
        if self.has_more {
            let count = self.matches.len();
            output::eprint(&format!(
                "only the newest {count} are listed; use --limit N or --all for more"
            ));
        }
        if self.is_incomplete {
            output::eprint(
                "the list is incomplete: a server of the cluster did not answer, so its matches in \
                 play might be missing",
            );
        }
        if !self.damaged.is_empty() {
            let ids: Vec<String> = self.damaged.iter().map(|id| Escaped(id).to_string()).collect();
            output::eprint(&format!(
                "the server cannot read the stored values of these matches: {}",
                ids.join(", ")
            ));
        }
    }
}

/// Requests the newest `limit` matches.
async fn collect(
    client: &mut MatchClient,
    filter: &Filter,
    limit: usize,
) -> anyhow::Result<Listed> {
    let (mut damaged, mut is_incomplete) = (Vec::new(), false);
    // Requests one match more than the limit, to detect whether there are more.
    let matches = first_items(limit.saturating_add(1), async |page_token| {
        let request =
            ListMatchesRequest { filter: Some(filter.message()), page_size: PAGE_SIZE, page_token };
        let page = message(client.list_matches(request).await)?;
        damaged.extend(page.damaged_match_ids);
        is_incomplete |= page.incomplete;
        Ok((page.matches, page.next_page_token))
    });
    let mut matches = matches.await?;
    let has_more = matches.len() > limit;
    matches.truncate(limit);
    Ok(Listed { matches, damaged, has_more, is_incomplete })
}

impl Filter {
    fn message(&self) -> MatchFilter {
        let state = match self.state {
            None => MatchState::Unspecified,
            Some(State::Waiting) => MatchState::Waiting,
            Some(State::Running) => MatchState::Running,
            Some(State::Ended) => MatchState::Ended,
            Some(State::Cancelled) => MatchState::Cancelled,
        };
        MatchFilter {
            state: state.into(),
            game_id: self.game.clone().unwrap_or_default(),
            labels: self.labels.iter().cloned().collect(),
            maker: self.maker.clone().unwrap_or_default(),
            bot_name: self.bot.clone().unwrap_or_default(),
            group_id: self.group.clone().unwrap_or_default(),
            annulled: self.annulled.then_some(true),
            created_from_unix_ms: self.since.unwrap_or_default(),
            created_before_unix_ms: self.before.unwrap_or_default(),
        }
    }
}

fn game_of(info: &MatchInfo) -> Option<&'static str> {
    info.config.as_ref()?.game.as_ref().and_then(game_id)
}

fn text(listed: &Listed) -> String {
    if listed.matches.is_empty() {
        return "no match\n".to_owned();
    }
    let rows = listed.matches.iter().map(|info| {
        [
            info.match_id.clone(),
            formats::enum_word(info.state().as_str_name(), "MATCH_STATE_"),
            created_at(info),
            game_of(info).unwrap_or("(unknown)").to_owned(),
            info.decisions.to_string(),
            bots(info),
        ]
    });
    table::plain(["match", "state", "created", "game", "decisions", "bots"], rows)
}

fn created_at(info: &MatchInfo) -> String {
    match info.created_unix_ms {
        0 => "(unknown)".to_owned(),
        ms => quantities::utc(i64::try_from(ms).unwrap_or(i64::MAX)),
    }
}

/// Lists a match's bots: in seat order while the match runs, and by place with scores after its
/// end.
fn bots(info: &MatchInfo) -> String {
    if let Some(result) = &info.result {
        let seats = table::by_place(result)
            .into_iter()
            .map(|seat| format!("{}. {} {}", seat.place, name_or_none(&seat.bot_name), seat.score));
        return seats.collect::<Vec<_>>().join(", ");
    }
    let seats = info.seats.iter().map(|seat| match seat.state() {
        SeatState::Vacant => "(vacant)".to_owned(),
        SeatState::Forfeited => format!("{} (forfeited)", name_or_none(&seat.bot_name)),
        _ => name_or_none(&seat.bot_name).to_owned(),
    });
    seats.collect::<Vec<_>>().join(", ")
}

fn name_or_none(name: &str) -> &str {
    if name.is_empty() { "(no bot)" } else { name }
}
