//! Random batches, compared with a simple model of the store.

use std::collections::HashMap;

use bridgemaster_store::{FinishedMatch, KeyName, MatchId, OpenMatch, StoreError, Write};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    Subject,
    workload::{Contents, PARTIES, Workload},
};

const SEEDS: std::ops::Range<u64> = 0..3;
const BATCHES: usize = 120;

/// The expected content of a store.
#[derive(Default)]
struct Model {
    open: Vec<OpenMatch>,
    finished: Vec<(FinishedMatch, Option<Vec<u8>>)>,
    parties: HashMap<MatchId, Vec<KeyName>>,
}

impl Model {
    fn remove(&mut self, id: &MatchId) -> Option<OpenMatch> {
        let place = self.open.iter().position(|open| open.match_id == *id)?;
        Some(self.open.remove(place))
    }

    /// Applies a valid write.
    fn apply(&mut self, write: Write) {
        match write {
            Write::OpenMatch { match_id, opened_at_unix_ms, header } => {
                let journal = Vec::new();
                self.open.push(OpenMatch { match_id, opened_at_unix_ms, header, journal });
            }
            Write::Append { match_id, entry, .. } => {
                let open = self.open.iter_mut().find(|open| open.match_id == match_id);
                open.unwrap().journal.push(entry);
            }
            Write::FinishMatch { match_id, ended_at_unix_ms, summary, replay, parties, .. } => {
                self.parties.insert(match_id.clone(), parties);
                let opened_at_unix_ms = self.remove(&match_id).unwrap().opened_at_unix_ms;
                let finished =
                    FinishedMatch { match_id, opened_at_unix_ms, ended_at_unix_ms, summary };
                self.finished.insert(0, (finished, Some(replay)));
            }
            Write::ForgetReplay { match_id } => {
                let mut finished = self.finished.iter_mut();
                let found = finished.find(|(finished, _)| finished.match_id == match_id);
                found.unwrap().1 = None;
            }
            Write::DropMatch { match_id } => {
                if self.remove(&match_id).is_none() {
                    self.finished.retain(|(finished, _)| finished.match_id != match_id);
                }
            }
            Write::PutRecord { .. } | Write::RemoveRecord { .. } | Write::ChangeLadder { .. } => {}
        }
    }

    fn contents(&self) -> Contents {
        Contents {
            open: self.open.clone(),
            finished: self.finished.clone(),
            of_parties: PARTIES.map(|name| self.of_party(name)),
        }
    }

    fn of_party(&self, name: &str) -> Vec<MatchId> {
        let ids = self.finished.iter().map(|(finished, _)| &finished.match_id);
        let is_of = |id: &&MatchId| self.parties[*id].iter().any(|party| party.as_str() == name);
        let mut listed: Vec<MatchId> = ids.filter(is_of).cloned().collect();
        listed.sort_unstable_by(|one, other| other.cmp(one));
        listed
    }
}

/// Makes the ids of each workload distinct.
fn with_prefix(seed: u64, write: Write) -> Write {
    let named = |id: MatchId| MatchId::new(format!("s{seed}-{id}")).unwrap();
    match write {
        Write::OpenMatch { match_id, opened_at_unix_ms, header } => {
            Write::OpenMatch { match_id: named(match_id), opened_at_unix_ms, header }
        }
        Write::Append { match_id, number, entry } => {
            Write::Append { match_id: named(match_id), number, entry }
        }
        Write::FinishMatch { match_id, ended_at_unix_ms, summary, replay, parties, index_keys } => {
            Write::FinishMatch {
                match_id: named(match_id),
                ended_at_unix_ms,
                summary,
                replay,
                parties,
                index_keys,
            }
        }
        Write::ForgetReplay { match_id } => Write::ForgetReplay { match_id: named(match_id) },
        Write::DropMatch { match_id } => Write::DropMatch { match_id: named(match_id) },
        other @ (Write::PutRecord { .. }
        | Write::RemoveRecord { .. }
        | Write::ChangeLadder { .. }) => other,
    }
}

pub(crate) async fn random_batches_match_a_simple_model(store: Subject<'_>) {
    let mut model = Model::default();
    for seed in SEEDS {
        let mut workload = Workload::new(seed);
        for n in 0..BATCHES {
            let batch: Vec<Write> =
                workload.batch().into_iter().map(|write| with_prefix(seed, write)).collect();
            store.commit(batch.clone()).await.unwrap();
            for write in batch {
                model.apply(write);
            }
            if n % 20 == 0 {
                assert_eq!(Contents::of(store).await, model.contents(), "seed {seed} batch {n}");
            }
        }
    }
    assert_eq!(Contents::of(store).await, model.contents());
}

pub(crate) async fn random_invalid_batches_are_refused_with_the_index_of_the_first_write(
    store: Subject<'_>,
) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut workload = Workload::new(8);
    let mut committed = Model::default();
    for n in 0..BATCHES {
        let batch = workload.batch();
        // A write that opens, finishes or drops the same match twice, or repeats an entry.
        let place = random.random_range(0..batch.len());
        // A replay may be forgotten twice.
        if !matches!(batch[place], Write::ForgetReplay { .. }) {
            let mut misfit = batch.clone();
            misfit.insert(place + 1, misfit[place].clone());
            match store.commit(misfit).await {
                Err(StoreError::WriteRefused { index, .. }) => assert_eq!(index, place + 1),
                other => panic!("batch {n}: {other:?}"),
            }
        }
        if n % 20 == 0 {
            assert_eq!(Contents::of(store).await, committed.contents(), "batch {n}");
        }
        store.commit(batch.clone()).await.unwrap();
        for write in batch {
            committed.apply(write);
        }
    }
    assert_eq!(Contents::of(store).await, committed.contents());
}
