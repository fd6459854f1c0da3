//! Playing a contest, and what its errors mean on the command line.

use anyhow::Context as _;
use bridgemaster_runner::{BuiltInBots, Contest, Exit, FolderError, RunError, SpecError, Standing};

use super::{live::Live, own_server::ServerChoice};
use crate::{failure::misuse, runtime::block_on, stop_signal::asked_to_stop};

/// Plays a contest, on a server of its own or on a running one.
pub(super) fn play(
    contest: Contest,
    built_in: BuiltInBots,
    server: ServerChoice,
    mut live: Live,
) -> anyhow::Result<(Standing, Exit)> {
    let mut played = None;
    block_on(async {
        let asked = asked_to_stop();
        let serving = server.serve().await?;
        let done = contest
            .play(serving.address(), built_in, asked, |standing, news| {
                live.show(standing, &news);
            })
            .await;
        live.finish();
        serving.stop().await?;
        played = Some(done.map_err(explained)?);
        Ok(())
    })?;
    played.context("the contest gave no report")
}

/// What was asked for and makes no sense is a mistake in the command line.
pub(super) fn explained(error: RunError) -> anyhow::Error {
    match error {
        RunError::Spec(error) | RunError::Folder(FolderError::Check(error)) => refused(&error),
        RunError::Folder(error @ (FolderError::Taken(_) | FolderError::Empty(_))) => {
            misuse(error.to_string())
        }
        RunError::Folder(error @ FolderError::Spec { .. }) => misuse(error.to_string()),
        other => other.into(),
    }
}

/// A contest that cannot be played.
pub(super) fn refused(error: &SpecError) -> anyhow::Error {
    match error {
        SpecError::NoProgram { .. } => error.clone().into(),
        _ => misuse(error.to_string()),
    }
}
