//! A replay as a page: in one file, or served here.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use bridgemaster_page::SingleFile;
use bridgemaster_proto::outside::Outside;
use bridgemaster_server::{LocalPage, LocalPages, NoPage};
use bridgemaster_whole_file as whole_file;

use crate::{local_pages, output, replay_page::page_of};

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
    let what = format!("match {}", Outside(&match_id));
    local_pages::show(&what, Arc::new(OneReplay(page)))
}

/// One page, at `/`.
struct OneReplay(SingleFile);

impl LocalPages for OneReplay {
    fn page(&self, path: &str) -> Result<LocalPage, NoPage> {
        match path {
            "/" => Ok(LocalPage {
                html: self.0.html.clone(),
                content_security_policy: self.0.content_security_policy.clone(),
                read_again: None,
            }),
            _ => Err(NoPage::Unknown),
        }
    }
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
