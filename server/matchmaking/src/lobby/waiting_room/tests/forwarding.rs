//! Offers to a bot whose stream another node forwards.

use std::{sync::Arc, time::Duration};

use bridgemaster_edge::{
    metrics::Metrics,
    transport::{ForwardingNodeId, ForwardingNodes},
};
use tokio::task::yield_now;

use super::fixture::{Fixture, STARTUP};
use bridgemaster_edge::server_clock::ServerClock;

#[tokio::test]
async fn an_offer_is_extended_by_the_lag_of_the_node_through_which_the_bot_attends_again() {
    let metrics = Arc::new(Metrics::for_node(None));
    let clock = Arc::new(ServerClock::start(Arc::clone(&metrics)));
    let nodes = ForwardingNodes::new(clock, metrics);
    let mut fixture = Fixture::new();
    fixture.attend("ada", 1);
    fixture.offer("m", &["ada"]).unwrap();
    let node = nodes.caller(ForwardingNodeId(1));
    fixture.node = Some(Arc::clone(&node));
    fixture.attend("ada", 1);
    while !node.is_overdue() {
        yield_now().await;
    }
    fixture.pass(STARTUP);
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 1);
    node.record_rest();
    fixture.pass(Duration::from_secs(60));
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 0);
}
