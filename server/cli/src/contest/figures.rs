//! Figures of a report as people read them.

use bridgemaster_runner::{
    BotReport, ContestSpec, ExitReason, IntervalReport, Report, StoppedBy, VerdictKind,
    VerdictReport, WhyWorst, WorstMatch,
};

use crate::count::count;

/// The candidate, if the contest has one.
pub(super) fn candidate(report: &Report) -> Option<&BotReport> {
    let number = report.verdict.as_ref()?.candidate;
    report.bots.iter().find(|bot| bot.bot == number)
}

/// What the contest came to, in a word or two.
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
        ExitReason::RefereeFault => "fault of the referee",
    }
}

/// What becomes of a bot that dies in a match.
pub(super) fn restarts(spec: &ContestSpec) -> String {
    match spec.restarts() {
        0 => "is not started again".to_owned(),
        most => format!("is started again up to {}", count(most, "time", "times")),
    }
}

/// What the test says, and which part of it decided.
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

/// A difference with its interval: `+12.3 [-1.0, +25.6]`.
pub(super) fn signed(figure: IntervalReport) -> String {
    let IntervalReport {
        estimate,
        low,
        high,
    } = figure;
    match low == high {
        true => format!("{estimate:+.1}"),
        false => format!("{estimate:+.1} [{low:+.1}, {high:+.1}]"),
    }
}

/// A share with its interval, in percent.
pub(super) fn share(figure: IntervalReport) -> String {
    let [estimate, low, high] = [figure.estimate, figure.low, figure.high].map(|part| part * 100.0);
    match low == high {
        true => format!("{estimate:.1} %"),
        false => format!("{estimate:.1} % [{low:.1}, {high:.1}]"),
    }
}

/// The ranks that a bot may have: `2`, or `2 to 4`.
pub(super) fn ranks(bot: &BotReport) -> Option<String> {
    let rating = bot.rating?;
    Some(match rating.best_rank == rating.worst_rank {
        true => rating.best_rank.to_string(),
        false => format!("{} to {}", rating.best_rank, rating.worst_rank),
    })
}

/// A time in the unit that suits it.
pub(super) fn time_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}

/// A size of memory in the unit that suits it.
pub(super) fn memory(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        10_485_760..10_737_418_240 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// Why a match is among the worst of a bot.
pub(super) fn why(worst: &WorstMatch) -> String {
    let why = match &worst.why {
        WhyWorst::Forfeited { reason } => format!("forfeited: {reason}"),
        WhyWorst::Lost => "did not win".to_owned(),
    };
    match worst.ran_out_of_memory {
        true => format!("{why}, OUT_OF_MEMORY"),
        false => why,
    }
}

/// A text, or a dash where there is none.
pub(super) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

/// At most so many values of a row, of equal stretches of it the last: a chart is not finer than
/// that.
pub(super) fn thinned<T: Copy>(values: &[T], most: usize) -> Vec<T> {
    if values.len() <= most {
        return values.to_vec();
    }
    (1..=most)
        .map(|part| values[part * values.len() / most - 1])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_row_keeps_its_last_value() {
        let values: Vec<u32> = (1..=1_000).collect();
        let thinned = thinned(&values, 60);
        assert_eq!((thinned.len(), thinned.last()), (60, Some(&1_000)));
        assert!(thinned.is_sorted());
        assert_eq!(super::thinned(&[1, 2], 60), [1, 2]);
    }

    #[test]
    fn an_interval_of_no_width_is_not_shown() {
        let figure = |low, high| IntervalReport {
            estimate: 0.5,
            low,
            high,
        };
        assert_eq!(share(figure(0.5, 0.5)), "50.0 %");
        assert_eq!(share(figure(0.4, 0.6)), "50.0 % [40.0, 60.0]");
        assert_eq!(signed(figure(-1.0, 2.0)), "+0.5 [-1.0, +2.0]");
    }
}
