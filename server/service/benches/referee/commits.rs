//! Passes messages on once they are stored, without a referee. Messages that arrive during a commit
//! share the next commit, as with matches.

use std::sync::{Arc, Mutex};

use bridgemaster_store::{MatchId, SqliteStore, Store as _, Write};
use tokio::{
    select,
    sync::{Notify, mpsc},
    task::yield_now,
};

use crate::bare::Payload;

/// Size of an entry in bytes, similar to that of a decision in a journal.
const ENTRY_BYTES: usize = 64;
/// Number of queued messages at which a commit starts, as for matches.
const ENOUGH: usize = 32;
/// Maximum number of yields to other tasks before a smaller commit starts, as for matches. The
/// commit starts earlier if a yield adds no message.
const MAX_TURNS: usize = 3;

/// Passes each message on once the store has an entry for it.
#[derive(Clone)]
pub(crate) struct Commits {
    queued: Arc<Queued>,
}

#[derive(Default)]
struct Queued {
    messages: Mutex<Vec<(mpsc::Sender<Payload>, Payload)>>,
    filled: Notify,
    /// Notified when there are enough messages for a commit.
    enough: Notify,
}

impl Queued {
    fn count(&self) -> usize {
        self.messages.lock().unwrap().len()
    }

    /// Waits until there are enough messages, or until all runnable tasks have run.
    async fn wait_for_batch(&self) {
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
    /// Creates a match in the store, and starts the task that commits to its journal.
    pub(crate) async fn start(store: SqliteStore) -> Self {
        let match_id = MatchId::new("bench").unwrap();
        let open = Write::OpenMatch {
            match_id: match_id.clone(),
            opened_at_unix_ms: 0,
            header: vec![7; ENTRY_BYTES],
        };
        store.commit(vec![open]).await.unwrap();
        let queued = Arc::<Queued>::default();
        tokio::spawn(commit(Arc::clone(&queued), store, match_id));
        Self { queued }
    }

    /// Queues a message that is passed on after it is stored.
    pub(crate) fn pass_on_when_stored(&self, to: &mpsc::Sender<Payload>, message: Payload) {
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

/// Repeatedly commits the queued messages and then passes them on.
async fn commit(queued: Arc<Queued>, store: SqliteStore, match_id: MatchId) {
    let mut entries = 0;
    loop {
        queued.filled.notified().await;
        queued.wait_for_batch().await;
        let messages = std::mem::take(&mut *queued.messages.lock().unwrap());
        let append = |number| Write::Append {
            match_id: match_id.clone(),
            number,
            entry: vec![7; ENTRY_BYTES],
        };
        let more = entries + messages.len() as u64;
        store.commit((entries..more).map(append).collect()).await.unwrap();
        entries = more;
        for (to, message) in messages {
            // The message's stream might have ended.
            let _ = to.try_send(message);
        }
    }
}
