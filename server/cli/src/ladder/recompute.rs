//! `bridgemaster ladder recompute`: the ratings from the results alone.

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, bail};
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

/// How often ratings and results are fetched again until they belong together. The server fits the
/// ratings about once a second; where a fit takes longer than a fifth of that, five times as long
/// after the one before. The largest ladders take a second or two for one.
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
            // A result that the server never takes into its ratings is noticed by this.
            let counted_before = client.get(&ladder).await?.matches;
            for attempt in 0..TRIES {
                if attempt > 0 {
                    sleep(AGAIN_AFTER).await;
                }
                let shown = client.standings(&ladder, true).await?;
                // Fetched after the ratings, so that all their matches are among them.
                let csv = client.results(&ladder).await?;
                let Some(results) = counted_first(&csv, seats_of(&shown))? else {
                    continue;
                };
                if (results.len() as u64) < counted_before {
                    continue;
                }
                let rated = ratings_of(&results)?;
                if !is_of_all(&rated, &shown) {
                    continue;
                }
                let compared = compare(&rated, &shown);
                // Matches that end at once may be counted in another order than they ended.
                if compared.is_err() && results.len() < counted(&csv)?.len() {
                    continue;
                }
                output::print(&standings::text(&as_standings(&rated)))?;
                compared?;
                let text = format!(
                    "{} results; the server shows the same ratings to the last digit\n",
                    results.len()
                );
                return Ok(output::print(&text)?);
            }
            bail!(
                "the server shows ratings of other results than it has; try again, or freeze the \
                 ladder"
            )
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

/// Whether a server shows ratings of as many matches of each bot.
fn is_of_all(rated: &[Rated], shown: &[Standing]) -> bool {
    let of_shown = |standing: &Standing| {
        let matches = standing.rating.map(|rating| u64::from(rating.matches));
        let bot = (standing.bot_name.clone(), standing.bot_version.clone());
        Some((bot, matches?))
    };
    let of_rated = |rated: &Rated| {
        let bot = (rated.bot.name.clone(), rated.bot.version.clone());
        (bot, rated.matches)
    };
    let shown: BTreeMap<_, _> = shown.iter().filter_map(of_shown).collect();
    shown == rated.iter().map(of_rated).collect()
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
