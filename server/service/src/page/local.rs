//! A local HTTP server for pages on the user's own machine, such as a replay or a contest.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body as AxumBody, extract::State};
use bridgemaster_edge::{
    limits::Limits,
    transport::{ClientKind, ConnectionSlots, Quotas, incoming, serve_web},
};
use bridgemaster_store::CompiledFuture;
use tokio::{net::TcpListener, task::spawn_blocking};
use tokio_util::sync::CancellationToken;
use tonic::{
    body::Body,
    codegen::http::{
        HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header,
    },
    service::Routes,
};

use super::{
    access::OriginGuard,
    reply::{response_with_body, text_response, with_security_headers},
};

/// The header that makes browsers reload a page after a number of seconds.
const REFRESH_HEADER: HeaderName = HeaderName::from_static("refresh");

/// A page, with its security policy and its reload interval.
#[derive(Clone, Debug)]
pub struct LocalPage {
    /// The HTML document.
    pub html: String,
    /// The value of the `content-security-policy` header.
    pub content_security_policy: String,
    /// The interval at which browsers reload the page, in whole seconds; `None` for never.
    pub reload_after: Option<Duration>,
}

/// The error when a page cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    /// The address has no page.
    Unknown,
    /// The page could not be produced, for this reason.
    Failed(String),
}

/// A set of pages.
pub trait LocalPages: Send + Sync + 'static {
    /// Returns the page at a path, such as `/`. Can block.
    ///
    /// # Errors
    /// Returns an error if there is no such page, or when the page cannot be produced.
    fn page(&self, path: &str) -> Result<LocalPage, PageError>;
}

/// A bound HTTP server for browsers on this machine.
pub struct LocalServer {
    listener: TcpListener,
    local_addr: SocketAddr,
}

impl LocalServer {
    /// Binds to `addr`; port 0 selects a free port.
    ///
    /// # Errors
    /// Returns an error if the address is unavailable.
    pub async fn bind(addr: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(addr).await?;
        let local_addr = listener.local_addr()?;
        Ok(Self { listener, local_addr })
    }

    /// The address on which the server listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves `pages` until `stop` is cancelled.
    pub fn run(
        self,
        pages: Arc<dyn LocalPages>,
        stop: CancellationToken,
    ) -> CompiledFuture<'static, ()> {
        Box::pin(self.serve(pages, stop))
    }

    async fn serve(self, pages: Arc<dyn LocalPages>, stop: CancellationToken) {
        let limits = Limits::default();
        let slots = ConnectionSlots::without_bots(
            limits.page_connections,
            limits.page_connections_per_address,
        );
        let guard = Arc::new(OriginGuard::new(Vec::new(), false));
        let service = Router::new().fallback(answer).with_state((guard, pages));
        let connections =
            incoming(self.listener, None, ClientKind::Browsers, limits.clone(), slots);
        // These pages have no streams, so the limit on unread streams is not needed.
        let no_keys = Arc::new(|_: &HeaderMap| None);
        serve_web(connections, Routes::from(service), no_keys, Quotas::new(limits), stop).await;
    }
}

async fn answer(
    State((guard, pages)): State<(Arc<OriginGuard>, Arc<dyn LocalPages>)>,
    request: Request<AxumBody>,
) -> Response<Body> {
    if let Err(why) = guard.check(&request) {
        let refused = text_response(StatusCode::FORBIDDEN, &why.to_string());
        return with_security_headers(refused);
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let why = "pages support only GET and HEAD";
        return with_security_headers(text_response(StatusCode::METHOD_NOT_ALLOWED, why));
    }
    let path = request.uri().path().to_owned();
    let result = spawn_blocking(move || pages.page(&path)).await;
    let failed = |why| text_response(StatusCode::INTERNAL_SERVER_ERROR, why);
    with_security_headers(match result {
        Ok(Ok(page)) => return page_response(page),
        Ok(Err(PageError::Unknown)) => text_response(StatusCode::NOT_FOUND, "page not found"),
        Ok(Err(PageError::Failed(why))) => failed(&why),
        Err(_) => failed("the page could not be produced"),
    })
}

fn page_response(page: LocalPage) -> Response<Body> {
    let length = page.html.len();
    let body = AxumBody::from(page.html);
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    let mut response = with_security_headers(response_with_body(body, kind));
    // An invalid header would be a bug in the caller. The policy then permits nothing.
    let policy = HeaderValue::from_str(&page.content_security_policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(after) = page.reload_after {
        headers.insert(REFRESH_HEADER, after.as_secs().into());
    }
    response
}
