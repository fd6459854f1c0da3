//! Waits for bot processes to end, and classifies how they ended.

use std::process::ExitStatus;

use bridgemaster_bot_process::BotProcess;
use tokio_util::sync::CancellationToken;

use crate::BotEnd;

/// The way in which a bot process ended.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEnd {
    pub(crate) end: BotEnd,
    /// The last lines of the process's standard error.
    pub(crate) tail: String,
}

/// Waits for a process to end. Cancelling `kill` terminates it. When this function returns, the
/// process's child processes have ended, too.
pub(crate) async fn end_of_process(mut process: BotProcess, kill: CancellationToken) -> ProcessEnd {
    let ended = kill.run_until_cancelled(process.ended()).await;
    let Some(ended) = ended else {
        // If a process cannot be killed, waiting for its end would fail as well.
        let _ = process.kill().await;
        let tail = process.final_stderr().await;
        let end = BotEnd::Stopped;
        return ProcessEnd { end, tail };
    };
    let tail = process.final_stderr().await;
    let end = match ended {
        Ok(status) if process.ran_out_of_memory(status, &tail) => BotEnd::OutOfMemory,
        Ok(status) => end_of(status),
        Err(_) => BotEnd::Unknown,
    };
    ProcessEnd { end, tail }
}

fn end_of(status: ExitStatus) -> BotEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return BotEnd::Signalled { signal };
    }
    match status.code() {
        Some(0) => BotEnd::Done,
        Some(code) => BotEnd::Exited { code },
        None => BotEnd::Unknown,
    }
}
