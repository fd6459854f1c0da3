//! `bridgemaster ladder show`: shows a bot of a ladder, and why it lost matches.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{
        FaultAction, FaultReason, GetLadderBotRequest, HeadToHead, LadderBotRef, LadderHeadToHead,
        LadderMatch, ListHeadToHeadsRequest, ListLadderMatchesRequest, MatchState, OfferPurpose,
        SeatResult,
    },
};
use clap::Args;

use crate::{
    formats,
    ladder::{
        client::{self, LadderClient},
        standings,
    },
    match_client::{ServerFlag, all_pages, first_items, message},
    output,
    quantities::{count, time_us},
    table,
};

/// Number of newest matches that are shown.
const MATCHES: usize = 20;

#[derive(Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Name of the bot
    bot: String,
    /// Show only results against the bot with this name
    #[arg(long, value_name = "BOT", default_value = "", hide_default_value = true)]
    against: String,
    /// Version of the bot [default: the newest]
    #[arg(long, default_value = "", hide_default_value = true)]
    version: String,
}

impl ShowArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = client::connect(&self.server).await?;
        if self.against.is_empty() {
            let request =
                GetLadderBotRequest { ladder_id: self.ladder.clone(), bot_name: self.bot.clone() };
            let versions = message(client.get_ladder_bot(request).await)?.versions;
            let versions: Vec<_> = versions.into_iter().filter_map(|one| one.standing).collect();
            let ladder = client::get(&mut client, &self.ladder).await?;
            let width = standings::width();
            output::print(&standings::text(&versions, &versions, &ladder, width))?;
            output::print(&standings::line(&ladder))?;
        }
        let met = self.head_to_heads(&mut client).await?;
        output::print(&met_text(&met))?;
        let matches = self.newest_matches(&mut client).await?;
        let rows = matches.iter().take(MATCHES).map(|one| {
            let info = one.r#match.clone().unwrap_or_default();
            vec![info.match_id, purpose(one).to_owned(), outcome(one), self.conduct(one)]
        });
        let header = ["newest matches", "purpose", "outcome", "faults and time"];
        let width = standings::width();
        Ok(output::print(&table::narrowed(&header, rows.collect(), &[], "", Some(width)))?)
    }

    /// Describes the bot's faults and its thinking time in a match.
    fn conduct(&self, one: &LadderMatch) -> String {
        let result = one.r#match.as_ref().and_then(|info| info.result.as_ref());
        let seats = result.map_or(&[][..], |result| &result.seats);
        let own = seats.iter().filter(|seat| seat.bot_name == self.bot);
        own.map(seat_conduct).collect::<Vec<_>>().join("; ")
    }

    async fn head_to_heads(
        &self,
        client: &mut LadderClient,
    ) -> anyhow::Result<Vec<LadderHeadToHead>> {
        all_pages(async |page_token| {
            let request = ListHeadToHeadsRequest {
                ladder_id: self.ladder.clone(),
                bot: Some(LadderBotRef {
                    bot_name: self.bot.clone(),
                    bot_version: self.version.clone(),
                }),
                against_bot_name: self.against.clone(),
                page_size: client::PAGE_SIZE,
                page_token,
            };
            let page = message(client.list_head_to_heads(request).await)?;
            Ok((page.entries, page.next_page_token))
        })
        .await
    }

    async fn newest_matches(&self, client: &mut LadderClient) -> anyhow::Result<Vec<LadderMatch>> {
        first_items(MATCHES, async |page_token| {
            let request = ListLadderMatchesRequest {
                ladder_id: self.ladder.clone(),
                bot_name: self.bot.clone(),
                against_bot_name: self.against.clone(),
                page_size: MATCHES as u32,
                page_token,
                ..ListLadderMatchesRequest::default()
            };
            let page = message(client.list_ladder_matches(request).await)?;
            Ok((page.matches, page.next_page_token))
        })
        .await
    }
}

/// Describes a seat's forfeit, its other faults and its thinking time.
fn seat_conduct(seat: &SeatResult) -> String {
    let mut parts = Vec::new();
    if seat.forfeit() != FaultReason::Unspecified {
        let mut text = format!("forfeit: {}", formats::reason_word(seat.forfeit()));
        let fault = seat.faults.iter().find(|fault| fault.action() == FaultAction::Forfeit);
        if let Some(request) = fault.map(|fault| fault.request_id).filter(|request| *request > 0) {
            text.push_str(&format!(" at decision {request}"));
        }
        if let Some(fault) = fault.filter(|fault| !fault.detail.is_empty()) {
            text.push_str(&format!(" ({})", Escaped(&fault.detail)));
        }
        parts.push(text);
    }
    if seat.fault_count > 0 {
        parts.push(count(u64::from(seat.fault_count), "fault", "faults"));
    }
    if let Some(clock) = &seat.clock_use {
        parts.push(format!("thought {}", time_us(clock.thinking_us())));
    }
    parts.join(", ")
}

/// Formats a bot's results against other bots.
fn met_text(met: &[LadderHeadToHead]) -> String {
    let rows = met.iter().map(|entry| {
        let other = entry.against.clone().unwrap_or_default();
        let met = entry.head_to_head.unwrap_or_default();
        [
            other.bot_name,
            other.bot_version,
            met.matches.to_string(),
            met.first_ahead.to_string(),
            met.ties.to_string(),
            behind(&met).to_string(),
            format!("{:+.1}", met.mean_score_margin),
        ]
    });
    let header = ["against", "version", "matches", "ahead", "ties", "behind", "mean margin"];
    table::plain(header, rows)
}

/// Returns the number of matches in which the first bot placed behind the other.
fn behind(met: &HeadToHead) -> u32 {
    let ahead = met.first_ahead.saturating_add(met.ties);
    met.matches.saturating_sub(ahead)
}

/// Returns the name for a match's purpose.
pub(super) fn purpose(one: &LadderMatch) -> &'static str {
    match one.purpose() {
        OfferPurpose::Rated => "rating",
        OfferPurpose::Validation => "validation",
        OfferPurpose::Requested => "request",
        OfferPurpose::Contest | OfferPurpose::Unspecified => "",
    }
}

/// Describes a match's outcome in one line.
pub(super) fn outcome(one: &LadderMatch) -> String {
    let Some(info) = &one.r#match else {
        return String::new();
    };
    let bots = || {
        let seats = info.seats.iter();
        let names = seats.map(|seat| Escaped(&seat.bot_name).to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    match (info.state(), &info.result) {
        (MatchState::Ended, Some(result)) => {
            let mut seats: Vec<_> = result.seats.iter().collect();
            seats.sort_by_key(|seat| seat.place);
            let places = seats.iter().map(|seat| {
                let name = Escaped(&seat.bot_name);
                format!("{}. {name} ({})", seat.place, seat.score)
            });
            let places = places.collect::<Vec<_>>().join("  ");
            match &info.annulment {
                Some(_) => format!("annulled: {places}"),
                None => places,
            }
        }
        (MatchState::Cancelled, _) => format!("cancelled: {}", bots()),
        _ => format!("in play: {}", bots()),
    }
}
