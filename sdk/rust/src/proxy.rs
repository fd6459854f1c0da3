//! Connections to servers through an HTTP proxy.

use std::{io, sync::Arc};

use bridgemaster_proto::escape::Escaped;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::transport::Uri;
use tower::{Service, service_fn};

use crate::{OptionsError, address};

/// Maximum length of a proxy's response to CONNECT.
const MAX_RESPONSE_BYTES: usize = 8 * 1024;

/// An HTTP proxy, as `HOST:PORT`.
#[derive(Clone, Debug)]
pub(crate) struct Proxy(Arc<str>);

impl Proxy {
    /// Parses the address of a proxy, such as `http://127.0.0.1:3128`.
    pub(crate) fn parse(url: &str) -> Result<Self, OptionsError> {
        let parsed = address::parse(url).and_then(|parsed| {
            let host_and_port = parsed.strip_prefix("http://");
            Ok(Self(host_and_port.ok_or("the scheme is not http")?.into()))
        });
        parsed.map_err(|problem| OptionsError::InvalidProxy { url: url.to_owned(), problem })
    }

    /// Returns a connector that connects to servers through the proxy.
    pub(crate) fn connector(
        &self,
    ) -> impl Service<Uri, Response = TokioIo<TcpStream>, Error = io::Error, Future: Send> + Send + use<>
    {
        let proxy = self.clone();
        service_fn(move |server: Uri| {
            let proxy = proxy.clone();
            async move {
                let target = server.authority().map_or("", |target| target.as_str());
                proxy.connect(target).await.map(TokioIo::new)
            }
        })
    }

    /// Connects to a server, given as `HOST:PORT`.
    async fn connect(&self, target: &str) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&*self.0).await?;
        stream.set_nodelay(true)?;
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut response = Vec::new();
        // Byte by byte, because the bytes after the blank line are the server's.
        while !response.ends_with(b"\r\n\r\n") && response.len() < MAX_RESPONSE_BYTES {
            response.push(stream.read_u8().await?);
        }
        let is_success = response.starts_with(b"HTTP/1.1 2") || response.starts_with(b"HTTP/1.0 2");
        if is_success && response.ends_with(b"\r\n\r\n") {
            return Ok(stream);
        }
        let response = String::from_utf8_lossy(&response);
        let answer = Escaped(response.lines().next().unwrap_or_default());
        let error = format!("the proxy {} does not connect to {target}: {answer}", self.0);
        Err(io::Error::other(error))
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Connects through a proxy that answers with these bytes.
    async fn connect(answer: &str) -> io::Result<TcpStream> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let proxy = Proxy::parse(&listener.local_addr()?.to_string()).unwrap();
        let proxying = async {
            let (mut client, _) = listener.accept().await?;
            let mut request = [0; 45];
            client.read_exact(&mut request).await?;
            assert_eq!(&request, b"CONNECT server:7 HTTP/1.1\r\nHost: server:7\r\n\r\n");
            client.write_all(answer.as_bytes()).await
        };
        tokio::try_join!(proxy.connect("server:7"), proxying).map(|(stream, ())| stream)
    }

    #[tokio::test]
    async fn bytes_of_the_server_that_arrive_with_the_response_are_kept() {
        let answer = "HTTP/1.1 200 OK\r\nVia: a\r\n\r\nserver";
        let mut stream = connect(answer).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "server");
    }

    #[tokio::test]
    async fn a_refusal_is_an_error_with_the_status() {
        let refused = connect("HTTP/1.1 403 Forbidden\r\n\r\n").await.unwrap_err();
        assert!(refused.to_string().ends_with("HTTP/1.1 403 Forbidden"), "{refused}");
    }

    #[test]
    fn an_invalid_address_is_refused_by_name() {
        for url in ["https://proxy:3128", "socks5://proxy:1", "proxy"] {
            let refused = Proxy::parse(url).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("proxy: {url:?}")), "{refused}");
        }
    }
}
