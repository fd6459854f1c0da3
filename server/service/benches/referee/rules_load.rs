//! A caller that uses as much of the rules service as possible.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bridgemaster_proto::v1::{
    OpenSessionRequest, PlayoutPolicy, RulesOperation, RulesPlayouts, RulesPosition,
    rules_operation::Operation, rules_service_client::RulesServiceClient,
};
use bridgemaster_server::Limits;
use tokio::{
    sync::{Notify, mpsc::unbounded_channel},
    task::JoinSet,
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Status, transport::Channel};

use crate::{SEATS, load::default_match};

/// Playout policies that sessions request in turn, each with the number of playouts per request.
/// Playouts of the first policy are short. With the second, a single decision takes longer than a
/// time slice.
const WORKLOADS: &[(PlayoutPolicy, u32)] =
    &[(PlayoutPolicy::Random, 500), (PlayoutPolicy::Greedy, 2)];

/// As many sessions as a caller may have, each of which always has unfinished playouts. They end
/// when this value is dropped.
pub(crate) struct RulesLoad {
    playouts: Arc<AtomicU64>,
    _sessions: JoinSet<()>,
}

impl RulesLoad {
    /// Starts the sessions, and returns after the first playout.
    pub(crate) async fn begin(url: &str, game: &'static str) -> Self {
        let playouts = Arc::<AtomicU64>::default();
        let has_begun = Arc::<Notify>::default();
        let mut sessions = JoinSet::new();
        let workloads = WORKLOADS.iter().cycle();
        for workload in workloads.take(Limits::default().rules_calls_per_caller) {
            let url = url.to_owned();
            let (playouts, has_begun) = (Arc::clone(&playouts), Arc::clone(&has_begun));
            sessions.spawn(async move {
                let count = |done| {
                    playouts.fetch_add(done, Ordering::Relaxed);
                    has_begun.notify_one();
                };
                let ended = play_out(&url, game, *workload, count).await;
                panic!("a session has ended: {ended:?}");
            });
        }
        has_begun.notified().await;
        Self { playouts, _sessions: sessions }
    }

    /// Returns the number of playouts so far.
    pub(crate) fn playouts(&self) -> u64 {
        self.playouts.load(Ordering::Relaxed)
    }
}

/// Requests playouts, and counts finished playouts, until the session ends.
async fn play_out(
    url: &str,
    game: &str,
    (policy, playouts): (PlayoutPolicy, u32),
    count: impl Fn(u64),
) -> Result<(), Status> {
    let channel = Channel::from_shared(url.to_owned()).unwrap();
    let channel = channel.connect().await.unwrap();
    let position = RulesPosition {
        config: Some(default_match(game, SEATS)),
        sample_seed: "load".to_owned(),
        ..RulesPosition::default()
    };
    let playout = RulesPlayouts {
        playouts,
        policy: policy.into(),
        seed: "load".to_owned(),
        resample: true,
        ..RulesPlayouts::default()
    };
    let (requests, outbound) = unbounded_channel();
    let outbound = UnboundedReceiverStream::new(outbound);
    let mut client = RulesServiceClient::new(channel);
    let mut answers = client.open_session(outbound).await?.into_inner();
    let begin = [Operation::Load(Box::new(position)), Operation::PlayOut(playout.clone())];
    let mut operations: Vec<_> = begin.into_iter().map(operation).collect();
    loop {
        let request = OpenSessionRequest { request_id: 0, operations: operations.clone() };
        if requests.send(request).is_err() {
            return Ok(());
        }
        let Some(answer) = answers.message().await? else {
            return Ok(());
        };
        let last = answer.results.last();
        let done = last.map_or(0, |last| last.outcomes.len());
        if done > 0 {
            count(done as u64);
        }
        // The request is repeated when the CPU time of the caller is used up.
        operations = vec![operation(Operation::PlayOut(playout.clone()))];
    }
}

fn operation(operation: Operation) -> RulesOperation {
    RulesOperation { position_number: 0, operation: Some(operation) }
}
