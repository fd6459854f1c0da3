//! `bridgemaster contest show` and `contest open`: show a stored contest.

use std::{path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_page::{SingleFile, plain_file};
use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{ExitReason, exit, read_contest};
use bridgemaster_server::{LocalPage, LocalPages, PageError};
use clap::Args;

use crate::{
    contest::{
        lost_matches,
        outputs::{
            self, OutputArgs,
            bot_sections::details,
            html,
            text::{text, titled},
        },
        playing::to_error,
    },
    failure::misuse,
    output,
    replay_page::{self, page_of},
};

#[derive(Args)]
#[command(
    after_help = "Also shows a contest that is still running. Exit codes: 0 for every verdict; 6 \
    the folder cannot be read."
)]
pub(super) struct ShowArgs {
    /// Folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Show details of this bot only (repeatable) [default: all bots]
    #[arg(long = "bot", value_name = "NAME")]
    bots: Vec<String>,
    /// List the costliest decisions in the lost matches of --bot [default: the bot under test, or
    /// the first bot]
    #[arg(long)]
    review: bool,
    #[command(flatten)]
    outputs: OutputArgs,
}

impl ShowArgs {
    pub(super) fn run(self) -> anyhow::Result<u8> {
        let outputs = self.outputs.open()?;
        if self.review && outputs.use_stdout() {
            return Err(misuse("--review cannot be combined with an output on standard output"));
        }
        let (state, rows) = read_contest(&self.folder).map_err(|error| to_error(error.into()))?;
        for name in &self.bots {
            if state.spec().bot_number(name).is_none() {
                return Err(misuse(format!("--bot {name}: the contest has no such bot")));
            }
        }
        let report = state.report(exit(&state));
        outputs::write(&outputs, &report, &rows)?;
        if outputs.use_stdout() {
            return Ok(0);
        }
        if self.review {
            output::print(&lost_matches::review(&state, &rows, &self.bots))?;
            return Ok(0);
        }
        let mut text = text(&report);
        for bot in &report.bots {
            if self.bots.is_empty() || self.bots.contains(&bot.name) {
                text.push_str(&titled(&details(&report, bot)));
            }
        }
        output::print(&text)?;
        Ok(0)
    }
}

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
        // Reports an invalid folder before the browser is opened.
        read_contest(&self.folder).map_err(|error| to_error(error.into()))?;
        let what = format!("contest {}", Escaped(&self.folder.display().to_string()));
        replay_page::show(&what, Arc::new(ContestPages(self.folder)))?;
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
        Ok(local(shown.with_back_link("/", "All matches of the contest"), None))
    }
}

fn local(page: SingleFile, reload_after: Option<Duration>) -> LocalPage {
    LocalPage {
        html: page.html,
        content_security_policy: page.content_security_policy,
        reload_after,
    }
}
