//! A match that has ended, as the store keeps it: for whoever asks, and for bots that were away
//! when it ended.

use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};

use bridgemaster_games::{GAME_IDS, Seat, SeatCount};
use bridgemaster_match::{
    Cancellation, LastWords, MatchId, NoNewTickets, OfferedSeat, Opening, SeatInput, StreamNumber,
    TicketHash, Verdict, read_finished, read_histories,
};
use bridgemaster_proto::{
    internal::v1::FinishedSeat,
    v1::{self, FaultReason, WatchMatchResponse},
};
use bridgemaster_referee::{BotIdentity, Histories, Known};
use bridgemaster_store::{FinishedMatch, KeyName};
use tokio::sync::watch;

use super::{
    Groups, HostedMatch, MatchQuery, ShownMatch,
    closing::{cancelled, forfeited, has_ended, of_another_key},
    groups::{GroupKey, maker_name, still_running},
    hosted_match::{Course, CourseNews, Joined, Lateness, Outcome, ReplayBytes, UntilOver},
    outbound::{self, Closing},
    relay::Relay,
    spectators::{self, WatchReceiver},
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    transport::Watcher,
    wall_clock::now_unix_ms,
};

/// How much the clocks of servers that share a store may differ, so that none shows the end of a match
/// before the one that shows it late.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

/// Messages of its longest conversation: the start and the end.
const MESSAGES: usize = 2;

/// A match that has ended.
pub(crate) struct StoredMatch {
    id: MatchId,
    game_id: &'static str,
    rules_version: u32,
    info: v1::MatchInfo,
    seats: Vec<FinishedSeat>,
    /// The seat whose bot declined it, if the match was cancelled for that.
    declined: Option<Seat>,
    seat_count: SeatCount,
    /// In the last of them it ended.
    histories: Histories,
    maker: Option<KeyName>,
    /// The group whose chance is held back until it is over.
    group: Option<GroupKey>,
    groups: Arc<Groups>,
}

impl StoredMatch {
    /// Reads what the store keeps of a match, or tells what is wrong with it. What it shows depends
    /// on which `groups` are not over.
    pub(crate) fn read(finished: &FinishedMatch, groups: &Arc<Groups>) -> Result<Self, String> {
        let summary = read_finished(&finished.summary)?;
        let game_id = GAME_IDS.iter().find(|id| **id == summary.game_id);
        let game_id = game_id.ok_or_else(|| format!("it is of {:?}, no game", summary.game_id))?;
        let seat_count = u8::try_from(summary.seats.len()).ok();
        let seat_count = seat_count.and_then(SeatCount::new);
        let maker = summary.maker.map(KeyName::new).transpose();
        let maker = maker.map_err(|error| error.to_string())?;
        let mut info = summary.info.unwrap_or_default();
        // What an older program did not write into it.
        if let Some(maker) = maker.as_ref().filter(|_| info.maker.is_empty()) {
            maker.as_str().clone_into(&mut info.maker);
        }
        let known = |unix_ms: u64, stored: i64| match unix_ms {
            0 => u64::try_from(stored).unwrap_or_default(),
            known => known,
        };
        info.created_unix_ms = known(info.created_unix_ms, finished.opened_at_unix_ms);
        info.ended_unix_ms = known(info.ended_unix_ms, finished.ended_at_unix_ms);
        let group = info
            .config
            .as_ref()
            .and_then(|config| config.group.as_ref());
        Ok(Self {
            group: GroupKey::of(group, maker_name(maker.as_ref())),
            groups: Arc::clone(groups),
            maker,
            id: finished.match_id.clone(),
            declined: summary
                .declined_seat
                .and_then(|seat| Seat::new(u8::try_from(seat).ok()?)),
            game_id,
            rules_version: summary.rules_version,
            info,
            seat_count: seat_count
                .ok_or_else(|| format!("it has {} seats", summary.seats.len()))?,
            seats: summary.seats,
            histories: read_histories(summary.histories)?,
        })
    }

    /// Whether its chance is held back.
    fn is_held_back(&self) -> bool {
        let group = self.group.as_ref();
        group.is_some_and(|group| !self.groups.is_revealed(group))
    }

    /// The group whose chance is held back until it is over, this match's place in it, and its
    /// number if its result counts.
    pub(super) fn held_back_in(&self) -> Option<(&GroupKey, &v1::MatchGroup, Option<u32>)> {
        let place = self.group()?;
        let result = self.info.result.as_ref();
        let counts = result.is_some_and(|result| !result.spoiled_by_referee);
        Some((self.group.as_ref()?, place, counts.then_some(place.number)))
    }

    /// What everybody may know of it now.
    fn shown_info(&self) -> v1::MatchInfo {
        let mut info = self.info.clone();
        if self.is_held_back() {
            info.seed_salt.clear();
            if let Some(config) = &mut info.config {
                config.seed = None;
            }
        }
        info
    }

    /// What a spectator is shown of it.
    fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.shown_info()),
            // The board is in the replay.
            observation: None,
            events: Vec::new(),
        }
    }

    /// When it ended.
    pub(super) fn ended_unix_ms(&self) -> u64 {
        self.info.ended_unix_ms
    }

    /// Time since it ended.
    fn over_for(&self) -> Duration {
        let now_unix_ms = now_unix_ms().unsigned_abs();
        Duration::from_millis(now_unix_ms.saturating_sub(self.info.ended_unix_ms))
    }

    /// The tickets of its seats, in seat order.
    pub(super) fn tickets(&self) -> Vec<TicketHash> {
        let seats = self.seats.iter();
        seats
            .filter_map(|seat| TicketHash::from_bytes(&seat.ticket_sha256))
            .collect()
    }

    /// Whether it was cancelled, so that it has no replay.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.info.cancellation.is_some()
    }

    /// The bot that had a seat, or for which it was reserved.
    fn held_by(&self, seat: Seat) -> Option<&str> {
        let info = self.info.seats.get(seat.index())?;
        let names = [&info.bot_name, &info.reserved_for].into_iter();
        names.map(String::as_str).find(|name| !name.is_empty())
    }

    /// The bot that had a seat.
    fn bot_name(&self, seat: Seat) -> Option<&str> {
        let name = &self.info.seats.get(seat.index())?.bot_name;
        (!name.is_empty()).then_some(name)
    }

    /// The fault that a seat forfeited for.
    fn forfeit(&self, seat: Seat) -> Option<FaultReason> {
        let seat = self.info.result.as_ref()?.seats.get(seat.index())?;
        Some(seat.forfeit()).filter(|fault| *fault != FaultReason::Unspecified)
    }

    /// What a seat was told of the start, or would have been.
    fn started(&self, seat: Seat) -> v1::MatchStarted {
        let config = self.info.config.clone().map(|config| v1::MatchConfig {
            seed: None,
            ..config
        });
        v1::MatchStarted {
            match_id: self.id.to_string(),
            seat: seat.number().into(),
            config: config.map(Box::new),
            rules_version: self.rules_version,
            seats: self.info.seats.clone(),
            seed_commitment: self.info.seed_commitment.clone(),
        }
    }

    fn ended(&self) -> v1::MatchEnded {
        let info = self.shown_info();
        let seed = info.config.and_then(|config| config.seed);
        v1::MatchEnded {
            result: info.result,
            seed: seed.unwrap_or_default(),
            seed_salt: info.seed_salt,
        }
    }
}

impl ShownMatch for StoredMatch {
    fn id(&self) -> &MatchId {
        &self.id
    }

    fn is_of(&self, key: &KeyName) -> bool {
        let mut seats = self.info.seats.iter();
        self.maker() == Some(key)
            || seats.any(|seat| seat.bot_name == key.as_str() || seat.reserved_for == key.as_str())
    }

    fn seats(&self) -> SeatCount {
        self.seat_count
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        self.bot_name(seat) == Some(name.as_str())
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        Gated::new(self.shown_info(), None)
    }

    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        let info = v1::MatchInfo {
            config: None,
            ..self.shown_info()
        };
        Gated::new(info, None)
    }

    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        let is_wanted = wanted.wants(self.game_id, &self.info);
        is_wanted.then(|| self.info())
    }

    fn is_over(&self) -> bool {
        true
    }

    fn change_count(&self) -> u64 {
        // It changes no more.
        0
    }

    fn until_over(&self) -> UntilOver<'_> {
        Box::pin(ready(()))
    }

    fn glance(&self, known: Option<u64>) -> Option<(u64, Gated<WatchMatchResponse>)> {
        // It changes no more.
        known
            .is_none()
            .then(|| (0, Gated::new(self.snapshot(), None)))
    }

    fn watch(self: Arc<Self>, _: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        Ok(spectators::only(&self.snapshot()))
    }

    fn replay(&self) -> ReplayBytes {
        match self.is_held_back() {
            true if !self.is_cancelled() => ReplayBytes::Never(Gated::new(still_running(), None)),
            _ => self.whole_replay(),
        }
    }

    fn course(&self) -> &dyn Course {
        self
    }
}

impl HostedMatch for StoredMatch {
    fn game_id(&self) -> &'static str {
        self.game_id
    }

    fn rules_version(&self) -> u32 {
        self.rules_version
    }

    fn startup(&self) -> Duration {
        let config = self.info.config.as_ref();
        let clock = config.and_then(|config| config.clock);
        let startup_ms = clock.and_then(|clock| clock.startup_ms);
        Duration::from_millis(startup_ms.unwrap_or_default().into())
    }

    fn lateness(&self) -> Option<Lateness> {
        let rules = self.info.config.as_ref()?.spectators?;
        if self.is_cancelled() && self.info.started_unix_ms == 0 {
            return None;
        }
        let delay = Duration::from_millis(rules.delay_ms.into());
        let left = delay.saturating_sub(self.over_for());
        (!left.is_zero()).then_some(Lateness {
            delay,
            over_in: Some(left),
        })
    }

    fn may_be_late_elsewhere(&self) -> bool {
        let config = self.info.config.as_ref();
        let delay_ms = config.and_then(|config| config.spectators?.delay_ms.into());
        let delay = delay_ms.filter(|delay_ms: &u32| *delay_ms > 0);
        delay.is_some_and(|delay_ms| {
            let delay = Duration::from_millis(delay_ms.into());
            self.over_for() < delay + MAX_CLOCK_DIFFERENCE
        })
    }

    fn elapsed(&self) -> Option<Duration> {
        let duration_ms = match &self.info.result {
            Some(result) => result.duration_ms,
            None if self.info.started_unix_ms == 0 => return None,
            None => {
                let ended_unix_ms = self.info.ended_unix_ms;
                ended_unix_ms.saturating_sub(self.info.started_unix_ms)
            }
        };
        Some(Duration::from_millis(duration_ms) + self.over_for())
    }

    fn maker(&self) -> Option<&KeyName> {
        self.maker.as_ref()
    }

    fn parties(&self) -> Vec<KeyName> {
        let bots = self.info.seats.iter();
        let bots = bots.filter_map(|seat| KeyName::new(&seat.bot_name).ok());
        self.maker.iter().cloned().chain(bots).collect()
    }

    fn join(
        &self,
        (seat, _): (Seat, TicketHash),
        _bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Outcome<Result<Joined, Gated<Refusal>>> {
        let refused = |refusal| Outcome::of(Err(Gated::new(refusal, None)));
        if let Some(key) = key
            && self.held_by(seat).is_some_and(|name| name != key.as_str())
        {
            return refused(of_another_key());
        }
        if let Some(why) = &self.info.cancellation {
            return refused(cancelled(&why.reason));
        }
        if let Some(fault) = self.forfeit(seat) {
            let name = fault.as_str_name();
            let name = name.strip_prefix("FAULT_REASON_").unwrap_or(name);
            return refused(forfeited(&name));
        }
        let told = self.seats.get(seat.index()).cloned().unwrap_or_default();
        let (sender, outbound) = outbound::channel(MESSAGES);
        let LastWords { resumed, messages } = LastWords::to(
            (seat, &told),
            &self.histories,
            known,
            || self.started(seat),
            || self.ended(),
        );
        for message in messages {
            // The queue is new and has room.
            let _ = sender.send(message.into(), None);
        }
        sender.close(Closing::MatchOver, None);
        let opening = Opening {
            history_id: self.histories.running(),
            resumed,
            note_bytes_left: 0,
        };
        Outcome::of(Ok(Joined {
            number: StreamNumber::default(),
            outbound,
            opening: Gated::new(opening, None),
        }))
    }

    /// Nothing is offered any more.
    fn offered(&self) -> &BTreeMap<Seat, OfferedSeat> {
        const NONE: &BTreeMap<Seat, OfferedSeat> = &BTreeMap::new();
        NONE
    }

    fn declined(&self) -> Option<Seat> {
        self.declined
    }

    fn has_come(&self, seat: Seat) -> bool {
        self.bot_name(seat).is_some()
    }

    fn group(&self) -> Option<&v1::MatchGroup> {
        self.info.config.as_ref()?.group.as_ref()
    }

    /// It is over.
    fn replace_tickets(
        &self,
        _: &[(Seat, TicketHash)],
        _: bool,
    ) -> Outcome<Result<Gated<Vec<Seat>>, Gated<NoNewTickets>>> {
        Outcome::of(Err(Gated::new(NoNewTickets::Over, None)))
    }

    /// No clock runs any more.
    fn turned_away(&self, _: Seat) -> Outcome<()> {
        Outcome::of(())
    }

    fn report(&self, _: Seat, _: StreamNumber, _: SeatInput) -> Outcome<Option<Gate>> {
        Outcome::of(None)
    }

    fn answer(&self, _: Seat, _: StreamNumber, _: SeatInput) -> Outcome<Option<Gated<Verdict>>> {
        Outcome::of(None)
    }

    fn handed_over(&self, _: Seat, _: StreamNumber, _: u32) {}

    fn cancel(&self, _: Cancellation) -> Outcome<Result<Gated<v1::MatchInfo>, Gated<Refusal>>> {
        Outcome::of(match self.info.cancellation {
            Some(_) => Ok(self.info()),
            None => Err(Gated::new(has_ended(), None)),
        })
    }
}

impl Course for StoredMatch {
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        None
    }

    fn news(&self, _: usize) -> Gated<CourseNews> {
        let standing = v1::MatchInfo {
            config: None,
            result: None,
            seed_commitment: String::new(),
            seed_salt: String::new(),
            ..self.info.clone()
        };
        let records = Vec::new();
        Gated::new(CourseNews { standing, records }, None)
    }

    fn head(&self) -> Option<v1::Replay> {
        None
    }

    fn whole_replay(&self) -> ReplayBytes {
        match &self.info.cancellation {
            Some(why) => ReplayBytes::Never(Gated::new(cancelled(&why.reason), None)),
            None => ReplayBytes::InStore,
        }
    }

    fn is_secret_for(&self) -> Option<Refusal> {
        self.is_held_back().then(still_running)
    }

    fn relay(&self) -> Option<&Relay> {
        None
    }
}
