//! Serves pages to the local machine until Ctrl-C.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bridgemaster_server::{LocalPages, LocalServer};
use tokio_util::sync::CancellationToken;

use crate::{browser, output, runtime::block_on, stop_signal::stop_requested};

/// Serves pages on a free loopback port until Ctrl-C, and opens the first page in the browser. The
/// printed line describes the pages as `what`.
pub(super) fn show(what: &str, pages: Arc<dyn LocalPages>) -> anyhow::Result<()> {
    block_on(async move {
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = LocalServer::bind(loopback).await?;
        let stop = CancellationToken::new();
        let (cancel, signal) = (stop.clone(), stop_requested());
        tokio::spawn(async move {
            signal.await;
            cancel.cancel();
        });
        let url = format!("http://{}/", server.local_addr());
        output::print(&format!("{what} at {url} (Ctrl-C stops)\n"))?;
        browser::open(&url);
        server.run(pages, stop).await;
        Ok(())
    })
}
