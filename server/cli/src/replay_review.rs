//! `bridgemaster replay review`: shows what each decision of a seat cost, and how much was luck.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread::available_parallelism,
};

use anyhow::Context as _;
use bridgemaster_bots::{
    greedy,
    search::{self, Budget, Searchable},
};
use bridgemaster_games::{Seat, Seed, with_game};
use bridgemaster_proto::{
    escape::{Escaped, escape_json},
    games::WireGame,
    v1::Replay,
};
use bridgemaster_replay::{ReplayedMatch, verify};
use bridgemaster_review::{Account, DecisionReview, Judge, Review, SeatAccount, Settings, review};
use clap::{Args, ValueEnum, builder::RangedI64ValueParser};
use serde::Serialize;

use crate::{failure::misuse, output, replay_page::read_replay, table};

/// The number of playouts by which `search` chooses a decision.
const SEARCH_PLAYOUTS: u32 = 200;
/// The number of decisions that are compared again in more states.
const COSTLIEST: usize = 5;

/// The judge of a review, and its effort.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub(super) struct ReviewFlags {
    /// Bot whose choice each decision is compared with
    #[arg(long, value_name = "BOT", value_enum, default_value_t = ReviewFlags::default().by)]
    by: JudgeFlag,
    /// Number of states to sample for each decision, 2 to 10000
    #[arg(long, value_name = "K", default_value_t = ReviewFlags::default().states, value_parser = states())]
    states: u32,
    /// Number of states to sample for the five costliest decisions, 2 to 10000
    #[arg(long, value_name = "K", default_value_t = ReviewFlags::default().costliest_states, value_parser = states())]
    costliest_states: u32,
    /// Seed of the sampled states; equal seeds give equal reviews
    #[arg(long, value_name = "SEED", default_value_t = ReviewFlags::default().seed)]
    seed: Seed,
}

/// Returns the parser of a number of states. A standard error needs two.
fn states() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(2..=10_000)
}

impl Default for ReviewFlags {
    fn default() -> Self {
        Self { by: JudgeFlag::Greedy, states: 32, costliest_states: 400, seed: Seed::from(1) }
    }
}

/// A bot that judges decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum JudgeFlag {
    /// The bot greedy
    Greedy,
    /// The bot search with 200 playouts, which is stronger and slower
    Search,
}

impl JudgeFlag {
    /// Returns the name of the bot.
    const fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Search => "search",
        }
    }

    /// Returns the judge for a game.
    fn judge<G: Searchable>(self) -> Box<Judge<'static, G>> {
        match self {
            Self::Greedy => Box::new(|asked, chance| {
                let (config, seen) = (asked.config, asked.observation);
                greedy::best_decision::<G>(config, seen, asked.seat, asked.decisions, chance)
            }),
            Self::Search => Box::new(|asked, chance| {
                let (config, seen) = (asked.config, asked.observation);
                let budget = Budget::for_playouts(SEARCH_PLAYOUTS);
                let (seats, seat, list) = (asked.seats, asked.seat, asked.decisions);
                search::best_decision::<G>(config, seats, seat, seen, list, chance, budget)
            }),
        }
    }
}

#[derive(Args)]
#[command(
    after_help = "Each decision is compared with the choice of a judge, in states sampled from what \
        the seat knew. Both are then played to the end by one fast policy in all seats. This policy \
        sees hidden facts of the sampled state. A loss is the judge's error where the bot is better \
        than the judge.\n\n\
        at: number of decisions before it, as in `replay fork --at`; win %: expected share of the \
        first place; ±: standard error.\n\n\
        The result of each seat is the sum of the fair share, the expected effect of its own \
        decisions and of the others', and luck. Results are by score: forfeits do not count. The \
        house's decisions count as the seat's own."
)]
pub(super) struct ReviewArgs {
    /// Replay file
    file: PathBuf,
    /// Seat whose decisions to review, from 0
    #[arg(long, value_name = "SEAT")]
    seat: u8,
    #[command(flatten)]
    flags: ReviewFlags,
    /// Print JSON, with all decisions
    #[arg(long)]
    json: bool,
}

/// The review of a replay in JSON.
#[derive(Serialize)]
struct ReviewJson<'a> {
    match_id: &'a str,
    game_id: &'a str,
    judge: &'static str,
    seed: &'a str,
    #[serde(flatten)]
    review: &'a Review,
}

impl ReviewArgs {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let replay = read_verified(&self.file)?;
        let review = review_seat(&replay, self.seat, &self.flags)?;
        let text = if self.json {
            let json = ReviewJson {
                match_id: &replay.match_id,
                game_id: &replay.game_id,
                judge: self.flags.by.name(),
                seed: self.flags.seed.as_str(),
                review: &review,
            };
            escape_json(&format!("{}\n", serde_json::to_string_pretty(&json)?)).into_owned()
        } else {
            text(&replay, &review, &self.flags)
        };
        Ok(output::print(&text)?)
    }
}

/// Reads and verifies a replay file.
pub(super) fn read_verified(file: &Path) -> anyhow::Result<Replay> {
    let replay = read_replay(file)?.replay;
    verify(&replay).with_context(|| format!("{} is not valid", file.display()))?;
    Ok(replay)
}

/// Reviews a seat of a verified replay.
pub(super) fn review_seat(
    replay: &Replay,
    seat: u8,
    flags: &ReviewFlags,
) -> anyhow::Result<Review> {
    let seats = replay.result.as_ref().map_or(0, |result| result.seats.len());
    let Some(seat) = Seat::new(seat).filter(|seat| seat.index() < seats) else {
        let last = seats.saturating_sub(1);
        return Err(misuse(format!("--seat {seat} is out of range (0..={last})")));
    };
    let reviewed = with_game!(replay.game_id.as_str(), G => review_game::<G>(replay, seat, flags));
    reviewed.with_context(|| format!("unknown game {}", Escaped(&replay.game_id)))?
}

fn review_game<G: WireGame + Searchable>(
    replay: &Replay,
    seat: Seat,
    flags: &ReviewFlags,
) -> anyhow::Result<Review> {
    let settings = Settings {
        seed: flags.seed.clone(),
        states: flags.states,
        costliest: COSTLIEST,
        costliest_states: flags.costliest_states,
        threads: available_parallelism().map_or(1, NonZero::get),
    };
    let replayed = ReplayedMatch::<G>::new(replay)?;
    Ok(review(&replayed, seat, &*flags.by.judge::<G>(), &settings)?)
}

/// Formats a review. The refined decisions are first, because the losses of the others are rough.
fn text(replay: &Replay, review: &Review, flags: &ReviewFlags) -> String {
    let judge = flags.by.name();
    let mut different: Vec<_> =
        review.decisions.iter().filter(|one| one.decision != one.best).collect();
    different.sort_by(|one, other| {
        other.is_refined.cmp(&one.is_refined).then(other.loss.total_cmp(&one.loss))
    });
    let equal = review.decisions.len() - different.len();
    format!(
        "match {}, {}: seat {} compared with {judge}; {} states per decision, {} for the first \
         {COSTLIEST} rows; seed {}\n{}{equal} of {} decisions with a choice equal {judge}'s\n\n{}",
        Escaped(&replay.match_id),
        replay.game_id,
        review.seat,
        flags.states,
        flags.costliest_states,
        flags.seed,
        table::plain(
            ["at", "decision", "loss", "win %", "instead", "win %"],
            different.into_iter().map(cells),
        ),
        review.decisions.len(),
        accounts(&review.seats),
    )
}

/// Formats a decision as the cells of a row.
pub(super) fn cells(decision: &DecisionReview) -> [String; 6] {
    let percent = |chance: f64| format!("{:.0}", chance * 100.0);
    let house = if decision.is_by_house { " (by the house)" } else { "" };
    [
        decision.at.to_string(),
        format!("{}{house}", decision.decision),
        format!("{:.1} ± {:.1}", decision.loss, decision.standard_error),
        percent(decision.win_chance),
        decision.best.clone(),
        percent(decision.best_win_chance),
    ]
}

/// Formats the split of all results, in points and in percent of the first place.
fn accounts(seats: &[SeatAccount]) -> String {
    let header =
        ["seat", "measure", "result", "= fair share", "+ own decisions", "+ others'", "+ luck"];
    let rows = seats.iter().flat_map(|seat| {
        [("lead in points", 1, seat.points), ("first place in %", 100, seat.first_place)].map(
            |(measure, scale, account)| {
                let [result, fair, own, others, luck] = rounded(&account, scale);
                let error = account.own_error * scale as f64 / account.unit as f64;
                let (seat, own) = (seat.seat.to_string(), format!("{own} ± {error:.1}"));
                [seat, measure.to_owned(), result, fair, own, others, luck]
            },
        )
    });
    table::plain(header, rows)
}

/// Rounds an account to tenths, times `scale`, so that the parts still add up to the result.
fn rounded(account: &Account, scale: i64) -> [String; 5] {
    let tenths = |parts: i64| {
        let scaled = i128::from(parts) * i128::from(scale) * 10;
        (scaled as f64 / account.unit as f64).round()
    };
    let [result, fair, own, others] =
        [account.result, account.fair, account.own, account.others].map(tenths);
    let luck = result - fair - own - others;
    // Adding 0 turns a negative zero into zero.
    [result, fair, own, others, luck].map(|tenths| format!("{:.1}", tenths / 10.0 + 0.0))
}
