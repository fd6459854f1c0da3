//! Summarizes the played matches in one sentence.

use bridgemaster_runner::{Counts, FaultCounting, RatingErrors, Report};

use super::{super::super::figures, escaping::escaped};
use crate::count::count;

/// Describes a contest's game, counts, seeds, restarts and clocks.
pub(super) fn played(report: &Report) -> String {
    let counts = &report.counts;
    let seconds = report.elapsed_ms as f64 / 1e3;
    let mut parts = vec![
        count(counts.groups, "group", "groups"),
        count(counts.matches, "match", "matches"),
        format!("{} decisions", counts.decisions),
        format!("{seconds:.1} s"),
    ];
    let restarts: u64 = report.bots.iter().map(|bot| bot.restarts).sum();
    let restarts = [(restarts, "restarts of bots that died in a match")];
    let others = not_counted(counts).into_iter().chain(restarts);
    let others = others.filter(|(count, _)| *count > 0);
    parts.extend(others.map(|(count, what)| format!("{count} {what}")));
    if report.spec.has_bots_with_own_seeds() {
        let which = figures::bots_with_memory(&report.spec);
        parts.push(format!("a separate seed for each match of {which}"));
    }
    parts.extend(figures::chance(&report.spec).map(str::to_owned));
    if report.spec.faults == FaultCounting::Fail {
        let restarts = figures::restarts(&report.spec);
        parts.push(format!(
            "a fault of a bot stops the contest; a bot that dies in a match {restarts}"
        ));
    }
    if report.rating_errors == Some(RatingErrors::Model) {
        parts.push("intervals of ranks and Elo estimated by the model".to_owned());
    }
    parts.extend(figures::changes(report).map(|change| escaped(&change).to_string()));
    let odd = report.spec.bots.iter().filter(|bot| !bot.clock.is_even());
    parts.extend(odd.map(|bot| format!("time odds: {} has {}", escaped(&bot.name), bot.clock)));
    let (game, seats) = (escaped(&report.spec.rules.game), report.spec.rules.seats);
    let version = report.rules_version;
    let version = version.map(|version| format!(" (rules {version})"));
    format!(
        "Played: {game}{} at {seats} seats; {}.",
        version.unwrap_or_default(),
        parts.join(", ")
    )
}

/// Returns how many matches and groups do not count, with a description for each number.
fn not_counted(counts: &Counts) -> [(u64, &'static str); 7] {
    [
        (counts.forfeited_matches, "matches with a forfeit"),
        (
            counts.annulled_for_referee_lag,
            "annulled because of referee lag",
        ),
        (
            counts.annulled_for_server_crash,
            "annulled after a server crash",
        ),
        (
            counts.annulled_for_bot_fault,
            "excluded because a bot had a fault",
        ),
        (
            counts.annulled_for_decline,
            "annulled because a bot declined",
        ),
        (counts.surplus_matches, "finished but not counted"),
        (
            counts.repeated_groups,
            "groups skipped because of a repeated seed",
        ),
    ]
}
