//! `RulesService`: the rules by call.

use std::{pin::Pin, sync::Arc, time::Duration};

use async_stream::stream;
use bridgemaster_proto::v1::{
    ApplyDecisionsRequest, ApplyDecisionsResponse, ConvertNotationRequest, ConvertNotationResponse,
    GetObservationRequest, GetObservationResponse, GetOutcomeRequest, GetOutcomeResponse,
    ListLegalDecisionsRequest, ListLegalDecisionsResponse, OpenSessionRequest, OpenSessionResponse,
    RefusalReason, SampleStatesRequest, SampleStatesResponse, rules_service_server::RulesService,
};
use bridgemaster_rules::{Problem, Session, answers};
use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};

use crate::{
    identity::{Authenticator, Caller, KeyScope},
    refusal::Refusal,
    rules::{BatchTask, SamplingTask, UnaryTask, Workers},
    transport::{Call, CallerId, RulesAllowance, RulesPlace},
};

/// Longest time that a session whose caller has no processor time left waits for its answer, and so
/// for its next request: who asks again at once must not keep the server busy with refusals.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The service over threads that do its work.
#[derive(Clone)]
pub(crate) struct RulesDesk {
    workers: Arc<Workers>,
    authenticator: Authenticator,
    /// Longest time without a request in which a session stays.
    idle: Duration,
    stopping: CancellationToken,
}

/// A call that has its place.
struct Begun {
    caller: Caller,
    of: Option<CallerId>,
    allowance: RulesAllowance,
    _place: RulesPlace,
}

impl RulesDesk {
    pub(crate) fn new(
        workers: Arc<Workers>,
        authenticator: Authenticator,
        idle: Duration,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            workers,
            authenticator,
            idle,
            stopping,
        }
    }

    async fn begin(&self, metadata: &MetadataMap) -> Result<Begun, Refusal> {
        let caller = self.authenticator.caller(metadata).await?;
        caller.require(KeyScope::Rules)?;
        let call = Call::current();
        let allowance = match &call {
            Some(call) => call.rules_allowance(),
            None => RulesAllowance::unlimited(),
        };
        Ok(Begun {
            caller,
            of: call.map(|call| call.caller_id()),
            _place: allowance.begin()?,
            allowance,
        })
    }

    /// Answers a call that is done at once.
    async fn answer<Q, A>(
        &self,
        request: Request<Q>,
        answer: fn(&Q) -> Result<A, Problem>,
    ) -> Result<Response<A>, Status>
    where
        Q: Send + 'static,
        A: Send + 'static,
    {
        let begun = self.begin(request.metadata()).await?;
        let task = UnaryTask::new(request.into_inner(), answer);
        let done = self.workers.run(begun.of.clone(), task).await?;
        Ok(Response::new(done.into_answer()?))
    }

    /// The next request of a session; `None` at its end.
    async fn next(
        &self,
        requests: &mut Streaming<OpenSessionRequest>,
    ) -> Result<Option<OpenSessionRequest>, Status> {
        match timeout(self.idle, requests.message()).await {
            Ok(request) => request,
            Err(_) => {
                let time_ms = self.idle.as_millis();
                let refusal = Refusal::new(
                    RefusalReason::LimitReached,
                    format!("no request came for {time_ms} ms, the limit rules_idle"),
                );
                let refusal = refusal.with("limit", "rules_idle");
                Err(refusal.with("value", time_ms.to_string()).into())
            }
        }
    }
}

#[tonic::async_trait]
impl RulesService for RulesDesk {
    async fn list_legal_decisions(
        &self,
        request: Request<ListLegalDecisionsRequest>,
    ) -> Result<Response<ListLegalDecisionsResponse>, Status> {
        self.answer(request, answers::list_legal_decisions).await
    }

    async fn apply_decisions(
        &self,
        request: Request<ApplyDecisionsRequest>,
    ) -> Result<Response<ApplyDecisionsResponse>, Status> {
        self.answer(request, answers::apply_decisions).await
    }

    async fn sample_states(
        &self,
        request: Request<SampleStatesRequest>,
    ) -> Result<Response<SampleStatesResponse>, Status> {
        let begun = self.begin(request.metadata()).await?;
        let task = SamplingTask::new(request.into_inner())?;
        let done = self.workers.run(begun.of.clone(), task).await?;
        Ok(Response::new(done.into_answer()?))
    }

    async fn get_outcome(
        &self,
        request: Request<GetOutcomeRequest>,
    ) -> Result<Response<GetOutcomeResponse>, Status> {
        self.answer(request, answers::get_outcome).await
    }

    async fn get_observation(
        &self,
        request: Request<GetObservationRequest>,
    ) -> Result<Response<GetObservationResponse>, Status> {
        self.answer(request, answers::get_observation).await
    }

    async fn convert_notation(
        &self,
        request: Request<ConvertNotationRequest>,
    ) -> Result<Response<ConvertNotationResponse>, Status> {
        self.answer(request, answers::convert_notation).await
    }

    type OpenSessionStream =
        Pin<Box<dyn Stream<Item = Result<OpenSessionResponse, Status>> + Send>>;

    async fn open_session(
        &self,
        request: Request<Streaming<OpenSessionRequest>>,
    ) -> Result<Response<Self::OpenSessionStream>, Status> {
        let begun = self.begin(request.metadata()).await?;
        let mut requests = request.into_inner();
        let desk = self.clone();
        Ok(Response::new(Box::pin(stream! {
            // Whole, so that the place is held until the stream ends.
            let begun = begun;
            let refused = begun.caller.refused();
            tokio::pin!(refused);
            let mut session = Session::default();
            loop {
                // Read and done in one, so that whatever ends the stream stops the work too.
                let answered = async {
                    let Some(request) = desk.next(&mut requests).await? else {
                        return Ok(None);
                    };
                    let kept = std::mem::take(&mut session);
                    let task = BatchTask::new(kept, request, begun.allowance.clone());
                    let done = desk.workers.run(begun.of.clone(), task).await?;
                    if let Some(wait) = done.wait() {
                        sleep(wait.min(LONGEST_PAUSE)).await;
                    }
                    Ok::<_, Status>(Some(done.into_answer()))
                };
                let answered = select! {
                    biased;
                    refusal = &mut refused => Err(refusal.into()),
                    () = desk.stopping.cancelled() => Err(Refusal::stopping().into()),
                    answered = answered => answered,
                };
                match answered {
                    Ok(Some((kept, response))) => {
                        session = kept;
                        yield Ok(response);
                    }
                    Ok(None) => return,
                    Err(status) => {
                        yield Err(status);
                        return;
                    }
                }
            }
        })))
    }
}
