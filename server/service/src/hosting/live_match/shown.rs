//! What a match shows of itself, and what it takes from streams.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{BotIdentity, Input, Known};
use bridgemaster_store::KeyName;
use bridgemaster_wire::{result_to_wire, rules_to_wire, seat_to_wire};
use tokio::sync::Notify;
use tracing::info;

use super::{
    super::{
        HostedMatch, MatchId, SeatInput,
        clock::Moment,
        hosted_match::{Joined, Opening, PlayedMatch, ReplayBytes},
        link::{forfeited, of_another_key},
        seat_stream::StreamNumber,
        spectators::WatchReceiver,
    },
    LiveMatch, Replay, Table,
};
use crate::{
    journal::{Gate, Gated},
    refusal::Refusal,
    transport::Watcher,
};

impl<G: WireGame> LiveMatch<G> {
    pub(super) fn snapshot(&self, table: &Table<G>) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.match_info(table)),
            observation: table
                .referee
                .observe_spectator()
                .map(|observation| G::observation_to_wire(&observation)),
            events: Vec::new(),
        }
    }

    pub(super) fn match_info(&self, table: &Table<G>) -> v1::MatchInfo {
        let referee = &table.referee;
        let rules = referee.rules();
        let result = referee.result();
        v1::MatchInfo {
            match_id: self.id.to_string(),
            state: table.state().into(),
            config: Some(rules_to_wire(rules, result.is_some())),
            seats: referee.public_seats().map(seat_to_wire).collect(),
            decisions: referee.public_decisions(),
            result: result.map(|result| result_to_wire(self.id.as_str(), result)),
            seed_commitment: self.salt.commit(&rules.seed),
            seed_salt: result.map(|_| self.salt.to_hex()).unwrap_or_default(),
            rules_version: G::RULES_VERSION,
            ..v1::MatchInfo::default()
        }
    }
}

impl<G: WireGame> HostedMatch for LiveMatch<G> {
    fn id(&self) -> &MatchId {
        &self.id
    }

    fn game_id(&self) -> &'static str {
        G::ID
    }

    fn maker(&self) -> Option<&KeyName> {
        self.maker.as_ref()
    }

    fn is_of(&self, key: &KeyName) -> bool {
        self.maker() == Some(key) || self.table().bots().any(|bot| bot.name == key.as_str())
    }

    fn parties(&self) -> Vec<KeyName> {
        self.parties_at(&self.table())
    }

    fn join(
        &self,
        seat: Seat,
        bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Result<Joined, Gated<Refusal>> {
        let stopping = || Gated::new(Refusal::stopping(), None);
        let matches = self.matches.upgrade().ok_or_else(stopping)?;
        let mut table = self.table();
        if let Some(key) = key
            && table.bot(seat).is_some_and(|bot| bot.name != key.as_str())
        {
            return Err(Gated::new(of_another_key(), table.unsettled()));
        }
        let moment = self.catch_up(&mut table, &matches);
        self.tell_lag(&mut table, &matches, moment);
        if let Some(fault) = table.referee.forfeit(seat) {
            return Err(Gated::new(forfeited(&fault), table.unsettled()));
        }
        let last_sequence = table.believed(seat, known);
        let link = &mut table.links[seat.index()];
        let (number, outbound) = link.renew(matches.limits().outbound_queue);
        info!(%seat, bot = bot.name, version = bot.version, "bot joined");
        if let Some(key) = key {
            matches.is_of(&self.id, key);
        }
        self.handle(
            &mut table,
            &matches,
            moment.time,
            Input::Connected {
                seat,
                bot,
                last_sequence,
            },
        );
        let opening = Opening {
            history_id: table.histories.running(),
            resumed: last_sequence.is_some(),
        };
        Ok(Joined {
            number,
            outbound,
            opening: Gated::new(opening, table.unsettled()),
        })
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        let table = self.table();
        table.bot(seat).is_some_and(|bot| bot.name == name.as_str())
    }

    fn turned_away(&self, seat: Seat) {
        let Some(matches) = self.matches.upgrade() else {
            return;
        };
        let mut table = self.table();
        let moment = self.catch_up(&mut table, &matches);
        self.tell_lag(&mut table, &matches, moment);
        // Between two that are told the grace goes on, so that a bot which tries without a pause
        // does not fill the journal.
        if table.links[seat.index()].is_turned_away(moment.time) {
            info!(%seat, "the bot is turned away, which costs it no time");
            let input = Input::TurnedAway { seat };
            self.handle(&mut table, &matches, moment.time, input);
        }
    }

    fn report(&self, seat: Seat, number: StreamNumber, input: SeatInput) -> Option<Gate> {
        let matches = self.matches.upgrade()?;
        self.inbox.put(matches.clock(), seat, number, input);
        // Whoever has the lock handles it; once this has it, it is handled.
        let mut table = self.table();
        self.catch_up(&mut table, &matches);
        table.links[seat.index()].unsettled(number)
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let table = self.table();
        Gated::new(self.match_info(&table), table.unsettled())
    }

    fn info_in(&self, state: v1::MatchState) -> Option<Gated<v1::MatchInfo>> {
        let is_meant = |now| state == v1::MatchState::Unspecified || state == now;
        // Without the lock: who looks for matches in one state must not hold up the others.
        if !is_meant(self.state.get()) {
            return None;
        }
        let table = self.table();
        is_meant(table.state()).then(|| Gated::new(self.match_info(&table), table.unsettled()))
    }

    fn watch(&self, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        let matches = self.matches.upgrade().ok_or_else(Refusal::stopping)?;
        let mut table = self.table();
        let (snapshot, gate) = (self.snapshot(&table), table.unsettled());
        let spectators = &mut table.spectators;
        let receiver = spectators.add(watcher, snapshot, gate, matches.limits())?;
        if table.referee.result().is_some() {
            table.spectators.dismiss();
        }
        Ok(receiver)
    }

    fn replay(&self) -> ReplayBytes {
        let table = self.table();
        match &table.replay {
            Replay::Growing(_) => ReplayBytes::Growing,
            Replay::Sealed(bytes) => {
                ReplayBytes::Here(Gated::new(Arc::clone(bytes), table.unsettled()))
            }
        }
    }
}

impl<G: WireGame> PlayedMatch for LiveMatch<G> {
    fn sooner(&self) -> Arc<Notify> {
        Arc::clone(&self.sooner)
    }

    fn restarted(&self) {
        let Some(matches) = self.matches.upgrade() else {
            return;
        };
        let mut table = self.table();
        let Moment { time, lag_us } = matches.clock().now();
        table.lag_us = lag_us;
        let sent = table.referee.sent().collect();
        table.histories.begin(matches.history_id(), sent);
        self.handle(&mut table, &matches, time, Input::Restarted);
    }
}
