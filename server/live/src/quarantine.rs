//! Stored matches that cannot be read. Such matches stay in the store unchanged, and all other
//! matches continue.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::Arc,
};

use bridgemaster_edge::{
    metrics::{DamagedValue, Metrics},
    refusal::Refusal,
};
use bridgemaster_store::{DamageReport, DamagedValue as Value, KeyName};
use parking_lot::{Mutex, MutexGuard};
use tracing::error;

use bridgemaster_match::{MatchId, MatchParties, TicketHash};

/// The maximum number of damaged values of finished matches that are remembered as logged. Each
/// uses a few hundred bytes of memory. Beyond this number, damaged values are refused without a log
/// line.
const MAX_REPORTED: usize = 10_000;

/// The matches that cannot be read.
pub struct Quarantine {
    metrics: Arc<Metrics>,
    state: Mutex<QuarantineState>,
}

#[derive(Default)]
struct QuarantineState {
    /// Matches in play, each with the key that created it, if the key can be read.
    in_play: BTreeMap<MatchId, Option<KeyName>>,
    tickets: HashMap<TicketHash, MatchId>,
    /// Damaged values of finished matches that have been logged.
    reported: HashSet<(MatchId, DamagedValue)>,
}

impl Quarantine {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, state: Mutex::default() }
    }

    /// Quarantines a match in play that cannot continue.
    pub(super) fn add_match_in_play(
        &self,
        id: MatchId,
        parties: MatchParties,
        problem: &dyn fmt::Display,
    ) {
        error!(
            match_id = %id,
            %problem,
            "a match in play cannot be restored and is quarantined; it stays in the store until \
             `bridgemaster data drop` removes it"
        );
        self.metrics.count_damaged(DamagedValue::MatchInPlay);
        let mut state = self.lock();
        for ticket in parties.tickets {
            state.tickets.insert(ticket, id.clone());
        }
        let maker = parties.maker.and_then(|maker| KeyName::new(maker).ok());
        state.in_play.insert(id, maker);
    }

    /// Reports a damaged value of a finished match. Each value is logged once.
    pub(crate) fn report_damage(&self, damage: &DamageReport) {
        let part = match &damage.value {
            Value::Replay(_) => DamagedValue::Replay,
            _ => DamagedValue::Summary,
        };
        if let Some(id) = damage.value.match_id() {
            self.report_damaged_part(id, part, &damage.detail);
        }
    }

    /// Reports an invalid part of a finished match. Each part is logged once.
    pub fn report_damaged_part(
        &self,
        id: &MatchId,
        part: DamagedValue,
        problem: &dyn fmt::Display,
    ) {
        let is_new = {
            let mut state = self.lock();
            state.reported.len() < MAX_REPORTED && state.reported.insert((id.clone(), part))
        };
        if is_new {
            error!(
                match_id = %id,
                %problem,
                "the {} of a finished match cannot be read", part.as_str()
            );
            self.metrics.count_damaged(part);
        }
    }

    /// Returns the quarantined match to which a ticket belongs.
    pub(super) fn match_of_ticket(&self, ticket: TicketHash) -> Option<MatchId> {
        self.lock().tickets.get(&ticket).cloned()
    }

    pub(super) fn in_play_count(&self) -> usize {
        self.lock().in_play.len()
    }

    /// Returns the key that created a quarantined match in play. The outer `None` means that the
    /// match is not quarantined.
    pub(super) fn maker_of(&self, id: &MatchId) -> Option<Option<KeyName>> {
        self.lock().in_play.get(id).cloned()
    }

    /// Returns the quarantined matches in play, each with the key that created it.
    pub(super) fn in_play(&self) -> Vec<(MatchId, Option<KeyName>)> {
        let state = self.lock();
        state.in_play.iter().map(|(id, maker)| (id.clone(), maker.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, QuarantineState> {
        self.state.lock()
    }
}

/// The refusal for an unknown ticket while matches are quarantined, since the ticket might belong
/// to one of these matches.
pub(super) fn unknown_ticket(count: usize) -> Refusal {
    Refusal::damaged(format!(
        "the ticket is unknown, but might belong to one of {count} matches in play whose stored \
         data cannot be read; see the server log"
    ))
}

/// The refusal for a match whose stored data cannot be read.
pub(crate) fn match_unreadable(id: &MatchId) -> Refusal {
    Refusal::damaged(format!("the stored data of match {id} cannot be read; see the server log"))
}
