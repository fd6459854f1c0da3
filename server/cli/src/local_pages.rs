//! Pages for whoever sits at this machine, until Ctrl-C.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bridgemaster_server::{LocalPages, LocalServer};
use tokio_util::sync::CancellationToken;

use crate::{browser, output, runtime::block_on, stop_signal::asked_to_stop};

/// Serves pages at a free port of this machine until Ctrl-C, tells where `what` is, and opens the first
/// of them.
pub(super) fn show(what: &str, pages: Arc<dyn LocalPages>) -> anyhow::Result<()> {
    block_on(async move {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = LocalServer::bind(free).await?;
        let stop = CancellationToken::new();
        let (stopped, asked) = (stop.clone(), asked_to_stop());
        tokio::spawn(async move {
            asked.await;
            stopped.cancel();
        });
        let url = format!("http://{}/", server.local_addr());
        output::print(&format!("{what} at {url} (Ctrl-C stops)\n"))?;
        browser::open(&url);
        server.run(pages, stop).await;
        Ok(())
    })
}
