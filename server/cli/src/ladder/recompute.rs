//! `bridgemaster ladder recompute`: computes the ratings from the results.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, anyhow, bail};
use bridgemaster_ladder::{BotRating, CONFIDENCE, RatingMethodId, Results, ratings_of};
use bridgemaster_proto::{
    escape::Escaped,
    v1::{Ladder, Rating, RatingMethod, Standing},
};
use clap::Args;
use tokio::time::sleep;

use crate::{
    ladder::{
        client,
        create::rating_method_to_wire,
        results::{counted, counted_first},
        standings,
    },
    match_client::ServerFlag,
    output,
};

/// Maximum number of attempts to fetch ratings and results that cover the same matches. The server
/// fits the ratings about once a second. A fit that takes longer than 0.2 s is followed by a pause
/// of four times its duration. For the largest ladders, a fit takes 1 s to 2 s.
const MAX_ATTEMPTS: usize = 30;

/// Delay between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(500);

#[derive(Args)]
#[command(
    after_help = "Ratings are a deterministic fit over all results that count, so everyone can \
    verify the ratings. With --results, no server is needed.\n\n  bridgemaster ladder recompute \
    class\n  bridgemaster ladder results class --output class.csv\n  bridgemaster ladder recompute \
    --results class.csv"
)]
pub(super) struct RecomputeArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    #[arg(required_unless_present = "results")]
    ladder: Option<String>,
    /// Compute the ratings from a CSV file of `ladder results`, without a comparison
    #[arg(long, value_name = "FILE", conflicts_with = "ladder")]
    results: Option<PathBuf>,
    /// Rating method for --results: plackett-luce or glicko-2
    #[arg(long, value_name = "METHOD", default_value_t, conflicts_with = "ladder")]
    rating_method: RatingMethodId,
}

impl RecomputeArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        if let Some(path) = &self.results {
            let csv = fs::read(path).with_context(|| path.display().to_string())?;
            let rated = ratings_of(&counted(&csv)?, self.rating_method)?;
            let text =
                standings::text(&as_standings(&rated), &[], &Ladder::default(), standings::width());
            return Ok(output::print(&text)?);
        }
        let ladder = self.ladder.unwrap_or_default();
        let mut client = client::connect(&self.server).await?;
        // The ladder's number of matches is needed to detect results that the server never rates.
        let before = client::get(&mut client, &ladder).await?;
        let number = before.rating_method;
        let is_served = |id: &RatingMethodId| rating_method_to_wire(*id) as i32 == number;
        let mut methods = RatingMethodId::ALL.into_iter();
        let method = match methods.find(is_served) {
            Some(method) => method,
            None if number == RatingMethod::Unspecified as i32 => RatingMethodId::default(),
            None => {
                bail!("the ladder's rating method {number} is unknown; use a newer bridgemaster")
            }
        };
        let mut difference = anyhow!("the server never rated its newest results");
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                sleep(RETRY_DELAY).await;
            }
            let served = client::standings(&mut client, &ladder, true).await?;
            // The results are fetched after the ratings, so that they include every rated match.
            let csv = client::results(&mut client, &ladder).await?;
            let results = counted_first(&csv, seats_of(&served))?;
            let is_recent = |results: &Results| results.len() as u64 >= before.matches;
            let Some(results) = results.filter(is_recent) else {
                continue;
            };
            let rated = ratings_of(&results, method)?;
            match compare(&rated, &served) {
                Ok(()) => {
                    let (rows, width) = (as_standings(&rated), standings::width());
                    output::print(&standings::text(&rows, &[], &before, width))?;
                    let count = results.len();
                    let text = format!("{count} results; the server's ratings are identical\n");
                    return Ok(output::print(&text)?);
                }
                // Matches that ended meanwhile or at the same time may be in another order in the
                // results.
                Err(error) => difference = error,
            }
        }
        Err(difference.context("try again, or freeze the ladder"))
    }
}

fn rating(rated: &BotRating) -> Rating {
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

fn as_standings(rated: &[BotRating]) -> Vec<Standing> {
    let standing = |rated: &BotRating| Standing {
        bot_name: rated.bot.name.clone(),
        bot_version: rated.bot.version.clone(),
        rating: Some(rating(rated)),
        ..Standing::default()
    };
    rated.iter().map(standing).collect()
}

/// Returns the total number of seats in the matches on which a server's ratings are based.
fn seats_of(served: &[Standing]) -> u64 {
    let ratings = served.iter().filter_map(|standing| standing.rating);
    ratings.map(|rating| u64::from(rating.matches)).sum()
}

/// Compares computed ratings with a server's ratings.
///
/// # Errors
/// Returns an error that describes the first difference.
fn compare(rated: &[BotRating], served: &[Standing]) -> anyhow::Result<()> {
    let with_rating = served.iter().filter(|standing| standing.rating.is_some());
    if with_rating.count() != rated.len() {
        bail!("the server's ratings and the results have different bots");
    }
    for rated in rated {
        let bot = &rated.bot;
        let found = served
            .iter()
            .find(|standing| standing.bot_name == bot.name && standing.bot_version == bot.version);
        let mut expected = rating(rated);
        if found.is_some_and(|standing| standing.disqualified) {
            (expected.rank_best, expected.rank_worst) = (0, 0);
        }
        if found.and_then(|standing| standing.rating) != Some(expected) {
            bail!(
                "the rating of {} {} on the server differs from the computed rating",
                Escaped(&bot.name),
                Escaped(&bot.version)
            );
        }
    }
    Ok(())
}
