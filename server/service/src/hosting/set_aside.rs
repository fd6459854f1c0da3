//! What the store has and the server cannot read: matches in play that cannot go on, and finished
//! ones. All of it stays in the store as it is, and the other matches go on.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::Arc,
};

use bridgemaster_store::{Damage, DamagedValue as Value, KeyName};
use parking_lot::{Mutex, MutexGuard};
use tracing::error;

use crate::{
    metrics::{DamagedValue, Metrics},
    refusal::Refusal,
};
use bridgemaster_match::{Claims, MatchId, TicketHash};

/// Most damaged values of finished matches that are told apart: some hundred bytes each. Those
/// beyond are refused as the others are, without a line of their own in the log.
const MAX_NAMED: usize = 10_000;

/// The matches that cannot be read.
pub(crate) struct SetAside {
    metrics: Arc<Metrics>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Matches in play, with the key that made each, where that can be read.
    in_play: BTreeMap<MatchId, Option<KeyName>>,
    tickets: HashMap<TicketHash, MatchId>,
    /// Damages of finished matches that have been told.
    told: HashSet<(MatchId, DamagedValue)>,
}

impl SetAside {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            known: Mutex::default(),
        }
    }

    /// A match in play that cannot go on.
    pub(super) fn match_in_play(&self, id: MatchId, claims: Claims, problem: &dyn fmt::Display) {
        error!(
            match_id = %id,
            %problem,
            "a match in play cannot go on and is set aside: it stays in the store until \
             `bridgemaster data drop` removes it"
        );
        self.metrics.damaged(DamagedValue::MatchInPlay);
        let mut known = self.lock();
        for ticket in claims.tickets {
            known.tickets.insert(ticket, id.clone());
        }
        let maker = claims.maker.and_then(|maker| KeyName::new(maker).ok());
        known.in_play.insert(id, maker);
    }

    /// A value of a finished match that the store cannot read. It is told of once.
    pub(crate) fn finished(&self, damage: &Damage) {
        let part = match &damage.value {
            Value::Replay(_) => DamagedValue::Replay,
            _ => DamagedValue::Summary,
        };
        if let Some(id) = damage.value.match_id() {
            self.part_of_finished(id, part, &damage.detail);
        }
    }

    /// A part of a finished match that makes no sense. It is told of once.
    pub(crate) fn part_of_finished(
        &self,
        id: &MatchId,
        part: DamagedValue,
        problem: &dyn fmt::Display,
    ) {
        let is_new = {
            let mut known = self.lock();
            known.told.len() < MAX_NAMED && known.told.insert((id.clone(), part))
        };
        if is_new {
            error!(
                match_id = %id,
                %problem,
                "the {} of a finished match cannot be read", part.as_str()
            );
            self.metrics.damaged(part);
        }
    }

    /// The match in play that a ticket is for.
    pub(super) fn match_of(&self, ticket: TicketHash) -> Option<MatchId> {
        self.lock().tickets.get(&ticket).cloned()
    }

    /// How many matches in play cannot go on.
    pub(super) fn count(&self) -> usize {
        self.lock().in_play.len()
    }

    /// Whether this is a match in play that cannot go on; with the key that made it.
    pub(super) fn maker_of(&self, id: &MatchId) -> Option<Option<KeyName>> {
        self.lock().in_play.get(id).cloned()
    }

    /// The matches in play that cannot go on, each with the key that made it.
    pub(super) fn in_play(&self) -> Vec<(MatchId, Option<KeyName>)> {
        let known = self.lock();
        known
            .in_play
            .iter()
            .map(|(id, maker)| (id.clone(), maker.clone()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }
}

/// What is told of a ticket of no match that the server can read, while there are some that it
/// cannot: their tickets may be unreadable too, or in the part that is.
pub(super) fn may_be_unreadable(count: usize) -> Refusal {
    Refusal::damaged(format!(
        "the ticket is of no match that this server can read; {count} in play cannot be read, and \
         it may be of one of them; the server's operator is told why"
    ))
}

/// What is told of a match that the store has and the server cannot read.
pub(crate) fn unreadable(id: &MatchId) -> Refusal {
    Refusal::damaged(format!(
        "the server cannot read what it has stored of the match {id}; its operator is told why"
    ))
}
