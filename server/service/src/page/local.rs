//! Pages that somebody looks at on his own machine, such as a replay or a contest.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body as AxumBody;
use bridgemaster_store::CompiledFuture;
use tokio::{net::TcpListener, task::spawn_blocking};
use tokio_util::sync::CancellationToken;
use tonic::{
    body::Body,
    codegen::{
        Bytes, Service,
        http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header},
    },
};

use super::{
    guard::Guard,
    reply::{guarded, text, with_body},
};
use crate::{
    limits::Limits,
    transport::{Allowances, ConnectionSlots, Peers, incoming, serve_web},
};

/// Has a browser read a page again after so many seconds.
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// A page.
#[derive(Clone, Debug)]
pub struct LocalPage {
    /// Its HTML.
    pub html: String,
    /// What a browser may do with it, as the header `content-security-policy` has it.
    pub content_security_policy: String,
    /// After how long a browser reads it again, in whole seconds; `None` for never.
    pub read_again: Option<Duration>,
}

/// Why a page is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPage {
    /// There is none at this address.
    Unknown,
    /// There is one, and it cannot be made, for this reason.
    Failed(String),
}

/// The pages that there are.
pub trait LocalPages: Send + Sync + 'static {
    /// The page at the path of an address, such as `/`. May take time.
    ///
    /// # Errors
    /// Why it is not shown.
    fn page(&self, path: &str) -> Result<LocalPage, NoPage>;
}

/// A listener for browsers of this machine.
pub struct LocalServer {
    listener: TcpListener,
    local_addr: SocketAddr,
}

impl LocalServer {
    /// Listens on `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn bind(addr: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(addr).await?;
        let local_addr = listener.local_addr()?;
        Ok(Self {
            listener,
            local_addr,
        })
    }

    /// The address that it listens on.
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
        let desk = LocalDesk {
            guard: Arc::new(Guard::new(Vec::new(), false)),
            pages,
        };
        let connections = incoming(self.listener, None, Peers::Browsers, limits.clone(), slots);
        // A stream that nobody reads does not keep it: there is none.
        let no_keys = Arc::new(|_: &HeaderMap| None);
        serve_web(connections, desk, no_keys, Allowances::new(limits), stop).await;
    }
}

#[derive(Clone)]
struct LocalDesk {
    guard: Arc<Guard>,
    pages: Arc<dyn LocalPages>,
}

impl LocalDesk {
    async fn answer(self, request: Request<Body>) -> Response<Body> {
        if let Err(why) = self.guard.check(&request) {
            return text(StatusCode::FORBIDDEN, &why.to_string());
        }
        let is_head = *request.method() == Method::HEAD;
        if !is_head && *request.method() != Method::GET {
            let why = "pages are read with GET";
            return text(StatusCode::METHOD_NOT_ALLOWED, why);
        }
        let path = request.uri().path().to_owned();
        let made = spawn_blocking(move || self.pages.page(&path)).await;
        match made {
            Ok(Ok(page)) => shown(page, is_head),
            Ok(Err(NoPage::Unknown)) => text(StatusCode::NOT_FOUND, "there is no such page"),
            Ok(Err(NoPage::Failed(why))) => text(StatusCode::INTERNAL_SERVER_ERROR, &why),
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the page was not made"),
        }
    }
}

fn shown(page: LocalPage, is_head: bool) -> Response<Body> {
    let length = page.html.len();
    let body = match is_head {
        true => AxumBody::empty(),
        false => AxumBody::from(Bytes::from(page.html)),
    };
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    let mut response = guarded(with_body(body, kind));
    // One that is no header would be a defect of who made it; nothing is allowed then.
    let policy = HeaderValue::from_str(&page.content_security_policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(after) = page.read_again {
        headers.insert(REFRESH, after.as_secs().into());
    }
    response
}

impl Service<Request<Body>> for LocalDesk {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let desk = self.clone();
        Box::pin(async move {
            let mut answer = desk.answer(request).await;
            // A page has a policy of its own.
            if !answer
                .headers()
                .contains_key(header::CONTENT_SECURITY_POLICY)
            {
                answer = guarded(answer);
            }
            Ok(answer)
        })
    }
}
