//! A page of one file, such as a replay that somebody opens on his own machine.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::Body as AxumBody;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    body::Body,
    codegen::{
        Bytes, Service,
        http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header},
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

/// A page of one file, served to browsers at `/`.
pub struct SinglePage {
    listener: TcpListener,
    local_addr: SocketAddr,
}

impl SinglePage {
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

    /// Serves `html` under this policy until `stop` is cancelled.
    pub async fn run(self, html: String, policy: &str, stop: CancellationToken) {
        let limits = Limits::default();
        let slots = ConnectionSlots::without_bots(
            limits.page_connections,
            limits.page_connections_per_address,
        );
        let page = OnePage(Arc::new(Content {
            guard: Guard::new(Vec::new(), false),
            html: Bytes::from(html),
            // One that is no header would be a defect of who made it; nothing is allowed then.
            policy: HeaderValue::from_str(policy)
                .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'")),
        }));
        let connections = incoming(self.listener, None, Peers::Browsers, limits.clone(), slots);
        // A stream that nobody reads does not keep it: there is none.
        let no_keys = Arc::new(|_: &HeaderMap| None);
        serve_web(connections, page, no_keys, Allowances::new(limits), stop).await;
    }
}

#[derive(Clone)]
struct OnePage(Arc<Content>);

struct Content {
    guard: Guard,
    html: Bytes,
    policy: HeaderValue,
}

impl Content {
    fn answer(&self, request: &Request<Body>) -> Response<Body> {
        if let Err(why) = self.guard.check(request) {
            return guarded(text(StatusCode::FORBIDDEN, &why.to_string()));
        }
        let is_head = *request.method() == Method::HEAD;
        if !is_head && *request.method() != Method::GET {
            let why = "the page is read with GET";
            return guarded(text(StatusCode::METHOD_NOT_ALLOWED, why));
        }
        if request.uri().path() != "/" {
            return guarded(text(StatusCode::NOT_FOUND, "there is one page, at /"));
        }
        let body = match is_head {
            true => AxumBody::empty(),
            false => AxumBody::from(self.html.clone()),
        };
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        let mut response = guarded(with_body(body, kind));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, self.html.len().into());
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

impl Service<Request<Body>> for OnePage {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        ready(Ok(self.0.answer(&request)))
    }
}
