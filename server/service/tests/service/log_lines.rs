//! The log of a server that refuses thousands of calls.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bridgemaster_server::{Limits, LineLimit};
use bridgemaster_store::{MemoryStore, Store};
use tokio::task::JoinSet;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry,
};

use crate::{caller::Caller, streams::outcome, test_server::TestServer};

/// The number of refused calls, each of which could log a line.
const REFUSALS: usize = 5_000;
/// The number of concurrent calls.
const AT_ONCE: usize = 10;

/// Counts the lines at level WARN and above.
#[derive(Clone, Default)]
struct Lines(Arc<AtomicUsize>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() <= Level::WARN {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test]
async fn repeated_refusals_are_logged_rarely_and_counted() {
    let (lines, limit) = (Lines::default(), LineLimit::default());
    let log = registry().with(lines.clone().with_filter(limit.clone()));
    // The server runs on this thread, so its log lines are counted too.
    let _log = tracing::subscriber::set_default(log);

    let memory = Arc::new(MemoryStore::new());
    let store: Arc<dyn Store> = Arc::clone(&memory) as _;
    let server = TestServer::over(&store, Limits::default()).await;
    memory.close().await.unwrap();
    for _ in 0..REFUSALS / AT_ONCE {
        let mut calls = JoinSet::new();
        for _ in 0..AT_ONCE {
            let caller = Caller::clone(&server);
            calls.spawn(async move { caller.list().await });
        }
        for refused in calls.join_all().await {
            assert_eq!(outcome(refused), "STORAGE_FAILED");
        }
    }
    let logged = || lines.0.load(Ordering::Relaxed);
    // All warnings of the busy server are counted.
    assert!((10..100).contains(&logged()), "{} lines", logged());
    assert!(logged() + limit.suppressed() as usize >= REFUSALS);
    let before = logged();
    limit.report();
    assert!(logged() > before, "suppressed lines are counted in the log");
    assert_eq!(limit.suppressed(), 0);
}
