//! Tests the trace of a match that moves to another server.

use std::sync::Arc;

use bridgemaster_sdk::Options;
use bridgemaster_server::traces::SpanContext;
use tokio::time::timeout;

use crate::{
    collecting::{Collected, Collecting},
    kit::{paced_bot::Pace, program::PATIENCE},
    nodes::node,
    postgres_server::PostgresServer,
};

/// Number of decisions of each bot before the first server is killed.
const FIRST_DECISIONS: u32 = 3;

pub(crate) async fn the_spans_of_all_servers_of_a_match_are_one_trace() {
    let collecting = Collecting::start().await;
    let database = PostgresServer::shared().fresh();
    let start = |name| node(&database, name, &format!("--otlp {}", collecting.address));
    let (one, two) = (start("one"), start("two"));
    let urls = format!("{},{}", one.url, two.url);
    let (match_id, tickets) = one.create("carcassonne", "a").await;
    let pace = Pace::of(FIRST_DECISIONS);
    let bots = tickets.iter().zip(1..).map(|(ticket, seed)| {
        let options = Options {
            reconnect_for: PATIENCE,
            ..Options::new(&urls, ticket.parse().unwrap(), "paced")
        };
        let bot = pace.bot(seed, &Arc::default());
        tokio::spawn(bridgemaster_sdk::play(bot, options))
    });
    let bots: Vec<_> = bots.collect();
    let decision_of = |name: &'static str| {
        move |spans: &[Collected]| {
            let mut decisions = spans.iter().filter(|one| one.span.name == "decision");
            decisions.any(|one| one.instance() == name)
        }
    };
    let seen = timeout(PATIENCE, collecting.until(decision_of("one"))).await.unwrap();
    let decision = seen.iter().find(|one| one.span.name == "decision").unwrap();
    assert_eq!(decision.attribute("bridgemaster.match.id"), Some(match_id.clone()));
    one.kill();
    pace.allow(u32::MAX);
    for bot in bots {
        timeout(PATIENCE, bot).await.unwrap().unwrap().unwrap();
    }
    let is_over = |spans: &[Collected]| spans.iter().any(|one| one.span.name == "match");
    let spans = timeout(PATIENCE, collecting.until(is_over)).await.unwrap();
    assert!(decision_of("two")(&spans));
    let first = SpanContext::from_name(&match_id);
    let of_match = spans.iter().filter(|one| one.span.name != "commit");
    let of_match: Vec<_> = of_match.collect();
    for one in &of_match {
        assert_eq!(one.span.trace_id, first.trace.0);
        let is_first = one.span.name == "match";
        assert_eq!(one.span.span_id == first.span.0, is_first);
        assert_eq!(one.span.parent_span_id == first.span.0, !is_first);
    }
    let by = |name: &str| -> Vec<String> {
        let named = of_match.iter().filter(|one| one.span.name == name);
        named.map(|one| one.instance()).collect()
    };
    assert_eq!(by("make match"), ["one"]);
    assert_eq!(by("recover match"), ["two"]);
    assert_eq!(by("match"), ["two"]);
}
