//! Checks that the other nodes can be reached at their addresses.

use std::{collections::BTreeMap, net::Ipv4Addr, time::Duration};

use bridgemaster_proto::internal::v1::{GetNodeRequest, node_service_client::NodeServiceClient};
use bridgemaster_store::{NodeAddress, NodeName, StoreError};
use tokio::{task::JoinSet, time::timeout};
use tonic::{Code, Request, Status, codegen::http::Extensions, metadata::MetadataMap};

use super::Forwarder;

/// The time in which another node has to answer.
const PEER_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum number of nodes that are checked: problems of more nodes would not be read.
const MAX_CHECKED_PEERS: usize = 100;

/// The maximum length of a problem, which is published with each renewal of the lease.
const MAX_PROBLEM_CHARS: usize = 200;

impl Forwarder {
    /// Calls every other live node at its address. Returns the nodes that do not answer there, each
    /// with a description of the problem.
    ///
    /// # Errors
    /// Returns an error if the nodes cannot be read.
    pub async fn check_peers(&self) -> Result<BTreeMap<NodeName, String>, StoreError> {
        let nodes = self.cluster.nodes().nodes().await?;
        let others = nodes.into_iter().filter(|node| node.is_live());
        let others = others.filter(|node| node.name != *self.cluster.name());
        let mut checks = JoinSet::new();
        let mut problems = BTreeMap::new();
        for node in others.take(MAX_CHECKED_PEERS) {
            let Some(address) = node.address else {
                continue;
            };
            match (self.connector)(address.as_str()) {
                Ok(endpoint) => {
                    let client = NodeServiceClient::new(self.connect_lazily(endpoint));
                    let metadata = self.node_metadata(Ipv4Addr::UNSPECIFIED.into());
                    checks.spawn(check_peer(client, metadata, node.name, address));
                }
                Err(detail) => {
                    let problem = problem(&node.name, &address, &detail);
                    problems.insert(node.name, problem);
                }
            }
        }
        problems.extend(checks.join_all().await.into_iter().flatten());
        Ok(problems)
    }
}

/// Calls a node. Returns the problem if another node, or none, answers.
async fn check_peer(
    mut client: NodeServiceClient<tonic::transport::Channel>,
    metadata: MetadataMap,
    name: NodeName,
    address: NodeAddress,
) -> Option<(NodeName, String)> {
    let request = Request::from_parts(metadata, Extensions::new(), GetNodeRequest {});
    let answer = timeout(PEER_TIMEOUT, client.get_node(request)).await;
    let answer = answer.unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer within 2 s")));
    let detail = match answer {
        Ok(answer) => {
            let other = answer.into_inner().name;
            if other == name.as_str() {
                return None;
            }
            format!("node {other} answers there; correct --node-address")
        }
        Err(status) if status.code() == Code::Unimplemented => {
            "the server that answers there is not a node of this cluster, or has an older version"
                .to_owned()
        }
        Err(status) => status.message().to_owned(),
    };
    let problem = problem(&name, &address, &detail);
    Some((name, problem))
}

fn problem(name: &NodeName, address: &NodeAddress, detail: &str) -> String {
    let problem = format!("node {name} cannot be reached at {address}: {detail}");
    let shown = problem.chars().filter(|c| !c.is_control());
    shown.take(MAX_PROBLEM_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_a_line_of_limited_length() {
        let name = NodeName::new("two").unwrap();
        let address = NodeAddress::new("two.example:1").unwrap();
        let text = problem(&name, &address, &"\u{1b}a\n".repeat(1_000));
        assert!(text.starts_with("node two cannot be reached at two.example:1: aaa"));
        assert!(text.chars().count() == MAX_PROBLEM_CHARS && text.ends_with('a'));
    }
}
