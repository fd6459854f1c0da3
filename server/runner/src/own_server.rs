//! The server that serves only one contest, and the bots' calls that it refused.

use std::fmt::Debug;

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_sdk::ApiKey;
use serde::Serialize;

use crate::{
    ContestSpec,
    row::{MatchRow, RefusedCalls},
};

/// A server that serves only one contest. It accepts the contest's key, and grants bots only the
/// permissions that they need to play.
pub trait OwnServer: Debug + Send + Sync {
    /// Returns and clears the refused calls in a match: those of its bots, and those that cannot be
    /// attributed to a bot.
    fn take_refused_calls(&self, match_id: &str) -> Vec<RefusedCalls>;

    /// Returns and clears all refused calls. A call that contained a ticket has the ticket's match.
    fn take_all_refused(&self) -> Vec<(Option<String>, RefusedCalls)>;

    /// Issues a key for a started bot. The key only permits the bot to attend this queue under this
    /// name.
    ///
    /// # Errors
    /// Returns an error if the name is not a valid key name. The message describes valid names.
    fn issue_bot_key(&self, queue_id: &str, name: &str) -> Result<ApiKey, String>;
}

/// One bot's refused calls to one method, over all matches of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedCallsReport {
    /// The bot's number in the spec; `None` if the call cannot be attributed to a bot.
    pub bot: Option<BotNumber>,
    /// The method, such as `MatchService/CancelMatch`; empty for a method that is not in the
    /// protocol.
    pub method: String,
    /// The number of calls that were refused.
    pub count: u64,
}

/// Adds a match's refused calls to its contest's totals.
pub(crate) fn add_refused(
    reports: &mut Vec<RefusedCallsReport>,
    spec: &ContestSpec,
    row: &MatchRow,
) {
    for calls in &row.refused_calls {
        add_calls(reports, row.bot_of(calls, spec), calls);
    }
}

/// Adds calls that were refused after their match's result was known. `rows` are the contest's
/// matches, with each seat's bot.
pub(crate) fn add_late_refused<'a>(
    reports: &mut Vec<RefusedCallsReport>,
    spec: &ContestSpec,
    rows: impl Iterator<Item = &'a MatchRow> + Clone,
    late: Vec<(Option<String>, RefusedCalls)>,
) {
    for (match_id, calls) in late {
        let mut rows = rows.clone();
        let row = rows.find(|row| Some(&row.match_id) == match_id.as_ref());
        let named = || spec.bot_number(calls.key_name.as_ref()?);
        let bot = row.map_or_else(named, |row| row.bot_of(&calls, spec));
        add_calls(reports, bot, &calls);
    }
}

fn add_calls(reports: &mut Vec<RefusedCallsReport>, bot: Option<BotNumber>, calls: &RefusedCalls) {
    let is_same =
        |report: &&mut RefusedCallsReport| report.bot == bot && report.method == calls.method;
    match reports.iter_mut().find(is_same) {
        Some(report) => report.count = report.count.saturating_add(calls.count),
        None => reports.push(RefusedCallsReport {
            bot,
            method: calls.method.clone(),
            count: calls.count,
        }),
    }
}

impl MatchRow {
    /// Returns the bot that made the refused calls; `None` if it is not known.
    pub fn bot_of(&self, calls: &RefusedCalls, spec: &ContestSpec) -> Option<BotNumber> {
        let seated = calls.seat.and_then(|seat| self.seats.get(seat as usize));
        let named = || spec.bot_number(calls.key_name.as_ref()?);
        seated.map(|seat| seat.bot).or_else(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TestSpec,
        samples_for_tests::{row, spec},
    };

    #[test]
    fn refused_calls_after_the_last_result_are_added_to_those_of_their_bot() {
        let spec = spec(TestSpec::default());
        let rows = [row(0, 0, &[0, 1], &[1, 2]), row(0, 1, &[1, 0], &[2, 1])];
        let calls = |seat, key_name: Option<&str>| RefusedCalls {
            seat,
            key_name: key_name.map(str::to_owned),
            method: "MatchService/CancelMatch".to_owned(),
            count: 2,
        };
        let mut reports = Vec::new();
        let late = vec![
            (Some("m0-1".to_owned()), calls(Some(0), None)),
            (None, calls(None, Some("random"))),
            (None, calls(None, None)),
            (Some("of another match".to_owned()), calls(Some(0), None)),
        ];
        add_late_refused(&mut reports, &spec, rows.iter(), late);
        let counts: Vec<_> = reports.iter().map(|report| (report.bot, report.count)).collect();
        assert_eq!(counts, [(Some(1), 4), (None, 4)]);
    }
}
