//! Reads and verifies replay files, and shows them as pages: in a file, or served to the local
//! machine.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use bridgemaster_page::{SingleFile, single_file};
use bridgemaster_proto::escape::Escaped;
use bridgemaster_replay::whole_file;
use bridgemaster_replay::{MAX_REPLAY_BYTES, ReplayFile, decode, encode_positions, verify};
use bridgemaster_server::{LocalPage, LocalPages, LocalServer, PageError};
use tokio_util::sync::CancellationToken;

use crate::{
    browser, files, output,
    process::{block_on, stop_requested},
};

/// Verifies a replay file, and returns the file's match and page.
pub(super) fn page_of(file: &Path) -> anyhow::Result<(String, SingleFile)> {
    let replay = read_replay(file)?.replay;
    verify(&replay).with_context(|| format!("{} is not valid", file.display()))?;
    let positions = encode_positions(&replay).with_context(|| file.display().to_string())?;
    Ok((replay.match_id, single_file(&positions)))
}

/// Reads a replay file, and checks the file's checksum and signature.
pub(super) fn read_replay(path: &Path) -> anyhow::Result<ReplayFile> {
    let bytes = files::read(path, MAX_REPLAY_BYTES)?;
    decode(&bytes).with_context(|| path.display().to_string())
}

/// Suffix of replay file names.
const SUFFIX: &str = ".replay.binpb";

/// Writes a replay as one HTML file.
pub(crate) fn write(file: &Path, out: Option<&Path>) -> anyhow::Result<()> {
    let out = out.map_or_else(|| beside(file), Path::to_owned);
    let (match_id, page) = page_of(file)?;
    whole_file::write(&out, page.html.as_bytes())
        .with_context(|| format!("cannot write {}", out.display()))?;
    let shown = out.display();
    Ok(output::print(&format!(
        "{shown}: match {}; open the file in any browser\n",
        Escaped(&match_id)
    ))?)
}

/// Serves a replay's page until Ctrl-C.
pub(crate) fn open(file: &Path) -> anyhow::Result<()> {
    let (match_id, page) = page_of(file)?;
    let what = format!("match {}", Escaped(&match_id));
    show(&what, Arc::new(OneReplay(page)))
}

/// One replay's pages: a single page at `/`.
struct OneReplay(SingleFile);

impl LocalPages for OneReplay {
    fn page(&self, path: &str) -> Result<LocalPage, PageError> {
        match path {
            "/" => Ok(LocalPage {
                html: self.0.html.clone(),
                content_security_policy: self.0.content_security_policy.clone(),
                reload_after: None,
            }),
            _ => Err(PageError::Unknown),
        }
    }
}

/// Returns the path of the HTML file next to a replay file.
fn beside(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let name = name.to_string_lossy();
    let stem = name.strip_suffix(SUFFIX).unwrap_or(&name);
    file.with_file_name(format!("{stem}.html"))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_html_file_is_next_to_the_replay() {
        let html = |file: &str| beside(Path::new(file)).display().to_string();
        assert_eq!(html("replays/ab12.replay.binpb"), "replays/ab12.html");
        assert_eq!(html("ab12"), "ab12.html");
        assert_eq!(html("/tmp/x.bin"), "/tmp/x.bin.html");
    }
}
