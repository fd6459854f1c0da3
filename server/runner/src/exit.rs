//! Derives a contest's exit code and message.

use crate::{
    AnnulmentCause, BotEnd, ContestState, Exit, ExitReason, Format, MatchRow, SpecError,
    VerdictKind, memory_size::memory_size,
};

/// The number of annulled attempts of a match after which the contest ends, because another attempt
/// is unlikely to succeed.
const MAX_ATTEMPTS: u32 = 10;

/// Returns the exit of a contest whose bot has no program.
pub fn not_started(error: &SpecError) -> Exit {
    let exit = exit_with(ExitReason::BotNotStarted, error.to_string());
    match error {
        SpecError::NoProgram { bot, .. } => Exit { bot: Some(bot.clone()), ..exit },
        _ => exit,
    }
}

pub(crate) fn exit_with(reason: ExitReason, sentence: impl Into<String>) -> Exit {
    Exit { reason, code: reason.code(), sentence: sentence.into(), bot: None }
}

/// Returns the contest's exit if a match was annulled too often.
pub(crate) fn exit_after(row: &MatchRow) -> Option<Exit> {
    let annulled = row.annulled.as_ref();
    if let Some(annulled) = annulled.filter(|annulled| annulled.because.is_played_again())
        && row.attempt + 1 >= MAX_ATTEMPTS
    {
        let advice = match annulled.because {
            AnnulmentCause::RefereeLag => {
                "run fewer matches at once (--concurrency), or allow more lag \
                 (--referee-lag-limit-ms)"
            }
            AnnulmentCause::Declined => "contact the operator of that bot",
            _ => "check the log of the server",
        };
        let reason = match annulled.because {
            AnnulmentCause::Declined => ExitReason::BotFault,
            _ => ExitReason::RefereeFault,
        };
        return Some(exit_with(
            reason,
            format!(
                "match {} was annulled {MAX_ATTEMPTS} times, the last time because {}; {advice}",
                row.of, annulled.detail
            ),
        ));
    }
    None
}

/// Returns the exit of a contest that was stopped before its end.
pub fn stopped(state: &ContestState) -> Exit {
    let reason = match state.verdict() {
        VerdictKind::None => ExitReason::Stopped,
        _ => ExitReason::Undecided,
    };
    exit_with(
        reason,
        "stopped before the end; continue with --resume, which does not repeat finished matches",
    )
}

/// Returns the exit of a contest that has ended or is not running.
pub fn exit(state: &ContestState) -> Exit {
    if !state.is_complete() {
        return exit_with(
            ExitReason::Running,
            "not complete; if no process is running it, continue with --resume",
        );
    }
    if let Some(fault) = state.ended_by_fault() {
        return exit_with(ExitReason::BotFault, fault);
    }
    if let Some(end) = without_verdict(state).or_else(|| not_accepted(state)) {
        return end;
    }
    let required = state.requirements_now();
    let missed: Vec<&str> = required
        .iter()
        .filter(|required| !required.is_met)
        .map(|required| required.text.as_str())
        .collect();
    if !missed.is_empty() {
        return exit_with(
            ExitReason::RequirementNotMet,
            format!("requirements not met: {}", missed.join(", ")),
        );
    }
    let groups = state.groups();
    match (state.verdict(), &state.spec().format) {
        (VerdictKind::Accepted, _) => {
            exit_with(ExitReason::Accepted, format!("accepted after {}", format_groups(groups)))
        }
        (_, Format::Series | Format::Candidate { .. }) => exit_with(
            ExitReason::Finished,
            match groups {
                1 => "the only group has been played".to_owned(),
                groups => format!("all {groups} groups have been played"),
            },
        ),
        (_, Format::Fork { from, .. }) => exit_with(
            ExitReason::Finished,
            format!(
                "played {} from decision {} of match {}",
                match groups {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                },
                from.decisions,
                from.match_id
            ),
        ),
        _ => exit_with(ExitReason::Finished, "all rounds have been played"),
    }
}

/// Returns the exit of a contest in which no match counts.
fn without_verdict(state: &ContestState) -> Option<Exit> {
    if state.matches() == 0 {
        let faults = state.results().annulled(AnnulmentCause::BotFault);
        return Some(match faults {
            0 => exit_with(ExitReason::Undecided, "no match was played"),
            _ => exit_with(
                ExitReason::BotFault,
                "no match counts: every group had a bot fault, and such groups are excluded",
            ),
        });
    }
    let are_all_forfeited = state.forfeited_matches() == state.matches();
    are_all_forfeited.then(|| all_forfeited(state))
}

/// Returns the exit of a contest whose test did not accept the candidate.
fn not_accepted(state: &ContestState) -> Option<Exit> {
    let groups = state.groups();
    match state.verdict() {
        VerdictKind::Rejected => Some(exit_with(
            ExitReason::Rejected,
            format!("rejected after {}", format_groups(groups)),
        )),
        VerdictKind::Undecided => Some(exit_with(
            ExitReason::Undecided,
            format!(
                "not decided after {}, the maximum; allow more groups, or test for a larger \
                 difference",
                format_groups(groups)
            ),
        )),
        VerdictKind::Accepted | VerdictKind::None => None,
    }
}

/// Formats a number of groups.
fn format_groups(groups: u64) -> String {
    match groups {
        1 => "1 group".to_owned(),
        groups => format!("{groups} groups"),
    }
}

/// Returns the exit of a contest in which every match was forfeited.
fn all_forfeited(state: &ContestState) -> Exit {
    let seats = state.counted().flat_map(|row| &row.seats);
    let forfeited = seats.filter(|seat| seat.forfeit.is_some());
    let mut starved = forfeited.map(|seat| match seat.end {
        BotEnd::OutOfMemory => state.spec().bots.get(seat.bot),
        _ => None,
    });
    let first = starved.next().flatten();
    match (first, state.spec().bot_memory_bytes) {
        (Some(bot), Some(bytes)) if starved.all(|bot| bot.is_some()) => exit_with(
            ExitReason::BotOutOfMemory,
            format!(
                "every match was forfeited by a bot that ran out of memory, such as {}; \
                 --bot-memory allows {}: raise it, or reduce the bot's memory use",
                bot.name,
                memory_size(bytes)
            ),
        ),
        _ => exit_with(
            ExitReason::BotFault,
            "every match was forfeited by a bot; run `bridgemaster check-bot` to find out why",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        ContestSpec, FaultCounting, TestSpec,
        samples_for_tests::{row, spec},
    };

    fn state(faults: FaultCounting) -> ContestState {
        let spec = ContestSpec { faults, ..spec(TestSpec::default()) };
        ContestState::new(spec, PathBuf::new()).unwrap()
    }

    /// Returns the rows of `won` groups that the candidate wins, followed by `lost` groups that it
    /// loses.
    fn rows(won: u64, lost: u64) -> Vec<MatchRow> {
        let group = |group: u64| {
            let (winner, loser) = if group < won { (1, 2) } else { (2, 1) };
            [row(group, 0, &[0, 1], &[winner, loser]), row(group, 1, &[1, 0], &[loser, winner])]
        };
        (0..won + lost).flat_map(group).collect()
    }

    #[test]
    fn a_verdict_does_not_depend_on_the_order_in_which_matches_finish() {
        let rows = rows(10, 10);
        let mut in_order = state(FaultCounting::Count);
        rows.iter().for_each(|row| in_order.add(row.clone()).unwrap());
        let expected = in_order.report(exit(&in_order));
        assert_eq!(expected.exit.code, 0, "{}", expected.exit.sentence);
        assert!(expected.counts.groups < 10);
        assert!(expected.counts.surplus_matches > 0);
        // The lost groups finish first.
        let mut reversed = state(FaultCounting::Count);
        rows.iter().rev().for_each(|row| reversed.add(row.clone()).unwrap());
        let report = reversed.report(exit(&reversed));
        assert_eq!(report, expected);
    }

    #[test]
    fn a_fault_ends_a_contest_that_fails_on_faults() {
        let mut rows = rows(10, 0);
        rows[3].seats[1].fault_count = 1;
        let mut allowed = state(FaultCounting::Count);
        let mut fatal = state(FaultCounting::Fail);
        for row in &rows {
            allowed.add(row.clone()).unwrap();
            fatal.add(row.clone()).unwrap();
        }
        assert_eq!(exit(&allowed).code, 0);
        let exit = exit(&fatal);
        assert_eq!(exit.code, 5);
        assert!(exit.sentence.contains("match 1.1"), "{}", exit.sentence);
    }

    #[test]
    fn a_fault_after_the_verdict_does_not_count() {
        let mut rows = rows(10, 0);
        // The verdict is reached before the last group, which is the one with the fault.
        rows[19].seats[1].fault_count = 1;
        let mut in_order = state(FaultCounting::Fail);
        let mut reversed = state(FaultCounting::Fail);
        for row in &rows {
            in_order.add(row.clone()).unwrap();
        }
        for row in rows.iter().rev() {
            reversed.add(row.clone()).unwrap();
        }
        assert_eq!(exit(&in_order).code, 0, "{}", exit(&in_order).sentence);
        assert_eq!(exit(&reversed), exit(&in_order));
        // A fault in a group that counts ends the contest, even if later groups finished earlier.
        rows[3].seats[1].fault_count = 1;
        let mut reversed = state(FaultCounting::Fail);
        for row in rows.iter().rev() {
            reversed.add(row.clone()).unwrap();
        }
        assert_eq!(exit(&reversed).code, 5);
        assert!(exit(&reversed).sentence.contains("match 1.1"));
    }

    #[test]
    fn a_contest_of_forfeits_has_no_verdict() {
        let mut all = state(FaultCounting::Count);
        for mut row in rows(10, 0) {
            let loser = row.seats.iter_mut().find(|seat| seat.place == 2).unwrap();
            loser.forfeit = Some("DISCONNECTED".to_owned());
            all.add(row).unwrap();
        }
        assert_eq!(exit(&all).code, 5);
    }

    #[test]
    fn forfeits_for_lack_of_memory_name_the_limit() {
        let spec = ContestSpec { bot_memory_bytes: Some(1 << 28), ..spec(TestSpec::default()) };
        let mut all = ContestState::new(spec, PathBuf::new()).unwrap();
        for mut row in rows(10, 0) {
            let loser = row.seats.iter_mut().find(|seat| seat.place == 2).unwrap();
            loser.forfeit = Some("DISCONNECTED".to_owned());
            loser.end = BotEnd::OutOfMemory;
            all.add(row).unwrap();
        }
        let exit = exit(&all);
        assert_eq!(exit.code, 55);
        assert!(exit.sentence.contains("256 MiB"), "{}", exit.sentence);
    }
}
