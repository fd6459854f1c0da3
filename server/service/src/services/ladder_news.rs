//! What somebody who watches a ladder is told: how its bots stand, and its matches one by one.

use std::{collections::HashMap, pin::Pin, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{Standing, WatchLadderResponse};
use tokio::{
    select,
    sync::{
        broadcast::{self, error::RecvError},
        watch,
    },
    time::{Instant, sleep_until},
};

use crate::{
    hosting::Viewer as _,
    identity::Caller,
    ladder::{Attending, Ladders, LiveLadder},
    lobby::QueueId,
    refusal::Refusal,
};

/// Time between two news of standings: about that from one fit of the ratings to the next.
const NEWS_EVERY: Duration = Duration::from_secs(1);

/// The news of one ladder, for one who watches it.
pub(super) struct LadderNews {
    ladders: Arc<Ladders>,
    ladder: Arc<LiveLadder>,
    changes: watch::Receiver<u64>,
    numbers: broadcast::Receiver<u64>,
    told: Told,
    /// `None` before the first news.
    last_state: Option<i32>,
    /// Who watches.
    caller: Caller,
    /// When standings are told next.
    due: Option<Instant>,
}

/// The standings that somebody was told last, by name and version.
#[derive(Default)]
struct Told(HashMap<(String, String), Standing>);

impl Told {
    /// Those that are not as they were told. They are told now.
    fn changed(&mut self, now: Vec<Standing>) -> Vec<Standing> {
        let mut changed = Vec::new();
        for standing in now {
            let bot = (standing.bot_name.clone(), standing.bot_version.clone());
            if self.0.get(&bot) != Some(&standing) {
                self.0.insert(bot, standing.clone());
                changed.push(standing);
            }
        }
        changed
    }
}

impl LadderNews {
    /// From how the ladder stands now on.
    pub(super) fn new(ladders: Arc<Ladders>, ladder: Arc<LiveLadder>, caller: Caller) -> Self {
        let (changes, numbers) = ladder.follow();
        Self {
            ladders,
            ladder,
            changes,
            numbers,
            told: Told::default(),
            last_state: None,
            caller,
            due: Some(Instant::now()),
        }
    }

    /// The next news; `None` when the ladder is gone. `ended` completes when the stream ends with a
    /// refusal.
    pub(super) async fn next(
        &mut self,
        mut ended: Pin<&mut impl Future<Output = Refusal>>,
    ) -> Result<Option<WatchLadderResponse>, Refusal> {
        loop {
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.due = None;
                self.changes.mark_unchanged();
                if let Some(news) = self.standings() {
                    return Ok(Some(news));
                }
            }
            let number = select! {
                biased;
                refusal = &mut ended => return Err(refusal),
                number = self.numbers.recv() => match number {
                    Ok(number) => number,
                    // It misses some; the list of matches has them.
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return Ok(None),
                },
                // The sender is in the ladder, which is held here.
                _ = self.changes.changed(), if self.due.is_none() => {
                    self.due = Some(Instant::now() + NEWS_EVERY);
                    continue;
                }
                () = sleep_until(self.due.unwrap_or_else(Instant::now)), if self.due.is_some() => {
                    continue;
                }
            };
            let shown = self
                .ladder
                .one(self.ladders.matches(), number, self.caller.seen());
            if let Some(shown) = shown.await? {
                return Ok(Some(WatchLadderResponse {
                    ladder: Some(self.ladder.shown()),
                    standings: Vec::new(),
                    r#match: Some(shown),
                }));
            }
        }
    }

    /// The standings that changed since they were told, if any did, or the state of the ladder.
    fn standings(&mut self) -> Option<WatchLadderResponse> {
        let attending = attending(&self.ladders, &self.ladder);
        let now = self.ladder.standings(&attending, false);
        let standings = self.told.changed(now);
        let shown = self.ladder.shown();
        let is_other = self.last_state.replace(shown.state) != Some(shown.state);
        (is_other || !standings.is_empty()).then_some(WatchLadderResponse {
            ladder: Some(shown),
            standings,
            r#match: None,
        })
    }
}

/// Completes when the caller may watch no more, or no stream may go on.
pub(super) async fn ended(ladders: Arc<Ladders>, caller: &Caller) -> Refusal {
    select! {
        biased;
        refusal = caller.refused() => refusal,
        refusal = ladders.matches().interrupted() => refusal,
    }
}

/// How bots attend the queue of a ladder, by their names.
pub(super) fn attending(ladders: &Ladders, ladder: &LiveLadder) -> Attending {
    let Some(queue_id) = QueueId::new(ladder.id().as_str()) else {
        return Attending::new();
    };
    let all = ladders
        .lobby()
        .with(|room, _| room.attending_all(&queue_id));
    let named = all
        .into_iter()
        .map(|attendance| (attendance.bot_name.clone(), attendance));
    named.collect()
}
