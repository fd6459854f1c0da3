//! All matches of a server, and the tickets to their seats.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bridgemaster_games::{Seat, with_game};
use bridgemaster_proto::{
    games::game_id,
    v1::{MatchConfig, MatchInfo, MatchState, RefusalReason, SeatTicket},
};
use bridgemaster_referee::BotIdentity;
use bridgemaster_store::KeyName;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::info;

use super::{
    HostedMatch, LiveMatch, MatchId, SeatStream, Ticket,
    clock::ServerClock,
    identity::draw_seed_salt,
    outbound::Outbound,
    timer::{self, Timed},
};
use crate::{
    limits::{Limits, MAX_REPEATED_CHARS},
    metrics::Metrics,
    refusal::Refusal,
    replay::ReplayFolder,
    wire,
};

/// All matches of a server.
pub(crate) struct Matches {
    limits: Limits,
    metrics: Arc<Metrics>,
    clock: Arc<ServerClock>,
    stopping: CancellationToken,
    replays: Option<ReplayFolder>,
    writing: TaskTracker,
    table: Mutex<Table>,
}

/// What the server holds, and who may join it. Entries are made and forgotten together.
#[derive(Default)]
struct Table {
    entries: HashMap<MatchId, Entry>,
    keys: HashMap<Ticket, SeatKey>,
    /// Matches by the number of their making.
    by_age: BTreeMap<u64, Arc<dyn HostedMatch>>,
    made: u64,
    open: usize,
    open_by_maker: HashMap<KeyName, usize>,
    /// Matches that have ended, the oldest end first.
    ended: VecDeque<MatchId>,
}

struct Entry {
    hosted: Arc<dyn HostedMatch>,
    age: u64,
    tickets: Vec<Ticket>,
}

/// The right to join a seat, as a ticket gives it.
#[derive(Clone)]
pub(crate) struct SeatKey {
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
}

impl SeatKey {
    /// The game of the match.
    pub(crate) fn game_id(&self) -> &'static str {
        self.hosted.game_id()
    }

    /// Takes the seat with a new stream; an older stream of the seat ends. With a key, the bot is
    /// the one of the key's name.
    pub(crate) fn join(
        self,
        bot: BotIdentity,
        key: Option<&KeyName>,
        last_sequence: Option<u32>,
    ) -> Result<(SeatStream, Outbound), Refusal> {
        let (number, outbound) = self.hosted.join(self.seat, bot, key, last_sequence)?;
        Ok((SeatStream::new(self.hosted, self.seat, number), outbound))
    }
}

/// Where a listing goes on: matches made before this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before(pub(crate) u64);

impl Matches {
    pub(crate) fn new(limits: Limits, replays: Option<PathBuf>) -> Self {
        let metrics = Arc::new(Metrics::new());
        Self {
            limits,
            clock: Arc::new(ServerClock::start(Arc::clone(&metrics))),
            metrics,
            stopping: CancellationToken::new(),
            replays: replays.map(ReplayFolder::new),
            writing: TaskTracker::new(),
            table: Mutex::default(),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    pub(crate) fn clock(&self) -> &Arc<ServerClock> {
        &self.clock
    }

    /// Cancelled when the server stops. A token for each stream, so that streams do not share
    /// its lock.
    pub(crate) fn stopping(&self) -> CancellationToken {
        self.stopping.child_token()
    }

    /// Ends all streams, and makes no match any more.
    pub(crate) fn stop(&self) {
        self.stopping.cancel();
    }

    /// Waits until the replays of all ended matches are on disk.
    pub(crate) async fn replays_written(&self) {
        self.writing.close();
        self.writing.wait().await;
    }

    /// Makes a match, and the tickets to its seats; `maker` is the key that asks for it.
    pub(crate) fn create(
        self: &Arc<Self>,
        config: &MatchConfig,
        maker: Option<&KeyName>,
    ) -> Result<(MatchInfo, Vec<SeatTicket>), Refusal> {
        if self.stopping.is_cancelled() {
            return Err(Refusal::stopping());
        }
        let unnamed = || Refusal::field("config.game", "says which game is played; none is set");
        let game = config.game.as_ref().and_then(game_id).ok_or_else(unnamed)?;
        with_game!(game, G => {
            let rules = wire::rules_from_wire::<G>(config)?;
            let (id, salt) = (MatchId::draw(), draw_seed_salt());
            self.host(Arc::new(LiveMatch::<G>::new(id, rules, salt, maker.cloned(), self)?))
        })
        .ok_or_else(unnamed)?
    }

    fn host<M: HostedMatch + 'static>(
        &self,
        hosted: Arc<M>,
    ) -> Result<(MatchInfo, Vec<SeatTicket>), Refusal> {
        let info = hosted.info();
        let id = hosted.id().clone();
        let tickets: Vec<Ticket> = info.seats.iter().map(|_| Ticket::draw()).collect();
        let mut table = self.table();
        if table.open >= self.limits.open_matches {
            return Err(Refusal::limit("open_matches", self.limits.open_matches));
        }
        let limit = self.limits.open_matches_per_key;
        if let Some(maker) = hosted.maker() {
            let open = table.open_by_maker.entry(maker.clone()).or_default();
            if *open >= limit {
                return Err(Refusal::limit("open_matches_per_key", limit));
            }
            *open += 1;
        }
        table.open += 1;
        table.made += 1;
        let age = table.made;
        table.by_age.insert(age, Arc::clone(&hosted) as _);
        for (seat, ticket) in (0..).filter_map(Seat::new).zip(&tickets) {
            let hosted: Arc<dyn HostedMatch> = Arc::clone(&hosted) as _;
            table.keys.insert(ticket.clone(), SeatKey { hosted, seat });
        }
        let shown = (0..)
            .zip(&tickets)
            .map(|(seat, ticket)| SeatTicket {
                seat,
                ticket: ticket.reveal().to_owned(),
            })
            .collect();
        let entry = Entry {
            hosted: Arc::clone(&hosted) as _,
            age,
            tickets,
        };
        table.entries.insert(id.clone(), entry);
        drop(table);

        let sooner = hosted.sooner();
        let timed: Arc<dyn Timed> = hosted;
        let clock = Arc::clone(&self.clock);
        tokio::spawn(timer::drive(Arc::downgrade(&timed), sooner, clock));
        info!(match_id = %id, seats = info.seats.len(), "match made");
        Ok((info, shown))
    }

    /// The seat that a ticket is for.
    pub(crate) fn redeem(&self, ticket: &Ticket) -> Result<SeatKey, Refusal> {
        self.table().keys.get(ticket).cloned().ok_or_else(|| {
            Refusal::new(
                RefusalReason::TicketUnknown,
                "the ticket is of no match that this server knows",
            )
        })
    }

    /// The match of this identifier.
    pub(crate) fn get(&self, id: &MatchId) -> Result<Arc<dyn HostedMatch>, Refusal> {
        let table = self.table();
        let entry = table.entries.get(id).ok_or_else(|| {
            let shown: String = id.as_str().chars().take(MAX_REPEATED_CHARS).collect();
            Refusal::new(
                RefusalReason::MatchUnknown,
                format!("no match has the identifier {shown:?}"),
            )
        })?;
        Ok(Arc::clone(&entry.hosted))
    }

    /// At most `count` matches in `state` that the caller sees, the newest first, and where the
    /// list goes on.
    pub(crate) fn list(
        &self,
        state: MatchState,
        before: Option<Before>,
        count: usize,
        is_seen: impl Fn(&dyn HostedMatch) -> bool,
    ) -> (Vec<MatchInfo>, Option<Before>) {
        let mut page = Vec::new();
        let mut before = before.unwrap_or(Before(u64::MAX));
        // The lock is taken for each, so that a long search holds up nobody.
        while let Some((age, hosted)) = self.newest(before) {
            if page.len() == count {
                return (page, Some(before));
            }
            before = Before(age);
            if is_seen(&*hosted) {
                page.extend(hosted.info_in(state));
            }
        }
        (page, None)
    }

    /// The newest match before this one, and its age.
    fn newest(&self, Before(age): Before) -> Option<(u64, Arc<dyn HostedMatch>)> {
        let table = self.table();
        let (age, hosted) = table.by_age.range(..age).next_back()?;
        Some((*age, Arc::clone(hosted)))
    }

    /// Takes note that a match has ended, and writes its replay.
    pub(super) fn ended(&self, id: &MatchId, replay: Arc<[u8]>) {
        if let Some(folder) = &self.replays {
            self.writing.spawn(folder.write(id.as_str(), replay));
        }
        let forgotten = {
            let mut table = self.table();
            table.open = table.open.saturating_sub(1);
            table.close_of_maker(id);
            table.ended.push_back(id.clone());
            (table.ended.len() > self.limits.ended_matches_kept)
                .then(|| table.ended.pop_front())
                .flatten()
                .and_then(|oldest| table.forget(&oldest))
        };
        // Dropped here, outside the lock.
        drop(forgotten);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing that holds the lock can leave the table half changed.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Takes note that a match of a key is open no more.
    fn close_of_maker(&mut self, id: &MatchId) {
        let entry = self.entries.get(id);
        let Some(maker) = entry.and_then(|entry| entry.hosted.maker()) else {
            return;
        };
        if let Some(open) = self.open_by_maker.get_mut(maker) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.open_by_maker.remove(maker);
            }
        }
    }

    fn forget(&mut self, id: &MatchId) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        for ticket in &entry.tickets {
            self.keys.remove(ticket);
        }
        self.by_age.remove(&entry.age);
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use bridgemaster_games::GAME_IDS;
    use bridgemaster_proto::{games::WireGame as _, v1::ClockRules};
    use tokio::{runtime::Handle, task::yield_now, time::timeout};

    use super::*;
    use crate::hosting::SeatInput;

    #[tokio::test]
    async fn a_match_that_has_ended_leaves_no_task_behind() {
        let matches = Arc::new(Matches::new(Limits::default(), None));
        let game = with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default()));
        let config = MatchConfig {
            game,
            seats: 2,
            clock: Some(ClockRules {
                bank_ms: Some(86_400_000),
                cap_ms: Some(86_400_000),
                startup_ms: Some(3_600_000),
                ..ClockRules::default()
            }),
            ..MatchConfig::default()
        };
        let (info, tickets) = matches.create(&config, None).unwrap();
        // The timer takes note of the start-up time, an hour from now.
        yield_now().await;
        for ticket in tickets {
            let key = matches
                .redeem(&Ticket::from_client(&ticket.ticket))
                .unwrap();
            let (seat, _) = key.join(BotIdentity::default(), None, None).unwrap();
            seat.report(SeatInput::Resign {
                match_id: info.match_id.clone(),
            });
        }
        let id = MatchId::from_client(&info.match_id);
        assert!(matches.get(&id).unwrap().replay().is_some(), "it has ended");
        let no_task = async {
            while Handle::current().metrics().num_alive_tasks() > 0 {
                yield_now().await;
            }
        };
        timeout(Duration::from_secs(10), no_task)
            .await
            .expect("its timer ends with it");
    }
}
