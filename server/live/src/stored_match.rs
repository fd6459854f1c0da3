//! Finished matches from the store, for clients and for bots that were disconnected when the match
//! ended.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_edge::{
    limits::MAX_CLOCK_DIFFERENCE, refusal::Refusal, transport::ForwardingNode, transport::Watcher,
    wall_clock::now_unix_ms,
};
use bridgemaster_games::{GAME_IDS, Seat, SeatCount};
use bridgemaster_match::{
    Cancellation, FinalMessages, JoinRequest, ReplaceTicketsError, StreamNumber, StreamStart,
    TicketHash, decode_finished, read_histories,
};
use bridgemaster_proto::{
    internal::v1::FinishedSeat,
    v1::{self, FaultReason, WatchMatchResponse},
};
use bridgemaster_referee::Histories;
use bridgemaster_store::{FinishedMatch, KeyName};
use tokio_util::sync::CancellationToken;

use super::{
    Groups, HostedMatch, MatchQuery,
    groups::{GroupKey, group_running_refusal, maker_name},
    hosted_match::{Joined, MatchFacts, ReplayBytes, ReplayUpdate, SpectatorDelay},
    outbound::{self, Closing},
    refusals::{cancelled, forfeited, match_ended, match_over, seat_of_another_key},
    spectators::{self, WatchReceiver},
};
use crate::journal::Gated;

/// The maximum number of messages to a bot, for the start and the end of the match.
const MAX_BOT_MESSAGES: usize = 2;

/// A finished match, read from its summary in the store.
pub struct StoredMatch {
    facts: MatchFacts,
    info: v1::MatchInfo,
    seats: Vec<FinishedSeat>,
    /// The seat whose bot declined the offer, if the match was cancelled for that reason.
    declined: Option<Seat>,
    /// The message histories of the match, one per server that played it. The last one contains the
    /// end.
    histories: Histories,
    groups: Arc<Groups>,
    /// Always cancelled.
    over: CancellationToken,
}

impl StoredMatch {
    /// Decodes the stored summary of a match. The error describes the problem. The open `groups`
    /// determine which parts of the match are visible.
    pub fn read(finished: &FinishedMatch, groups: &Arc<Groups>) -> Result<Self, String> {
        let summary = decode_finished(&finished.summary)?;
        let game_id = GAME_IDS.iter().find(|id| **id == summary.game_id);
        let game_id = game_id.ok_or_else(|| format!("unknown game {:?}", summary.game_id))?;
        let seat_count = u8::try_from(summary.seats.len()).ok();
        let seat_count = seat_count.and_then(SeatCount::new);
        let maker = summary.maker.map(KeyName::new).transpose();
        let maker = maker.map_err(|error| error.to_string())?;
        let info = summary.info.unwrap_or_default();
        let config = info.config.as_ref();
        let group = config.and_then(|config| config.group.clone());
        let startup_ms = config.and_then(|config| config.clock?.startup_ms);
        let over = CancellationToken::new();
        over.cancel();
        Ok(Self {
            over,
            facts: MatchFacts {
                id: finished.match_id.clone(),
                game_id,
                rules_version: summary.rules_version,
                seats: seat_count.ok_or_else(|| format!("it has {} seats", summary.seats.len()))?,
                withheld_group: GroupKey::if_seeds_withheld(
                    group.as_ref(),
                    maker_name(maker.as_ref()),
                ),
                maker,
                group,
                offered: BTreeMap::new(),
                startup_timeout: Duration::from_millis(startup_ms.unwrap_or_default().into()),
                spectator_delay: MatchFacts::delay_of(config.and_then(|config| config.spectators)),
            },
            groups: Arc::clone(groups),
            declined: summary.declined_seat.and_then(|seat| Seat::new(u8::try_from(seat).ok()?)),
            info,
            seats: summary.seats,
            histories: read_histories(summary.histories)?,
        })
    }

    /// Returns whether the seed of the match is withheld.
    fn is_seed_withheld(&self) -> bool {
        let group = self.facts.withheld_group.as_ref();
        group.is_some_and(|group| !self.groups.is_revealed(group))
    }

    /// Returns the key and the settings of the group that withholds the match's seed. The last
    /// value is the match number if the result counts.
    pub(super) fn withheld_group(&self) -> Option<(&GroupKey, &v1::MatchGroup, Option<u32>)> {
        let place = self.facts.group.as_ref()?;
        let result = self.info.result.as_ref();
        let counts = result.is_some_and(|result| !result.spoiled_by_referee);
        Some((self.facts.withheld_group.as_ref()?, place, counts.then_some(place.number)))
    }

    /// Returns the public state of the match.
    fn public_info(&self) -> v1::MatchInfo {
        let mut info = self.info.clone();
        if self.is_seed_withheld() {
            info.seed_salt.clear();
            if let Some(config) = &mut info.config {
                config.seed = None;
            }
        }
        info
    }

    /// Returns the message to a spectator.
    fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.public_info()),
            // The observation is omitted, since the replay contains the positions.
            observation: None,
            events: Vec::new(),
        }
    }

    /// Returns the end time in ms since 1970 UTC.
    pub(super) fn ended_unix_ms(&self) -> u64 {
        self.info.ended_unix_ms
    }

    /// Returns the time at which the end becomes visible to spectators, in ms since 1970 UTC;
    /// `None` without a delay.
    pub(super) fn visible_at_unix_ms(&self) -> Option<u64> {
        if self.is_cancelled() && self.info.started_unix_ms == 0 {
            return None;
        }
        let delay = self.facts.spectator_delay?;
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        Some(self.info.ended_unix_ms.saturating_add(delay_ms))
    }

    fn time_since_end(&self) -> Duration {
        let now_unix_ms = now_unix_ms().unsigned_abs();
        Duration::from_millis(now_unix_ms.saturating_sub(self.info.ended_unix_ms))
    }

    /// Returns the hashes of the tickets, in seat order.
    pub(super) fn tickets(&self) -> Vec<TicketHash> {
        let seats = self.seats.iter();
        seats.filter_map(|seat| TicketHash::from_bytes(&seat.ticket_sha256)).collect()
    }

    /// Returns whether the match was cancelled, and so has no replay.
    pub fn is_cancelled(&self) -> bool {
        self.info.cancellation.is_some()
    }

    /// Returns the name of the bot that had a seat or for which the seat was reserved.
    fn holder(&self, seat: Seat) -> Option<&str> {
        let info = self.info.seats.get(seat.index())?;
        let names = [&info.bot_name, &info.reserved_for].into_iter();
        names.map(String::as_str).find(|name| !name.is_empty())
    }

    /// Returns the fault for which a seat was forfeited.
    fn forfeit(&self, seat: Seat) -> Option<FaultReason> {
        let seat = self.info.result.as_ref()?.seats.get(seat.index())?;
        Some(seat.forfeit()).filter(|fault| *fault != FaultReason::Unspecified)
    }

    /// Returns the message about the start of the match that a seat received or would have
    /// received.
    fn start_message(&self, seat: Seat) -> v1::MatchStarted {
        let config =
            self.info.config.clone().map(|config| v1::MatchConfig { seed: None, ..config });
        v1::MatchStarted {
            match_id: self.facts.id.to_string(),
            seat: seat.number().into(),
            config: config.map(Box::new),
            rules_version: self.facts.rules_version,
            seats: self.info.seats.clone(),
            seed_commitment: self.info.seed_commitment.clone(),
        }
    }

    fn end_message(&self) -> v1::MatchEnded {
        let info = self.public_info();
        let seed = info.config.and_then(|config| config.seed);
        v1::MatchEnded {
            result: info.result,
            seed: seed.unwrap_or_default(),
            seed_salt: info.seed_salt,
        }
    }
}

impl HostedMatch for StoredMatch {
    fn facts(&self) -> &MatchFacts {
        &self.facts
    }

    fn belongs_to(&self, key: &KeyName) -> bool {
        let mut seats = self.info.seats.iter();
        self.facts.maker.as_ref() == Some(key)
            || seats.any(|seat| seat.bot_name == key.as_str() || seat.reserved_for == key.as_str())
    }

    fn bot_name(&self, seat: Seat) -> Option<String> {
        let name = &self.info.seats.get(seat.index())?.bot_name;
        (!name.is_empty()).then(|| name.clone())
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        Gated::new(self.public_info(), None)
    }

    fn info_if_matching(&self, query: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        let is_match = query.matches(self.facts.game_id, &self.info);
        is_match.then(|| self.info())
    }

    fn is_over(&self) -> bool {
        true
    }

    fn over(&self) -> &CancellationToken {
        &self.over
    }

    fn snapshot_since(
        &self,
        change_count: Option<u64>,
    ) -> Option<(u64, Gated<WatchMatchResponse>)> {
        // A finished match does not change.
        change_count.is_none().then(|| (0, Gated::new(self.snapshot(), None)))
    }

    fn watch(self: Arc<Self>, _: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        Ok(spectators::only_message(&self.snapshot()))
    }

    fn replay(&self) -> ReplayBytes {
        if self.is_seed_withheld() && !self.is_cancelled() {
            ReplayBytes::Unavailable(Gated::new(group_running_refusal(), None))
        } else {
            self.full_replay()
        }
    }

    fn updates_from(&self, _: usize) -> Gated<ReplayUpdate> {
        let info = v1::MatchInfo {
            config: None,
            result: None,
            seed_commitment: String::new(),
            seed_salt: String::new(),
            ..self.info.clone()
        };
        let records = Vec::new();
        Gated::new(ReplayUpdate { info, records }, None)
    }

    fn full_replay(&self) -> ReplayBytes {
        match &self.info.cancellation {
            Some(why) => ReplayBytes::Unavailable(Gated::new(cancelled(&why.reason), None)),
            None => ReplayBytes::InStore,
        }
    }

    fn withheld_reason(&self) -> Option<Refusal> {
        self.is_seed_withheld().then(group_running_refusal)
    }

    fn spectator_delay(&self) -> Option<SpectatorDelay> {
        self.visible_at_unix_ms()?;
        let delay = self.facts.spectator_delay?;
        let left = delay.saturating_sub(self.time_since_end());
        (!left.is_zero()).then_some(SpectatorDelay { delay, end_visible_in: Some(left) })
    }

    fn may_be_delayed_remotely(&self) -> bool {
        let delay = self.facts.spectator_delay;
        delay.is_some_and(|delay| self.time_since_end() < delay + MAX_CLOCK_DIFFERENCE)
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
        Some(Duration::from_millis(duration_ms) + self.time_since_end())
    }

    fn parties(&self) -> Vec<KeyName> {
        let bots = self.info.seats.iter();
        let bots = bots.filter_map(|seat| KeyName::new(&seat.bot_name).ok());
        self.facts.maker.iter().cloned().chain(bots).collect()
    }

    fn join(
        &self,
        (seat, _): (Seat, TicketHash),
        JoinRequest { key, resume_point, .. }: JoinRequest<'_>,
        _node: Option<&Arc<ForwardingNode>>,
    ) -> Result<Joined, Gated<Refusal>> {
        let refused = |refusal| Err(Gated::new(refusal, None));
        if let Some(key) = key
            && self.holder(seat).is_some_and(|name| name != key)
        {
            return refused(seat_of_another_key());
        }
        if let Some(why) = &self.info.cancellation {
            return refused(cancelled(&why.reason));
        }
        if let Some(fault) = self.forfeit(seat) {
            let name = fault.as_str_name();
            let name = name.strip_prefix("FAULT_REASON_").unwrap_or(name);
            return refused(forfeited(&name));
        }
        let summary = self.seats.get(seat.index()).cloned().unwrap_or_default();
        let (sender, outbound) = outbound::channel(MAX_BOT_MESSAGES);
        let FinalMessages { resumed, messages } = FinalMessages::for_bot(
            (seat, &summary),
            &self.histories,
            resume_point,
            || self.start_message(seat),
            || self.end_message(),
        );
        for message in messages {
            // The queue is new and has capacity.
            let _ = sender.send(message.into(), None);
        }
        sender.close(Closing::MatchOver, None);
        let start =
            StreamStart { history_id: self.histories.running(), resumed, note_bytes_left: 0 };
        let (number, start) = (StreamNumber::default(), Gated::new(start, None));
        Ok(Joined { number, outbound, start })
    }

    fn declined_seat(&self) -> Option<Seat> {
        self.declined
    }

    fn replace_tickets(
        &self,
        _: &[(Seat, TicketHash)],
        _: bool,
    ) -> Gated<Result<Vec<Seat>, ReplaceTicketsError>> {
        Gated::new(Err(ReplaceTicketsError::Over), None)
    }

    fn expire_seat(&self, _: Seat, _: String) -> Gated<Result<(), Refusal>> {
        Gated::new(Err(match_over(&self.info)), None)
    }

    fn cancel(&self, _: Cancellation) -> Gated<Result<v1::MatchInfo, Refusal>> {
        let cancelled = self.info.cancellation.as_ref().map(|_| self.public_info());
        Gated::new(cancelled.ok_or_else(match_ended), None)
    }
}
