//! A caller of the rules by call who wants all that there is.

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

/// What sessions ask for in turn, and how many playouts of it in one request: some take no time, and
/// others have decisions that take longer than a slice.
const ASKED: &[(PlayoutPolicy, u32)] = &[(PlayoutPolicy::Random, 500), (PlayoutPolicy::Greedy, 2)];

/// As many sessions as a caller may have, each with playouts to do at any time; they end when this
/// is dropped.
pub(crate) struct RulesLoad {
    playouts: Arc<AtomicU64>,
    _sessions: JoinSet<()>,
}

impl RulesLoad {
    /// Returns once something was played out.
    pub(crate) async fn begin(url: &str, game: &'static str) -> Self {
        let playouts = Arc::<AtomicU64>::default();
        let has_begun = Arc::<Notify>::default();
        let mut sessions = JoinSet::new();
        let asked = ASKED.iter().cycle();
        for asked in asked.take(Limits::default().rules_calls_per_caller) {
            let url = url.to_owned();
            let (playouts, has_begun) = (Arc::clone(&playouts), Arc::clone(&has_begun));
            sessions.spawn(async move {
                let count = |done| {
                    playouts.fetch_add(done, Ordering::Relaxed);
                    has_begun.notify_one();
                };
                let ended = play_out(&url, game, *asked, count).await;
                panic!("a session has ended: {ended:?}");
            });
        }
        has_begun.notified().await;
        Self {
            playouts,
            _sessions: sessions,
        }
    }

    /// Playouts so far.
    pub(crate) fn playouts(&self) -> u64 {
        self.playouts.load(Ordering::Relaxed)
    }
}

/// Plays out as it is asked, and counts what was done, until the session ends.
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
    let asked = RulesPlayouts {
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
    let begin = [
        Operation::Load(Box::new(position)),
        Operation::PlayOut(asked.clone()),
    ];
    let mut operations: Vec<_> = begin.into_iter().map(operation).collect();
    loop {
        let request = OpenSessionRequest {
            request_id: 0,
            operations: operations.clone(),
        };
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
        // Who has used up its processor time asks again.
        operations = vec![operation(Operation::PlayOut(asked.clone()))];
    }
}

fn operation(operation: Operation) -> RulesOperation {
    RulesOperation {
        position_number: 0,
        operation: Some(operation),
    }
}
