//! The final messages to a bot that connects after its match has ended, built from the match's
//! stored summary.

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    internal::v1::FinishedSeat,
    v1::{MatchEnded, MatchStarted, PlayResponse, play_response::Message},
};
use bridgemaster_referee::{Histories, ResumePoint};

/// The final messages to a bot.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalMessages {
    /// True if the bot resumes with these messages, and false if it starts over.
    pub resumed: bool,
    /// The messages in order. The last message reports the end of the match.
    pub messages: Vec<PlayResponse>,
}

impl FinalMessages {
    /// Builds the messages for the bot of a seat from the sequence numbers in `finished` and the
    /// bot's resume point. A bot that has missed more than the final message starts over, because
    /// the other messages are not stored.
    #[must_use]
    pub fn for_bot(
        (seat, finished): (Seat, &FinishedSeat),
        histories: &Histories,
        resume_point: Option<ResumePoint>,
        started: impl FnOnce() -> MatchStarted,
        ended: impl FnOnce() -> MatchEnded,
    ) -> Self {
        let first = finished.started_sequence.unwrap_or(1);
        let last = finished.ended_sequence;
        let resume_point = resume_point.filter(|point| histories.covers(seat, *point, last));
        let missing = resume_point.map(|point| last.saturating_sub(point.last_sequence));
        let missing = missing.filter(|missing| *missing <= 1);
        let mut messages = Vec::new();
        if missing.is_none() {
            messages.push(PlayResponse {
                sequence: first,
                message: Some(Message::MatchStarted(started())),
            });
        }
        if missing != Some(0) {
            messages
                .push(PlayResponse { sequence: last, message: Some(Message::MatchEnded(ended())) });
        }
        Self { resumed: missing.is_some(), messages }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_referee::HistoryId;

    use super::*;

    /// Returns whether the bot resumes, and the number and kind of each message.
    fn final_messages(
        started_sequence: Option<u32>,
        ended_sequence: u32,
        has: Option<u32>,
    ) -> (bool, Vec<(u32, &'static str)>) {
        let finished = FinishedSeat { started_sequence, ended_sequence, ..FinishedSeat::default() };
        let history_id = HistoryId::new([7; 16]);
        let resume_point = has.map(|last_sequence| ResumePoint { history_id, last_sequence });
        let seat = Seat::new(0).unwrap();
        let histories = Histories::new(history_id);
        let final_messages = FinalMessages::for_bot(
            (seat, &finished),
            &histories,
            resume_point,
            MatchStarted::default,
            MatchEnded::default,
        );
        let messages = final_messages.messages.into_iter().map(|response| {
            let what = match response.message {
                Some(Message::MatchStarted(_)) => "started",
                Some(Message::MatchEnded(_)) => "ended",
                _ => "something else",
            };
            (response.sequence, what)
        });
        (final_messages.resumed, messages.collect())
    }

    #[test]
    fn a_bot_that_missed_only_the_end_resumes_and_any_other_starts_over() {
        assert_eq!(final_messages(Some(1), 9, Some(8)), (true, vec![(9, "ended")]));
        assert_eq!(final_messages(Some(1), 9, Some(9)), (true, vec![]));
        let restart = (false, vec![(1, "started"), (9, "ended")]);
        assert_eq!(final_messages(Some(1), 9, Some(7)), restart);
        assert_eq!(final_messages(Some(1), 9, Some(10)), restart);
        assert_eq!(final_messages(Some(1), 9, None), restart);
    }

    #[test]
    fn a_bot_that_never_connected_gets_the_start_before_the_end() {
        let both = (false, vec![(1, "started"), (2, "ended")]);
        assert_eq!(final_messages(None, 2, None), both);
    }
}
