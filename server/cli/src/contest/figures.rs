//! Formats a report's numbers and short descriptions.

use bridgemaster_runner::{
    BotReport, ContestSpec, EloReport, ExitReason, Format, IntervalReport, Report, StoppedBy,
    VerdictKind, VerdictReport, WorstMatch, WorstMatchReason,
};

use crate::quantities::count;

/// Returns the candidate's report, if the contest has a candidate.
pub(super) fn candidate(report: &Report) -> Option<&BotReport> {
    let number = report.verdict.as_ref()?.candidate;
    report.bots.iter().find(|bot| bot.bot == number)
}

/// Describes a contest's outcome in a few words.
pub(super) fn ending(reason: ExitReason) -> &'static str {
    match reason {
        ExitReason::Accepted => "accepted",
        ExitReason::Finished => "finished",
        ExitReason::Rejected => "rejected",
        ExitReason::Undecided => "not decided",
        ExitReason::Stopped => "stopped",
        ExitReason::Running => "still running",
        ExitReason::RequirementNotMet => "requirement not met",
        ExitReason::BotFault => "fault of a bot",
        ExitReason::BotNotStarted => "a bot is not started",
        ExitReason::BotEnded => "a bot ended at its start",
        ExitReason::BotNeverConnected => "a bot never connected",
        ExitReason::BotOfOtherGames => "a bot does not play the game",
        ExitReason::BotOutOfMemory => "a bot ran out of memory",
        ExitReason::BotChanged => "a bot changed",
        ExitReason::RefereeFault => "fault of the referee",
    }
}

/// Describes how often a bot that dies in a match is restarted.
pub(super) fn restarts(spec: &ContestSpec) -> String {
    match spec.restarts() {
        0 => "is not restarted".to_owned(),
        max => format!("is restarted up to {}", count(max, "time", "times")),
    }
}

/// Describes whether a bot that stores data on disk could learn the chance results of its next
/// match. Returns `None` if no match in the contest reveals those of another.
pub(super) fn chance(spec: &ContestSpec) -> Option<&'static str> {
    match (spec.repeats_chance(), &spec.format) {
        (true, Format::Fork { .. }) => Some(
            "each match has the chance results of the replay, so a bot that stores data on disk \
             might know them (`--redraw` prevents this)",
        ),
        (true, _) => Some(
            "matches of a group share a seed, so a bot that stores data on disk might know the \
             chance results of its next match (`--seeds per-match` prevents this)",
        ),
        (false, _) => spec.seeds_per_match.then_some(
            "each match had its own seed, so no bot knew the chance results from another match",
        ),
    }
}

/// Describes the calls by a bot that the contest's private server refused.
pub(super) fn refused_calls(
    spec: &ContestSpec,
    bot: Option<usize>,
    method: &str,
    calls: u64,
) -> String {
    let bot = bot.and_then(|bot| spec.bots.get(bot));
    let bot = bot.map_or("a bot without a ticket", |bot| bot.name.as_str());
    let method = match method {
        "" => "an unknown method",
        method => method,
    };
    let times = count(calls, "time", "times");
    format!(
        "{bot} called {method} {times} and was refused, since this method is reserved for the \
         contest"
    )
}

/// Describes the bot files that changed while changes were allowed.
pub(super) fn changes(report: &Report) -> impl Iterator<Item = String> {
    report.identity.changes.iter().map(|change| {
        let when = match change.before_match {
            Some(of) => format!("before match {of}"),
            None => "before the contest was resumed".to_owned(),
        };
        if change.before == change.after {
            format!(
                "{} was rewritten {when} with the same bytes; its content between \
                 the checks is unknown",
                change.name
            )
        } else {
            format!("{} changed {when}, which was allowed", change.name)
        }
    })
}

/// Describes the bots that might remember earlier matches. With such a bot, each match of the
/// contest has its own seed.
pub(super) fn bots_with_memory(spec: &ContestSpec) -> &'static str {
    if spec.has_attending_bots() { "bots that attend" } else { "bots whose processes are reused" }
}

/// Describes the test's verdict, and the part of the test that decided.
pub(super) fn verdict(verdict: &VerdictReport) -> String {
    let word = match verdict.verdict {
        VerdictKind::Accepted => "accepted",
        VerdictKind::Rejected => "rejected",
        VerdictKind::Undecided => "not decided",
        VerdictKind::None => "no test",
    };
    match verdict.decided_by {
        None => word.to_owned(),
        Some(StoppedBy::TValue) => format!("{word} by the t-value"),
        Some(StoppedBy::Betting) => format!("{word} by betting"),
        Some(StoppedBy::Pentanomial) => format!("{word} by the pentanomial test"),
    }
}

/// Formats the current verdict on one line.
pub(super) fn verdict_so_far(report: &Report) -> String {
    let Some(verdict) = &report.verdict else {
        return leader(report);
    };
    let whole = |elo: f64| format!("{:+.0}", rounded(elo, 0));
    let confidence = &verdict.confidence;
    let bounds = match (confidence.elo_low.map(whole), confidence.elo_high.map(whole)) {
        (None, None) => "any value is possible".to_owned(),
        (Some(low), None) => format!("at least {low}"),
        (None, Some(high)) => format!("at most {high}"),
        (Some(low), Some(high)) => format!("{low} to {high}"),
    };
    let name = candidate_name(report, verdict);
    let level = confidence.level * 100.0;
    let elo = format!("Elo of {name}: {bounds} (anytime-valid confidence {level:.0} %)");
    match verdict.test {
        None => elo,
        Some(test) => format!(
            "LLR {:.2} of [{:.2}, {:.2}]; {elo}",
            rounded(test.llr, 2),
            test.llr_lower,
            test.llr_upper
        ),
    }
}

fn leader(report: &Report) -> String {
    match report.bots.first() {
        Some(bot) if bot.played > 0 => format!("{} leads", bot.name),
        _ => "no group is complete".to_owned(),
    }
}

/// Returns the name of the bot under test.
pub(super) fn candidate_name<'a>(report: &'a Report, verdict: &VerdictReport) -> &'a str {
    let bot = report.spec.bots.get(verdict.candidate);
    bot.map_or("the candidate", |bot| bot.name.as_str())
}

/// Formats a difference with its interval: `+12.3 [-1.0, +25.6]`.
pub(super) fn signed(figure: IntervalReport) -> String {
    let [estimate, low, high] = [figure.estimate, figure.low, figure.high].map(signed_number);
    if low == high { estimate } else { format!("{estimate} [{low}, {high}]") }
}

fn signed_number(number: f64) -> String {
    format!("{:+.1}", rounded(number, 1))
}

/// Rounds a number to some decimals. The result is never -0.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (number * scale).round() / scale + 0.0
}

/// Formats an Elo difference with its interval. An end that is unbounded is omitted: `+12.3 [at
/// least -1.0]`. Without an estimate, only a bound is known: `at least +83.0`.
pub(super) fn elo(elo: EloReport) -> String {
    let [estimate, low, high] = [elo.estimate, elo.low, elo.high].map(|elo| elo.map(signed_number));
    let bounds = match (low, high) {
        (Some(low), Some(high)) => format!("{low}, {high}"),
        (Some(low), None) => format!("at least {low}"),
        (None, Some(high)) => format!("at most {high}"),
        (None, None) => "no bounds".to_owned(),
    };
    match estimate {
        Some(estimate) => format!("{estimate} [{bounds}]"),
        None => bounds,
    }
}

/// Formats a share with its interval, in percent.
pub(super) fn share(figure: IntervalReport) -> String {
    let [estimate, low, high] = [figure.estimate, figure.low, figure.high].map(|part| part * 100.0);
    if low == high {
        format!("{estimate:.1} %")
    } else {
        format!("{estimate:.1} % [{low:.1}, {high:.1}]")
    }
}

/// Formats a bot's range of ranks: `2`, or `2 to 4`.
pub(super) fn ranks(bot: &BotReport) -> Option<String> {
    let ranks = bot.ranks?;
    Some(if ranks.best == ranks.worst {
        ranks.best.to_string()
    } else {
        format!("{} to {}", ranks.best, ranks.worst)
    })
}

/// Describes why a match is among a bot's worst matches.
pub(super) fn why(worst: &WorstMatch) -> String {
    let why = match &worst.why {
        WorstMatchReason::Forfeited { reason } => format!("forfeited: {reason}"),
        WorstMatchReason::Lost => "did not win".to_owned(),
    };
    with_memory(why, worst)
}

/// Appends `OUT_OF_MEMORY` to the description of a match in which the bot ran out of memory.
pub(super) fn with_memory(text: String, worst: &WorstMatch) -> String {
    if worst.ran_out_of_memory { format!("{text}, OUT_OF_MEMORY") } else { text }
}

/// Returns the text, or a dash for `None`.
pub(super) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

/// Reduces a series to at most `max` values for a chart. Splits the series into `max` equal parts,
/// and takes the last value of each part.
pub(super) fn downsampled<T: Copy>(values: &[T], max: usize) -> Vec<T> {
    if values.len() <= max {
        return values.to_vec();
    }
    (1..=max).map(|part| values[part * values.len() / max - 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_downsampled_series_keeps_its_last_value() {
        let values: Vec<u32> = (1..=1_000).collect();
        let downsampled = downsampled(&values, 60);
        assert_eq!((downsampled.len(), downsampled.last()), (60, Some(&1_000)));
        assert!(downsampled.is_sorted());
        assert_eq!(super::downsampled(&[1, 2], 60), [1, 2]);
    }

    #[test]
    fn an_interval_of_no_width_is_not_shown() {
        let figure = |low, high| IntervalReport { estimate: 0.5, low, high };
        assert_eq!(share(figure(0.5, 0.5)), "50.0 %");
        assert_eq!(share(figure(0.4, 0.6)), "50.0 % [40.0, 60.0]");
        assert_eq!(signed(figure(-1.0, 2.0)), "+0.5 [-1.0, +2.0]");
        assert_eq!(signed(figure(-0.04, 2.0)), "+0.5 [+0.0, +2.0]");
    }

    #[test]
    fn an_unbounded_elo_shows_the_known_bound_only() {
        let elo = |estimate, low, high| super::elo(EloReport { estimate, low, high });
        assert_eq!(elo(Some(12.34), Some(-1.0), Some(25.6)), "+12.3 [-1.0, +25.6]");
        assert_eq!(elo(Some(462.0), Some(32.0), None), "+462.0 [at least +32.0]");
        assert_eq!(elo(None, Some(83.0), None), "at least +83.0");
        assert_eq!(elo(None, None, Some(-83.0)), "at most -83.0");
        assert_eq!(elo(None, None, None), "no bounds");
    }
}
