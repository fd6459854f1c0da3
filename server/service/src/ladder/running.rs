//! Who runs a ladder: lets bots enter, pairs, has matches made, and takes in what came of them.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_games::Seat;
use bridgemaster_ladder::{BotVersion, End, Presence, Standing};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{LadderState, MatchInfo, MatchState, RefusalReason};
use bridgemaster_store::StoreError;
use tokio::{select, time::sleep};
use tracing::{error, info, warn};

use super::{
    LiveLadder,
    outcome::end_of,
    rows::{MatchRow, purpose_to_wire},
    telling::{say, storage_failed},
};
use crate::{
    hosting::{Making, Matches, RepeatableRequest},
    lobby::{BotName, Invited, Lobby, QueueId},
    refusal::Refusal,
};

/// How often a ladder is looked at without news: bots that did not take an offer rest for a while,
/// and nobody tells when that is over.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a match that is paired and cannot be made is tried again, before it is called off. Bots
/// come back within it after a restart.
const TRY_FOR: Duration = Duration::from_secs(60);
/// How long nothing is paired after a match could not be made for another reason than its bots.
const REST: Duration = Duration::from_secs(10);

/// Runs a ladder for as long as it is polled, or until the store fails.
pub(super) async fn run(
    ladder: Arc<LiveLadder>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    queue_id: QueueId,
) {
    let mut watch = lobby.watch(queue_id.clone());
    let mut runner = Runner {
        ladder: Arc::clone(&ladder),
        matches,
        lobby,
        queue_id,
        began: Instant::now(),
        rests_until: None,
    };
    loop {
        match runner.turn().await {
            Ok(Turn::GoOn) => {}
            Ok(Turn::Over) => return,
            Err(error) => {
                error!(ladder = %ladder.id(), %error, "the store failed: a ladder stops");
                return;
            }
        }
        select! {
            () = ladder.woken() => {}
            news = watch.next() => if news.is_none() {
                return;
            },
            () = sleep(LOOK_AGAIN) => {}
        }
    }
}

struct Runner {
    ladder: Arc<LiveLadder>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    queue_id: QueueId,
    began: Instant,
    rests_until: Option<Instant>,
}

/// Whether there is more to do.
enum Turn {
    GoOn,
    /// The ladder is closed, and its last match is over.
    Over,
}

impl Runner {
    async fn turn(&mut self) -> Result<Turn, StoreError> {
        self.settle().await?;
        self.make_what_is_paired().await?;
        if self.matches.lifecycle().is_draining() {
            return Ok(Turn::GoOn);
        }
        let there = self.there();
        for standing in self.ladder.enter(&there).await? {
            let Standing { bot, .. } = &standing;
            info!(ladder = %self.ladder.id(), bot = bot.name, version = bot.version, "a bot enters");
            say(&self.lobby, &self.queue_id, &standing);
        }
        self.ladder.attend(&there);
        while self.rests_until.is_none_or(|until| until <= Instant::now()) {
            let Some((number, row)) = self.ladder.pair().await? else {
                break;
            };
            self.make(number, &row, false).await?;
        }
        if self.ladder.is_round_over() {
            // It is frozen, and so can be closed.
            let _ = self.ladder.advance(LadderState::Closed).await?;
        }
        if self.ladder.is_over() {
            // Those who attend it are told by the end of their streams.
            let closed = self.lobby.close_queue(&self.queue_id).await;
            if let Err(refusal) = closed {
                let why = refusal.message();
                warn!(ladder = %self.ladder.id(), why, "the queue of a ladder cannot be closed");
            }
            return Ok(Turn::Over);
        }
        Ok(Turn::GoOn)
    }

    /// The bots that are offered seats.
    fn there(&self) -> Vec<Presence> {
        let there = self
            .lobby
            .with(|room, now| room.offered_to(&self.queue_id, now));
        let there = there.into_iter().map(|attendance| Presence {
            bot: BotVersion::new(attendance.bot_name, attendance.bot_version),
            owner: attendance.owner,
            slots: attendance.slots,
        });
        there.collect()
    }

    /// Takes in the matches that have ended.
    async fn settle(&mut self) -> Result<(), StoreError> {
        for (number, id) in self.ladder.take_ended() {
            let found = match self.matches.known(&id).await {
                Ok(Some(hosted)) => hosted.info().shown().await.ok(),
                // It was dropped, or cannot be read: then it has no result.
                Ok(None) => Some(no_result()),
                Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => Some(no_result()),
                Err(_) => None,
            };
            match found.as_ref().map(end_of) {
                Some(Some(end)) => self.end(number, end).await?,
                Some(None) => {}
                // The store could not be read just now.
                None => self.ladder.has_ended(id),
            }
        }
        Ok(())
    }

    async fn end(&self, number: u64, end: End) -> Result<(), StoreError> {
        for standing in self.ladder.end(number, end).await? {
            say(&self.lobby, &self.queue_id, &standing);
        }
        Ok(())
    }

    /// Has matches made that are paired: those of an earlier server, and those that could not be
    /// made before.
    async fn make_what_is_paired(&mut self) -> Result<(), StoreError> {
        let unmade: Vec<(u64, MatchRow)> = self.ladder.with(|known| {
            let open = known.open.iter();
            let unmade = open.filter(|(_, open)| open.match_id.is_none());
            unmade
                .map(|(number, open)| (*number, open.row.clone()))
                .collect()
        });
        let is_early = self.began.elapsed() < TRY_FOR;
        for (number, row) in unmade {
            self.make(number, &row, is_early).await?;
        }
        Ok(())
    }

    /// Has a match made that is paired. If it cannot be, it is called off, unless it is to be tried
    /// again.
    async fn make(
        &mut self,
        number: u64,
        row: &MatchRow,
        try_again: bool,
    ) -> Result<(), StoreError> {
        let made = make(
            &self.ladder,
            &self.matches,
            &self.lobby,
            &self.queue_id,
            number,
            row,
        );
        match made.await {
            Ok(info) => {
                if let Some(end) = end_of(&info) {
                    self.end(number, end).await?;
                }
                Ok(())
            }
            Err(refusal) => {
                let is_of_the_server = refusal.is_servers_own()
                    || matches!(
                        refusal.reason(),
                        RefusalReason::ServerStopping | RefusalReason::LimitReached
                    );
                let is_of_a_bot = refusal.reason() == RefusalReason::BotNotAvailable;
                if !is_of_a_bot {
                    let why = refusal.message();
                    warn!(ladder = %self.ladder.id(), number, why, "a match cannot be made");
                    self.rests_until = Some(Instant::now() + REST);
                }
                if is_of_the_server || (is_of_a_bot && try_again) {
                    return Ok(());
                }
                self.end(number, End::CalledOff { absent: Vec::new() })
                    .await
            }
        }
    }
}

/// Has the match of a number made, or finds it if it was made before. Gives what is known of it.
pub(super) async fn make(
    ladder: &Arc<LiveLadder>,
    matches: &Arc<Matches>,
    lobby: &Arc<Lobby>,
    queue_id: &QueueId,
    number: u64,
    row: &MatchRow,
) -> Result<MatchInfo, Refusal> {
    let config = ladder.with(|known| known.description.ladder.config.clone());
    let config = config.unwrap_or_default();
    let mut invited = BTreeMap::new();
    for (seat, bot) in row.pairing.seats.iter().enumerate() {
        let seat = u8::try_from(seat).ok().and_then(Seat::new);
        let bot_name = BotName::new(&bot.name);
        let (Some(seat), Some(bot_name)) = (seat, bot_name) else {
            let detail = "a seat or a bot of it cannot be named";
            return Err(Refusal::field("ladder", detail));
        };
        let invitation = Invited {
            queue_id: queue_id.clone(),
            bot: bot_name,
            version: Some(bot.version.clone()),
        };
        invited.insert(seat, invitation);
    }
    let labels = [
        ("ladder".to_owned(), ladder.id().to_string()),
        ("ladder-match".to_owned(), number.to_string()),
    ];
    let making = Making {
        labels: labels.into(),
        request: Some(RepeatableRequest::of_ladder(ladder.id(), number)),
        ..Making::default()
    };
    let purpose = purpose_to_wire(row.pairing.purpose);
    let made = lobby
        .make_match(matches, &config, making, invited, purpose)
        .await?;
    let id = MatchId::new(&*made.info.match_id).map_err(|_| Refusal::storage_failed())?;
    ladder.is_made(number, &id);
    // It may have ended before the ladder knew that it is its own.
    Ok(info_of(matches, &id).await.unwrap_or(made.info))
}

/// What is taken for a match of which nothing is known any more.
fn no_result() -> MatchInfo {
    MatchInfo {
        state: MatchState::Cancelled.into(),
        ..MatchInfo::default()
    }
}

/// What is known of a match; `None` if nothing is, or it cannot be read.
async fn info_of(matches: &Arc<Matches>, id: &MatchId) -> Option<MatchInfo> {
    let hosted = matches.known(id).await.ok()??;
    hosted.info().shown().await.ok()
}

/// Has a match played that somebody asks for, and that does not count.
pub(crate) async fn request(
    ladder: &Arc<LiveLadder>,
    matches: &Arc<Matches>,
    lobby: &Arc<Lobby>,
    bots: &[BotVersion],
) -> Result<String, Refusal> {
    let queue_id = QueueId::new(ladder.id().as_str()).ok_or_else(Refusal::storage_failed)?;
    let there = ladder.request(bots).await;
    let (number, row) = there
        .map_err(|error| storage_failed(&error))?
        .map_err(|refused| request_refused(&refused))?;
    match make(ladder, matches, lobby, &queue_id, number, &row).await {
        Ok(info) => Ok(info.match_id),
        Err(refusal) => {
            let end = End::CalledOff { absent: Vec::new() };
            let ended = ladder.end(number, end).await;
            ended.map_err(|error| storage_failed(&error))?;
            Err(refusal)
        }
    }
}

fn request_refused(refused: &bridgemaster_ladder::RequestRefused) -> Refusal {
    use bridgemaster_ladder::RequestRefused as R;
    let message = refused.to_string();
    match refused {
        R::Seats { .. } => Refusal::field("bots", message),
        R::NotFree { bot } => {
            Refusal::new(RefusalReason::BotNotAvailable, message).with("bot_name", bot.name.clone())
        }
        R::Full => Refusal::new(RefusalReason::LimitReached, message),
        R::Closed => Refusal::new(RefusalReason::LadderClosed, message),
    }
}
