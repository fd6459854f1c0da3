//! Kills a writer at random moments, many times.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    thread,
    time::Duration,
};

use bridgemaster_store::{
    DATABASE_FILE, DataDir, Durability, MemoryStore, SqliteOptions, SqliteStore, Store as _,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tokio::runtime::Runtime;

use crate::{
    second,
    workload::{Contents, Workload},
};

const ROUNDS: usize = 15;
/// Maximum number of further batches after the writer has stored enough. The kill may be late, and
/// a log that grows further is copied into the database.
const MOST_MORE: u64 = 10;

pub(crate) fn a_killed_writer_keeps_every_acknowledged_batch_with_durability_disk() {
    kill_again_and_again(Durability::Disk, 21);
}

pub(crate) fn a_killed_writer_keeps_every_acknowledged_batch_with_durability_process() {
    kill_again_and_again(Durability::Process, 22);
}

/// After each kill the store must have all acknowledged batches, and at most the one that was being
/// committed. The next writer continues from there.
fn kill_again_and_again(durability: Durability, seed: u64) {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut model = Model::new(seed);
    for round in 0..ROUNDS {
        let enough = random.random_range(1..60);
        let acknowledged =
            commit_until_killed(folder.path(), durability, &model, enough, &mut random);
        let found = runtime.block_on(contents(folder.path()));
        runtime.block_on(model.advance_to(acknowledged));
        if runtime.block_on(model.contents()) != found {
            runtime.block_on(model.advance_to(acknowledged + 1));
            assert!(
                runtime.block_on(model.contents()) == found,
                "round {round} of seed {seed}: {acknowledged} batches were acknowledged, and the \
                 store holds neither these nor one more"
            );
        }
    }
    assert!(model.batches > ROUNDS as u64);
}

pub(crate) fn a_torn_log_loses_only_complete_batches_at_its_end() {
    const SEED: u64 = 23;
    const TEARS: usize = 60;
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut model = Model::new(SEED);
    let acknowledged =
        commit_until_killed(folder.path(), Durability::Disk, &model, 40, &mut random);
    let states: Vec<Contents> = runtime.block_on(async {
        let mut states = vec![model.contents().await];
        for batches in 1..=acknowledged + 1 {
            model.advance_to(batches).await;
            states.push(model.contents().await);
        }
        states
    });
    let database = fs::read(folder.path().join(DATABASE_FILE)).unwrap();
    let log = fs::read(folder.path().join(format!("{DATABASE_FILE}-wal"))).unwrap();
    // The log has everything: its pages have not been copied into the database yet.
    assert!(
        log.len() > 100_000 && database.len() < 10_000,
        "{} {}",
        log.len(),
        database.len()
    );

    let mut found_states = Vec::new();
    for tear in 0..TEARS {
        let torn = tempfile::tempdir().unwrap();
        let place = random.random_range(0..log.len());
        let mut torn_log = log.clone();
        // The disk has lost the end, or has written something else in one place.
        if tear % 2 == 0 {
            torn_log.truncate(place);
        } else {
            torn_log[place] ^= 1 << random.random_range(0..8);
        }
        fs::write(torn.path().join(DATABASE_FILE), &database).unwrap();
        fs::write(torn.path().join(format!("{DATABASE_FILE}-wal")), torn_log).unwrap();
        let found = runtime.block_on(contents(torn.path()));
        let batches = states.iter().position(|state| *state == found);
        let batches = batches.unwrap_or_else(|| panic!("half a batch after a tear at {place}"));
        found_states.push((place, batches));
    }
    // The further the log reaches, the more it holds.
    found_states.sort_unstable();
    assert!(
        found_states.is_sorted_by_key(|(_, batches)| batches),
        "{found_states:?}"
    );
    found_states.dedup_by_key(|(_, batches)| *batches);
    assert!(found_states.len() > 10, "{found_states:?}");
}

/// Starts a writer that continues the workload, and kills it some time after it has stored enough
/// batches. Returns the number of the last acknowledged batch.
fn commit_until_killed(
    folder: &Path,
    durability: Durability,
    model: &Model,
    enough: u64,
    random: &mut ChaCha8Rng,
) -> u64 {
    let mut writer = second::command(&std::env::current_exe().unwrap())
        .arg(second::COMMIT)
        .arg(folder)
        .args([
            format!("{durability:?}"),
            model.seed.to_string(),
            model.batches.to_string(),
            (model.batches + enough + MOST_MORE).to_string(),
        ])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut acknowledged = model.batches;
    while acknowledged < model.batches + enough {
        let line = lines
            .next()
            .expect("the writer goes on until it is killed")
            .unwrap();
        acknowledged = line.parse().unwrap();
    }
    // Not a synchronization: it spreads the kills over all phases of a commit.
    thread::sleep(Duration::from_micros(random.random_range(0..3_000)));
    writer.kill().unwrap();
    writer.wait().unwrap();
    // Its output before it was killed; lines are written at once, so none is incomplete.
    for line in lines {
        acknowledged = line.unwrap().parse().unwrap();
    }
    acknowledged
}

async fn contents(folder: &Path) -> Contents {
    let dir = DataDir::prepare(folder).unwrap();
    let store = SqliteStore::open(&dir, SqliteOptions::default())
        .await
        .unwrap();
    let contents = Contents::of(&store).await;
    store.close().await.unwrap();
    contents
}

/// A workload in a store that is never killed.
struct Model {
    seed: u64,
    workload: Workload,
    store: MemoryStore,
    /// The number of stored batches.
    batches: u64,
}

impl Model {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            workload: Workload::new(seed),
            store: MemoryStore::new(),
            batches: 0,
        }
    }

    async fn advance_to(&mut self, batches: u64) {
        while self.batches < batches {
            self.store.commit(self.workload.batch()).await.unwrap();
            self.batches += 1;
        }
    }

    async fn contents(&self) -> Contents {
        Contents::of(&self.store).await
    }
}
