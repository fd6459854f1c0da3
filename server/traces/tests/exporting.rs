//! Tests the export to a collector over real connections. OpenTelemetry's own messages decode the
//! spans.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // Not every target needs all of it.
mod collecting;

use std::time::{Duration, SystemTime};

use bridgemaster_traces::{
    Collector, MAX_QUEUED_SPANS, Source, Span, SpanContext, SpanKind, SpanRecorder, Value,
};
use opentelemetry_proto::tonic::trace::v1::{span, status::StatusCode};
use tokio::{net::TcpListener, time::timeout};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use collecting::{Collecting, attribute};

/// Timeout of every wait in a test.
const PATIENCE: Duration = Duration::from_secs(60);

fn source() -> Source {
    Source::server("1.2.3", Some("one"))
}

#[tokio::test]
async fn a_span_arrives_with_all_its_attributes() {
    let collecting = Collecting::start().await;
    let (span_recorder, exporter) =
        SpanRecorder::new(&collecting.address.parse().unwrap(), source());
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    let of_match = SpanContext::from_name("m1");
    let started = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_700_000_000_000_000_007);
    span_recorder.record(|| Span {
        kind: SpanKind::Client,
        ended: started + Duration::from_nanos(5),
        links: vec![SpanContext::from_name("m2")],
        failed: true,
        ..Span::within(of_match, started, "commit")
            .with("a.text", "a")
            .with("a.number", 7_u32)
            .with("a.flag", true)
    });
    let got = timeout(PATIENCE, collecting.until(|got| !got.is_empty())).await.unwrap();
    for (name, value) in [
        ("service.name", "bridgemaster"),
        ("service.version", "1.2.3"),
        ("service.instance.id", "one"),
    ] {
        assert_eq!(attribute(&got[0].source, name).as_deref(), Some(value));
    }
    let span = &got[0].span;
    assert_eq!(span.name, "commit");
    assert_eq!(span.kind(), span::SpanKind::Client);
    assert_eq!(span.trace_id, of_match.trace.0);
    assert_eq!(span.parent_span_id, of_match.span.0);
    assert_eq!(span.span_id.len(), 8);
    assert_eq!(span.start_time_unix_nano, 1_700_000_000_000_000_007);
    assert_eq!(span.end_time_unix_nano, 1_700_000_000_000_000_012);
    for (name, value) in [("a.text", "a"), ("a.number", "7"), ("a.flag", "true")] {
        assert_eq!(got[0].attribute(name).as_deref(), Some(value));
    }
    let linked = SpanContext::from_name("m2");
    assert_eq!(span.links[0].trace_id, linked.trace.0);
    assert_eq!(span.links[0].span_id, linked.span.0);
    assert_eq!(span.status.as_ref().unwrap().code(), StatusCode::Error);
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn queued_spans_are_exported_with_the_headers_when_the_exporter_stops() {
    let collecting = Collecting::start().await;
    let collector: Collector = collecting.address.parse().unwrap();
    let collector = collector.with_headers("authorization=Bearer%20t0ken,tenant=a");
    let (span_recorder, exporter) = SpanRecorder::new(&collector.unwrap(), source());
    // This is more than one batch contains.
    for _ in 0..1_000 {
        span_recorder.record(|| span("late"));
    }
    let stop = CancellationToken::new();
    stop.cancel();
    timeout(PATIENCE, exporter.run(stop)).await.unwrap();
    assert_eq!(collecting.spans().len(), 1_000);
    let received = String::from_utf8_lossy(&collecting.bytes()).into_owned();
    for header in ["\"authorization\": \"Bearer t0ken\"", "\"tenant\": \"a\""] {
        assert!(received.contains(header), "{header}");
    }
}

#[tokio::test]
async fn a_collector_that_starts_late_gets_the_queued_spans() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let collector: Collector = format!("http://{address}").parse().unwrap();
    let (span_recorder, exporter) = SpanRecorder::new(&collector, source());
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    for _ in 0..2 * MAX_QUEUED_SPANS {
        // If recording blocked, this loop would not end.
        span_recorder.record(|| span("early"));
    }
    let listener = TcpListener::bind(address).await.unwrap();
    let collecting = Collecting::on(listener);
    let got =
        timeout(PATIENCE, collecting.until(|got| got.len() >= MAX_QUEUED_SPANS)).await.unwrap();
    assert!(got.len() < 2 * MAX_QUEUED_SPANS);
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn permanently_rejected_spans_are_not_sent_again() {
    let collecting = Collecting::refusing(Status::invalid_argument("no")).await;
    let (span_recorder, exporter) =
        SpanRecorder::new(&collecting.address.parse().unwrap(), source());
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    span_recorder.record(|| span("refused"));
    timeout(PATIENCE, collecting.until(|got| !got.is_empty())).await.unwrap();
    span_recorder.record(|| span("taken"));
    let got = timeout(PATIENCE, collecting.until(|got| got.len() >= 2)).await.unwrap();
    let names: Vec<_> = got.iter().map(|one| &*one.span.name).collect();
    assert_eq!(names, ["refused", "taken"]);
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_exporter_whose_collector_is_silent_stops_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let collector = format!("http://{}", listener.local_addr().unwrap());
    let (span_recorder, exporter) = SpanRecorder::new(&collector.parse().unwrap(), source());
    span_recorder.record(|| span("lost"));
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    // The listener accepts the connection, but never responds.
    let _silent = timeout(PATIENCE, listener.accept()).await.unwrap().unwrap();
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[test]
fn no_span_is_built_while_tracing_is_disabled() {
    let span_recorder = SpanRecorder::disabled();
    assert!(!span_recorder.is_enabled());
    span_recorder.record(|| panic!("the span must not be built"));
}

fn span(name: &'static str) -> Span {
    let started = SystemTime::now();
    Span::since(started, name, SpanContext::generate()).with("value", Value::Flag(true))
}
