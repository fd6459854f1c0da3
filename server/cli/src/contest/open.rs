//! `bridgemaster contest open`: shows a contest in the browser.

use std::{path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_page::{SingleFile, plain_file};
use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{ExitReason, exit, read_contest};
use bridgemaster_server::{LocalPage, LocalPages, PageError};
use clap::Args;

use super::{outputs::html, playing::to_error};
use crate::{local_pages, replay_page::page_of};

/// Interval at which a browser reloads a running contest's page.
const RELOAD_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(after_help = "The page is updated while the contest runs.")]
pub(super) struct OpenArgs {
    /// Folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl OpenArgs {
    pub(super) fn run(self) -> anyhow::Result<u8> {
        // Report an invalid folder before opening the browser.
        read_contest(&self.folder).map_err(|error| to_error(error.into()))?;
        let what = format!("contest {}", Escaped(&self.folder.display().to_string()));
        local_pages::show(&what, Arc::new(ContestPages(self.folder)))?;
        Ok(0)
    }
}

/// Renders a stored contest's pages on request.
struct ContestPages(PathBuf);

impl LocalPages for ContestPages {
    fn page(&self, path: &str) -> Result<LocalPage, PageError> {
        let read = read_contest(&self.0);
        let (state, rows) = read.map_err(|error| PageError::Failed(error.to_string()))?;
        if path == "/" {
            let report = state.report(exit(&state));
            let is_running = report.exit.reason == ExitReason::Running;
            let content = html::content(&report, &rows);
            let shown = plain_file(&html::title(&report), &content);
            return Ok(local(shown, is_running.then_some(RELOAD_INTERVAL)));
        }
        let mut rows = rows.iter();
        let row = rows.find(|row| html::path(row) == path);
        let replay = row.and_then(|row| row.replay.as_ref());
        let replay = self.0.join(replay.ok_or(PageError::Unknown)?);
        let shown = page_of(&replay).map_err(|error| PageError::Failed(format!("{error:#}")))?;
        let (_, shown) = shown;
        Ok(local(
            shown.with_back_link("/", "All matches of the contest"),
            None,
        ))
    }
}

fn local(page: SingleFile, reload_after: Option<Duration>) -> LocalPage {
    LocalPage {
        html: page.html,
        content_security_policy: page.content_security_policy,
        reload_after,
    }
}
