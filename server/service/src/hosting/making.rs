//! Making matches, and groups of them.

use std::{any::Any, collections::BTreeMap, sync::Arc, time::SystemTime};

use bridgemaster_games::{Seat, SeatCount, with_game};
use bridgemaster_match::{MatchId, OfferedSeat, Origin};
use bridgemaster_proto::{
    games::{WireError, WireGame, game_id},
    v1::{MatchConfig, MatchGroup, MatchInfo, RefusalReason, SeatTicket, SpectatorRules},
};
use bridgemaster_referee::RulesError;
use bridgemaster_store::{KeyName, StoreError, Write};
use bridgemaster_wire::{TakenOver, game_unset, rules_from_wire, seed_from_wire};
use tokio::sync::OwnedMutexGuard;
use tracing::info;

use super::{
    HostedMatch, LiveMatch, Matches, ShownMatch as _, Ticket,
    groups::{GroupKey, is_over, maker_name},
    hosted_match::PlayedMatch,
    ids::{draw_match_id, draw_seed, draw_seed_salt},
    late::LatePlace,
    requests::RepeatableRequest,
    tickets::Wanted,
};
use crate::{journal::NotStored, refusal::Refusal, spans::SEATS, wall_clock::now_unix_ms};

/// What a match is made with besides its rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Making {
    /// The key that asks for it, on a server that asks for keys.
    pub(crate) maker: Option<KeyName>,
    /// What its maker writes on it.
    pub(crate) labels: BTreeMap<String, String>,
    /// The keys that seats are reserved for.
    pub(crate) reserved_for: BTreeMap<Seat, KeyName>,
    /// Seats that are offered to attending bots. Their tickets are in the offers alone.
    pub(crate) offered: BTreeMap<Seat, OfferedSeat>,
    /// Dropped when the match is hosted, or was not made.
    pub(crate) kept_meanwhile: Option<Arc<dyn Any + Send + Sync>>,
    /// The group that it belongs to.
    pub(crate) group: Option<MatchGroup>,
    /// How late spectators see it.
    pub(crate) spectators: Option<SpectatorRules>,
    /// What it takes over from another match.
    pub(crate) taken_over: Option<TakenOver>,
    /// So that the same call makes one match.
    pub(crate) request: Option<RepeatableRequest>,
    /// Who asks for it does not want to be told its config.
    pub(crate) without_config: bool,
}

impl Making {
    /// Whether spectators see the match late.
    fn is_seen_late(&self) -> bool {
        self.spectators.is_some_and(|rules| rules.delay_ms > 0)
    }

    /// Whether the match belongs to a group whose chance is held back.
    pub(crate) fn spans_matches(&self) -> bool {
        GroupKey::of(self.group.as_ref(), maker_name(self.maker.as_ref())).is_some()
    }

    /// Makes sure that the match has the seats that are named.
    fn check_seats(&self, seats: SeatCount) -> Result<(), Refusal> {
        let mut named = self.reserved_for.keys().chain(self.offered.keys());
        let Some(seat) = named.find(|seat| !seats.contains(**seat)) else {
            return Ok(());
        };
        let most = seats.get() - 1;
        let detail = format!("the match has the seats 0 to {most}, not {}", seat.number());
        Err(Refusal::field("seat_reservations.seat", detail))
    }

    /// What is kept of it with the match.
    fn into_origin(self, id: MatchId, tickets: &[Ticket]) -> Origin {
        let hashes = tickets.iter().map(Ticket::hash).collect();
        let reserved_for = self.reserved_for.into_iter();
        Origin {
            maker: self.maker.as_ref().map(ToString::to_string),
            created_unix_ms: now_unix_ms().unsigned_abs(),
            labels: self.labels,
            reserved_for: reserved_for
                .map(|(seat, name)| (seat, name.to_string()))
                .collect(),
            group: self.group,
            spectators: self.spectators,
            offered: self.offered,
            ..Origin::new(id, draw_seed_salt(), hashes)
        }
    }
}

/// What a match that is made is stored with, and what is kept until it is hosted.
struct Keeping {
    group_key: Option<GroupKey>,
    request: Option<RepeatableRequest>,
    /// Its place among those that spectators see late, if it is one.
    late_place: Option<LatePlace>,
    without_config: bool,
    /// When its making began.
    begun: SystemTime,
    _meanwhile: Option<Arc<dyn Any + Send + Sync>>,
    _turn: Turn,
}

/// A match that was made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) info: MatchInfo,
    pub(crate) tickets: Vec<SeatTicket>,
    /// An earlier call made it.
    pub(crate) existed: bool,
}

/// The turn of a call to make its match; over when it is dropped.
pub(crate) struct Turn {
    _held: Option<OwnedMutexGuard<()>>,
}

/// How far the match of a call is.
pub(crate) enum Begun {
    /// An earlier call made it.
    Before(Made),
    /// It is this call's turn.
    Now(Turn),
}

impl Matches {
    /// Makes a match, and the tickets to its seats. With a store, the match is in it. A call that
    /// made a match before gives that match, and new tickets for the seats to which no bot has come.
    pub(crate) async fn create(
        self: &Arc<Self>,
        config: &MatchConfig,
        making: Making,
    ) -> Result<Made, Refusal> {
        match self.begin_making(making.request.as_ref()).await? {
            Begun::Before(made) => Ok(made),
            Begun::Now(turn) => self.make(config, making, turn).await,
        }
    }

    /// Waits until no other call makes the match of this request, and gives the one that an earlier
    /// call made.
    pub(crate) async fn begin_making(
        self: &Arc<Self>,
        request: Option<&RepeatableRequest>,
    ) -> Result<Begun, Refusal> {
        let Some(request) = request else {
            return Ok(Begun::Now(Turn { _held: None }));
        };
        let turn = self.request_locks.lock(request).await;
        let Some(hosted) = self.made_before(request).await? else {
            return Ok(Begun::Now(Turn { _held: Some(turn) }));
        };
        let tickets = match self.replace_tickets(&*hosted, Wanted::Vacant).await {
            Ok(tickets) => tickets,
            Err(refusal) if is_of_the_end(&refusal) => Vec::new(),
            Err(refusal) => return Err(refusal),
        };
        let info = hosted.info().shown().await;
        Ok(Begun::Before(Made {
            info: info.map_err(|NotStored| Refusal::storage_failed())?,
            tickets,
            existed: true,
        }))
    }

    /// Makes a match; `turn` is kept until it is there.
    pub(crate) async fn make(
        self: &Arc<Self>,
        config: &MatchConfig,
        mut making: Making,
        turn: Turn,
    ) -> Result<Made, Refusal> {
        if self.lifecycle().is_draining() {
            return Err(self.stop_refusal());
        }
        let begun = SystemTime::now();
        let late_place = self.late_place(&making)?;
        let refuse_config =
            |error: WireError| Refusal::field(format!("config.{}", error.field), error.detail);
        let unnamed = || refuse_config(game_unset());
        let game = config.game.as_ref().and_then(game_id).ok_or_else(unnamed)?;
        let seed = seed_from_wire(config).map_err(refuse_config)?;
        let seed = seed.unwrap_or_else(draw_seed);
        with_game!(game, G => {
            let mut rules = rules_from_wire::<G>(config, seed).map_err(refuse_config)?;
            if let Some(taken_over) = making.taken_over.take() {
                let fork = taken_over.fork(&rules);
                let fork = fork.map_err(|error| Refusal::field(error.field, error.detail))?;
                rules.fork = Some(Arc::new(fork));
            }
            making.check_seats(rules.seats)?;
            let id = draw_match_id();
            let tickets = self.tickets_for(&id, rules.seats, &making.offered);
            let group_key = self.enter_group(&making).await?;
            let keeping = Keeping {
                group_key: group_key.clone(),
                request: making.request.take(),
                late_place,
                without_config: making.without_config,
                begun,
                _meanwhile: making.kept_meanwhile.take(),
                _turn: turn,
            };
            let maker = making.maker.clone();
            let origin = making.into_origin(id, &tickets);
            let made = self.in_a_place(maker.as_ref(), || {
                let made = LiveMatch::<G>::new(origin, maker.clone(), rules, self.context());
                made.map_err(|error| match &error {
                    RulesError::Fork(why) => Refusal::field("fork", why.to_string()),
                    _ => Refusal::field(format!("config.{}", error.field()), error.detail()),
                })
            });
            let made = made.inspect_err(|_| {
                if let Some(key) = &group_key {
                    self.context().groups.leave(key);
                }
            })?;
            self.store_and_admit(made, tickets, keeping).await
        })
        .ok_or_else(unnamed)?
    }

    /// Takes a place among the matches that spectators see late, if that is to be one.
    fn late_place(&self, making: &Making) -> Result<Option<LatePlace>, Refusal> {
        let maker = making.maker.as_ref();
        let place = making.is_seen_late().then(|| self.late().place(maker));
        place.transpose()
    }

    /// The tickets to the seats of a match.
    fn tickets_for(
        &self,
        id: &MatchId,
        seats: SeatCount,
        offered: &BTreeMap<Seat, OfferedSeat>,
    ) -> Vec<Ticket> {
        let ticket = |seat| match offered.contains_key(&seat) {
            true => self.offered_ticket(id, seat),
            false => Ticket::draw(id),
        };
        seats.seats().map(ticket).collect()
    }

    /// Counts a match for its group, if it is of one, until it leaves it.
    async fn enter_group(&self, making: &Making) -> Result<Option<GroupKey>, Refusal> {
        let group = making.group.as_ref();
        let key = GroupKey::of(group, maker_name(making.maker.as_ref()));
        if let Some((key, group)) = key.as_ref().zip(group) {
            self.check_is_not_over(key).await?;
            self.context().groups.enter(key, group, self.limits())?;
        }
        Ok(key)
    }

    /// Stores a match that has its place, if there is a store, and hosts it.
    async fn store_and_admit<G: WireGame>(
        self: &Arc<Self>,
        made: LiveMatch<G>,
        tickets: Vec<Ticket>,
        mut keeping: Keeping,
    ) -> Result<Made, Refusal> {
        let made = Arc::new(made);
        let Some(journal) = self.journal() else {
            let id = made.id().clone();
            let admitted = self.admit(made, tickets, Ok(()), &mut keeping);
            if let Some(request) = &keeping.request {
                self.roster().is_by(&id, request);
            }
            return admitted;
        };
        let (journal, matches) = (Arc::clone(journal), Arc::clone(self));
        // In a task of its own: a caller that goes away meanwhile must not leave a match that is
        // stored and that nobody hosts.
        let admitted = tokio::spawn(async move {
            let note = keeping.request.as_ref();
            let note = note.map(|request| request.note(made.id()));
            let open = |of_group: Option<Write>| {
                let notes = note.into_iter().chain(of_group);
                let opened_at = made.created_unix_ms();
                journal.open(made.id().clone(), opened_at, made.header(), notes)
            };
            let gate = match &keeping.group_key {
                Some(key) => matches.context().groups.keep(key, open),
                None => open(None),
            };
            let stored = gate.wait().await;
            matches.admit(made, tickets, stored, &mut keeping)
        });
        admitted.await.unwrap_or_else(|_| Err(Refusal::stopping()))
    }

    /// Hosts a match that has its place, if it is stored.
    fn admit(
        self: &Arc<Self>,
        made: Arc<dyn PlayedMatch>,
        tickets: Vec<Ticket>,
        stored: Result<(), NotStored>,
        keeping: &mut Keeping,
    ) -> Result<Made, Refusal> {
        if let Err(NotStored) = stored {
            self.leave(made.maker());
            return Err(Refusal::storage_failed());
        }
        let info = match keeping.without_config {
            true => made.info_without_config(),
            false => made.info(),
        };
        let info = info.into_value();
        let hashes = tickets.iter().map(Ticket::hash).collect();
        let offered: Vec<Seat> = made.offered().keys().copied().collect();
        self.traces().ended(|| {
            let span = made.of_match().span(keeping.begun, "make match");
            span.with(SEATS, u32::from(made.seats().get()))
        });
        self.host(made, hashes, true, keeping.late_place.take());
        info!(match_id = %info.match_id, seats = info.seats.len(), "match made");
        let seats = (0..).filter_map(Seat::new).zip(&tickets);
        let shown = seats.filter(|(seat, _)| !offered.contains(seat));
        let shown = shown.map(|(seat, ticket)| SeatTicket {
            seat: seat.number().into(),
            ticket: ticket.reveal().to_owned(),
        });
        Ok(Made {
            info,
            tickets: shown.collect(),
            existed: false,
        })
    }

    /// Says that no more matches of the group of a match will be made.
    pub(crate) async fn close_group(&self, hosted: &dyn HostedMatch) -> Result<(), Refusal> {
        let group = hosted.group();
        let none = || Refusal::field("match_id", "the match belongs to no group");
        let key = GroupKey::of(Some(group.ok_or_else(none)?), maker_name(hosted.maker()));
        let groups = &self.context().groups;
        // Where nothing is held back, there is nothing to be revealed.
        let Some(key) = key.filter(|key| groups.is_open(key)) else {
            return Ok(());
        };
        let note = |notes| self.journal().map(|journal| journal.note(notes));
        match groups.close(&key, note) {
            Some(gate) => gate.wait().await,
            None => Ok(()),
        }
        .map_err(|NotStored| Refusal::storage_failed())
    }

    /// Makes sure that a group was not over before; those that are not over are in memory.
    async fn check_is_not_over(&self, key: &GroupKey) -> Result<(), Refusal> {
        let Some(journal) = self.journal() else {
            return Ok(());
        };
        if self.context().groups.is_open(key) {
            return Ok(());
        }
        match journal.store().note(&key.over_note()).await {
            Ok(None) => Ok(()),
            Ok(Some(_)) | Err(StoreError::Damaged { .. }) => Err(is_over()),
            Err(_) => Err(Refusal::storage_failed()),
        }
    }
}

/// Whether a match is refused new tickets because it is over.
fn is_of_the_end(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason(),
        RefusalReason::MatchEnded | RefusalReason::MatchCancelled
    )
}
