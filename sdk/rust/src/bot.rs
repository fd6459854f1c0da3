//! The trait that a bot's author implements, and the thread on which a bot runs.

use std::{
    any::Any,
    io,
    sync::{Arc, mpsc as blocking},
    thread::{self, JoinHandle},
};

use bridgemaster_proto::v1;
use tokio::sync::mpsc;

use crate::{PlayError, Request, Slot};

/// Makes the decisions for one seat of one match.
///
/// All methods are called in sequence, on the bot's own thread. So a bot may block, and may compute
/// as long as its clock allows. The SDK answers Pings while the bot computes.
pub trait Bot: Send {
    /// Decides on a request. The seat's clock runs until the answer reaches the server.
    ///
    /// Called again with the same request after [`Bot::decision_rejected`], as long as the request
    /// is still open.
    ///
    /// A long computation should check [`Request::is_cancelled`], and return any choice once it is
    /// true: until then the bot cannot play in this slot again.
    fn decide(&mut self, request: &Request) -> Choice;

    /// Called when the match starts, or when a restarted bot joins a match in progress. This is
    /// always before the first [`Bot::decide`].
    ///
    /// Called again if the server has lost the most recent part of the match. The bot must then
    /// discard everything that it derived from earlier requests. The next request, like every
    /// request, is complete.
    fn match_started(&mut self, _started: &v1::MatchStarted) {}

    /// Called when the server has refused one of this bot's decisions.
    fn decision_rejected(&mut self, _rejected: &v1::DecisionRejected) {}

    /// Called when any seat's status changes, including the bot's own: the seat disconnected,
    /// reconnected, forfeited, or got a strike.
    fn seat_changed(&mut self, _status: &v1::SeatStatus) {}

    /// Called when the match has ended. Not called if the connection to the server is lost before
    /// the end.
    fn match_ended(&mut self, _result: &v1::MatchResult) {}
}

impl<B: Bot + ?Sized> Bot for Box<B> {
    fn decide(&mut self, request: &Request) -> Choice {
        (**self).decide(request)
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        (**self).match_started(started);
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        (**self).decision_rejected(rejected);
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        (**self).seat_changed(status);
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        (**self).match_ended(result);
    }
}

/// A bot's answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// An index into the request's legal decisions, from 0.
    Index(usize),
    /// A complete decision. It is needed only if the list of legal decisions is truncated and does
    /// not contain the decision.
    Decision(v1::GameDecision),
    /// Resigns the match, so that the seat forfeits.
    Resign,
    /// Any other choice, with a note. Created by [`Choice::with_note`].
    Noted {
        /// The choice to which the note belongs.
        choice: Box<Choice>,
        /// The bot's comment on the choice: at most 1 KiB of UTF-8.
        note: String,
    },
}

impl Choice {
    /// Attaches a note for people who watch the match, such as the bot's view of the position: at
    /// most 1 KiB of UTF-8. Notes have no effect on the game and are hidden from other bots.
    ///
    /// A note that the server does not accept is dropped, but the choice itself still counts. Notes
    /// on [`Choice::Resign`] are dropped, too.
    ///
    /// ```
    /// use bridgemaster_sdk::Choice;
    ///
    /// let choice = Choice::Index(2).with_note("the park is nearly full");
    /// assert!(matches!(choice, Choice::Noted { .. }));
    /// ```
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self::Noted { choice: Box::new(self), note: note.into() }
    }
}

/// A call to one of [`Bot`]'s methods.
#[derive(Debug)]
pub(crate) enum Task {
    Started(v1::MatchStarted),
    Decide(Arc<Request>),
    /// A refused decision, and its request if it is still open.
    Rejected(v1::DecisionRejected, Option<Arc<Request>>),
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
    /// Starts the thread, which keeps the slot until it ends.
    pub(crate) fn start(mut bot: impl Bot + 'static, slot: Option<Slot>) -> io::Result<Self> {
        let (tasks, inbox) = blocking::channel();
        let (outbox, answers) = mpsc::channel(1);
        let thread = thread::Builder::new().name("bot".to_owned()).spawn(move || {
            let _slot = slot;
            // The loop ends when either channel is closed, since the match has then ended.
            while let Ok(task) = inbox.recv() {
                let mut open = None;
                match task {
                    Task::Started(started) => bot.match_started(&started),
                    Task::Rejected(rejected, request) => {
                        bot.decision_rejected(&rejected);
                        open = request;
                    }
                    Task::SeatChanged(status) => bot.seat_changed(&status),
                    Task::Ended(result) => bot.match_ended(&result),
                    Task::Decide(request) => open = Some(request),
                }
                if let Some(request) = open.filter(|request| !request.is_cancelled()) {
                    let choice = bot.decide(&request);
                    if outbox.blocking_send(Answer { request, choice }).is_err() {
                        return;
                    }
                }
            }
        })?;
        Ok(Self { tasks, answers, thread: Some(thread) })
    }

    /// Queues a task for the bot. If its thread has ended, [`BotThread::answer`] returns the error.
    pub(crate) fn dispatch(&self, task: Task) {
        let _ = self.tasks.send(task);
    }

    /// Waits for the next answer. Cancel safe.
    ///
    /// # Errors
    /// Returns [`PlayError::BotPanicked`] if the thread has ended.
    pub(crate) async fn answer(&mut self) -> Result<Answer, PlayError> {
        match self.answers.recv().await {
            Some(answer) => Ok(answer),
            None => {
                let joined = join(self.thread.take());
                Err(joined.err().unwrap_or(PlayError::BotPanicked(NO_MESSAGE.to_owned())))
            }
        }
    }

    /// Waits until the bot has finished all tasks.
    ///
    /// # Errors
    /// Returns [`PlayError::BotPanicked`] if a task panicked.
    pub(crate) async fn finish(self) -> Result<(), PlayError> {
        let Self { tasks, mut answers, thread } = self;
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
