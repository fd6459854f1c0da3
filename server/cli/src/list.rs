//! `bridgemaster list`: the matches of a server.

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::{
    games::game_id,
    outside::Outside,
    v1::{ListMatchesResponse, MatchFilter, MatchInfo, MatchState, SeatState},
};
use clap::{Args, ValueEnum, builder::PossibleValuesParser, value_parser};

use super::{
    label::{self, Label},
    match_client::{MatchClient, ServerFlag},
    moment, output, proto_json,
    runtime::block_on,
    table,
};

/// Matches of one answer of the server.
const PAGE_SIZE: u32 = 100;
/// Matches that are shown when nothing says otherwise.
const DEFAULT_LIMIT: u32 = 50;

#[derive(Args)]
#[command(
    after_help = "The filters are put together: a match is listed when all of them hold.\n\n  \
    bridgemaster list --state running\n  \
    bridgemaster list --state ended --game alhambra --bot greedy --limit 10\n  \
    bridgemaster list --label run=42 --maker ci --since 2026-11-01\n  \
    bridgemaster list --all --json"
)]
pub(super) struct ListArgs {
    #[command(flatten)]
    server: ServerFlag,
    #[command(flatten)]
    filter: Filter,
    /// Most matches to list, the newest first
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT,
        value_parser = value_parser!(u32).range(1..))]
    limit: u32,
    /// List all matches, however many there are
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Print the matches as JSON, as ListMatches answers them
    #[arg(long)]
    json: bool,
}

/// Which matches are listed.
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
    /// Only matches with this label; may be given several times
    #[arg(long = "label", value_name = "NAME=VALUE")]
    labels: Vec<Label>,
    /// Only matches of the group of this identifier
    #[arg(long, value_name = "ID")]
    group: Option<String>,
    /// Only matches whose result was annulled
    #[arg(long)]
    annulled: bool,
    /// Only matches that the API key of this name made
    #[arg(long, value_name = "NAME")]
    maker: Option<String>,
    /// Only matches made at this moment or later, such as 2026-11-21 or 2026-11-21T16:30:00Z
    #[arg(long, value_name = "MOMENT", value_parser = moment::unix_ms)]
    since: Option<u64>,
    /// Only matches made before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment::unix_ms)]
    before: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum State {
    /// Waits for bots
    Waiting,
    /// Is played
    Running,
    /// Is over
    Ended,
    /// Was cancelled
    Cancelled,
}

impl ListArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            let limit = if self.all {
                usize::MAX
            } else {
                self.limit as usize
            };
            let listed = collect(&mut client, &self.filter, limit).await?;
            if self.json {
                let answer = ListMatchesResponse {
                    matches: listed.matches,
                    next_page_token: String::new(),
                    damaged_match_ids: listed.damaged,
                };
                return Ok(output::print(&proto_json::to_json(
                    "ListMatchesResponse",
                    &answer,
                )?)?);
            }
            output::print(&text(&listed))?;
            listed.complain_of_what_is_missing();
            Ok(())
        })
    }
}

/// What was found.
struct Listed {
    matches: Vec<MatchInfo>,
    /// Identifiers of matches that the server cannot read.
    damaged: Vec<String>,
    /// The limit left matches out.
    has_more: bool,
}

impl Listed {
    /// On standard error, so that what is piped on is the table alone.
    fn complain_of_what_is_missing(&self) {
        if self.has_more {
            let count = self.matches.len();
            output::complain(&format!(
                "these are the newest {count}; there are more: --limit N or --all lists them"
            ));
        }
        if !self.damaged.is_empty() {
            let ids: Vec<String> = self
                .damaged
                .iter()
                .map(|id| Outside(id).to_string())
                .collect();
            output::complain(&format!(
                "the server cannot read what it has stored of: {}",
                ids.join(", ")
            ));
        }
    }
}

/// Fetches page after page until there are `limit` matches of the filter.
async fn collect(
    client: &mut MatchClient,
    filter: &Filter,
    limit: usize,
) -> anyhow::Result<Listed> {
    let mut listed = Listed {
        matches: Vec::new(),
        damaged: Vec::new(),
        has_more: false,
    };
    let mut page_token = String::new();
    loop {
        let page = client.list(filter.message(), PAGE_SIZE, page_token).await?;
        listed.damaged.extend(page.damaged_match_ids);
        for info in page.matches {
            if listed.matches.len() == limit {
                listed.has_more = true;
                return Ok(listed);
            }
            listed.matches.push(info);
        }
        if page.next_page_token.is_empty() {
            return Ok(listed);
        }
        page_token = page.next_page_token;
    }
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
            labels: label::to_map(&self.labels),
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
            state_name(info).to_owned(),
            made_at(info),
            game_of(info).unwrap_or("(unknown)").to_owned(),
            info.decisions.to_string(),
            bots(info),
        ]
    });
    table::plain(
        ["match", "state", "made", "game", "decisions", "bots"],
        rows,
    )
}

fn made_at(info: &MatchInfo) -> String {
    match info.created_unix_ms {
        0 => "(unknown)".to_owned(),
        ms => moment::utc(i64::try_from(ms).unwrap_or(i64::MAX)),
    }
}

fn state_name(info: &MatchInfo) -> &'static str {
    match info.state() {
        MatchState::Waiting => "waiting",
        MatchState::Running => "running",
        MatchState::Ended => "ended",
        MatchState::Cancelled => "cancelled",
        MatchState::Unspecified => "unknown",
    }
}

/// The bots in seat order; once the match has ended by their places, with their scores.
fn bots(info: &MatchInfo) -> String {
    if let Some(result) = &info.result {
        let seats = table::by_place(result)
            .into_iter()
            .map(|seat| format!("{}. {} {}", seat.place, named(&seat.bot_name), seat.score));
        return seats.collect::<Vec<_>>().join(", ");
    }
    let seats = info.seats.iter().map(|seat| match seat.state() {
        SeatState::Vacant => "(vacant)".to_owned(),
        SeatState::Forfeited => format!("{} (forfeited)", named(&seat.bot_name)),
        _ => named(&seat.bot_name).to_owned(),
    });
    seats.collect::<Vec<_>>().join(", ")
}

fn named(name: &str) -> &str {
    if name.is_empty() { "(none came)" } else { name }
}
