//! A bot with a limited number of decisions, so that a test controls the progress of its match.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::MatchStarted;
use bridgemaster_sdk::{Bot, Choice, Request};
use tokio::sync::watch;

/// The limit on the decisions of a match's bots.
pub(crate) struct Pace {
    /// The number of decisions that each bot may make.
    allowed: Mutex<u32>,
    raised: Condvar,
    /// The highest number of decisions of a bot that is blocked at the limit.
    held_at: watch::Sender<Option<u32>>,
}

/// The progress of a bot in its match.
#[derive(Default)]
pub(crate) struct Progress {
    /// Number of MatchStarted messages.
    pub(crate) starts: AtomicU32,
    /// The number of decisions that the bot has made.
    pub(crate) decisions: AtomicU32,
}

/// A bot that observes a limit on its decisions.
pub(crate) struct Paced {
    bot: Random,
    pace: Arc<Pace>,
    progress: Arc<Progress>,
}

impl Pace {
    /// Creates a limit that allows each bot of one match this many decisions.
    pub(crate) fn of(allowed: u32) -> Arc<Self> {
        Arc::new(Self {
            allowed: Mutex::new(allowed),
            raised: Condvar::new(),
            held_at: watch::Sender::new(None),
        })
    }

    /// A bot that counts in `progress`.
    pub(crate) fn bot(self: &Arc<Self>, seed: u32, progress: &Arc<Progress>) -> Paced {
        Paced {
            bot: Random::new(&Seed::from(u64::from(seed))),
            pace: Arc::clone(self),
            progress: Arc::clone(progress),
        }
    }

    /// Allows each bot this many decisions in total, counted from the start of the match.
    pub(crate) fn allow(&self, decisions: u32) {
        *self.allowed() = decisions;
        self.raised.notify_all();
    }

    /// Completes when a bot has made this many decisions and is blocked at the next. The match then
    /// waits for this bot.
    pub(crate) async fn held_at(&self, decisions: u32) {
        let mut held_at = self.held_at.subscribe();
        // The sender is a field of this value, so it still exists.
        let _ = held_at.wait_for(|made| *made >= Some(decisions)).await;
    }

    fn allowed(&self) -> MutexGuard<'_, u32> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bot for Paced {
    fn decide(&mut self, request: &Request) -> Choice {
        let made = self.progress.decisions.load(Ordering::Relaxed);
        let mut allowed = self.pace.allowed();
        while *allowed <= made {
            self.pace.held_at.send_replace(Some(made));
            let raised = self.pace.raised.wait(allowed);
            allowed = raised.unwrap_or_else(PoisonError::into_inner);
        }
        drop(allowed);
        self.progress.decisions.store(made + 1, Ordering::Relaxed);
        self.bot.decide(request)
    }

    fn match_started(&mut self, _: &MatchStarted) {
        self.progress.starts.fetch_add(1, Ordering::Relaxed);
    }
}
