//! Creates matches, including their slots, tickets, groups and spectator delays. Requests are
//! idempotent.

use std::{any::Any, collections::BTreeMap, sync::Arc, time::SystemTime};

use bridgemaster_edge::{refusal::Refusal, spans::SEATS, wall_clock::now_unix_us};
use bridgemaster_games::{Seat, SeatCount, with_game};
use bridgemaster_match::{MatchId, OfferedSeat, Origin};
use bridgemaster_proto::{
    games::{FieldError, WireGame, game_id},
    internal::v1::RequestNote,
    v1::{MatchConfig, MatchGroup, MatchInfo, RefusalReason, SeatTicket, SpectatorRules},
};
use bridgemaster_replay::wire::{ForkSource, missing_game, rules_from_wire, seed_from_wire};
use bridgemaster_store::{KeyName, StoreError, Write};
use prost::Message as _;
use tokio::sync::OwnedMutexGuard;
use tracing::info;

use super::{
    HostedMatch, LiveMatch, Matches, Ticket,
    delayed::DelayedMatchPermit,
    groups::{GroupKey, group_over, maker_name},
    hosted_match::ActiveMatch,
    ids::{generate_seed, generate_seed_salt},
    quarantine::match_unreadable,
    refusals::{check_seat, reveals_end},
    requests::{IdempotentRequest, PreviousResult},
    tickets::TicketTargets,
};

/// Options of a new match besides its rules.
#[derive(Clone, Debug, Default)]
pub struct MatchOptions {
    /// The API key that creates the match; `None` on a server without keys.
    pub maker: Option<KeyName>,
    /// Labels that the creator attaches to the match.
    pub labels: BTreeMap<String, String>,
    /// The keys for which seats are reserved.
    pub reserved_for: BTreeMap<Seat, KeyName>,
    /// Seats that are offered to attending bots. The tickets of these seats are sent only in the
    /// offers.
    pub offered: BTreeMap<Seat, OfferedSeat>,
    /// A guard that is held until the match is hosted or its creation has failed.
    pub hold_until_created: Option<Arc<dyn Any + Send + Sync>>,
    /// The match group to which the match belongs.
    pub group: Option<MatchGroup>,
    /// The delay with which spectators see the match.
    pub spectators: Option<SpectatorRules>,
    /// The position in another match from which this match continues.
    pub fork_from: Option<ForkSource>,
    /// Identifies the call, so that a retry does not create a second match.
    pub request: Option<IdempotentRequest>,
    /// Omits the config from the returned match.
    pub without_config: bool,
}

impl MatchOptions {
    /// Returns whether spectators see the match with a delay.
    fn has_spectator_delay(&self) -> bool {
        self.spectators.is_some_and(|rules| rules.delay_ms > 0)
    }

    /// Returns whether the match belongs to a group whose seeds are withheld.
    pub fn has_withheld_seeds(&self) -> bool {
        GroupKey::if_seeds_withheld(self.group.as_ref(), maker_name(self.maker.as_ref())).is_some()
    }

    /// Checks that all named seats exist in the match.
    fn check_seats(&self, seats: SeatCount) -> Result<(), Refusal> {
        let mut named = self.reserved_for.keys().chain(self.offered.keys());
        named.try_for_each(|seat| check_seat("seat_reservations.seat", *seat, seats))
    }

    /// Converts the options to the origin that is stored with the match.
    fn into_origin(self, id: MatchId, created_unix_ms: u64, tickets: &[Ticket]) -> Origin {
        let hashes = tickets.iter().map(Ticket::hash).collect();
        let reserved_for = self.reserved_for.into_iter();
        Origin {
            maker: self.maker.as_ref().map(ToString::to_string),
            created_unix_ms,
            labels: self.labels,
            reserved_for: reserved_for.map(|(seat, name)| (seat, name.to_string())).collect(),
            group: self.group,
            spectators: self.spectators,
            offered: self.offered,
            ..Origin::new(id, generate_seed_salt(), hashes)
        }
    }
}

/// The data that is stored with a new match, and the resources that are held until the match is
/// hosted.
struct PendingCreation {
    group_key: Option<GroupKey>,
    request: Option<IdempotentRequest>,
    /// The permit for a delayed view, if spectators see the match with a delay.
    delay_permit: Option<DelayedMatchPermit>,
    without_config: bool,
    /// The time at which the creation started.
    started: SystemTime,
    _meanwhile: Option<Arc<dyn Any + Send + Sync>>,
    _permit: CreationPermit,
}

/// A newly created match, or the result of an earlier call.
#[derive(Debug)]
pub struct CreatedMatch {
    /// The state of the match.
    pub info: MatchInfo,
    /// The tickets with which bots join their seats.
    pub tickets: Vec<SeatTicket>,
    /// Whether an earlier call created the match.
    pub existed: bool,
}

/// Exclusive permission to create the match for a request, until the permit is dropped.
pub struct CreationPermit {
    _held: Option<OwnedMutexGuard<()>>,
}

/// The result of starting to create a match.
pub enum CreationStart {
    /// An earlier call created the match.
    Previous(CreatedMatch),
    /// No earlier call created the match, and the caller may create it.
    New(CreationPermit),
}

impl Matches {
    /// Creates a match and the tickets to its seats. With a store, the match is committed before
    /// the call returns. A retried call returns the existing match, with new tickets for the vacant
    /// seats.
    pub async fn create(
        self: &Arc<Self>,
        config: &MatchConfig,
        options: MatchOptions,
    ) -> Result<CreatedMatch, Refusal> {
        match self.begin_creation(options.request.as_ref()).await? {
            CreationStart::Previous(previous) => Ok(previous),
            CreationStart::New(permit) => self.create_with_permit(config, options, permit).await,
        }
    }

    /// Waits until no other call is creating the match of this request. Returns the match if an
    /// earlier call created it.
    pub async fn begin_creation(
        self: &Arc<Self>,
        request: Option<&IdempotentRequest>,
    ) -> Result<CreationStart, Refusal> {
        let Some(request) = request else {
            return Ok(CreationStart::New(CreationPermit { _held: None }));
        };
        let permit = self.request_locks.lock(request).await;
        let Some(hosted) = self.previous_result(request).await? else {
            return Ok(CreationStart::New(CreationPermit { _held: Some(permit) }));
        };
        let tickets = match self.replace_tickets(&*hosted, TicketTargets::Vacant).await {
            Ok(tickets) => tickets,
            Err(refusal) if reveals_end(&refusal) => Vec::new(),
            Err(refusal) => return Err(refusal),
        };
        Ok(CreationStart::Previous(CreatedMatch {
            info: hosted.info().committed().await?,
            tickets,
            existed: true,
        }))
    }

    /// Creates a match. Holds `permit` until the match is hosted.
    pub async fn create_with_permit(
        self: &Arc<Self>,
        config: &MatchConfig,
        mut options: MatchOptions,
        permit: CreationPermit,
    ) -> Result<CreatedMatch, Refusal> {
        if self.lifecycle().is_draining() {
            return Err(self.lifecycle().stop_refusal());
        }
        let started = SystemTime::now();
        let delay_permit = self.delay_permit(&options)?;
        let refuse_config =
            |error: FieldError| Refusal::field(format!("config.{}", error.field), error.problem);
        let unnamed = || refuse_config(missing_game());
        let game = config.game.as_ref().and_then(game_id).ok_or_else(unnamed)?;
        let seed = seed_from_wire(config).map_err(refuse_config)?;
        let seed = seed.unwrap_or_else(generate_seed);
        with_game!(game, G => {
            let mut rules = rules_from_wire::<G>(config, seed).map_err(refuse_config)?;
            if let Some(fork_from) = options.fork_from.take() {
                let fork = fork_from.fork(&rules);
                let fork = fork.map_err(|error| Refusal::field(error.field, error.problem))?;
                rules.fork = Some(Arc::new(fork));
            }
            options.check_seats(rules.seats)?;
            let (id, created_unix_us) = self.context.match_ids.generate(now_unix_us());
            let tickets = self.tickets_for(&id, rules.seats, &options.offered);
            let group_key = self.join_group(&options).await?;
            let pending = PendingCreation {
                group_key: group_key.clone(),
                request: options.request.take(),
                delay_permit,
                without_config: options.without_config,
                started,
                _meanwhile: options.hold_until_created.take(),
                _permit: permit,
            };
            let maker = options.maker.clone();
            let origin = options.into_origin(id, created_unix_us / 1_000, &tickets);
            let live = self.with_slot(maker.as_ref(), || {
                let live = LiveMatch::<G>::new(origin, maker.clone(), rules, &self.context);
                live.map_err(|error| match error.field.as_str() {
                    "fork" => Refusal::field(error.field, error.problem),
                    _ => refuse_config(error),
                })
            });
            let live = live.inspect_err(|_| {
                if let Some(key) = &group_key {
                    self.context.groups.cancel_match(key);
                }
            })?;
            self.store_and_host(live, tickets, pending).await
        })
        .ok_or_else(unnamed)?
    }

    /// Acquires a permit for a delayed view, if spectators see the match with a delay.
    fn delay_permit(&self, options: &MatchOptions) -> Result<Option<DelayedMatchPermit>, Refusal> {
        let maker = options.maker.as_ref();
        let permit = options.has_spectator_delay().then(|| self.delayed.acquire(maker));
        permit.transpose()
    }

    /// Returns the tickets to the seats of a match.
    fn tickets_for(
        &self,
        id: &MatchId,
        seats: SeatCount,
        offered: &BTreeMap<Seat, OfferedSeat>,
    ) -> Vec<Ticket> {
        let ticket = |seat| {
            if offered.contains_key(&seat) {
                self.offered_ticket(id, seat)
            } else {
                Ticket::generate(id)
            }
        };
        seats.seats().map(ticket).collect()
    }

    /// Adds the match to its group, if the group withholds the seeds of its matches.
    async fn join_group(&self, options: &MatchOptions) -> Result<Option<GroupKey>, Refusal> {
        let group = options.group.as_ref();
        let key = GroupKey::if_seeds_withheld(group, maker_name(options.maker.as_ref()));
        if let Some((key, group)) = key.as_ref().zip(group) {
            self.check_group_open(key).await?;
            self.context.groups.add_match(key, group, self.limits())?;
        }
        Ok(key)
    }

    /// Hosts a match that has a slot. If there is a store, the match is stored first.
    async fn store_and_host<G: WireGame>(
        self: &Arc<Self>,
        live: LiveMatch<G>,
        tickets: Vec<Ticket>,
        pending: PendingCreation,
    ) -> Result<CreatedMatch, Refusal> {
        let (live, matches) = (Arc::new(live), Arc::clone(self));
        // A separate task stores and hosts the match. Otherwise, a caller that disconnects could
        // leave a match that is stored but not hosted.
        let hosted = tokio::spawn(async move {
            if let Some(journal) = matches.journal() {
                let record = pending.request.as_ref();
                let record = record.map(|request| request.record(live.id()));
                let open = |of_group: Option<Write>| {
                    let open = Write::OpenMatch {
                        match_id: live.id().clone(),
                        opened_at_unix_ms: live.created_unix_ms(),
                        header: live.header(),
                    };
                    journal.queue_records([open].into_iter().chain(record).chain(of_group))
                };
                let gate = match &pending.group_key {
                    Some(key) => matches.context.groups.store_with_record(key, open),
                    None => open(None),
                };
                let stored = gate.wait().await;
                stored.inspect_err(|_| matches.release_slot(live.facts().maker.as_ref()))?;
            }
            Ok(matches.host_created(live, tickets, pending))
        });
        hosted.await.unwrap_or_else(|_| Err(Refusal::stopping()))
    }

    /// Hosts a match that has a slot and, if there is a store, has been stored.
    fn host_created(
        self: &Arc<Self>,
        live: Arc<dyn ActiveMatch>,
        tickets: Vec<Ticket>,
        pending: PendingCreation,
    ) -> CreatedMatch {
        let info = if pending.without_config { live.info_without_config() } else { live.info() };
        let info = info.into_value();
        let hashes = tickets.iter().map(Ticket::hash).collect();
        let offered: Vec<Seat> = live.facts().offered.keys().copied().collect();
        self.span_recorder().record(|| {
            let span = live.facts().match_spans().span(pending.started, "make match");
            span.with(SEATS, u32::from(live.facts().seats.get()))
        });
        let id = live.id().clone();
        self.host(live, hashes, true, pending.delay_permit);
        if let (None, Some(request)) = (self.journal(), &pending.request) {
            self.match_index().record_request(&id, request);
        }
        info!(match_id = %info.match_id, seats = info.seats.len(), "match created");
        let seats = (0..).filter_map(Seat::new).zip(&tickets);
        let visible = seats.filter(|(seat, _)| !offered.contains(seat));
        let tickets = visible.map(|(seat, ticket)| ticket.for_seat(seat)).collect();
        CreatedMatch { info, tickets, existed: false }
    }

    /// Closes the group of a match, so that no more matches can be added to the group.
    pub async fn close_group(&self, hosted: &dyn HostedMatch) -> Result<(), Refusal> {
        let facts = hosted.facts();
        if facts.group.is_none() {
            let detail = "the match does not belong to a group";
            return Err(Refusal::field("match_id", detail));
        }
        let groups = &self.context.groups;
        // The seeds of other groups are not withheld, so there is nothing to reveal.
        let withheld = facts.withheld_group.as_ref();
        let Some(key) = withheld.filter(|key| groups.is_open(key)) else {
            return Ok(());
        };
        let record = |records| self.journal().map(|journal| journal.queue_records(records));
        if let Some(gate) = groups.close(key, record) {
            gate.wait().await?;
        }
        Ok(())
    }

    /// Checks that a match group has not ended. Reads the store only if the group is not open in
    /// memory.
    async fn check_group_open(&self, key: &GroupKey) -> Result<(), Refusal> {
        let Some(journal) = self.journal() else {
            return Ok(());
        };
        if self.context.groups.is_open(key) {
            return Ok(());
        }
        match journal.store().record(&key.over_record_name()).await {
            Ok(None) => Ok(()),
            Ok(Some(_)) | Err(StoreError::Damaged { .. }) => Err(group_over()),
            Err(_) => Err(Refusal::storage_failed()),
        }
    }
}

impl Matches {
    /// Returns the match that an earlier call with the same idempotency key created, if the match
    /// still exists.
    ///
    /// # Errors
    /// Returns an error if the earlier call had different content, or the match cannot be read.
    pub(super) async fn previous_result(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        let Some(previous) = self.stored_result(request).await? else {
            return Ok(None);
        };
        let Some(hosted) = self.get_or_load(&previous.id).await? else {
            return Ok(None);
        };
        if previous.content != request.content() {
            let message = format!(
                "idempotency_key: an earlier call with this key had different content and created \
                 the match {}; use a new key for each match",
                previous.id
            );
            return Err(Refusal::new(RefusalReason::IdempotencyKeyReused, message)
                .with("match_id", previous.id.to_string()));
        }
        Ok(Some(hosted))
    }

    async fn stored_result(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<PreviousResult>, Refusal> {
        let Some(journal) = self.journal() else {
            return Ok(self.match_index().previous_result_by_name(request.name()));
        };
        let damaged = |problem: String| {
            Refusal::damaged(format!("the stored record of this idempotency key: {problem}"))
        };
        match journal.store().record(request.name()).await {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => {
                let record = RequestNote::decode(&*bytes);
                let record = record.map_err(|error| damaged(error.to_string()))?;
                let id = MatchId::new(record.match_id);
                Ok(Some(PreviousResult {
                    id: id.map_err(|error| damaged(error.to_string()))?,
                    content: record.request_sha256,
                }))
            }
            Err(StoreError::Damaged { damage, .. }) => Err(damaged(damage.detail)),
            Err(_) => Err(Refusal::storage_failed()),
        }
    }

    /// Returns a match from memory or from the store, without access checks.
    pub async fn get_or_load(&self, id: &MatchId) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        if let Some(hosted) = self.in_memory(id) {
            return Ok(Some(hosted));
        }
        if self.quarantined().maker_of(id).is_some() {
            return Err(match_unreadable(id));
        }
        // The other nodes must be queried before the finished matches are read. In the reverse
        // order, a match that ends between the two reads would be missed.
        self.check_not_remote(id).await?;
        let stored = self.load_stored(id).await?;
        Ok(stored.map(|stored| Arc::new(stored) as _))
    }
}
