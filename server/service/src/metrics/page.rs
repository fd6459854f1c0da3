//! The HTTP endpoint of the metrics, on a port for operators.

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

/// The content type of the OpenMetrics text format.
const OPENMETRICS_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Sets the gauges that are computed at each scrape.
pub(crate) type Refresh = Arc<dyn Fn(&Metrics) + Send + Sync>;

/// Serves `GET /metrics` until the future is dropped.
///
/// # Errors
/// When the listener fails.
pub(crate) async fn serve<L>(
    listener: L,
    metrics: Arc<Metrics>,
    refresh: Refresh,
) -> std::io::Result<()>
where
    L: Listener<Addr: Debug>,
{
    let pages = Router::new()
        .route("/metrics", get(page))
        .with_state((metrics, refresh));
    axum::serve(listener, pages).await
}

async fn page(State((metrics, refresh)): State<(Arc<Metrics>, Refresh)>) -> Response {
    refresh(&metrics);
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPENMETRICS_CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
