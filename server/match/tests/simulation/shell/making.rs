//! Creation of a match, and its recovery from stored data.

use std::{collections::VecDeque, sync::Arc};

use bridgemaster_match::{Header, Inbox, Match, MatchId, Origin, ServerTime, TicketHash, recover};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{HistoryId, MatchRules, Referee, Time};
use bridgemaster_replay::SigningKey;
use bridgemaster_replay::wire::SeedSalt;

use super::Shell;
use crate::{
    auditor::Auditor,
    oracle::Violation,
    store::Store,
    tampering::{EffectTampering, Tampering},
};

impl<G: WireGame> Shell<G> {
    pub(crate) fn new(
        rules: MatchRules<G>,
        tampering: Option<Tampering>,
        effect_tampering: Option<EffectTampering>,
    ) -> Result<Self, Violation> {
        let refused = |error: bridgemaster_games::FieldError| {
            Violation(format!("the rules are refused: {error}"))
        };
        let tickets = rules.seats.seats();
        let tickets = tickets.map(|seat| TicketHash::new([seat.number(); 32]));
        let origin = Origin::new(match_id(), SeedSalt::new([7; 32]), tickets.collect());
        let referee = Referee::new(rules.clone(), Time(0)).map_err(refused)?;
        let (made_at, history) = (ServerTime::default(), history_of(0));
        let is_stored = true;
        let machine = Match::new(origin.clone(), rules, made_at, history, is_stored, signing_key());
        let machine = machine.map_err(refused)?;
        let auditor = Auditor::new(origin, referee, history_of(0), tampering)?;
        let store = Store::new(machine.header());
        Ok(Self { tampering: effect_tampering, ..Self::of(machine, auditor, store) })
    }

    /// Recovers the match from its own store.
    pub(super) fn restored(&self) -> Result<Match<G>, Violation> {
        let header = Header::read(&self.store.header).map_err(lost)?;
        let recovered = recover::<G>(match_id(), &header, self.store.entries()).map_err(lost)?;
        Ok(Match::from_recovered(recovered, signing_key()))
    }

    fn of(machine: Match<G>, auditor: Auditor<G>, store: Store) -> Self {
        let seats = usize::from(machine.referee().rules().seats.get());
        Self {
            machine,
            auditor,
            store,
            inbox: Inbox::default(),
            reports: Vec::new(),
            made: Vec::new(),
            effects: Vec::new(),
            senders: vec![None; seats],
            numbers: Vec::new(),
            queues: Vec::<VecDeque<_>>::new(),
            lag_us: 0,
            wakes: false,
            changes: 0,
            is_update_due: false,
            opening: None,
            tampering: None,
        }
    }
}

fn lost(problem: impl std::fmt::Display) -> Violation {
    Violation(format!("the match cannot be recovered: {problem}"))
}

fn match_id() -> MatchId {
    MatchId::new("0123456789abcdef").unwrap()
}

fn signing_key() -> Arc<SigningKey> {
    Arc::new(SigningKey::new(&[5; 32]))
}

/// Returns the id of the history that a run of the server begins.
pub(super) fn history_of(run: u32) -> HistoryId {
    HistoryId::new(u128::from(run).to_be_bytes())
}
