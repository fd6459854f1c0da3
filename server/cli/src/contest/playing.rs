//! Plays a contest and converts its errors for the command line.

use std::{
    future::pending,
    path::{Path, PathBuf},
    time::Duration,
};

use bridgemaster_bot_process::Isolation;
use bridgemaster_runner::{
    BuiltInBots, Contest, ContestSpec, ContestState, Exit, ExitReason, FolderError, Report,
    RunError, SpecError, exit, not_started, read_contest, stopped,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    contest::{
        figures::{self, share},
        live::Live,
        own_server::ServerChoice,
    },
    failure::{self, misuse},
    output,
    process::{block_on, shutdown_requested},
    quantities::duration_of,
};

/// Time for matches to end when a contest is stopped. The reports omit matches that take longer. A
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
                .play(serving.address(), built_in, stop.cancelled(), |state, news| {
                    live.show(state, &news)
                })
                .await;
            serving.stop().await?;
            anyhow::Ok(done)
        };
        tokio::select! {
            done = playing => done?.map(Some).map_err(to_error),
            () = cut_off => Ok(None),
        }
    });
    live.finish();
    let (state, mut exit) = match done? {
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
    let exit = if state.is_complete() { exit(&state) } else { stopped(&state) };
    Ok((state, exit))
}

/// Returns a failed contest's report, with the stored matches and the error.
///
/// # Errors
/// Returns the error of the contest, if no match is stored.
pub(super) fn report_of_failure(folder: &Path, error: anyhow::Error) -> anyhow::Result<Report> {
    let Ok((state, _)) = read_contest(folder) else {
        return Err(error);
    };
    if let Some(error) = error.downcast_ref::<SpecError>() {
        return Ok(state.report(not_started(error)));
    }
    failure::report(&error);
    let reason = ExitReason::RefereeFault;
    Ok(state.report(Exit {
        bot: None,
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
        RunError::Folder(error @ FolderError::Unsuitable { .. }) => misuse(error.to_string()),
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

/// Plays one group or round, and prints an estimate for the whole contest. Returns the exit code of
/// the group if it failed, otherwise 0.
pub(super) fn estimate(
    spec: &ContestSpec,
    built_in: BuiltInBots,
    server: ServerChoice,
    isolation: Isolation,
) -> anyhow::Result<u8> {
    let whole =
        ContestState::new(spec.clone(), PathBuf::new()).map_err(|error| spec_error(&error))?;
    let max = whole.planned_groups() as f64;
    let folder = tempfile::Builder::new().prefix("bridgemaster-plan-").tempdir()?;
    let mut contest = Contest::create(folder.path(), spec.shortest()).map_err(to_error)?;
    contest.min_isolation = isolation;
    let live = Live::new(contest.state(), true);
    let (state, exit) = play(contest, built_in, server, live, None)?;
    if state.groups() == 0 {
        output::eprint(&exit.sentence);
        return Ok(exit.code);
    }
    output::print(&forecast_text(spec, max, &state, exit)?)?;
    Ok(0)
}

/// Describes how long a contest of at most `max` groups takes, from its first group.
fn forecast_text(
    spec: &ContestSpec,
    max: f64,
    state: &ContestState,
    exit: Exit,
) -> anyhow::Result<String> {
    let seconds = state.elapsed_ms() as f64 / 1e3 / state.groups() as f64;
    let matches = state.matches() as f64 / state.groups() as f64;
    let line = |label: &str, groups: f64| {
        let groups = groups.ceil();
        format!(
            "{label}: {groups:.0} groups, {:.0} matches, about {}\n",
            groups * matches,
            duration_of(groups * seconds)
        )
    };
    let mut text = line("measured", 1.0).replace("1 groups", "1 group");
    match spec.forecast().map_err(|error| spec_error(&error))? {
        None => text.push_str(&line("all", max)),
        Some(expected) => {
            text.push_str(&line("at the lower bound", expected.at_lower));
            text.push_str(&line("at the upper bound", expected.at_upper));
            text.push_str(&line("half-way between", expected.half_way));
            let report = state.report(exit);
            if let Some(score) = figures::candidate(&report).and_then(|bot| bot.score) {
                let label = format!("with a score of {}, as in this group", share(score));
                let forecast = spec.forecast_at(score.estimate);
                text.push_str(&match forecast.map_err(|error| spec_error(&error))? {
                    Some(groups) => line(&label, groups as f64),
                    None => format!("{label}: no verdict\n"),
                });
            }
            text.push_str(
                "The first three are averages for bots that rarely tie; a candidate half-way \
                 between the bounds takes longest. One group says little about a score.\n",
            );
            if expected.half_way > max {
                text.push_str(&format!(
                    "The contest stops undecided after {max:.0} groups (--max-groups).\n"
                ));
            }
        }
    }
    Ok(text)
}
