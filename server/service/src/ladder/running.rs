//! Who runs a ladder: lets bots enter, pairs, has matches made, and takes in what came of them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_games::Seat;
use bridgemaster_ladder::{BotVersion, End, Presence, Purpose, Standing};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{Attendance, LadderState, RefusalReason};
use bridgemaster_store::StoreError;
use tokio::{select, time::sleep};
use tracing::{error, info, warn};

use super::{
    LiveLadder,
    in_play::InPlay,
    outcome::{Outcome, outcome_of},
    rows::{LADDER_LABEL, MatchRow, purpose_to_wire},
    telling::{say, storage_failed},
};
use crate::{
    hosting::{Making, Matches},
    lobby::{BotName, Invited, Lobby, QueueId},
    metrics::LadderOutcome,
    refusal::Refusal,
};

/// How often a ladder is looked at without news: bots that did not take an offer rest for a while,
/// and nobody tells when that is over.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a match that is paired and cannot be made is tried again, before it is cancelled. Bots
/// come back within it after a restart.
const TRY_FOR: Duration = Duration::from_secs(60);
/// How long nothing is paired after a match could not be made for another reason than its bots.
const REST: Duration = Duration::from_secs(10);

/// How long nothing is paired with a bot that could not be offered a seat. It doubles each further
/// time, and ends once it is offered one.
const PASS_OVER_FOR: Duration = Duration::from_secs(1);
/// How often that doubles at most: to about a minute.
const MAX_DOUBLINGS: u32 = 6;
/// How long such a bot is remembered after that.
const REMEMBERED_FOR: Duration = Duration::from_secs(600);

/// Runs a ladder for as long as it is polled, or until the store is closed. After a failure of the
/// store the ladder is read again, and goes on as it is stored.
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
        passed_over: HashMap::new(),
        waiting: HashMap::new(),
    };
    loop {
        match runner.turn().await {
            Ok(Turn::GoOn) => {}
            Ok(Turn::Over) | Err(StoreError::Closed) => return,
            Err(error) => {
                error!(ladder = %ladder.id(), %error, "the store failed: a ladder is read again");
                ladder.set_behind(true);
                sleep(REST).await;
                continue;
            }
        }
        select! {
            () = ladder.woken() => {}
            news = watch.next() => if news.is_none() {
                error!(ladder = %ladder.id(), "the queue of a ladder is gone: it is not played");
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
    /// Bots that could not be offered a seat of late, by their names.
    passed_over: HashMap<String, PassedOver>,
    /// Since when bots are there, with a slot free, and not paired.
    waiting: HashMap<BotVersion, Instant>,
}

/// A bot that could not be offered a seat.
struct PassedOver {
    times: u32,
    until: Instant,
}

/// Whether there is more to do.
enum Turn {
    GoOn,
    /// The ladder is closed, and its last match is over.
    Over,
}

impl Runner {
    async fn turn(&mut self) -> Result<Turn, StoreError> {
        if self.ladder.is_behind() {
            self.ladder.read_again(&self.matches).await?;
            for standing in self.ladder.all_standings() {
                say(&self.lobby, &self.queue_id, &standing);
            }
        }
        self.settle().await?;
        self.make_what_is_paired().await?;
        if self.matches.lifecycle().is_draining() {
            return Ok(Turn::GoOn);
        }
        for standing in self.ladder.enter(self.there()).await? {
            let Standing { bot, .. } = &standing;
            info!(ladder = %self.ladder.id(), bot = bot.name, version = bot.version, "a bot enters");
            say(&self.lobby, &self.queue_id, &standing);
        }
        self.play().await?;
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

    /// Pairs, and has what is paired made, until nothing more is to be paired. Each time it is
    /// looked anew at who is there: so each time a match is made, or a bot is passed over.
    async fn play(&mut self) -> Result<(), StoreError> {
        loop {
            let there = self.there();
            self.note_who_waits(&there);
            self.ladder.attend(&there);
            if self.rests_until.is_some_and(|until| until > Instant::now()) {
                return Ok(());
            }
            let begun = Instant::now();
            let Some((number, row)) = self.ladder.pair().await? else {
                return Ok(());
            };
            self.matches.metrics().ladder_paired(begun.elapsed());
            self.note_paired(&row);
            self.make(number, &row, false).await?;
        }
    }

    /// The bots that are offered seats.
    fn there(&self) -> Vec<Presence> {
        let there = self
            .lobby
            .with(|room, now| room.offered_to(&self.queue_id, now));
        let now = Instant::now();
        let is_passed_over = |attendance: &Attendance| {
            let passed_over = self.passed_over.get(&attendance.bot_name);
            passed_over.is_some_and(|passed_over| passed_over.until > now)
        };
        let there = there.into_iter();
        let there = there.filter(|attendance| !is_passed_over(attendance));
        let there = there.map(|attendance| Presence {
            bot: BotVersion::new(attendance.bot_name, attendance.bot_version),
            owner: attendance.owner,
            slots: attendance.slots,
            free_slots: attendance.slots.saturating_sub(attendance.slots_used),
        });
        there.collect()
    }

    /// A bot could not be offered a seat: for a while nothing is paired with it. If it is not said
    /// which of a match, with none of them.
    fn pass_over(&mut self, refusal: &Refusal, row: &MatchRow) {
        let now = Instant::now();
        self.passed_over
            .retain(|_, passed_over| passed_over.until + REMEMBERED_FOR > now);
        let named = refusal.named("bot_name");
        let bots = row.pairing.seats.iter().map(|bot| &bot.name);
        for bot in bots.filter(|bot| named.is_none_or(|named| named == **bot)) {
            let first = PassedOver {
                times: 0,
                until: now,
            };
            let passed_over = self.passed_over.entry(bot.clone()).or_insert(first);
            passed_over.until = now + PASS_OVER_FOR * (1 << passed_over.times.min(MAX_DOUBLINGS));
            passed_over.times += 1;
        }
    }

    /// Takes in the matches that have ended.
    async fn settle(&mut self) -> Result<(), StoreError> {
        for (number, id) in self.ladder.in_play(InPlay::take_ended) {
            match outcome(&self.matches, &id).await {
                Ok(Some(outcome)) => self.end(number, outcome).await?,
                Ok(None) => {}
                Err(Unread) => self.ladder.over(&id),
            }
        }
        Ok(())
    }

    /// Takes note of who waits to be paired.
    fn note_who_waits(&mut self, there: &[Presence]) {
        let free = there.iter().filter(|presence| presence.free_slots > 0);
        let free: HashSet<&BotVersion> = free.map(|presence| &presence.bot).collect();
        self.waiting.retain(|bot, _| free.contains(bot));
        let now = Instant::now();
        for bot in free {
            if !self.waiting.contains_key(bot) {
                self.waiting.insert(bot.clone(), now);
            }
        }
    }

    /// Takes note of how long those waited who are paired: with slots left they wait on from now.
    fn note_paired(&mut self, row: &MatchRow) {
        let now = Instant::now();
        for bot in &row.pairing.seats {
            if let Some(since) = self.waiting.insert(bot.clone(), now) {
                let metrics = self.matches.metrics();
                metrics.waited_for_pairing(now.saturating_duration_since(since));
            }
        }
    }

    async fn end(&self, number: u64, outcome: Outcome) -> Result<(), StoreError> {
        self.matches
            .metrics()
            .ladder_match_over(match &outcome.end {
                End::Played(_) => LadderOutcome::Played,
                End::Annulled(_) => LadderOutcome::Annulled,
                End::Cancelled { .. } => LadderOutcome::Cancelled,
            });
        for standing in self.ladder.end(number, outcome).await? {
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

    /// Has a match made that is paired. If it cannot be, it is cancelled, unless it is to be tried
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
            Ok(id) => {
                for bot in &row.pairing.seats {
                    self.passed_over.remove(&bot.name);
                }
                // It may have ended before the ladder knew that it is its own.
                match outcome(&self.matches, &id).await {
                    Ok(Some(outcome)) => self.end(number, outcome).await,
                    Ok(None) => Ok(()),
                    Err(Unread) => {
                        self.ladder.over(&id);
                        Ok(())
                    }
                }
            }
            Err(refusal) => {
                let is_of_the_server = refusal.is_servers_own()
                    || matches!(
                        refusal.reason(),
                        RefusalReason::ServerStopping | RefusalReason::LimitReached
                    );
                let is_of_a_bot = refusal.reason() == RefusalReason::BotNotAvailable;
                if is_of_a_bot {
                    self.pass_over(&refusal, row);
                } else {
                    let why = refusal.message();
                    warn!(ladder = %self.ladder.id(), number, why, "a match cannot be made");
                    self.rests_until = Some(Instant::now() + REST);
                }
                let is_asked_for = row.pairing.purpose == Purpose::Requested;
                if !is_asked_for && (is_of_the_server || (is_of_a_bot && try_again)) {
                    return Ok(());
                }
                self.ladder
                    .in_play(|in_play| in_play.is_not_made(number, refusal));
                self.end(number, Outcome::cancelled()).await
            }
        }
    }
}

/// Has the match of a number made, or finds it if it was made before.
async fn make(
    ladder: &Arc<LiveLadder>,
    matches: &Arc<Matches>,
    lobby: &Arc<Lobby>,
    queue_id: &QueueId,
    number: u64,
    row: &MatchRow,
) -> Result<MatchId, Refusal> {
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
        (LADDER_LABEL.to_owned(), ladder.id().to_string()),
        ("ladder-match".to_owned(), number.to_string()),
    ];
    let making = Making {
        labels: labels.into(),
        request: Some(ladder.making(number)),
        ..Making::default()
    };
    let purpose = purpose_to_wire(row.pairing.purpose);
    let made = lobby
        .make_match(matches, &config, making, invited, purpose)
        .await?;
    let id = MatchId::new(&*made.info.match_id).map_err(|_| Refusal::storage_failed())?;
    ladder.is_made(number, &id);
    Ok(id)
}

/// The store could not be read just now.
struct Unread;

/// What came of a match; `None` while it is not over. One that was dropped, or cannot be read, has no
/// result.
async fn outcome(matches: &Arc<Matches>, id: &MatchId) -> Result<Option<Outcome>, Unread> {
    match matches.known(id).await {
        Ok(Some(hosted)) => {
            let info = hosted.info().shown().await.map_err(|_| Unread)?;
            Ok(outcome_of(&info, hosted.declined()))
        }
        Ok(None) => Ok(Some(Outcome::cancelled())),
        Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
            Ok(Some(Outcome::cancelled()))
        }
        Err(_) => Err(Unread),
    }
}

/// Has a match played that somebody asks for, and that does not count. Whoever runs the ladder
/// makes it, as every other.
pub(crate) async fn request(
    ladder: &Arc<LiveLadder>,
    bots: Vec<BotVersion>,
) -> Result<String, Refusal> {
    let asked = ladder.request(bots).await;
    let made = asked
        .map_err(|error| storage_failed(&error))?
        .map_err(|refused| request_refused(&refused))?;
    // Nobody runs the ladder any more.
    let made = made.await.unwrap_or_else(|_| Err(Refusal::stopping()));
    made.map(|id| id.to_string())
}

fn request_refused(refused: &bridgemaster_ladder::RequestRefused) -> Refusal {
    use bridgemaster_ladder::RequestRefused as R;
    let message = refused.to_string();
    match refused {
        R::Seats { .. } => Refusal::field("bots", message),
        R::NotFree { bot } => {
            Refusal::new(RefusalReason::BotNotAvailable, message).with("bot_name", bot.name.clone())
        }
        R::Due { bot } => {
            Refusal::new(RefusalReason::BotNotAvailable, message).with("bot_name", bot.name.clone())
        }
        R::Full | R::PlaysOne { .. } | R::TooMany { .. } => {
            Refusal::new(RefusalReason::LimitReached, message)
        }
        R::Frozen | R::Closed => Refusal::new(RefusalReason::LadderClosed, message),
    }
}
