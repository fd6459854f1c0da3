//! A replay as a page: in one file, or served here.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use bridgemaster_page::{SingleFile, single_file};
use bridgemaster_proto::outside::Outside;
use bridgemaster_replay::{encode_positions, verify};
use bridgemaster_server::SinglePage;
use bridgemaster_whole_file as whole_file;
use tokio_util::sync::CancellationToken;

use super::file::read;
use crate::{browser, output, runtime::block_on, stop_signal::asked_to_stop};

/// How the names of replay files end, where servers and commands write them.
const ENDING: &str = ".replay.binpb";

/// Writes a replay as one HTML file.
pub(super) fn write(file: &Path, out: Option<&Path>) -> anyhow::Result<()> {
    let out = out.map_or_else(|| beside(file), Path::to_owned);
    let (match_id, page) = page_of(file)?;
    whole_file::write(&out, page.html.as_bytes())
        .with_context(|| format!("{} cannot be written", out.display()))?;
    let shown = out.display();
    Ok(output::print(&format!(
        "{shown}: match {}, for any browser, without a server\n",
        Outside(&match_id)
    ))?)
}

/// Serves a replay until Ctrl-C.
pub(super) fn open(file: &Path) -> anyhow::Result<()> {
    let (match_id, page) = page_of(file)?;
    block_on(async move {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let served = SinglePage::bind(free).await?;
        let stop = CancellationToken::new();
        let (stopped, asked) = (stop.clone(), asked_to_stop());
        tokio::spawn(async move {
            asked.await;
            stopped.cancel();
        });
        let url = format!("http://{}/", served.local_addr());
        output::print(&format!(
            "match {} at {url} (Ctrl-C stops)\n",
            Outside(&match_id)
        ))?;
        browser::open(&url);
        served
            .run(page.html, &page.content_security_policy, stop)
            .await;
        Ok(())
    })
}

/// The page of a replay file that holds, and its match.
fn page_of(file: &Path) -> anyhow::Result<(String, SingleFile)> {
    let replay = read(file)?.replay;
    verify(&replay).with_context(|| format!("{} does not hold", file.display()))?;
    let positions = encode_positions(&replay).with_context(|| file.display().to_string())?;
    Ok((replay.match_id, single_file(&positions)))
}

/// The name of the HTML file beside a replay file.
fn beside(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let name = name.to_string_lossy();
    let stem = name.strip_suffix(ENDING).unwrap_or(&name);
    file.with_file_name(format!("{stem}.html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_html_file_stands_beside_the_replay() {
        let html = |file: &str| beside(Path::new(file)).display().to_string();
        assert_eq!(html("replays/ab12.replay.binpb"), "replays/ab12.html");
        assert_eq!(html("ab12"), "ab12.html");
        assert_eq!(html("/tmp/x.bin"), "/tmp/x.bin.html");
    }
}
