//! `NodeService`: answers other nodes of the cluster.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::{Authenticator, ReadAccess},
    limits::MAX_PAGE_SIZE,
    transport::ConnectionInfo,
};
use bridgemaster_live::Matches;
use bridgemaster_match::MatchId;
use bridgemaster_proto::internal::v1::{
    GetNodeRequest, GetNodeResponse, ListOwnMatchesRequest, ListOwnMatchesResponse,
    node_service_server::NodeService,
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
        Self { matches, authenticator }
    }
}

#[tonic::async_trait]
impl NodeService for NodeRpc {
    async fn list_own_matches(
        &self,
        request: Request<ListOwnMatchesRequest>,
    ) -> Result<Response<ListOwnMatchesResponse>, Status> {
        require_node(&request)?;
        let caller = self.authenticator.caller_or_guest(request.metadata()).await?;
        caller.require_guest_read(ReadAccess::Matches)?;
        let reader = reader(&request, &caller);
        let ListOwnMatchesRequest { filter, count, before_match_id } = request.into_inner();
        let query = match_query(filter.unwrap_or_default())?;
        let before = MatchId::new(before_match_id).ok();
        let count = count.min(MAX_PAGE_SIZE) as usize;
        let own = self.matches.list_own(&query, before, count, &caller, &reader);
        Ok(Response::new(own.await?))
    }

    async fn get_node(
        &self,
        request: Request<GetNodeRequest>,
    ) -> Result<Response<GetNodeResponse>, Status> {
        require_node(&request)?;
        let cluster = self.matches.cluster();
        let name = cluster.map(|cluster| cluster.name().to_string());
        Ok(Response::new(GetNodeResponse { name: name.unwrap_or_default() }))
    }
}

/// Checks that a node of the cluster makes the call.
fn require_node<T>(request: &Request<T>) -> Result<(), Status> {
    if ConnectionInfo::from_request(request).is_some_and(|connection| connection.is_forwarded) {
        Ok(())
    } else {
        Err(Status::unimplemented("unknown method"))
    }
}
