//! The thread on which a bot thinks.

use std::{
    any::Any,
    io,
    sync::{Arc, mpsc as blocking},
    thread::{self, JoinHandle},
};

use bridgemaster_proto::v1;
use tokio::sync::mpsc;

use crate::{Bot, Choice, PlayError, Request};

/// What the bot is told.
#[derive(Debug)]
pub(crate) enum Task {
    Started(v1::MatchStarted),
    Decide(Arc<Request>),
    Rejected(v1::DecisionRejected),
    SeatChanged(v1::SeatStatus),
    Ended(v1::MatchResult),
}

/// A choice for a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Itself, for one that was begun anew may have its number.
    pub(crate) request: Arc<Request>,
    pub(crate) choice: Choice,
}

/// A bot on a thread of its own: it may block there, and the network goes on.
pub(crate) struct BotThread {
    /// Unbounded, but never long: the server asks once and waits for the answer, and what else it
    /// sends is a few messages a seat and match.
    tasks: blocking::Sender<Task>,
    answers: mpsc::Receiver<Answer>,
    /// Until it is joined.
    thread: Option<JoinHandle<()>>,
}

impl BotThread {
    pub(crate) fn start(mut bot: impl Bot + 'static) -> io::Result<Self> {
        let (tasks, inbox) = blocking::channel();
        let (outbox, answers) = mpsc::channel(1);
        let thread = thread::Builder::new()
            .name("bot".to_owned())
            .spawn(move || {
                // Either channel closes when the match is over for the network side.
                while let Ok(task) = inbox.recv() {
                    match task {
                        Task::Started(started) => bot.match_started(&started),
                        Task::Rejected(rejected) => bot.decision_rejected(&rejected),
                        Task::SeatChanged(status) => bot.seat_changed(&status),
                        Task::Ended(result) => bot.match_ended(&result),
                        Task::Decide(request) => {
                            let choice = bot.decide(&request);
                            if outbox.blocking_send(Answer { request, choice }).is_err() {
                                return;
                            }
                        }
                    }
                }
            })?;
        Ok(Self {
            tasks,
            answers,
            thread: Some(thread),
        })
    }

    /// Gives the bot something to do. When its thread is gone, [`BotThread::answer`] tells.
    pub(crate) fn give(&self, task: Task) {
        let _ = self.tasks.send(task);
    }

    /// The next answer. May be dropped while it waits, and called again.
    ///
    /// # Errors
    /// [`PlayError::BotPanicked`].
    pub(crate) async fn answer(&mut self) -> Result<Answer, PlayError> {
        match self.answers.recv().await {
            Some(answer) => Ok(answer),
            None => {
                let joined = join(self.thread.take());
                Err(joined
                    .err()
                    .unwrap_or(PlayError::BotPanicked(NO_MESSAGE.to_owned())))
            }
        }
    }

    /// Waits until the bot has done all that it was given.
    ///
    /// # Errors
    /// [`PlayError::BotPanicked`].
    pub(crate) async fn finish(self) -> Result<(), PlayError> {
        let Self {
            tasks,
            mut answers,
            thread,
        } = self;
        // Without tasks the thread ends, and its end of the channel with it. An answer that still
        // comes belongs to a match that is over.
        drop(tasks);
        while answers.recv().await.is_some() {}
        join(thread)
    }
}

/// Joins a thread that has closed its channel, and so is at its end.
fn join(thread: Option<JoinHandle<()>>) -> Result<(), PlayError> {
    match thread.map(JoinHandle::join) {
        Some(Err(panic)) => Err(PlayError::BotPanicked(panic_message(&*panic))),
        Some(Ok(())) | None => Ok(()),
    }
}

/// What a panic without a text says.
const NO_MESSAGE: &str = "without a message";

fn panic_message(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        NO_MESSAGE.to_owned()
    }
}
