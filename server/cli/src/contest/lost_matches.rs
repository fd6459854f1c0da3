//! The costliest decisions over all lost matches of a contest, for `contest show --review`.

use anyhow::Context as _;
use bridgemaster_review::DecisionReview;
use bridgemaster_runner::{ContestState, MatchRow};

use crate::{
    failure::with_causes,
    output,
    quantities::count,
    replay_review::{ReviewFlags, cells, read_verified, review_seat},
    table,
};

/// The number of decisions that are listed.
const LISTED: usize = 20;
/// The maximum number of matches that are reviewed. A review takes seconds.
const MAX_REVIEWED_MATCHES: usize = 50;

/// A seat of a lost match, and the decisions that cost it points.
struct Loss {
    /// The number of the match, and the seat.
    place: [String; 2],
    decision: DecisionReview,
}

/// Reviews the first lost matches of these bots, or of the bot under test, and lists their
/// costliest decisions. Without a bot under test, the first bot takes its place. Matches whose
/// replay cannot be read or reviewed are counted, and the reasons are printed on standard error.
pub(super) fn review(state: &ContestState, rows: &[MatchRow], bots: &[String]) -> String {
    let spec = state.spec();
    let mut bots: Vec<_> = bots.iter().filter_map(|name| spec.bot_number(name)).collect();
    if bots.is_empty() {
        bots.push(spec.candidate().unwrap_or(0));
    }
    let lost = lost_seats(rows, &bots);
    let names: Vec<&str> = bots.iter().map(|bot| spec.bots[*bot].name.as_str()).collect();
    let names = names.join(", ");
    let all = count(lost.len(), "lost match", "lost matches");
    let reviewed = if lost.len() > MAX_REVIEWED_MATCHES {
        format!("the first {MAX_REVIEWED_MATCHES} of {all}")
    } else {
        all
    };
    output::eprint(&format!("reviewing {reviewed}"));
    let flags = ReviewFlags::default();
    let (mut losses, mut invalid) = (Vec::new(), 0);
    for (row, seat) in lost.into_iter().take(MAX_REVIEWED_MATCHES) {
        let reviewed = row.replay.as_ref().context("no replay").and_then(|file| {
            review_seat(&read_verified(&state.folder().join(file))?, seat, &flags)
        });
        let review = match reviewed {
            Ok(review) => review,
            Err(error) => {
                invalid += 1;
                output::eprint(&format!("match {}: {}", row.of, with_causes(&error)));
                continue;
            }
        };
        let place = [row.of.to_string(), seat.to_string()];
        let costly = review.decisions.into_iter().filter(|one| one.is_refined && one.loss > 0.0);
        losses.extend(costly.map(|decision| Loss { place: place.clone(), decision }));
    }
    losses.sort_by(|one, other| other.decision.loss.total_cmp(&one.decision.loss));
    losses.truncate(LISTED);
    format!(
        "costliest decisions of {names} in {reviewed}, compared with greedy; {invalid} without a \
         valid replay\n{}",
        table::plain(
            ["match", "seat", "at", "decision", "loss", "win %", "instead", "win %"],
            losses.into_iter().map(|Loss { place: [number, seat], decision }| {
                let [at, decision, loss, win, instead, win_instead] = cells(&decision);
                [number, seat, at, decision, loss, win, instead, win_instead]
            }),
        )
    )
}

/// Returns the seats of these bots in the matches that they lost.
fn lost_seats<'a>(rows: &'a [MatchRow], bots: &[usize]) -> Vec<(&'a MatchRow, u8)> {
    let counted = rows.iter().filter(|row| row.annulled.is_none());
    counted
        .flat_map(|row| (0..).zip(&row.seats).map(move |(seat, of_seat)| (row, seat, of_seat)))
        .filter(|(_, _, seat)| seat.place > 1 && bots.contains(&seat.bot))
        .map(|(row, seat, _)| (row, seat))
        .collect()
}
