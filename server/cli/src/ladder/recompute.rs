//! `bridgemaster ladder recompute`: the ratings from the results alone.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, anyhow, bail};
use bridgemaster_ladder::{CONFIDENCE, Rated, ratings_of};
use bridgemaster_proto::{
    outside::Outside,
    v1::{Rating, Standing},
};
use clap::Args;
use tokio::time::sleep;

use super::{
    client,
    results::{counted, counted_first},
    standings,
};
use crate::{match_client::ServerFlag, output, runtime::block_on};

/// How often ratings and results are fetched again until they belong together: the ratings are of
/// the matches that ended first, but the server may have counted matches that ended within a few
/// milliseconds in another order. A ladder has its first ratings about a second after its first
/// results.
const TRIES: usize = 30;

/// Time from one of these to the next.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

#[derive(Args)]
#[command(
    after_help = "The ratings are those of one fit over all results that count, so that anybody \
    can compute them again. With --results nothing is asked of a server.\n\n  \
    bridgemaster ladder recompute class\n  \
    bridgemaster ladder results class --output class.csv\n  \
    bridgemaster ladder recompute --results class.csv"
)]
pub(super) struct RecomputeArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    #[arg(required_unless_present = "results")]
    ladder: Option<String>,
    /// Compute the ratings from this file, as `ladder results` writes it, and compare nothing
    #[arg(long, value_name = "FILE", conflicts_with = "ladder")]
    results: Option<PathBuf>,
}

impl RecomputeArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if let Some(path) = &self.results {
            let csv = fs::read(path).with_context(|| path.display().to_string())?;
            let rated = ratings_of(&counted(&csv)?)?;
            return Ok(output::print(&standings::text(&as_standings(&rated)))?);
        }
        let ladder = self.ladder.unwrap_or_default();
        block_on(async {
            let mut client = client::connect(&self.server).await?;
            let mut difference = anyhow!("the server shows no ratings");
            for attempt in 0..TRIES {
                if attempt > 0 {
                    sleep(AGAIN_AFTER).await;
                }
                let shown = client.standings(&ladder, true).await?;
                // Fetched after the ratings, so that all their matches are among them.
                let csv = client.results(&ladder).await?;
                let Some(results) = counted_first(&csv, seats_of(&shown))? else {
                    difference = anyhow!("the server shows ratings of other results");
                    continue;
                };
                let rated = ratings_of(&results)?;
                if let Err(differs) = compare(&rated, &shown) {
                    difference = differs;
                    continue;
                }
                output::print(&standings::text(&as_standings(&rated)))?;
                let text = format!(
                    "{} results; the server shows the same ratings to the last digit\n",
                    results.len()
                );
                return Ok(output::print(&text)?);
            }
            Err(difference)
        })
    }
}

fn rating(rated: &Rated) -> Rating {
    let rank = |rank: usize| u32::try_from(rank).unwrap_or(u32::MAX);
    Rating {
        elo: rated.elo,
        elo_low: rated.elo_low,
        elo_high: rated.elo_high,
        confidence: CONFIDENCE,
        rank_best: rank(rated.ranks.best),
        rank_worst: rank(rated.ranks.worst),
        matches: u32::try_from(rated.matches).unwrap_or(u32::MAX),
    }
}

fn as_standings(rated: &[Rated]) -> Vec<Standing> {
    let standing = |rated: &Rated| Standing {
        bot_name: rated.bot.name.clone(),
        bot_version: rated.bot.version.clone(),
        rating: Some(rating(rated)),
        ..Standing::default()
    };
    rated.iter().map(standing).collect()
}

/// Seats of all matches together that a server shows ratings of.
fn seats_of(shown: &[Standing]) -> u64 {
    let ratings = shown.iter().filter_map(|standing| standing.rating);
    ratings.map(|rating| u64::from(rating.matches)).sum()
}

/// Makes sure that a server shows these ratings, and no others.
fn compare(rated: &[Rated], shown: &[Standing]) -> anyhow::Result<()> {
    let with_rating = shown.iter().filter(|standing| standing.rating.is_some());
    if with_rating.count() != rated.len() {
        bail!("the server shows ratings of other bots than the results have");
    }
    for rated in rated {
        let bot = &rated.bot;
        let found = shown
            .iter()
            .find(|standing| standing.bot_name == bot.name && standing.bot_version == bot.version);
        let found = found.and_then(|standing| standing.rating);
        if found != Some(rating(rated)) {
            bail!(
                "the server shows another rating of {} {} than follows from the results",
                Outside(&bot.name),
                Outside(&bot.version)
            );
        }
    }
    Ok(())
}
