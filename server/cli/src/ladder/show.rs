//! `bridgemaster ladder show`: shows one of a ladder's bots.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{HeadToHead, LadderBotRef, LadderMatch, MatchState, OfferPurpose},
};
use clap::Args;

use super::{client, standings};
use crate::{match_client::ServerFlag, output, runtime::block_on, table};

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
    #[arg(
        long,
        value_name = "BOT",
        default_value = "",
        hide_default_value = true
    )]
    against: String,
    /// Version of the bot [default: the newest]
    #[arg(long, default_value = "", hide_default_value = true)]
    version: String,
}

impl ShowArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let Self {
                ladder,
                bot,
                against,
                version,
                ..
            } = &self;
            let mut client = client::connect(&self.server).await?;
            if against.is_empty() {
                let versions = client.bot(ladder, bot).await?.into_iter();
                let versions: Vec<_> = versions.filter_map(|one| one.standing).collect();
                output::print(&standings::text(&versions))?;
                output::print(&standings::line(&client.get(ladder).await?))?;
            }
            let named = LadderBotRef {
                bot_name: bot.clone(),
                bot_version: version.clone(),
            };
            let met = client.head_to_heads(ladder, named, against).await?;
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
            let header = [
                "against",
                "version",
                "matches",
                "ahead",
                "ties",
                "behind",
                "mean margin",
            ];
            output::print(&table::plain(header, rows))?;
            let matches = client.matches(ladder, bot, against, MATCHES).await?;
            let rows = matches.iter().map(|one| {
                let info = one.r#match.clone().unwrap_or_default();
                [info.match_id, purpose(one).to_owned(), outcome(one)]
            });
            Ok(output::print(&table::plain(
                ["newest matches", "purpose", "outcome"],
                rows,
            ))?)
        })
    }
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
