//! Collects the parts of a list that only other nodes know: their matches in play.

use std::time::Duration;

use bridgemaster_proto::{
    internal::v1::{
        ListOwnMatchesRequest, ListOwnMatchesResponse, node_service_client::NodeServiceClient,
    },
    v1::MatchFilter,
};
use tokio::{task::JoinSet, time::timeout};
use tonic::{
    Request, Status,
    codegen::http::Extensions,
    metadata::{AsciiMetadataValue, MetadataMap},
    transport::Channel,
};
use tracing::debug;

use super::{FORWARDED_HEADER, Forwarder};
use crate::{
    identity::KEY_METADATA,
    limits::{LISTED_MATCH_BYTES, MAX_PAGE_SIZE},
    live::{PageToken, RemotePages},
    refusal::Refusal,
    transport::{Call, ConnectionInfo},
};

/// The time in which another node has to answer. A stalled node delays lists by this time, for at
/// most the duration of a lease.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum size of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = MAX_PAGE_SIZE as usize * LISTED_MATCH_BYTES;

/// The caller of a list.
pub(crate) struct ListCaller<'a> {
    pub(crate) connection: &'a ConnectionInfo,
    pub(crate) metadata: &'a MetadataMap,
}

impl Forwarder {
    /// Asks the other nodes for their parts of a page of `count` matches that continues at
    /// `before`. A node that does not answer is left out.
    ///
    /// # Errors
    /// If the nodes cannot be read, or the caller has too many unread responses.
    pub(crate) async fn remote_pages(
        &self,
        caller: ListCaller<'_>,
        filter: &MatchFilter,
        before: Option<&PageToken>,
        count: usize,
    ) -> Result<RemotePages, Refusal> {
        let mut remote = RemotePages::default();
        let Some(cluster) = self.matches.cluster() else {
            return Ok(remote);
        };
        let mut parts = Vec::new();
        for node in cluster.other_nodes().await? {
            let Some(before_age) = PageToken::age_on(before, &node.name) else {
                continue;
            };
            let is_live = node.is_live();
            // The matches of a lost node, and those that a draining node has released, are on no
            // node until they are taken over.
            remote.is_incomplete |= node.matches > 0 && (!is_live || node.status.draining);
            if let Some(address) = node.address.filter(|_| is_live) {
                parts.push((node.name, address, before_age));
            }
        }
        Call::reserve_answer(count * LISTED_MATCH_BYTES).await?;
        // All parts together are at most one page.
        let count = count.div_ceil(parts.len().max(1));
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let mut calls = JoinSet::new();
        for (node, address, before_age) in parts {
            let Some(channel) = self.channel(address.as_str(), caller.connection) else {
                remote.is_incomplete = true;
                continue;
            };
            let request = ListOwnMatchesRequest {
                filter: Some(filter.clone()),
                count,
                before_age,
            };
            let metadata = self.list_metadata(&caller);
            calls.spawn(async move { (node, list_own(channel, metadata, request).await) });
        }
        while let Some(Ok((node, answer))) = calls.join_next().await {
            match answer {
                Ok(page) => {
                    remote.pages.insert(node, page);
                }
                Err(status) => {
                    debug!(%node, %status, "another node did not list its matches");
                    remote.is_incomplete = true;
                }
            }
        }
        Ok(remote)
    }

    /// Returns the metadata of a call for this caller: its API key, and this node's credential.
    fn list_metadata(&self, caller: &ListCaller<'_>) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        if let Some(key) = caller.metadata.get(KEY_METADATA) {
            metadata.insert(KEY_METADATA, key.clone());
        }
        let address = caller.connection.peer.ip().to_canonical();
        let credential = self.credential.header_value(address, None);
        let credential =
            credential.and_then(|value| AsciiMetadataValue::try_from(value.as_bytes()).ok());
        if let Some(credential) = credential {
            metadata.insert(FORWARDED_HEADER, credential);
        }
        metadata
    }
}

/// Asks a node for its part of a list.
async fn list_own(
    channel: Channel,
    metadata: MetadataMap,
    request: ListOwnMatchesRequest,
) -> Result<ListOwnMatchesResponse, Status> {
    let mut client = NodeServiceClient::new(channel).max_decoding_message_size(MAX_ANSWER_BYTES);
    let request = Request::from_parts(metadata, Extensions::new(), request);
    match timeout(ANSWER_TIMEOUT, client.list_own_matches(request)).await {
        Ok(answer) => answer.map(tonic::Response::into_inner),
        Err(_) => Err(Status::deadline_exceeded("no answer in time")),
    }
}
