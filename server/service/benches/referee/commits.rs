//! Messages that are passed on once a store has them, and nothing besides: what queues up meanwhile
//! shares a commit, as with matches.

use std::sync::{Arc, Mutex};

use bridgemaster_store::{MatchId, SqliteStore, Store as _, Write};
use tokio::{
    select,
    sync::{Notify, mpsc},
    task::yield_now,
};

use crate::bare::Payload;

/// Bytes of an entry, about as many as a decision has in a journal.
const ENTRY_BYTES: usize = 64;
/// Messages with which a commit begins, as with matches.
const ENOUGH: usize = 32;
/// Turns that other tasks have before a commit with fewer, at most, while each adds to it: as with
/// matches.
const MAX_TURNS: usize = 3;

/// Passes messages on once the store has an entry for each.
#[derive(Clone)]
pub(crate) struct Commits {
    queued: Arc<Queued>,
}

#[derive(Default)]
struct Queued {
    messages: Mutex<Vec<(mpsc::Sender<Payload>, Payload)>>,
    filled: Notify,
    /// Told when there are enough for a commit.
    enough: Notify,
}

impl Queued {
    fn count(&self) -> usize {
        self.messages.lock().unwrap().len()
    }

    /// Waits until there are enough, or tasks that can go on have had their turn.
    async fn gather(&self) {
        let mut before = 0;
        for _ in 0..MAX_TURNS {
            let enough = self.enough.notified();
            let now = self.count();
            if now == before || now >= ENOUGH {
                break;
            }
            before = now;
            select! {
                biased;
                () = enough => {}
                () = yield_now() => {}
            }
        }
    }
}

impl Commits {
    /// To the journal of one match, which is made.
    pub(crate) async fn to(store: SqliteStore) -> Self {
        let match_id = MatchId::new("bench").unwrap();
        let made = Write::OpenMatch {
            match_id: match_id.clone(),
            opened_at_unix_ms: 0,
            header: vec![7; ENTRY_BYTES],
        };
        store.commit(vec![made]).await.unwrap();
        let queued = Arc::<Queued>::default();
        tokio::spawn(commit(Arc::clone(&queued), store, match_id));
        Self { queued }
    }

    /// Has a message passed on once it is stored.
    pub(crate) fn pass_on(&self, to: &mpsc::Sender<Payload>, message: Payload) {
        let mut messages = self.queued.messages.lock().unwrap();
        messages.push((to.clone(), message));
        let count = messages.len();
        drop(messages);
        match count {
            1 => self.queued.filled.notify_one(),
            ENOUGH => self.queued.enough.notify_waiters(),
            _ => {}
        }
    }
}

/// Commits what is queued and then passes it on, again and again.
async fn commit(queued: Arc<Queued>, store: SqliteStore, match_id: MatchId) {
    let mut entries = 0;
    loop {
        queued.filled.notified().await;
        queued.gather().await;
        let messages = std::mem::take(&mut *queued.messages.lock().unwrap());
        let append = |number| Write::Append {
            match_id: match_id.clone(),
            number,
            entry: vec![7; ENTRY_BYTES],
        };
        let more = entries + messages.len() as u64;
        store
            .commit((entries..more).map(append).collect())
            .await
            .unwrap();
        entries = more;
        for (to, message) in messages {
            // Its stream may have ended.
            let _ = to.try_send(message);
        }
    }
}
