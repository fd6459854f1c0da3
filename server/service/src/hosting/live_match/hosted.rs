//! What the server asks a match in play.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_match::{Beginning, MatchId, Moment, Report, SeatInput, StreamNumber};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{BotIdentity, Known, Time};
use bridgemaster_store::KeyName;
use tokio::sync::Notify;
use tracing::info;

use super::{
    super::{
        HostedMatch, MatchQuery,
        closing::not_seated,
        hosted_match::{Joined, Outcome, PlayedMatch, ReplayBytes},
        outbound,
        spectators::WatchReceiver,
    },
    LiveMatch, Table,
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    transport::Watcher,
    wall_clock::now_unix_ms,
};

impl<G: WireGame> Table<G> {
    /// Something that shows the match as it is now.
    fn shown<T>(&self, value: T) -> Gated<T> {
        Gated::new(value, self.gates.before(self.machine.unsettled()))
    }
}

impl<G: WireGame> HostedMatch for LiveMatch<G> {
    fn id(&self) -> &MatchId {
        &self.origin.id
    }

    fn game_id(&self) -> &'static str {
        G::ID
    }

    fn maker(&self) -> Option<&KeyName> {
        self.maker.as_ref()
    }

    fn is_of(&self, key: &KeyName) -> bool {
        self.maker() == Some(key) || self.table().machine.is_of(key.as_str())
    }

    fn parties(&self) -> Vec<KeyName> {
        let names = self.table().machine.parties();
        // A bot whose name no key can have is of no key.
        let names = names.into_iter().map(KeyName::new);
        names.filter_map(Result::ok).collect()
    }

    fn join(
        &self,
        seat: Seat,
        bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Outcome<Result<Joined, Gated<Refusal>>> {
        let (name, version) = (bot.name.clone(), bot.version.clone());
        let (sender, outbound) = outbound::channel(self.context.limits.outbound_queue);
        let mut table = self.table();
        table.joining = Some(sender);
        let key = key.map(KeyName::as_str);
        let outcome = self.drive(&mut table, |machine, arrived, effects| {
            machine.join(arrived, seat, bot, key, known, effects)
        });
        // Still there if the stream is refused.
        table.joining = None;
        outcome.map(|joined| match joined {
            Ok(joined) => {
                info!(%seat, bot = name, version, "bot joined");
                Ok(Joined {
                    number: joined.stream,
                    outbound,
                    opening: Gated::new(joined.opening, table.gates.before(joined.after)),
                })
            }
            Err((why, after)) => Err(Gated::new(not_seated(why), table.gates.before(after))),
        })
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        let table = self.table();
        let bot = table.machine.bot(seat);
        bot.is_some_and(|bot| bot.name == name.as_str())
    }

    fn turned_away(&self, seat: Seat) -> Outcome<()> {
        let mut table = self.table();
        let outcome = self.drive(&mut table, |machine, arrived, effects| {
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
        let mut table = self.table();
        let outcome = self.drive(&mut table, |machine, (_, reports), effects| {
            machine.handle_reports(reports, effects);
        });
        outcome.map(|()| {
            let after = table.machine.unsettled_report(seat, stream);
            table.gates.before(after)
        })
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let table = self.table();
        table.shown(table.machine.match_info())
    }

    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        // Without the lock: who looks for some matches must not hold up the others.
        if !wanted.wants_state(self.state.get()) || !wanted.wants_origin(G::ID, &self.origin) {
            return None;
        }
        let table = self.table();
        let info = table.machine.match_info();
        wanted.wants(G::ID, &info).then(|| table.shown(info))
    }

    fn watch(&self, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        let mut table = self.table();
        let snapshot = table.machine.snapshot();
        let gate = table.gates.before(table.machine.unsettled());
        let limits = &self.context.limits;
        let receiver = table.spectators.add(watcher, snapshot, gate, limits)?;
        if table.machine.referee().result().is_some() {
            table.spectators.dismiss();
        }
        table.machine.set_watched(true);
        Ok(receiver)
    }

    fn replay(&self) -> ReplayBytes {
        let table = self.table();
        match table.machine.replay() {
            None => ReplayBytes::Growing,
            Some(bytes) => ReplayBytes::Here(table.shown(Arc::clone(bytes))),
        }
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Puts a report where it waits for the match.
    fn put_report(&self, seat: Seat, stream: StreamNumber, input: SeatInput) {
        let mut inbox = self.inbox();
        // Read under the lock, so that moments have the order of reports.
        let moment: Moment = self.context.clock.now();
        inbox.put(Report {
            moment,
            seat,
            stream,
            input,
        });
    }
}

impl<G: WireGame> PlayedMatch for LiveMatch<G> {
    fn sooner(&self) -> Arc<Notify> {
        Arc::clone(&self.sooner)
    }

    fn tick(&self) -> Outcome<Option<Time>> {
        let mut table = self.table();
        self.drive(&mut table, |machine, arrived, effects| {
            machine.tick(arrived, effects)
        })
    }

    fn restarted(&self) -> Outcome<()> {
        let mut table = self.table();
        let next = Beginning {
            history_id: self.context.history_id,
            unix_ms: now_unix_ms().unsigned_abs(),
        };
        self.drive(&mut table, |machine, (now, _), effects| {
            machine.restarted(now, next, effects);
        })
    }
}
