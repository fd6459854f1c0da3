//! Shows a replay as an HTML file or on a local page.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use bridgemaster_page::SingleFile;
use bridgemaster_proto::escape::Escaped;
use bridgemaster_server::{LocalPage, LocalPages, PageError};
use bridgemaster_whole_file as whole_file;

use crate::{local_pages, output, replay_page::page_of};

/// Suffix of replay file names.
const SUFFIX: &str = ".replay.binpb";

/// Writes a replay as one HTML file.
pub(super) fn write(file: &Path, out: Option<&Path>) -> anyhow::Result<()> {
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
pub(super) fn open(file: &Path) -> anyhow::Result<()> {
    let (match_id, page) = page_of(file)?;
    let what = format!("match {}", Escaped(&match_id));
    local_pages::show(&what, Arc::new(OneReplay(page)))
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
