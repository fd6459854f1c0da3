//! The ladders of a [`MemoryStore`](crate::MemoryStore).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    LadderChange, LadderId, LadderRows, StoredLadder, StoredLadderMatch, StoredLadderVersion,
    ladder_batch::{LadderState, LadderStates},
    limits::MAX_PAGE_LADDER_MATCHES,
};

#[derive(Debug, Default)]
pub(crate) struct MemoryLadders(BTreeMap<LadderId, Ladder>);

#[derive(Debug, Default)]
struct Ladder {
    term: u64,
    value: Vec<u8>,
    /// The stored records of versions, by bot name and version.
    versions: BTreeMap<(String, String), Vec<u8>>,
    matches: Vec<StoredLadderMatch>,
}

impl MemoryLadders {
    /// Returns the state of these ladders. `ended` contains the matches to look up, by ladder.
    pub(crate) fn states(&self, ended: HashMap<LadderId, BTreeSet<u64>>) -> LadderStates {
        let state = |(id, ends): (LadderId, BTreeSet<u64>)| {
            let ladder = self.0.get(&id)?;
            let is_open = |number: &u64| ladder.find(*number).is_some_and(|found| !found.is_over);
            let state = LadderState::Sound {
                term: ladder.term,
                matches: ladder.matches.len() as u64,
                open: ends.into_iter().filter(is_open).collect(),
            };
            Some((id, state))
        };
        ended.into_iter().filter_map(state).collect()
    }

    /// Applies a validated change.
    pub(crate) fn apply(&mut self, id: LadderId, change: LadderChange) {
        if change == LadderChange::Drop {
            self.0.remove(&id);
            return;
        }
        let ladder = self.0.entry(id).or_default();
        match change {
            LadderChange::Open { value } | LadderChange::Update { value, .. } => {
                ladder.value = value
            }
            LadderChange::StartTerm { term } => ladder.term = term,
            LadderChange::PutVersion {
                bot_name,
                bot_version,
                value,
                ..
            } => {
                ladder.versions.insert((bot_name, bot_version), value);
            }
            LadderChange::Pair { number, value, .. } => ladder.matches.push(StoredLadderMatch {
                number,
                is_over: false,
                value,
            }),
            LadderChange::End { number, value, .. } => {
                let place = usize::try_from(number).ok();
                if let Some(ended) = place.and_then(|place| ladder.matches.get_mut(place)) {
                    ended.is_over = true;
                    ended.value = value;
                }
            }
            LadderChange::Drop => {}
        }
    }

    pub(crate) fn all(&self) -> LadderRows<StoredLadder> {
        let ladders = self.0.iter().map(|(id, ladder)| StoredLadder {
            ladder_id: id.clone(),
            term: ladder.term,
            value: ladder.value.clone(),
        });
        LadderRows {
            intact: ladders.collect(),
            ..LadderRows::default()
        }
    }

    pub(crate) fn versions(&self, id: &LadderId) -> LadderRows<StoredLadderVersion> {
        let versions = self
            .0
            .get(id)
            .into_iter()
            .flat_map(|ladder| &ladder.versions);
        let versions = versions.map(|((bot_name, bot_version), value)| StoredLadderVersion {
            bot_name: bot_name.clone(),
            bot_version: bot_version.clone(),
            value: value.clone(),
        });
        LadderRows {
            intact: versions.collect(),
            ..LadderRows::default()
        }
    }

    pub(crate) fn matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> LadderRows<StoredLadderMatch> {
        let limit = limit.clamp(1, MAX_PAGE_LADDER_MATCHES) as usize;
        let matches = self.0.get(id).map(|ladder| &*ladder.matches);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let rest = matches.and_then(|matches| matches.get(from..));
        let rest = rest.unwrap_or_default();
        let page = &rest[..limit.min(rest.len())];
        let next = page.last().map(|last| last.number + 1);
        LadderRows {
            intact: page.to_vec(),
            damaged: Vec::new(),
            next: next.filter(|_| rest.len() > limit),
        }
    }

    pub(crate) fn get(&self, id: &LadderId, number: u64) -> Option<StoredLadderMatch> {
        self.0.get(id)?.find(number).cloned()
    }
}

impl Ladder {
    fn find(&self, number: u64) -> Option<&StoredLadderMatch> {
        self.matches.get(usize::try_from(number).ok()?)
    }
}
