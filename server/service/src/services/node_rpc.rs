//! `NodeService`: answers other nodes of the cluster.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::{Authenticator, ReadAccess},
    limits::MAX_PAGE_SIZE,
    transport::ConnectionInfo,
};
use bridgemaster_live::Matches;
use bridgemaster_proto::internal::v1::{
    ListOwnMatchesRequest, ListOwnMatchesResponse, node_service_server::NodeService,
};
use tonic::{Request, Response, Status};

use super::{match_rpc::reader, match_validation::match_query};

/// The implementation of `NodeService`. Only nodes of the cluster may call it, on behalf of a
/// caller.
pub(crate) struct NodeRpc {
    matches: Arc<Matches>,
    authenticator: Authenticator,
}

impl NodeRpc {
    pub(crate) fn new(matches: Arc<Matches>, authenticator: Authenticator) -> Self {
        Self {
            matches,
            authenticator,
        }
    }
}

#[tonic::async_trait]
impl NodeService for NodeRpc {
    async fn list_own_matches(
        &self,
        request: Request<ListOwnMatchesRequest>,
    ) -> Result<Response<ListOwnMatchesResponse>, Status> {
        if !ConnectionInfo::of(&request).is_some_and(|connection| connection.is_forwarded) {
            return Err(Status::unimplemented("unknown method"));
        }
        let caller = self
            .authenticator
            .caller_or_guest(request.metadata())
            .await?;
        caller.require_guest_read(ReadAccess::Matches)?;
        let reader = reader(&request, &caller);
        let ListOwnMatchesRequest {
            filter,
            count,
            before_age,
        } = request.into_inner();
        let query = match_query(filter.unwrap_or_default())?;
        let count = count.min(MAX_PAGE_SIZE) as usize;
        let own = self
            .matches
            .list_own(&query, before_age, count, &caller, &reader);
        Ok(Response::new(own.await?))
    }
}
