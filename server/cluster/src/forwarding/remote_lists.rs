//! Fetches the matches in play on other nodes, for lists that cover the whole cluster.

use std::{net::IpAddr, time::Duration};

use bridgemaster_edge::{
    identity::KEY_METADATA,
    limits::{LISTED_MATCH_BYTES, MAX_PAGE_SIZE},
    refusal::{Refusal, reason_name},
    transport::ConnectionInfo,
};
use bridgemaster_proto::{
    internal::v1::{
        ListOwnMatchesRequest, ListOwnMatchesResponse, node_service_client::NodeServiceClient,
    },
    v1::{MatchFilter, RefusalReason},
};
use bridgemaster_store::{NodeAddress, NodeName};
use tokio::{task::JoinSet, time::timeout};
use tonic::{
    Request, Status,
    codegen::{Bytes, http::Extensions},
    metadata::{AsciiMetadataValue, MetadataMap},
    transport::Channel,
};
use tonic_types::StatusExt as _;
use tracing::debug;

use super::{FORWARDED_HEADER, Forwarder};
use crate::match_list::{PageToken, RemotePages};

/// The time within which another node has to answer. Until its lease expires, a stalled node
/// delays each list by this time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum size of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = MAX_PAGE_SIZE as usize * LISTED_MATCH_BYTES;

/// The caller of a list.
pub struct ListCaller<'a> {
    /// The connection on which the call arrived.
    pub connection: &'a ConnectionInfo,
    /// The metadata of the call, with the API key.
    pub metadata: &'a MetadataMap,
}

impl Forwarder {
    /// Asks the other nodes for their parts of a page of `count` matches that continues at `after`.
    /// A node that does not answer is omitted. The caller has budget for one more page of this
    /// size.
    ///
    /// # Errors
    /// Returns an error if the nodes cannot be read, or another node refuses the call because of a
    /// limit.
    pub async fn remote_pages(
        &self,
        caller: ListCaller<'_>,
        filter: &MatchFilter,
        after: Option<&PageToken>,
        count: usize,
    ) -> Result<RemotePages, Status> {
        let mut remote = RemotePages::default();
        if after.is_some_and(|after| after.has_all_in_play) {
            return Ok(remote);
        }
        let parts = self.listing_nodes(&mut remote).await?;
        // All parts together are at most one page.
        let count = count.div_ceil(parts.len().max(1));
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let before = after.map(|after| after.before.to_string());
        let mut calls = JoinSet::new();
        for (node, address) in parts {
            let Some(channel) = self.channel(address.as_str(), caller.connection) else {
                remote.is_incomplete = true;
                continue;
            };
            let request = ListOwnMatchesRequest {
                filter: Some(filter.clone()),
                count,
                before_match_id: before.clone().unwrap_or_default(),
            };
            let metadata = self.list_metadata(&caller);
            calls.spawn(async move { (node, list_own(channel, metadata, request).await) });
        }
        while let Some(Ok((node, answer))) = calls.join_next().await {
            match answer {
                Ok(page) => {
                    remote.is_incomplete |= page.incomplete;
                    remote.pages.push(page);
                }
                // A refusal by a limit is reported to the caller. It must not count as an
                // incomplete list, which clients retry after the takeover.
                Err(status) if is_limit_refusal(&status) => return Err(details_only(&status)),
                Err(status) => {
                    debug!(%node, %status, "another node did not list its matches");
                    remote.is_incomplete = true;
                }
            }
        }
        Ok(remote)
    }

    /// Returns the nodes to ask for their parts of a list.
    async fn listing_nodes(
        &self,
        remote: &mut RemotePages,
    ) -> Result<Vec<(NodeName, NodeAddress)>, Refusal> {
        let mut parts = Vec::new();
        for node in self.cluster.other_nodes().await? {
            let is_draining = node.status.draining;
            let is_live = node.is_live();
            let address = node.address.filter(|_| is_live);
            // Until they are taken over, the matches of a dead node, and those that a draining node
            // has released, are on no node. A node without an address cannot be called.
            remote.is_incomplete |= node.matches > 0 && (address.is_none() || is_draining);
            if let Some(address) = address {
                parts.push((node.name, address));
            }
        }
        Ok(parts)
    }

    /// Returns the metadata of a call for this caller: its API key, and this node's credential.
    fn list_metadata(&self, caller: &ListCaller<'_>) -> MetadataMap {
        let mut metadata = self.node_metadata(caller.connection.peer.ip().to_canonical());
        if let Some(key) = caller.metadata.get(KEY_METADATA) {
            metadata.insert(KEY_METADATA, key.clone());
        }
        metadata
    }

    /// Returns the metadata of a call of a caller with this address: this node's credential.
    pub(super) fn node_metadata(&self, address: IpAddr) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        let credential = self.credential.header_value(address, None);
        let credential =
            credential.and_then(|value| AsciiMetadataValue::try_from(value.as_bytes()).ok());
        if let Some(credential) = credential {
            metadata.insert(FORWARDED_HEADER, credential);
        }
        metadata
    }
}

/// Returns whether a node refused a call because a limit is reached.
fn is_limit_refusal(status: &Status) -> bool {
    let details = status.get_error_details();
    let info = details.error_info();
    info.is_some_and(|info| info.reason == reason_name(RefusalReason::LimitReached))
}

/// Returns another node's status without the metadata of its response.
fn details_only(status: &Status) -> Status {
    let details = Bytes::copy_from_slice(status.details());
    Status::with_details(status.code(), status.message(), details)
}

/// Calls a node for its part of a list.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_another_node_is_reported_with_its_details() {
        let mut refused = Status::from(Refusal::limit("reads_per_key", 1));
        refused.metadata_mut().insert("date", AsciiMetadataValue::from_static("today"));
        assert!(is_limit_refusal(&refused));
        let reported = details_only(&refused);
        assert!(is_limit_refusal(&reported) && reported.metadata().is_empty());
        assert_eq!(reported.message(), refused.message());
        for other in [Status::from(Refusal::stopping()), Status::resource_exhausted("no details")] {
            assert!(!is_limit_refusal(&other));
        }
    }
}
