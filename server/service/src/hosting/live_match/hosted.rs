//! What the server asks a match in play.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::{
    Beginning, Cancellation, MatchId, Moment, NoNewTickets, NotCancelled, OfferedSeat, Report,
    SeatInput, StreamNumber, TicketHash, Verdict,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{BotIdentity, Known, MatchPhase, Time};
use bridgemaster_store::KeyName;
use tokio::sync::Notify;
use tracing::info;

use super::{
    super::{
        HostedMatch, MatchQuery, ShownMatch,
        clock::MatchClock,
        closing::{has_ended, not_seated, ticket_replaced},
        groups::still_running,
        hosted_match::{Course, Joined, Lateness, Outcome, PlayedMatch, ReplayBytes, UntilOver},
        outbound,
        spectators::WatchReceiver,
    },
    LiveMatch,
    effects::Locked,
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    transport::Watcher,
    wall_clock::now_unix_ms,
};

impl<G: WireGame> Locked<G> {
    /// Something that shows the match as it is now.
    pub(super) fn shown<T>(&self, value: T) -> Gated<T> {
        Gated::new(value, self.gates.before(self.machine.unsettled()))
    }
}

impl<G: WireGame> ShownMatch for LiveMatch<G> {
    fn id(&self) -> &MatchId {
        &self.around.origin.id
    }

    fn is_of(&self, key: &KeyName) -> bool {
        self.maker() == Some(key) || self.lock().machine.is_of(key.as_str())
    }

    fn seats(&self) -> SeatCount {
        self.around.seats
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        let locked = self.lock();
        let bot = locked.machine.bot(seat);
        bot.is_some_and(|bot| bot.name == name.as_str())
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let locked = self.lock();
        locked.shown(locked.machine.match_info())
    }

    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        let locked = self.lock();
        locked.shown(locked.machine.info_without_config())
    }

    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        // Without the lock: who looks for some matches must not hold up the others.
        if !wanted.wants_state(self.state.get()) || !wanted.wants_origin(G::ID, &self.around.origin)
        {
            return None;
        }
        let locked = self.lock();
        let info = locked.machine.match_info();
        wanted.wants(G::ID, &info).then(|| locked.shown(info))
    }

    fn is_over(&self) -> bool {
        matches!(
            self.state.get(),
            v1::MatchState::Ended | v1::MatchState::Cancelled
        )
    }

    fn change_count(&self) -> u64 {
        self.lock().machine.referee().public_changes()
    }

    fn until_over(&self) -> UntilOver<'_> {
        Box::pin(self.around.over.cancelled())
    }

    fn until_left(&self) -> UntilOver<'_> {
        Box::pin(self.around.left.cancelled())
    }

    fn glance(&self, known: Option<u64>) -> Option<(u64, Gated<v1::WatchMatchResponse>)> {
        let locked = self.lock();
        let changes = locked.machine.referee().public_changes();
        let snapshot = || locked.shown(locked.machine.snapshot());
        (known != Some(changes)).then(|| (changes, snapshot()))
    }

    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        self.check_is_here()?;
        let limits = &self.around.context.limits;
        let entrant = self.around.audience.enter(watcher, limits)?;
        let mut locked = self.lock();
        // To those who watch already: the new one sees it by itself.
        locked.tell_news();
        let snapshot = locked.machine.snapshot();
        let gate = locked.gates.before(locked.machine.unsettled());
        let receiver = locked.teller.begin(entrant, &snapshot, gate);
        match locked.machine.referee().phase() {
            MatchPhase::Ended => locked.teller.dismiss(),
            _ => self.begin_newscast(&mut locked),
        }
        Ok(receiver)
    }

    fn replay(&self) -> ReplayBytes {
        let locked = self.lock();
        let has_ended = locked.machine.referee().result().is_some();
        if has_ended && locked.machine.is_held_back() {
            return ReplayBytes::Never(locked.shown(still_running()));
        }
        drop(locked);
        self.whole_replay()
    }

    fn course(&self) -> &dyn Course {
        self
    }
}

impl<G: WireGame> HostedMatch for LiveMatch<G> {
    fn game_id(&self) -> &'static str {
        G::ID
    }

    fn rules_version(&self) -> u32 {
        G::RULES_VERSION
    }

    fn startup(&self) -> Duration {
        let startup_ms = self.lock().machine.referee().rules().clock.startup_ms;
        Duration::from_millis(startup_ms.into())
    }

    fn lateness(&self) -> Option<Lateness> {
        let delay_ms = self.around.origin.spectators?.delay_ms;
        (delay_ms > 0 && !self.is_over()).then(|| Lateness {
            delay: Duration::from_millis(delay_ms.into()),
            over_in: None,
        })
    }

    fn elapsed(&self) -> Option<Duration> {
        let started_at = self.lock().machine.referee().started_at()?;
        let started = Moment {
            time: started_at,
            lag_us: 0,
        };
        Some(self.around.clock.since(started))
    }

    fn maker(&self) -> Option<&KeyName> {
        self.around.maker.as_ref()
    }

    fn parties(&self) -> Vec<KeyName> {
        let names = self.lock().machine.parties();
        // A bot whose name no key can have is of no key.
        let names = names.into_iter().map(KeyName::new);
        names.filter_map(Result::ok).collect()
    }

    fn join(
        &self,
        (seat, ticket): (Seat, TicketHash),
        bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Outcome<Result<Joined, Gated<Refusal>>> {
        let (name, version) = (bot.name.clone(), bot.version.clone());
        let (sender, outbound) = outbound::channel(self.around.context.limits.outbound_queue);
        let mut locked = self.lock();
        if let Err(refusal) = self.check_is_here() {
            return Outcome::of(Err(Gated::new(refusal, None)));
        }
        if locked.machine.ticket(seat) != Some(ticket) {
            return Outcome::of(Err(locked.shown(ticket_replaced())));
        }
        locked.joining = Some(sender);
        let key = key.map(KeyName::as_str);
        let outcome = self.drive(&mut locked, |machine, arrived, effects| {
            machine.join(arrived, seat, bot, key, known, effects)
        });
        // Still there if the stream is refused.
        locked.joining = None;
        outcome.map(|joined| match joined {
            Ok(joined) => {
                info!(%seat, bot = name, version, "bot joined");
                Ok(Joined {
                    number: joined.stream,
                    outbound,
                    opening: Gated::new(joined.opening, locked.gates.before(joined.after)),
                })
            }
            Err((why, after)) => Err(Gated::new(not_seated(why), locked.gates.before(after))),
        })
    }

    fn offered(&self) -> &BTreeMap<Seat, OfferedSeat> {
        &self.around.origin.offered
    }

    fn declined(&self) -> Option<Seat> {
        self.lock().machine.declined()
    }

    fn has_come(&self, seat: Seat) -> bool {
        self.lock().machine.bot(seat).is_some()
    }

    fn group(&self) -> Option<&v1::MatchGroup> {
        self.around.origin.group.as_ref()
    }

    fn replace_tickets(
        &self,
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
    ) -> Outcome<Result<Gated<Vec<Seat>>, Gated<NoNewTickets>>> {
        let mut locked = self.lock();
        let outcome = self.drive(&mut locked, |machine, arrived, effects| {
            machine.replace_tickets(arrived, tickets, are_optional, effects)
        });
        outcome.map(|replaced| match replaced {
            Ok(replaced) => {
                let gate = locked.gates.before(replaced.after);
                Ok(Gated::new(replaced.seats, gate))
            }
            Err((why, after)) => Err(Gated::new(why, locked.gates.before(after))),
        })
    }

    fn turned_away(&self, seat: Seat) -> Outcome<()> {
        let mut locked = self.lock();
        let outcome = self.drive(&mut locked, |machine, arrived, effects| {
            machine.turned_away(arrived, seat, effects)
        });
        outcome.map(|counts| {
            if counts {
                info!(%seat, "bot turned away by the server; its clocks wait");
            }
        })
    }

    fn report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) -> Outcome<Option<Gate>> {
        self.put_report(seat, stream, input);
        // Whoever has the lock handles it; once this has it, it is handled.
        let mut locked = self.lock();
        let outcome = self.drive(&mut locked, |machine, (_, reports), effects| {
            machine.handle_reports(reports, effects);
        });
        outcome.map(|()| {
            let after = locked.machine.unsettled_report(seat, stream);
            locked.gates.before(after)
        })
    }

    fn answer(
        &self,
        seat: Seat,
        stream: StreamNumber,
        input: SeatInput,
    ) -> Outcome<Option<Gated<Verdict>>> {
        self.put_report(seat, stream, input);
        let mut locked = self.lock();
        let outcome = self.drive(&mut locked, |machine, (_, reports), effects| {
            machine.handle_reports(reports, effects);
            machine.take_verdict(seat, stream, effects)
        });
        outcome.map(|told| {
            let (verdict, after) = told?;
            Some(Gated::new(verdict, locked.gates.before(after)))
        })
    }

    fn handed_over(&self, seat: Seat, stream: StreamNumber, request_id: u32) {
        self.put_report(seat, stream, SeatInput::HandedOver { request_id });
    }

    fn may_leave(&self) -> bool {
        self.can_go_on_elsewhere()
    }

    fn stand_still(&self) -> bool {
        self.park()
    }

    fn leave(&self) {
        self.end_streams();
    }

    fn cancel(&self, why: Cancellation) -> Outcome<Result<Gated<v1::MatchInfo>, Gated<Refusal>>> {
        let mut locked = self.lock();
        let outcome = self.drive(&mut locked, |machine, arrived, effects| {
            machine.cancel(arrived, why, effects)
        });
        outcome.map(|cancelled| match cancelled {
            Ok(()) => Ok(locked.shown(locked.machine.match_info())),
            Err(NotCancelled::Ended) => Err(locked.shown(has_ended())),
            Err(NotCancelled::Parked) => Err(locked.shown(Refusal::stopping())),
        })
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Puts a report where it waits for the match.
    fn put_report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) {
        let mut inbox = self.inbox();
        // Read under the lock, so that moments have the order of reports.
        let moment: Moment = self.around.clock.now();
        inbox.put(Report {
            moment,
            seat,
            stream,
            input,
        });
    }
}

impl<G: WireGame> PlayedMatch for LiveMatch<G> {
    fn clock(&self) -> MatchClock {
        self.around.clock.clone()
    }

    fn sooner(&self) -> Arc<Notify> {
        Arc::clone(&self.around.sooner)
    }

    fn tick(&self) -> Outcome<Option<Time>> {
        let mut locked = self.lock();
        self.drive(&mut locked, |machine, arrived, effects| {
            machine.tick(arrived, effects)
        })
    }

    fn restarted(&self) -> Outcome<()> {
        let mut locked = self.lock();
        let next = Beginning {
            history_id: self.around.context.history_id,
            unix_ms: now_unix_ms().unsigned_abs(),
        };
        self.drive(&mut locked, |machine, (now, reports), effects| {
            machine.restarted(now, next, effects);
            machine.handle_reports(reports, effects);
        })
    }
}
