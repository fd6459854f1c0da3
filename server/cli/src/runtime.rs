//! The runtime of a command.

use std::time::Duration;

/// Time that a command's remaining tasks get to end: bot processes are killed in it.
const CUT_OFF_TIME: Duration = Duration::from_secs(2);

/// Runs the asynchronous part of a command. Tasks that it leaves running are cut off at its end.
pub(super) fn block_on(task: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(task);
    runtime.shutdown_timeout(CUT_OFF_TIME);
    done
}
