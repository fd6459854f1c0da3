//! Random batches from a seed, and the content of a store in comparable form.

use bridgemaster_store::{
    FinishedCursor, FinishedMatch, KeyName, MatchId, OpenMatch, Store, StoreError, Write,
};
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Maximum number of matches in play.
const MAX_OPEN: usize = 12;
/// The parties of matches.
pub(crate) const PARTIES: [&str; 3] = ["north", "south", "Ælfric the 2nd"];
/// Maximum number of writes in a batch.
const MAX_WRITES: usize = 40;

/// An endless sequence of valid batches, determined by the seed.
pub(crate) struct Workload {
    random: ChaCha8Rng,
    /// Matches in play, with the number of their entries.
    open: Vec<(MatchId, u64)>,
    finished: Vec<MatchId>,
    matches: u64,
    time_ms: i64,
    /// Maximum size of a header, entry or summary, in bytes.
    small: usize,
    /// Maximum size of a replay, in bytes.
    large: usize,
}

impl Workload {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            open: Vec::new(),
            finished: Vec::new(),
            matches: 0,
            time_ms: 1_790_000_000_000,
            small: 600,
            large: 30_000,
        }
    }

    /// Returns the next batch, of 1 to [`MAX_WRITES`] writes.
    pub(crate) fn batch(&mut self) -> Vec<Write> {
        let writes = self.random.random_range(1..=MAX_WRITES);
        (0..writes).map(|_| self.write()).collect()
    }

    fn write(&mut self) -> Write {
        self.time_ms += 1;
        let kind = self.random.random_range(0..100);
        if self.open.is_empty() || (kind < 6 && self.open.len() < MAX_OPEN) {
            self.matches += 1;
            let match_id = MatchId::new(format!("m{}", self.matches)).unwrap();
            self.open.push((match_id.clone(), 0));
            let header = self.bytes(self.small);
            return Write::OpenMatch { match_id, opened_at_unix_ms: self.time_ms, header };
        }
        let place = self.random.random_range(0..self.open.len());
        match kind {
            6..10 => {
                let (match_id, _) = self.open.swap_remove(place);
                self.finished.push(match_id.clone());
                Write::FinishMatch {
                    match_id,
                    ended_at_unix_ms: self.time_ms,
                    summary: self.bytes(self.small),
                    replay: self.bytes(self.large),
                    parties: self.parties(),
                    index_keys: Vec::new(),
                }
            }
            10 => Write::DropMatch { match_id: self.open.swap_remove(place).0 },
            11 if !self.finished.is_empty() => {
                let place = self.random.random_range(0..self.finished.len());
                Write::DropMatch { match_id: self.finished.swap_remove(place) }
            }
            12 if !self.finished.is_empty() => {
                let place = self.random.random_range(0..self.finished.len());
                Write::ForgetReplay { match_id: self.finished[place].clone() }
            }
            _ => {
                let entry = self.bytes(self.small);
                let (match_id, entries) = &mut self.open[place];
                let (match_id, number) = (match_id.clone(), *entries);
                *entries += 1;
                Write::Append { match_id, number, entry }
            }
        }
    }

    /// Returns none to three names, sometimes with a duplicate.
    fn parties(&mut self) -> Vec<KeyName> {
        let count = self.random.random_range(0..=3);
        let mut draw = || PARTIES[self.random.random_range(0..PARTIES.len())];
        (0..count).map(|_| KeyName::new(draw()).unwrap()).collect()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.random.random_range(0..=most)];
        self.random.fill_bytes(&mut bytes);
        bytes
    }
}

/// All matches of a store, read through its contract.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) open: Vec<OpenMatch>,
    /// The finished matches, newest first, with their replays; `None` for forgotten replays.
    pub(crate) finished: Vec<(FinishedMatch, Option<Vec<u8>>)>,
    /// The finished matches of each of [`PARTIES`].
    pub(crate) of_parties: [Vec<MatchId>; PARTIES.len()],
}

impl Contents {
    pub(crate) async fn of(store: &dyn Store) -> Self {
        let mut open = Vec::new();
        for id in store.open_match_ids().await.unwrap() {
            open.push(store.open_match(&id).await.unwrap().unwrap());
        }
        let mut finished = Vec::new();
        let mut after: Option<FinishedCursor> = None;
        loop {
            let page = store.finished(after, 7).await.unwrap();
            for found in page.matches {
                let replay = match store.replay(&found.match_id).await {
                    Err(StoreError::ReplayForgotten { .. }) => None,
                    replay => Some(replay.unwrap().unwrap()),
                };
                assert_eq!(
                    store.finished_match(&found.match_id).await.unwrap().as_ref(),
                    Some(&found)
                );
                finished.push((found, replay));
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let mut of_parties = [const { Vec::new() }; PARTIES.len()];
        for (name, found) in PARTIES.iter().zip(&mut of_parties) {
            *found = Self::of_party(store, name).await;
        }
        Self { open, finished, of_parties }
    }

    async fn of_party(store: &dyn Store, name: &str) -> Vec<MatchId> {
        let name = KeyName::new(name).unwrap();
        let mut found = Vec::new();
        let mut before = None;
        loop {
            let page = store.list(before.as_ref(), 5, &[(&name).into()]).await.unwrap();
            found.extend(page.matches.into_iter().map(|finished| finished.match_id));
            before = page.next;
            if before.is_none() {
                return found;
            }
        }
    }
}
