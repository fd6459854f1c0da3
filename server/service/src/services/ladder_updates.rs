//! Updates of a ladder for a client that watches it: changed standings, and each finished match.

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use bridgemaster_edge::{identity::Caller, refusal::Refusal};
use bridgemaster_ladder::BotVersion;
use bridgemaster_matchmaking::{
    ladder::{Attendances, Ladders, LiveLadder},
    lobby::QueueId,
};
use bridgemaster_proto::v1::{Ladder, Standing, WatchLadderResponse};
use tokio::{
    select,
    sync::{
        broadcast::{self, error::RecvError},
        watch,
    },
    time::{Instant, sleep_until},
};

/// The minimum interval between two standings updates. Ratings are fitted about as often.
const STANDINGS_INTERVAL: Duration = Duration::from_secs(1);

/// The updates of one ladder for one client.
pub(super) struct LadderUpdates {
    ladders: Arc<Ladders>,
    ladder: Arc<LiveLadder>,
    changes: watch::Receiver<u64>,
    numbers: broadcast::Receiver<u64>,
    sent: SentStandings,
    /// The ladder in the last update of standings; `None` before the first.
    last_ladder: Option<Ladder>,
    caller: Caller,
    /// The time at which standings are sent next; `None` until something changes.
    due: Option<Instant>,
}

/// The standings that were sent last, by bot name and version.
#[derive(Default)]
struct SentStandings(HashMap<(String, String), Standing>);

impl SentStandings {
    /// Returns the standings that have changed since they were sent last, and records them as sent.
    fn take_changed(&mut self, now: Vec<Standing>) -> Vec<Standing> {
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

    /// Removes and returns the bot versions whose bot is not in the standings any more, because an
    /// organiser has removed it.
    fn take_removed(&mut self, now: &[Standing]) -> Vec<BotVersion> {
        let listed: HashSet<&str> = now.iter().map(|standing| &*standing.bot_name).collect();
        let removed = self.0.extract_if(|(name, _), _| !listed.contains(&**name));
        removed.map(|((name, version), _)| BotVersion::new(name, version)).collect()
    }
}

impl LadderUpdates {
    /// Creates the updates. The first update contains the current standings.
    pub(super) fn new(ladders: Arc<Ladders>, ladder: Arc<LiveLadder>, caller: Caller) -> Self {
        let (changes, numbers) = ladder.subscribe();
        Self {
            ladders,
            ladder,
            changes,
            numbers,
            sent: SentStandings::default(),
            last_ladder: None,
            caller,
            due: Some(Instant::now()),
        }
    }

    /// Waits for the next update; `None` once the ladder is gone.
    ///
    /// # Errors
    /// Returns the refusal with which `ended` completes.
    pub(super) async fn next(
        &mut self,
        mut ended: Pin<&mut impl Future<Output = Refusal>>,
    ) -> Result<Option<WatchLadderResponse>, Refusal> {
        loop {
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.due = None;
                self.changes.mark_unchanged();
                if let Some(update) = self.standings() {
                    return Ok(Some(update));
                }
            }
            let number = select! {
                biased;
                refusal = &mut ended => return Err(refusal),
                number = self.numbers.recv() => match number {
                    Ok(number) => number,
                    // Missed updates can be read from the list of matches.
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return Ok(None),
                },
                // This value keeps the ladder alive, and the ladder owns the sender.
                _ = self.changes.changed(), if self.due.is_none() => {
                    self.due = Some(Instant::now() + STANDINGS_INTERVAL);
                    continue;
                }
                () = sleep_until(self.due.unwrap_or_else(Instant::now)), if self.due.is_some() => {
                    continue;
                }
            };
            let visible =
                self.ladder.match_by_number(self.ladders.matches(), number, self.caller.visible());
            if let Some(visible) = visible.await? {
                return Ok(Some(WatchLadderResponse {
                    ladder: Some(self.ladder.to_wire()),
                    standings: Vec::new(),
                    r#match: Some(visible),
                }));
            }
        }
    }

    /// Returns an update if standings or the ladder have changed since the last update.
    fn standings(&mut self) -> Option<WatchLadderResponse> {
        let attendances = attendances(&self.ladders, &self.ladder);
        let now = self.ladder.standings(&attendances, false);
        let removed = self.sent.take_removed(&now);
        let removed = removed.iter().map(|bot| self.ladder.standing(bot, &attendances));
        let mut standings = removed.collect::<Vec<_>>();
        standings.extend(self.sent.take_changed(now));
        let ladder = self.ladder.to_wire();
        let is_other = self.last_ladder.replace(ladder.clone()).as_ref() != Some(&ladder);
        (is_other || !standings.is_empty()).then_some(WatchLadderResponse {
            ladder: Some(ladder),
            standings,
            r#match: None,
        })
    }
}

/// Returns the attendances of the ladder's queue, by bot name.
pub(super) fn attendances(ladders: &Ladders, ladder: &LiveLadder) -> Attendances {
    let Some(queue_id) = QueueId::new(ladder.id().as_str()) else {
        return Attendances::new();
    };
    let all = ladders.lobby().with_room(|room, _| room.attendances(&queue_id));
    let named = all.into_iter().map(|attendance| (attendance.bot_name.clone(), attendance));
    named.collect()
}
