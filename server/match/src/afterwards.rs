//! What a bot is told that comes to its seat when the match is over, and only what is kept of it is
//! left.

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    internal::v1::FinishedSeat,
    v1::{MatchEnded, MatchStarted, PlayResponse, play_response::Message},
};
use bridgemaster_referee::{Histories, Known};

/// The last words to a bot.
#[derive(Clone, Debug, PartialEq)]
pub struct LastWords {
    /// They follow what the bot has; otherwise it begins anew.
    pub resumed: bool,
    /// Messages, the last of which tells the end.
    pub messages: Vec<PlayResponse>,
}

impl LastWords {
    /// Those to the bot of a seat that was `told` so much, and that says what it has. A bot that
    /// missed more than the end begins anew: the rest is not kept.
    #[must_use]
    pub fn to(
        (seat, told): (Seat, &FinishedSeat),
        histories: &Histories,
        known: Option<Known>,
        started: impl FnOnce() -> MatchStarted,
        ended: impl FnOnce() -> MatchEnded,
    ) -> Self {
        let first = told.started_sequence.unwrap_or(1);
        // An older program kept the number of the start for the end, where there was none.
        let last = told.ended_sequence.max(first + 1);
        let believed = known.filter(|known| histories.holds(seat, *known, last));
        let missing = believed.map(|known| last.saturating_sub(known.last_sequence));
        let missing = missing.filter(|missing| *missing <= 1);
        let mut messages = Vec::new();
        if missing.is_none() {
            messages.push(PlayResponse {
                sequence: first,
                message: Some(Message::MatchStarted(started())),
            });
        }
        if missing != Some(0) {
            messages.push(PlayResponse {
                sequence: last,
                message: Some(Message::MatchEnded(ended())),
            });
        }
        Self {
            resumed: missing.is_some(),
            messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_referee::HistoryId;

    use super::*;

    /// What is told, by number; and whether it follows what the bot has.
    fn words(
        started_sequence: Option<u32>,
        ended_sequence: u32,
        has: Option<u32>,
    ) -> (bool, Vec<(u32, &'static str)>) {
        let told = FinishedSeat {
            started_sequence,
            ended_sequence,
            ..FinishedSeat::default()
        };
        let history_id = HistoryId::new([7; 16]);
        let known = has.map(|last_sequence| Known {
            history_id,
            last_sequence,
        });
        let seat = Seat::new(0).unwrap();
        let histories = Histories::new(history_id);
        let words = LastWords::to(
            (seat, &told),
            &histories,
            known,
            MatchStarted::default,
            MatchEnded::default,
        );
        let messages = words.messages.into_iter().map(|response| {
            let what = match response.message {
                Some(Message::MatchStarted(_)) => "started",
                Some(Message::MatchEnded(_)) => "ended",
                _ => "something else",
            };
            (response.sequence, what)
        });
        (words.resumed, messages.collect())
    }

    #[test]
    fn a_bot_that_missed_the_end_alone_is_told_that_and_any_other_begins_anew() {
        assert_eq!(words(Some(1), 9, Some(8)), (true, vec![(9, "ended")]));
        assert_eq!(words(Some(1), 9, Some(9)), (true, vec![]));
        let anew = (false, vec![(1, "started"), (9, "ended")]);
        assert_eq!(words(Some(1), 9, Some(7)), anew);
        assert_eq!(words(Some(1), 9, Some(10)), anew);
        assert_eq!(words(Some(1), 9, None), anew);
    }

    #[test]
    fn a_bot_that_never_came_is_told_of_the_start_before_the_end() {
        let both = (false, vec![(1, "started"), (2, "ended")]);
        assert_eq!(words(None, 2, None), both);
        assert_eq!(words(None, 1, None), both, "as an older program kept it");
    }
}
