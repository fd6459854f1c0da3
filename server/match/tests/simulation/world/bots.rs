//! Bots: connecting, receiving and answering.

use bridgemaster_games::Seat;
use bridgemaster_match::Closing as Reason;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Answer;

use super::{
    FLOOD_MESSAGES, MAX_CUTS_PER_REQUEST, MAX_RETRY_DELAY_US, World, events::Event, network::Stream,
};
use crate::{
    auditor::StreamId,
    bot::BotAction,
    oracle::{Violation, require},
    reported::Report,
    shell::{Closing, ToBot, decoded},
};

impl<G: WireGame> World<G> {
    pub(super) fn dial(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        if bot.is_gone || bot.knows_end {
            return;
        }
        if !self.server.is_up {
            // The stream was refused. A bot that has a stream will notice that it is lost.
            if bot.stream.is_none() {
                self.dial_later(seat);
            }
            return;
        }
        let stream = StreamId(self.streams.len());
        bot.stream = Some(stream);
        let resume_point = bot.resume_point();
        self.streams.push(Stream::new(seat, self.now));
        let at = self.arrival_at_server(stream);
        self.at(at, Event::Hello(stream, resume_point));
    }

    /// Reconnects after a delay that grows with each refusal.
    pub(super) fn dial_later(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        bot.stream = None;
        bot.refused_dials += 1;
        let longer = 1 << bot.refused_dials.min(16);
        let us = bot.dice.within(bot.behaviour.backoff_us.clone());
        let longest_us = MAX_RETRY_DELAY_US.max(us);
        self.after((us * longer).min(longest_us), Event::Dial(seat));
    }

    pub(super) fn dial_again(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        bot.stream = None;
        let us = bot.dice.within(bot.behaviour.backoff_us.clone());
        self.after(us, Event::Dial(seat));
    }

    pub(super) fn detect_loss_at_bot(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        if self.bots[seat.index()].stream == Some(stream) {
            self.dial_again(seat);
        }
    }

    /// Closes a stream from the bot's side; messages in transit from the server are lost.
    pub(super) fn drop_stream(&mut self, seat: Seat) {
        if let Some(stream) = self.bots[seat.index()].stream.take() {
            let at = self.arrival_at_server(stream);
            if !self.streams[stream.0].is_cut {
                self.at(at, Event::ServerFindsLoss(stream));
            }
        }
    }

    pub(super) fn arrive(&mut self, stream: StreamId, message: ToBot) -> Result<(), Violation> {
        let Stream { seat, is_cut, .. } = self.streams[stream.0];
        let bot = &mut self.bots[seat.index()];
        if is_cut || bot.stream != Some(stream) {
            return Ok(());
        }
        match message {
            ToBot::Welcome(start) => {
                let progress = &mut self.streams[stream.0].progress;
                (progress.is_welcomed, progress.resumed) = (true, start.resumed);
                if let Some(again) = bot.handle_welcome(start) {
                    self.send(stream, again);
                }
            }
            ToBot::Message(message) => {
                let response = decoded(&message)?;
                bot.refused_dials = 0;
                let progress = &mut self.streams[stream.0].progress;
                if bot.receive::<G>(&response, progress)? {
                    self.start_thinking(stream);
                }
            }
            ToBot::Closed(closing) => match closing {
                Closing::ByMatch(Reason::MatchEnded) => {
                    require!(
                        bot.knows_end,
                        "the stream of {seat} ends without the end of the match"
                    );
                }
                Closing::ByMatch(Reason::Forfeited(_) | Reason::Cancelled(_))
                | Closing::SeatClosed => {
                    bot.is_gone = true;
                }
                Closing::SlowConsumer => self.dial_again(seat),
                Closing::ConnectionRefused => self.dial_later(seat),
                // The answer has its own stream of random numbers.
                Closing::ByMatch(Reason::Superseded) => {}
            },
        }
        Ok(())
    }

    /// Starts thinking about a request. The network may fail while the bot thinks.
    pub(super) fn start_thinking(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let bot = &mut self.bots[seat.index()];
        let Some(asked) = &bot.asked else { return };
        let (request_id, left_ms) = (asked.request_id, asked.decision_left_ms);
        let action = bot.action();
        let think_us = match action {
            BotAction::AnswerLate => u64::from(left_ms) * 1000 + bot.dice.within(0..2_000_000),
            _ => bot.think_us(),
        };
        let (run, cut) = (bot.run, bot.behaviour.cut);
        self.after(think_us, Event::Act { seat, run, action });
        let (cut_request, cuts) = &mut self.cuts_of_request[seat.index()];
        if *cut_request != request_id {
            (*cut_request, *cuts) = (request_id, 0);
        }
        let network = &mut self.networks[seat.index()];
        if *cuts < MAX_CUTS_PER_REQUEST && network.happens(cut) {
            *cuts += 1;
            let latency_us = self.bots[seat.index()].behaviour.latency_us.end;
            let us = network.within(0..think_us + 3 * latency_us + 1000);
            self.after(us, Event::Cut(stream));
        }
    }

    pub(super) fn act(&mut self, seat: Seat, run: u32, action: BotAction) {
        let bot = &mut self.bots[seat.index()];
        if bot.run != run || bot.knows_end || bot.is_gone {
            return;
        }
        let Some(asked) = bot.asked.clone() else {
            return;
        };
        bot.has_decided |= !matches!(action, BotAction::StaySilent | BotAction::AnswerIllegally);
        bot.awaits_refusal |= action == BotAction::AnswerIllegally;
        let is_welcomed = |stream: &StreamId| self.streams[stream.0].progress.is_welcomed;
        let Some(stream) = bot.stream.filter(is_welcomed) else {
            return;
        };
        let request_id = asked.request_id;
        let legal = || asked.answer();
        match action {
            BotAction::Answer | BotAction::AnswerLate => self.send(stream, legal()),
            BotAction::StaySilent => {}
            BotAction::Restart => {
                bot.start_over();
                self.drop_stream(seat);
                self.dial_again(seat);
            }
            BotAction::Leave => {
                self.drop_stream(seat);
                let bot = &mut self.bots[seat.index()];
                match bot.dice.happens(500) {
                    true => bot.is_gone = true,
                    false => {
                        let us = bot.dice.within(0..40_000_000);
                        self.after(us, Event::Dial(seat));
                    }
                }
            }
            BotAction::AnswerIllegally => {
                let earlier = bot.earlier.clone();
                let report = match (bot.dice.within(0..3), earlier) {
                    (0, Some(decision)) => Report::Answer {
                        request_id,
                        answer: Answer::Decision(decision),
                        note_bytes: 1,
                    },
                    (1, _) => Report::BadAnswer { request_id },
                    _ => Report::Answer {
                        request_id,
                        answer: Answer::Index(asked.choices + bot.dice.within(0..3) as u32),
                        note_bytes: 1,
                    },
                };
                self.send(stream, report);
            }
            BotAction::SendStrayAnswers => {
                let wrong = bot.dice.pick(&[0, 1, request_id.saturating_sub(1), request_id + 1]);
                let stray =
                    Report::Answer { request_id: wrong, answer: Answer::Index(0), note_bytes: 1 };
                // A stray answer must not belong to the open request by chance.
                if wrong != request_id {
                    self.send(stream, stray);
                }
                self.send(stream, Report::Useless);
                self.send(stream, legal());
                self.send(stream, legal());
            }
            BotAction::Flood => {
                for _ in 0..FLOOD_MESSAGES {
                    self.send(stream, Report::Useless);
                }
                self.send(stream, legal());
            }
            // This message ends the stream, and the bot reconnects.
            BotAction::SendGarbage => {
                self.send(stream, Report::Garbage);
                self.dial_again(seat);
            }
            BotAction::Resign => self.send(stream, Report::Resign),
            BotAction::OpenSecondStream => {
                // The answer on the older stream and the newer stream race each other.
                self.dial(seat);
                self.send(stream, legal());
            }
            BotAction::StopReading => {
                self.streams[stream.0].is_read = false;
                self.send(stream, legal());
                let bot = &mut self.bots[seat.index()];
                if bot.dice.happens(800) {
                    let us = bot.dice.within(0..60_000_000);
                    self.after(us, Event::ReadOn(stream));
                }
            }
        }
    }
}
