//! Plays a contest and converts its errors for the command line.

use std::{future::pending, path::Path, time::Duration};

use bridgemaster_runner::{
    BuiltInBots, Contest, ContestState, Exit, ExitReason, FolderError, Report, RunError, SpecError,
    exit, read_contest, stopped,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{live::Live, own_server::ServerChoice};
use crate::{
    failure::{self, misuse},
    runtime::block_on,
    stop_signal::shutdown_requested,
};

/// Time for matches to end when a contest is stopped. The reports omit matches that run longer. A
/// second signal ends the wait.
const ENDING_TIMEOUT: Duration = Duration::from_secs(20);

/// Plays a contest for at most `max_time`, on a private or a running server.
pub(super) fn play(
    contest: Contest,
    built_in: BuiltInBots,
    server: ServerChoice,
    mut live: Live,
    max_time: Option<Duration>,
) -> anyhow::Result<(ContestState, Exit)> {
    let folder = contest.state().folder().to_owned();
    let mut played = None;
    let mut is_time_up = false;
    let done = block_on(async {
        let shutdown = shutdown_requested();
        let stop = CancellationToken::new();
        let cut_off = async {
            tokio::select! {
                () = shutdown => {}
                () = time_limit(max_time) => is_time_up = true,
            }
            stop.cancel();
            tokio::select! {
                () = shutdown_requested() => {}
                () = sleep(ENDING_TIMEOUT) => {}
            }
        };
        let playing = async {
            let serving = server.serve(contest.concurrent_seats()).await?;
            let done = contest
                .play(
                    serving.address(),
                    built_in,
                    stop.cancelled(),
                    |state, news| live.show(state, &news),
                )
                .await;
            serving.stop().await?;
            anyhow::Ok(done)
        };
        tokio::select! {
            done = playing => played = Some(done?.map_err(to_error)?),
            () = cut_off => {}
        }
        Ok(())
    });
    live.finish();
    done?;
    let (state, mut exit) = match played {
        Some(played) => played,
        None => stored(&folder)?,
    };
    let is_stopped = matches!(exit.reason, ExitReason::Stopped | ExitReason::Undecided);
    if is_time_up && is_stopped && !state.is_complete() {
        exit.sentence = format!(
            "stopped by --max-time; --resume {} continues without repeating finished matches",
            state.folder().display()
        );
    }
    Ok((state, exit))
}

/// Reads an interrupted contest's stored matches.
fn stored(folder: &Path) -> anyhow::Result<(ContestState, Exit)> {
    let (state, _) = read_contest(folder).map_err(|error| to_error(error.into()))?;
    let exit = if state.is_complete() {
        exit(&state)
    } else {
        stopped(&state)
    };
    Ok((state, exit))
}

/// Returns a failed contest's report, with the stored matches and the error.
///
/// # Errors
/// The error of the contest, if no match is stored.
pub(super) fn report_of_failure(folder: &Path, error: anyhow::Error) -> anyhow::Result<Report> {
    let Ok((state, _)) = read_contest(folder) else {
        return Err(error);
    };
    failure::report(&error);
    let reason = ExitReason::RefereeFault;
    Ok(state.report(Exit {
        reason,
        code: reason.code(),
        sentence: format!(
            "the contest failed: {error:#}; reports were written for the stored matches; continue \
             with --resume {}",
            folder.display()
        ),
    }))
}

/// Completes after `max_time`; never completes if it is `None`.
async fn time_limit(max_time: Option<Duration>) {
    match max_time {
        Some(time) => sleep(time).await,
        None => pending().await,
    }
}

/// Converts a contest error. An invalid spec or folder counts as misuse.
pub(super) fn to_error(error: RunError) -> anyhow::Error {
    match error {
        RunError::Spec(error) | RunError::Folder(FolderError::Check(error)) => spec_error(&error),
        RunError::Folder(error @ (FolderError::AlreadyExists(_) | FolderError::NoContest(_))) => {
            misuse(error.to_string())
        }
        RunError::Folder(error @ FolderError::Spec { .. }) => misuse(error.to_string()),
        other => other.into(),
    }
}

/// Converts a spec error. All errors except a missing program count as misuse.
pub(super) fn spec_error(error: &SpecError) -> anyhow::Error {
    match error {
        SpecError::NoProgram { .. } => error.clone().into(),
        _ => misuse(error.to_string()),
    }
}
