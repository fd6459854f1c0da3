//! How much was played, in a sentence.

use bridgemaster_runner::{FaultCounting, RatingErrors, Report};

use super::{super::super::figures, escaping::escaped};
use crate::count::count;

/// The game, what was played of it, and what is to be known of that.
pub(super) fn played(report: &Report) -> String {
    let counts = &report.counts;
    let seconds = report.elapsed_ms as f64 / 1e3;
    let mut parts = vec![
        count(counts.groups, "group", "groups"),
        count(counts.matches, "match", "matches"),
        format!("{} decisions", counts.decisions),
        format!("{seconds:.1} s"),
    ];
    let others = [
        (counts.forfeited_matches, "matches with a forfeit"),
        (
            counts.annulled_for_referee_lag,
            "annulled for the referee's lag",
        ),
        (
            counts.annulled_for_server_crash,
            "annulled for a crash of the server",
        ),
        (
            counts.annulled_for_bot_fault,
            "left out for a fault of a bot",
        ),
        (counts.annulled_for_decline, "annulled since a bot declined"),
        (counts.surplus_matches, "finished and not counted"),
        (counts.repeated_groups, "groups left out as repeated"),
    ];
    let restarts: u64 = report.bots.iter().map(|bot| bot.restarts).sum();
    let others = others.into_iter().chain([(
        restarts,
        "times a bot died in a match and was started again",
    )]);
    let others = others.filter(|(count, _)| *count > 0);
    parts.extend(others.map(|(count, what)| format!("{count} {what}")));
    if report.spec.has_attending_bots() && !report.spec.trust_remote {
        parts.push("a seed of its own for each match of bots that attend".to_owned());
    }
    if report.spec.faults == FaultCounting::Fail {
        let restarts = figures::restarts(&report.spec);
        parts.push(format!(
            "no fault allowed, and a bot that dies in a match {restarts}"
        ));
    }
    if report.rating_errors == Some(RatingErrors::Model) {
        parts.push("intervals of ranks and Elo by the model alone".to_owned());
    }
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
