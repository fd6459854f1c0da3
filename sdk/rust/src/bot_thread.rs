//! The thread that runs a bot.

use std::{
    any::Any,
    io,
    sync::{Arc, mpsc as blocking},
    thread::{self, JoinHandle},
};

use bridgemaster_proto::v1;
use tokio::sync::mpsc;

use crate::{Bot, Choice, PlayError, Request};

/// A call to one of [`Bot`]'s methods.
#[derive(Debug)]
pub(crate) enum Task {
    Started(v1::MatchStarted),
    Decide(Arc<Request>),
    Rejected(v1::DecisionRejected),
    SeatChanged(v1::SeatStatus),
    Ended(v1::MatchResult),
}

/// The bot's choice for a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The request. The id alone would be ambiguous, since ids are reused if the match starts over.
    pub(crate) request: Arc<Request>,
    pub(crate) choice: Choice,
}

/// A bot on its own thread, where it may block without delaying the network.
pub(crate) struct BotThread {
    /// The queue is unbounded, but short in practice, since the server sends only one request at a
    /// time and few other messages.
    tasks: blocking::Sender<Task>,
    answers: mpsc::Receiver<Answer>,
    /// The thread; `None` if it ended early and was joined to get its error.
    thread: Option<JoinHandle<()>>,
}

impl BotThread {
    pub(crate) fn start(mut bot: impl Bot + 'static) -> io::Result<Self> {
        let (tasks, inbox) = blocking::channel();
        let (outbox, answers) = mpsc::channel(1);
        let thread = thread::Builder::new()
            .name("bot".to_owned())
            .spawn(move || {
                // The loop ends when either channel is closed, since the match has then ended.
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

    /// Queues a task for the bot. If its thread has ended, [`BotThread::answer`] returns the error.
    pub(crate) fn dispatch(&self, task: Task) {
        let _ = self.tasks.send(task);
    }

    /// Waits for the next answer. Cancel safe.
    ///
    /// # Errors
    /// [`PlayError::BotPanicked`], if the thread has ended.
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

    /// Waits until the bot has finished all tasks.
    ///
    /// # Errors
    /// [`PlayError::BotPanicked`], if a task panicked.
    pub(crate) async fn finish(self) -> Result<(), PlayError> {
        let Self {
            tasks,
            mut answers,
            thread,
        } = self;
        // Closing the task channel ends the thread, which then closes the answer channel. Answers
        // that arrive until then are ignored, since the match has ended.
        drop(tasks);
        while answers.recv().await.is_some() {}
        join(thread)
    }
}

/// Joins a thread that has closed its channel and is about to end.
fn join(thread: Option<JoinHandle<()>>) -> Result<(), PlayError> {
    match thread.map(JoinHandle::join) {
        Some(Err(panic)) => Err(PlayError::BotPanicked(panic_message(&*panic))),
        Some(Ok(())) | None => Ok(()),
    }
}

/// The text that is used if a panic's payload is not a string.
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
