//! The costliest decisions over all lost matches of a contest, for `contest show --review`.

use bridgemaster_review::DecisionReview;
use bridgemaster_runner::{ContestState, MatchRow};

use crate::{
    output,
    quantities::count,
    replay_review::{ReviewFlags, cells, read_verified, review_seat},
    table,
};

/// The number of decisions that are listed.
const LISTED: usize = 20;

/// A seat of a lost match, and the decisions that cost it points.
struct Loss {
    /// The number of the match, and the seat.
    place: [String; 2],
    decision: DecisionReview,
}

/// Reviews the lost matches of these bots, or of the bot under test, and lists their costliest
/// decisions. Without a bot under test, the first bot takes its place.
///
/// # Errors
///
/// Returns an error if a replay cannot be read or reviewed.
pub(super) fn review(
    state: &ContestState,
    rows: &[MatchRow],
    bots: &[String],
) -> anyhow::Result<String> {
    let spec = state.spec();
    let mut bots: Vec<_> = bots.iter().filter_map(|name| spec.bot_number(name)).collect();
    if bots.is_empty() {
        bots.push(spec.candidate().unwrap_or(0));
    }
    let counted = rows.iter().filter(|row| row.annulled.is_none());
    let lost: Vec<(&MatchRow, u8)> = counted
        .flat_map(|row| (0..).zip(&row.seats).map(move |(seat, of_seat)| (row, seat, of_seat)))
        .filter(|(_, _, seat)| seat.place > 1 && bots.contains(&seat.bot))
        .map(|(row, seat, _)| (row, seat))
        .collect();
    let names: Vec<&str> = bots.iter().map(|bot| spec.bots[*bot].name.as_str()).collect();
    let names = names.join(", ");
    output::eprint(&format!("reviewing {}", count(lost.len(), "lost match", "lost matches")));
    let flags = ReviewFlags::default();
    let (mut losses, mut missing) = (Vec::new(), 0);
    for (row, seat) in &lost {
        let Some(file) = &row.replay else {
            missing += 1;
            continue;
        };
        let replay = read_verified(&state.folder().join(file))?;
        let review = review_seat(&replay, *seat, &flags)?;
        let place = [row.of.to_string(), seat.to_string()];
        let costly = review.decisions.into_iter().filter(|decision| decision.loss > 0.0);
        losses.extend(costly.map(|decision| Loss { place: place.clone(), decision }));
    }
    losses.sort_by(|one, other| other.decision.loss.total_cmp(&one.decision.loss));
    losses.truncate(LISTED);
    let [reviewed, missing] =
        [lost.len() - missing, missing].map(|matches| count(matches, "match", "matches"));
    Ok(format!(
        "costliest decisions of {names} in {reviewed} that it lost, compared with greedy; {missing} \
         without a replay\n{}",
        table::plain(
            ["match", "seat", "at", "decision", "loss", "win %", "instead", "win %"],
            losses.into_iter().map(|Loss { place: [number, seat], decision }| {
                let [at, decision, loss, win, instead, win_instead] = cells(&decision);
                [number, seat, at, decision, loss, win, instead, win_instead]
            }),
        )
    ))
}
