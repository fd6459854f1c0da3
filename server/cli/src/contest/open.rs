//! `bridgemaster contest open`: a contest as pages in the browser.

use std::{path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_page::{SingleFile, plain_file};
use bridgemaster_proto::outside::Outside;
use bridgemaster_runner::{ExitReason, exit, read_contest};
use bridgemaster_server::{LocalPage, LocalPages, NoPage};
use clap::Args;

use super::{outputs::html, playing::explained};
use crate::{local_pages, replay_page::page_of};

/// How often a browser reads the page of a contest that goes on.
const READ_AGAIN: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(after_help = "The contest may be in play: the page then follows it.")]
pub(super) struct OpenArgs {
    /// Folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl OpenArgs {
    pub(super) fn run(self) -> anyhow::Result<u8> {
        // What is no contest is refused before a browser comes.
        read_contest(&self.folder).map_err(|error| explained(error.into()))?;
        let what = format!("contest {}", Outside(&self.folder.display().to_string()));
        local_pages::show(&what, Arc::new(ContestPages(self.folder)))?;
        Ok(0)
    }
}

/// The pages of the contest of a folder, each made when it is asked for.
struct ContestPages(PathBuf);

impl LocalPages for ContestPages {
    fn page(&self, path: &str) -> Result<LocalPage, NoPage> {
        let read = read_contest(&self.0);
        let (standing, rows) = read.map_err(|error| NoPage::Failed(error.to_string()))?;
        if path == "/" {
            let report = standing.report(exit(&standing));
            let goes_on = report.exit.reason == ExitReason::Running;
            let content = html::content(&report, &rows);
            let shown = plain_file(&html::title(&report), &content);
            return Ok(local(shown, goes_on.then_some(READ_AGAIN)));
        }
        let mut rows = rows.iter();
        let row = rows.find(|row| html::path(row) == path);
        let replay = row.and_then(|row| row.replay.as_ref());
        let replay = self.0.join(replay.ok_or(NoPage::Unknown)?);
        let shown = page_of(&replay).map_err(|error| NoPage::Failed(format!("{error:#}")))?;
        let (_, shown) = shown;
        Ok(local(
            shown.with_way_back("/", "All matches of the contest"),
            None,
        ))
    }
}

fn local(page: SingleFile, read_again: Option<Duration>) -> LocalPage {
    LocalPage {
        html: page.html,
        content_security_policy: page.content_security_policy,
        read_again,
    }
}
