//! How a contest ended.

use crate::{
    AnnulledBecause, BotEnd, Exit, ExitReason, Format, MatchRow, Standing, VerdictKind,
    memory_size::memory_size,
};

/// How often a match may be annulled before the contest gives up: a server that spoils so many in a
/// row will spoil the next.
const MOST_ATTEMPTS: u32 = 10;

pub(crate) fn ending(reason: ExitReason, sentence: impl Into<String>) -> Exit {
    Exit {
        reason,
        code: reason.code(),
        sentence: sentence.into(),
    }
}

/// The end that one match brings about, if it does.
pub(crate) fn end_by(row: &MatchRow) -> Option<Exit> {
    let annulled = row.annulled.as_ref();
    if let Some(annulled) = annulled.filter(|annulled| annulled.because.is_played_again())
        && row.attempt + 1 >= MOST_ATTEMPTS
    {
        let advice = match annulled.because {
            AnnulledBecause::RefereeLag => {
                "play fewer matches at once (--concurrency), or allow more lag \
                 (--referee-lag-limit-ms)"
            }
            AnnulledBecause::Declined => "ask whoever runs that bot",
            _ => "look into the log of the server",
        };
        let reason = match annulled.because {
            AnnulledBecause::Declined => ExitReason::BotFault,
            _ => ExitReason::RefereeFault,
        };
        return Some(ending(
            reason,
            format!(
                "match {} was annulled {MOST_ATTEMPTS} times, at last since {}; {advice}",
                row.of, annulled.detail
            ),
        ));
    }
    None
}

pub(crate) fn stopped(standing: &Standing) -> Exit {
    let reason = match standing.verdict() {
        VerdictKind::None => ExitReason::Stopped,
        _ => ExitReason::Undecided,
    };
    ending(
        reason,
        "stopped before the end; --resume goes on, and plays no finished match again",
    )
}

/// How a contest stands that nobody plays, or that has just ended.
#[must_use]
pub fn exit(standing: &Standing) -> Exit {
    if !standing.is_complete() {
        return ending(
            ExitReason::Running,
            "not at its end yet; --resume goes on if nobody plays it",
        );
    }
    if let Some(fault) = standing.ended_by_fault() {
        return ending(ExitReason::BotFault, fault);
    }
    if let Some(end) = without_verdict(standing).or_else(|| not_accepted(standing)) {
        return end;
    }
    let required = standing.requirements_now();
    let missed: Vec<&str> = required
        .iter()
        .filter(|required| !required.is_met)
        .map(|required| required.text.as_str())
        .collect();
    if !missed.is_empty() {
        return ending(
            ExitReason::RequirementNotMet,
            format!("required and not met: {}", missed.join(", ")),
        );
    }
    let groups = standing.groups();
    match (standing.verdict(), &standing.spec().format) {
        (VerdictKind::Accepted, _) => ending(
            ExitReason::Accepted,
            format!("accepted after {}", in_words(groups)),
        ),
        (_, Format::Series | Format::Candidate { .. }) => ending(
            ExitReason::Finished,
            match groups {
                1 => "the one group is played".to_owned(),
                groups => format!("all {groups} groups are played"),
            },
        ),
        (_, Format::Fork { from, .. }) => ending(
            ExitReason::Finished,
            format!(
                "played on {} from decision {} of match {}",
                match groups {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                },
                from.decisions,
                from.match_id
            ),
        ),
        _ => ending(ExitReason::Finished, "all rounds are played"),
    }
}

/// The end of a contest whose matches decide nothing.
fn without_verdict(standing: &Standing) -> Option<Exit> {
    if standing.matches() == 0 {
        let faults = standing.ledger().annulled(AnnulledBecause::BotFault);
        return Some(match faults {
            0 => ending(ExitReason::Undecided, "no match was played"),
            _ => ending(
                ExitReason::BotFault,
                "no match counts: each group had a fault of a bot, and such groups are excluded",
            ),
        });
    }
    let are_all_forfeited = standing.forfeited_matches() == standing.matches();
    are_all_forfeited.then(|| all_forfeited(standing))
}

/// The end of a contest whose test did not accept.
fn not_accepted(standing: &Standing) -> Option<Exit> {
    let groups = standing.groups();
    match standing.verdict() {
        VerdictKind::Rejected => Some(ending(
            ExitReason::Rejected,
            format!("rejected after {}", in_words(groups)),
        )),
        VerdictKind::Undecided => Some(ending(
            ExitReason::Undecided,
            format!(
                "not decided after {}, all that there are; allow more, or ask for a wider \
                 difference",
                in_words(groups)
            ),
        )),
        VerdictKind::Accepted | VerdictKind::None => None,
    }
}

/// A number of groups in a sentence.
fn in_words(groups: u64) -> String {
    match groups {
        1 => "1 group".to_owned(),
        groups => format!("{groups} groups"),
    }
}

/// Every match was forfeited: why, and what to do.
fn all_forfeited(standing: &Standing) -> Exit {
    let seats = standing.counted().flat_map(|row| &row.seats);
    let forfeited = seats.filter(|seat| seat.forfeit.is_some());
    let mut starved = forfeited.map(|seat| match seat.end {
        BotEnd::OutOfMemory => standing.spec().bots.get(seat.bot),
        _ => None,
    });
    let first = starved.next().flatten();
    match (first, standing.spec().bot_memory_bytes) {
        (Some(bot), Some(bytes)) if starved.all(|bot| bot.is_some()) => ending(
            ExitReason::BotOutOfMemory,
            format!(
                "every match was forfeited by a bot that ran out of memory, such as {}: \
                 --bot-memory allows {}; allow more, or let it hold less",
                bot.name,
                memory_size(bytes)
            ),
        ),
        _ => ending(
            ExitReason::BotFault,
            "every match was forfeited by a bot; `bridgemaster check-bot` shows why",
        ),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        ContestSpec, FaultCounting, TestSpec,
        sample::{row, spec},
    };

    fn standing(faults: FaultCounting) -> Standing {
        let spec = ContestSpec {
            faults,
            ..spec(TestSpec::default())
        };
        Standing::new(spec, PathBuf::new()).unwrap()
    }

    /// Groups of which the first ones are won, and later ones lost.
    fn rows(won: u64, lost: u64) -> Vec<MatchRow> {
        let group = |group: u64| {
            let (winner, loser) = if group < won { (1, 2) } else { (2, 1) };
            [
                row(group, 0, &[0, 1], &[winner, loser]),
                row(group, 1, &[1, 0], &[loser, winner]),
            ]
        };
        (0..won + lost).flat_map(group).collect()
    }

    #[test]
    fn a_verdict_uses_no_group_behind_it_and_does_not_depend_on_what_ends_first() {
        let rows = rows(10, 10);
        let mut in_order = standing(FaultCounting::Count);
        rows.iter()
            .for_each(|row| in_order.add(row.clone()).unwrap());
        let expected = in_order.report(exit(&in_order));
        assert_eq!(expected.exit.code, 0, "{}", expected.exit.sentence);
        assert!(expected.counts.groups < 10);
        assert!(expected.counts.surplus_matches > 0);
        // The lost groups end first.
        let mut reversed = standing(FaultCounting::Count);
        rows.iter()
            .rev()
            .for_each(|row| reversed.add(row.clone()).unwrap());
        let report = reversed.report(exit(&reversed));
        assert_eq!(report, expected);
    }

    #[test]
    fn a_fault_where_none_is_allowed_ends_a_contest_for_good() {
        let mut rows = rows(10, 0);
        rows[3].seats[1].fault_count = 1;
        let mut allowed = standing(FaultCounting::Count);
        let mut fatal = standing(FaultCounting::Fail);
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
    fn a_fault_behind_the_verdict_counts_no_more_than_its_group_whatever_ends_first() {
        let mut rows = rows(10, 0);
        // The verdict falls before the last group.
        rows[19].seats[1].fault_count = 1;
        let mut in_order = standing(FaultCounting::Fail);
        let mut reversed = standing(FaultCounting::Fail);
        for row in &rows {
            in_order.add(row.clone()).unwrap();
        }
        for row in rows.iter().rev() {
            reversed.add(row.clone()).unwrap();
        }
        assert_eq!(exit(&in_order).code, 0, "{}", exit(&in_order).sentence);
        assert_eq!(exit(&reversed), exit(&in_order));
        // A fault of a group that counts ends it, even if later groups ended first.
        rows[3].seats[1].fault_count = 1;
        let mut reversed = standing(FaultCounting::Fail);
        for row in rows.iter().rev() {
            reversed.add(row.clone()).unwrap();
        }
        assert_eq!(exit(&reversed).code, 5);
        assert!(exit(&reversed).sentence.contains("match 1.1"));
    }

    #[test]
    fn a_contest_of_forfeits_is_no_verdict() {
        let mut all = standing(FaultCounting::Count);
        for mut row in rows(10, 0) {
            let loser = row.seats.iter_mut().find(|seat| seat.place == 2).unwrap();
            loser.forfeit = Some("DISCONNECTED".to_owned());
            all.add(row).unwrap();
        }
        assert_eq!(exit(&all).code, 5);
    }

    #[test]
    fn forfeits_for_want_of_memory_are_told_with_the_limit() {
        let spec = ContestSpec {
            bot_memory_bytes: Some(1 << 28),
            ..spec(TestSpec::default())
        };
        let mut all = Standing::new(spec, PathBuf::new()).unwrap();
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
