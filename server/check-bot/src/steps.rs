//! The steps of which the checks' scripts consist.

use bridgemaster_proto::v1::{
    self, play_request::Message as FromBot, play_response::Message as FromServer,
};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    bot_match::{BotMatch, Event},
    catalog::section,
    environment::{check_faults, match_info, play_random, seat_result},
    report::{StopReason, Verdict},
};

/// A request of the server, with its sequence number.
pub(super) type Request = (u32, v1::DecisionRequest);

impl BotMatch {
    /// Waits for the bot's first stream, and forwards it to the server.
    pub(super) async fn connect(&mut self) -> Verdict<()> {
        let expected = "a stream, opened by the bot after its start";
        self.expect_within(expected, self.times.start, section::MESSAGE_FLOW);
        let connected = self.forward_until(is_connected).await?;
        self.forward(connected).await
    }

    /// Forwards all events until the server sends a request. The request itself is not forwarded.
    pub(super) async fn next_request(&mut self) -> Verdict<Request> {
        let time = self.times.answer;
        let expected = "an answer to every request";
        self.expect_within(expected, time, section::ANSWERING);
        loop {
            let event = self.event().await?;
            match event {
                Event::FromServer(sequence, FromServer::DecisionRequest(asked)) => {
                    return Ok((sequence, asked));
                }
                Event::FromServer(_, FromServer::MatchEnded(_)) => {
                    return Err(StopReason::Skipped(
                        "the match ended before the bot had enough requests".to_owned(),
                    ));
                }
                Event::Connected(_) | Event::FromBot(_) => {
                    self.forward(event).await?;
                    self.expect_within(expected, time, section::ANSWERING);
                }
                other => self.forward(other).await?,
            }
        }
    }

    /// Forwards all events until the server sends request `request_id`. The request itself is not
    /// forwarded.
    pub(super) async fn wait_for_request(&mut self, request_id: u32) -> Verdict<Request> {
        loop {
            let request = self.next_request().await?;
            if request.1.request_id == request_id {
                return Ok(request);
            }
            self.deliver_request(&request).await;
        }
    }

    pub(super) async fn deliver_request(&mut self, (sequence, asked): &Request) {
        let message = FromServer::DecisionRequest(asked.clone());
        self.deliver(*sequence, message).await;
    }

    /// Waits for request `request_id`, forwards it, and waits for the bot's answer, which is not
    /// forwarded.
    pub(super) async fn ask(&mut self, request_id: u32) -> Verdict<v1::Decision> {
        let request = self.wait_for_request(request_id).await?;
        self.deliver_request(&request).await;
        self.wait_for_answer(request_id).await
    }

    /// Like [`ask`](Self::ask), and forwards the answer to the server.
    pub(super) async fn play_request(&mut self, request_id: u32) -> Verdict<()> {
        let answer = self.ask(request_id).await?;
        self.forward_answer(answer).await;
        Ok(())
    }

    /// Waits for the bot's answer to a request. The answer is not forwarded.
    pub(super) async fn wait_for_answer(&mut self, request_id: u32) -> Verdict<v1::Decision> {
        let time = self.times.answer;
        let expected = format!("an answer to request {request_id}");
        self.expect_within(expected, time, section::ANSWERING);
        let is_answer = |event: &Event| {
            matches!(
                event,
                Event::FromBot(FromBot::Decision(answer))
                    if answer.request_id == request_id
            )
        };
        match self.forward_until(is_answer).await? {
            Event::FromBot(FromBot::Decision(answer)) => Ok(answer),
            _ => Err(StopReason::Broken("unexpected event".to_owned())),
        }
    }

    /// Waits for the bot's answer to a request, and forwards it.
    pub(super) async fn pass_answer(&mut self, request_id: u32) -> Verdict<()> {
        let answer = self.wait_for_answer(request_id).await?;
        self.forward_answer(answer).await;
        Ok(())
    }

    /// Forwards an answer to the server.
    pub(super) async fn forward_answer(&mut self, answer: v1::Decision) {
        let message = FromBot::Decision(answer);
        self.send_to_server(message).await;
    }

    /// Waits for the bot's next stream after a lost stream, and forwards it to the server.
    pub(super) async fn wait_for_resume(&mut self) -> Verdict<()> {
        let event = self.wait_for_next_stream().await?;
        self.forward(event).await
    }

    /// Waits for the bot's next stream after a lost stream, but does not forward the Hello.
    pub(super) async fn wait_for_next_stream(&mut self) -> Verdict<Event> {
        let time = self.times.reconnect;
        let expected = format!(
            "a new stream with the same ticket within the reconnect time, {} ms",
            time.as_millis()
        );
        self.expect_within(expected, time, section::RECONNECTING);
        self.forward_until(is_connected).await
    }

    /// Waits for MatchEnded, which is not forwarded.
    pub(super) async fn wait_for_end(&mut self) -> Verdict<Event> {
        let expected = "a match that the bot plays to the end";
        self.expect_within(expected, self.times.whole_match, section::MESSAGE_FLOW);
        let is_end =
            |event: &Event| matches!(event, Event::FromServer(_, FromServer::MatchEnded(_)));
        self.forward_until(is_end).await
    }

    /// Plays to the end of the match, and checks that the bot had no faults other than
    /// `refused_answers` refused answers.
    pub(super) async fn finish(&mut self, refused_answers: u32) -> Verdict<()> {
        self.play_to_end().await?;
        let info = match_info(&mut self.client, &self.match_id).await?;
        check_faults(&seat_result(info, self.seat)?, refused_answers)
    }

    /// Forwards all events until MatchEnded has been delivered and the server has closed the
    /// stream.
    async fn play_to_end(&mut self) -> Verdict<()> {
        let end = Instant::now() + self.times.whole_match;
        let mut progress = None;
        loop {
            // The other bots answer at once, so the tested bot has stalled any match that makes no
            // progress.
            let now = Some(self.transcript.progress());
            if progress != now {
                progress = now;
                let time = self.times.answer;
                let left = end.saturating_duration_since(Instant::now());
                let expected = "a match that ends";
                self.expect_within(expected, time.min(left), section::MESSAGE_FLOW);
            }
            let event = self.event().await?;
            let is_over = matches!(event, Event::ServerEnded(None));
            if self.transcript.ended && (is_over || matches!(event, Event::Exited(_))) {
                return match event {
                    Event::ServerEnded(_) => self.forward(event).await,
                    // The `exit-code` check covers how the process exits.
                    _ => Ok(()),
                };
            }
            self.forward(event).await?;
        }
    }

    /// Starts a built-in bot with the tested bot's ticket. The built-in bot's stream supersedes the
    /// tested bot's stream.
    pub(super) fn start_rival(&self) -> Verdict<AbortOnDropHandle<()>> {
        play_random(&self.url, &self.ticket, self.seat)
    }
}

fn is_connected(event: &Event) -> bool {
    matches!(event, Event::Connected(_))
}
