//! Implementation of the interface between the server and a match in play.

use std::{sync::Arc, time::Duration};

use bridgemaster_edge::{
    refusal::Refusal,
    transport::{ForwardingNode, Watcher},
    wall_clock::now_unix_ms,
};
use bridgemaster_games::Seat;
use bridgemaster_match::{
    CancelError, Cancellation, Entries, ExpireSeatError, HistoryStart, JoinRequest,
    ReplaceTicketsError, Report, SeatInput, ServerTime, StreamNumber, TicketHash, Verdict,
};
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, RefusalReason},
};
use bridgemaster_referee::{BotIdentity, MatchPhase, Time};
use bridgemaster_store::KeyName;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::{
    super::{
        HostedMatch, MatchQuery,
        clock::MatchClock,
        groups::group_running_refusal,
        hosted_match::{
            ActiveMatch, Joined, MatchFacts, PendingEnd, ReplayBytes, ReplayUpdate, SpectatorDelay,
        },
        outbound::{self, Closing},
        refusals::{
            cancelled, cannot_join, match_ended, match_over, match_running, ticket_replaced,
        },
        relay::Relay,
        spectators::WatchReceiver,
    },
    LiveMatch, MatchGuard,
    effects::LockedMatch,
};
use crate::journal::{CommitGate, Gated};

impl<G: WireGame> LockedMatch<G> {
    /// Gates a value that depends on the current state of the match.
    pub(super) fn gated<T>(&self, value: T) -> Gated<T> {
        self.after(self.machine.uncommitted(), value)
    }

    /// Gates a value that depends on the first `after` entries of the match.
    fn after<T>(&self, after: Entries, value: T) -> Gated<T> {
        Gated::new(value, self.gates.gate_for(after))
    }
}

impl<G: WireGame> HostedMatch for LiveMatch<G> {
    fn facts(&self) -> &MatchFacts {
        &self.shared.facts
    }

    fn belongs_to(&self, key: &KeyName) -> bool {
        self.shared.facts.maker.as_ref() == Some(key) || self.lock().machine.has_party(key.as_str())
    }

    fn bot_name(&self, seat: Seat) -> Option<String> {
        self.lock().machine.bot(seat).map(|bot| bot.name.clone())
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let locked = self.lock();
        locked.gated(locked.machine.match_info())
    }

    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        let locked = self.lock();
        locked.gated(locked.machine.info_without_config())
    }

    fn info_if_matching(&self, query: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        // The state is read without the lock, so that a search does not delay the match.
        if !query.matches_state(self.state.get())
            || !query.matches_origin(G::ID, &self.shared.origin)
        {
            return None;
        }
        let locked = self.lock();
        let info = locked.machine.match_info();
        query.matches(G::ID, &info).then(|| locked.gated(info))
    }

    fn is_over(&self) -> bool {
        matches!(self.state.get(), v1::MatchState::Ended | v1::MatchState::Cancelled)
    }

    fn over(&self) -> &CancellationToken {
        &self.shared.over
    }

    fn moved(&self) -> Option<&CancellationToken> {
        Some(&self.shared.moved)
    }

    fn snapshot_since(
        &self,
        change_count: Option<u64>,
    ) -> Option<(u64, Gated<v1::WatchMatchResponse>)> {
        let locked = self.lock();
        let changes = locked.machine.referee().public_changes();
        let snapshot = || locked.gated(locked.machine.snapshot());
        (change_count != Some(changes)).then(|| (changes, snapshot()))
    }

    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        self.check_not_moved()?;
        let limits = &self.shared.context.limits;
        let reservation = self.shared.audience.reserve(watcher, limits)?;
        let mut locked = self.lock();
        // The update is for existing spectators only, since the snapshot for a new spectator
        // already contains it.
        locked.publish_updates();
        let snapshot = locked.machine.snapshot();
        let gate = locked.gates.gate_for(locked.machine.uncommitted());
        let receiver = locked.publisher.subscribe(reservation, &snapshot, gate);
        match locked.machine.referee().phase() {
            MatchPhase::Ended => locked.publisher.finish(),
            _ => self.start_publishing(&mut locked),
        }
        Ok(receiver)
    }

    fn replay(&self) -> ReplayBytes {
        let locked = self.lock();
        let has_ended = locked.machine.referee().result().is_some();
        if has_ended && locked.machine.is_seed_withheld() {
            return ReplayBytes::Unavailable(locked.gated(group_running_refusal()));
        }
        drop(locked);
        self.full_replay()
    }

    fn changes(&self) -> Option<watch::Receiver<u64>> {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return None;
        }
        Some(locked.subscribe_throttled())
    }

    fn updates_from(&self, from_bytes: usize) -> Gated<ReplayUpdate> {
        let locked = self.lock();
        locked.gated(ReplayUpdate {
            info: locked.machine.status_info(),
            records: locked.machine.public_records(from_bytes).to_vec(),
        })
    }

    fn replay_head(&self) -> Option<v1::Replay> {
        let locked = self.lock();
        let is_over = locked.machine.referee().phase() == MatchPhase::Ended;
        (!is_over).then(|| locked.machine.replay_head())
    }

    fn full_replay(&self) -> ReplayBytes {
        let mut locked = self.lock();
        let replay = locked.machine.replay().map(Arc::clone);
        match (replay, locked.machine.cancellation()) {
            (None, Some(why)) => ReplayBytes::Unavailable(locked.gated(cancelled(&why.reason))),
            (None, None) => ReplayBytes::InProgress,
            (Some(bytes), _) => ReplayBytes::InMemory(locked.gated(bytes)),
        }
    }

    fn withheld_reason(&self) -> Option<Refusal> {
        let locked = self.lock();
        if locked.machine.referee().phase() != MatchPhase::Ended {
            return Some(match_running());
        }
        locked.machine.is_seed_withheld().then(group_running_refusal)
    }

    fn relay(&self) -> Option<&Relay> {
        Some(&self.shared.relay)
    }

    fn spectator_delay(&self) -> Option<SpectatorDelay> {
        let delay = self.shared.facts.spectator_delay.filter(|_| !self.is_over())?;
        Some(SpectatorDelay { delay, end_visible_in: None })
    }

    fn elapsed(&self) -> Option<Duration> {
        let started_at = self.lock().machine.referee().started_at()?;
        let started = ServerTime { time: started_at, lag_us: 0 };
        Some(self.shared.clock.since(started))
    }

    fn parties(&self) -> Vec<KeyName> {
        let names = self.lock().machine.parties();
        // A bot name that is not a valid key name belongs to no key.
        let names = names.into_iter().map(KeyName::new);
        names.filter_map(Result::ok).collect()
    }

    fn join(
        &self,
        (seat, ticket): (Seat, TicketHash),
        request: JoinRequest<'_>,
        node: Option<&Arc<ForwardingNode>>,
    ) -> Result<Joined, Gated<Refusal>> {
        let BotIdentity { name, version } = request.bot.clone();
        let (sender, outbound) = outbound::channel(self.shared.context.limits.outbound_queue);
        let mut locked = self.lock();
        if let Err(refusal) = self.check_not_moved() {
            return Err(Gated::new(refusal, None));
        }
        if locked.machine.ticket(seat) != Some(ticket) {
            return Err(locked.gated(ticket_replaced()));
        }
        locked.joining = Some(sender);
        let joined = self.drive(&mut locked, |machine, arrived, effects| {
            machine.join(arrived, seat, request, effects)
        });
        // If the stream was refused, its queue is still there.
        locked.joining = None;
        let joined = joined.map_err(|(why, after)| locked.after(after, cannot_join(why)))?;
        locked.forwarded.set(seat, node);
        info!(seat = seat.number(), bot = name, version, "bot joined");
        let start = locked.after(joined.after, joined.start);
        Ok(Joined { number: joined.stream, outbound, start })
    }

    fn expect_forwarded_join(&self, seat: Seat, node: &Arc<ForwardingNode>) {
        let mut locked = self.lock();
        // The bot may have joined in the meantime, even over a direct connection.
        if locked.machine.bot(seat).is_none() {
            locked.forwarded.set(seat, Some(node));
        }
    }

    fn declined_seat(&self) -> Option<Seat> {
        self.lock().machine.declined()
    }

    fn replace_tickets(
        &self,
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
    ) -> Gated<Result<Vec<Seat>, ReplaceTicketsError>> {
        let mut locked = self.lock();
        let replaced = self.drive(&mut locked, |machine, arrived, effects| {
            machine.replace_tickets(arrived, tickets, are_optional, effects)
        });
        match replaced {
            Ok(replaced) => locked.after(replaced.after, Ok(replaced.seats)),
            Err((why, after)) => locked.after(after, Err(why)),
        }
    }

    fn expire_seat(&self, seat: Seat, why: String) -> Gated<Result<(), Refusal>> {
        let mut locked = self.lock();
        let expired = self.drive(&mut locked, |machine, arrived, effects| {
            machine.expire_seat(arrived, seat, why, effects)
        });
        match expired {
            Ok(after) => locked.after(after, Ok(())),
            Err((why, after)) => {
                let refusal = match why {
                    ExpireSeatError::Over => match_over(&locked.machine.match_info()),
                    ExpireSeatError::Connected => Refusal::new(
                        RefusalReason::SeatTaken,
                        format!("the bot of {seat} is connected"),
                    )
                    .with("seat", seat.number().to_string()),
                    ExpireSeatError::Parked => Refusal::stopping(),
                };
                locked.after(after, Err(refusal))
            }
        }
    }

    fn record_rejection(&self, seat: Seat, lost: Option<StreamNumber>) {
        let mut locked = self.lock();
        let counts = self.drive(&mut locked, |machine, arrived, effects| {
            machine.connection_refused(arrived, seat, lost, effects)
        });
        if counts {
            info!(seat = seat.number(), "refused a bot; pausing the clock of its seat");
        }
    }

    fn report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) -> Option<CommitGate> {
        self.put_report(seat, stream, input);
        // The next owner of the lock handles the pending reports, so the report is handled by the
        // end of this call.
        let mut locked = self.lock();
        self.drive(&mut locked, |machine, (_, reports), effects| {
            machine.handle_reports(reports, effects);
        });
        locked.gates.gate_for(locked.machine.uncommitted_report(seat, stream))
    }

    fn answer(&self, seat: Seat, stream: StreamNumber, input: SeatInput) -> Option<Gated<Verdict>> {
        self.put_report(seat, stream, input);
        let mut locked = self.lock();
        let verdict = self.drive(&mut locked, |machine, (_, reports), effects| {
            machine.handle_reports(reports, effects);
            machine.take_verdict(seat, stream, effects)
        });
        let (verdict, after) = verdict?;
        Some(locked.after(after, verdict))
    }

    fn record_handover(&self, seat: Seat, stream: StreamNumber, request_id: u32) {
        self.put_report(seat, stream, SeatInput::HandedOver { request_id });
    }

    fn is_movable(&self) -> bool {
        let origin = &self.shared.origin;
        let needs_leader = origin.is_seed_withheld() || !origin.offered.is_empty();
        if needs_leader || self.shared.facts.spectator_delay.is_some() || self.is_over() {
            return false;
        }
        self.lock().streams.iter().any(Option::is_some)
    }

    fn park(&self) -> bool {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return false;
        }
        locked.machine.park();
        true
    }

    fn hand_off(&self) {
        let mut locked = self.lock();
        // The token is cancelled under the lock. A bot that joins concurrently either finds the
        // token cancelled, or has a stream that is closed here.
        self.shared.moved.cancel();
        let gate = locked.gates.gate_for(locked.machine.uncommitted());
        for stream in &mut locked.streams {
            if let Some((_, sender)) = stream.take() {
                sender.close(Closing::Refused(Refusal::stopping()), gate.clone());
            }
        }
        locked.publisher.close_with(Refusal::stopping());
    }

    fn cancel(&self, why: Cancellation) -> Gated<Result<v1::MatchInfo, Refusal>> {
        let mut locked = self.lock();
        let cancelled = self
            .drive(&mut locked, |machine, arrived, effects| machine.cancel(arrived, why, effects));
        locked.gated(match cancelled {
            Ok(()) => Ok(locked.machine.match_info()),
            Err(CancelError::Ended) => Err(match_ended()),
            Err(CancelError::Parked) => Err(Refusal::stopping()),
        })
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Appends a report to the inbox of the match.
    fn put_report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) {
        let mut inbox = self.inbox();
        // The time is read under the lock, so that reports are in the order of their times.
        let moment: ServerTime = self.shared.clock.now();
        inbox.put(Report { moment, seat, stream, input });
    }
}

impl<G: WireGame> ActiveMatch for LiveMatch<G> {
    fn clock(&self) -> MatchClock {
        self.shared.clock.clone()
    }

    fn deadline_moved(&self) -> Arc<Notify> {
        Arc::clone(&self.shared.deadline_moved)
    }

    fn tick(&self) -> Option<Time> {
        let mut locked = self.lock();
        self.drive(&mut locked, |machine, arrived, effects| machine.tick(arrived, effects))
    }

    fn restart(&self) -> PendingEnd<'_> {
        let mut locked = self.lock();
        let next = HistoryStart {
            history_id: self.shared.context.history_id,
            unix_ms: now_unix_ms().unsigned_abs(),
        };
        self.drive(&mut locked, |machine, (now, reports), effects| {
            machine.restart(now, next, effects);
            machine.handle_reports(reports, effects);
        });
        let MatchGuard { end, .. } = locked;
        end
    }
}
