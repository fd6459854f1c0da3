//! The page with the metrics, on a port for operators.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use super::{Metrics, listener::FewConnections};
use crate::limits::{METRICS_CONNECTION_TIME, METRICS_CONNECTIONS};

/// The type of OpenMetrics text.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `GET /metrics` until it is dropped.
///
/// # Errors
/// When the listener fails.
pub(crate) async fn serve(listener: TcpListener, metrics: Arc<Metrics>) -> std::io::Result<()> {
    let pages = Router::new()
        .route("/metrics", get(page))
        .with_state(metrics);
    let few = FewConnections::new(listener, METRICS_CONNECTIONS, METRICS_CONNECTION_TIME);
    axum::serve(few, pages).await
}

async fn page(State(metrics): State<Arc<Metrics>>) -> Response {
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPENMETRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
