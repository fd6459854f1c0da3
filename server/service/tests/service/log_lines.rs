//! The log of a server that is called on and on for what it cannot do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bridgemaster_proto::v1::ListMatchesRequest;
use bridgemaster_server::{Limits, LineLimit};
use bridgemaster_store::{MemoryStore, Store};
use tokio::task::JoinSet;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry,
};

use crate::{raw_bot::reason, test_server::TestServer};

/// Refusals that each would have a line.
const REFUSALS: usize = 5_000;
/// Calls at once.
const AT_ONCE: usize = 10;

/// Counts the lines that an operator gets who asks for warnings.
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
async fn refusals_without_end_make_few_lines_and_the_rest_is_counted() {
    let (lines, limit) = (Lines::default(), LineLimit::default());
    let log = registry().with(lines.clone().with_filter(limit.clone()));
    // Of this thread, on which the server runs too.
    let _log = tracing::subscriber::set_default(log);

    let memory = Arc::new(MemoryStore::new());
    let store: Arc<dyn Store> = Arc::clone(&memory) as _;
    let server = TestServer::over(&store, Limits::default()).await;
    memory.close().await.unwrap();
    for _ in 0..REFUSALS / AT_ONCE {
        let mut calls = JoinSet::new();
        for _ in 0..AT_ONCE {
            let mut desk = server.matches();
            calls.spawn(async move { desk.list_matches(ListMatchesRequest::default()).await });
        }
        for refused in calls.join_all().await {
            assert_eq!(reason(&refused.unwrap_err()), "STORAGE_FAILED");
        }
    }
    let logged = || lines.0.load(Ordering::Relaxed);
    // Every warning of a server that is busy counts, whatever it is.
    assert!((10..100).contains(&logged()), "{} lines", logged());
    assert!(logged() + limit.left_out() as usize >= REFUSALS);
    let before = logged();
    limit.tell();
    assert!(logged() > before, "it tells what it left out");
    assert_eq!(limit.left_out(), 0);
}
