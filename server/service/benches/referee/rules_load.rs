//! A caller of the rules by call who wants all that there is.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bridgemaster_proto::v1::{
    OpenSessionRequest, RulesOperation, RulesPlayouts, RulesPosition, rules_operation::Operation,
    rules_service_client::RulesServiceClient,
};
use bridgemaster_server::Limits;
use tokio::{sync::mpsc::unbounded_channel, task::JoinSet};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Status, transport::Channel};

use crate::{SEATS, load::default_match};

/// Playouts of one request.
const PLAYOUTS: u32 = 500;

/// As many sessions as a caller may have, each with playouts to do at any time; they end when this
/// is dropped.
pub(crate) struct RulesLoad {
    playouts: Arc<AtomicU64>,
    _sessions: JoinSet<()>,
}

impl RulesLoad {
    pub(crate) fn begin(url: &str, game: &'static str) -> Self {
        let playouts = Arc::<AtomicU64>::default();
        let mut sessions = JoinSet::new();
        for _ in 0..Limits::default().rules_calls_per_caller {
            let (url, playouts) = (url.to_owned(), Arc::clone(&playouts));
            sessions.spawn(async move {
                let ended = play_out(&url, game, &playouts).await;
                panic!("a session has ended: {ended:?}");
            });
        }
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

async fn play_out(url: &str, game: &str, playouts: &AtomicU64) -> Result<(), Status> {
    let channel = Channel::from_shared(url.to_owned()).unwrap();
    let channel = channel.connect().await.unwrap();
    let position = RulesPosition {
        config: Some(default_match(game, SEATS)),
        sample_seed: "load".to_owned(),
        ..RulesPosition::default()
    };
    let asked = RulesPlayouts {
        playouts: PLAYOUTS,
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
        playouts.fetch_add(done as u64, Ordering::Relaxed);
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
