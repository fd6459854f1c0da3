//! The page with the metrics, on a port for operators.

use std::{fmt::Debug, sync::Arc};

use super::Metrics;
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
    serve::Listener,
};

/// The type of OpenMetrics text.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `GET /metrics` until it is dropped.
///
/// # Errors
/// When the listener fails.
pub(crate) async fn serve<L>(listener: L, metrics: Arc<Metrics>) -> std::io::Result<()>
where
    L: Listener<Addr: Debug>,
{
    let pages = Router::new()
        .route("/metrics", get(page))
        .with_state(metrics);
    axum::serve(listener, pages).await
}

async fn page(State(metrics): State<Arc<Metrics>>) -> Response {
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPENMETRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
