//! The runtime of a command.

use std::time::Duration;

/// Time that a command's remaining tasks get to end: bot processes are killed in it.
const CUT_OFF_TIME: Duration = Duration::from_secs(2);

/// Turns of tasks after which a thread looks for what came over the network, though others still
/// wait for theirs. Tokio's own number, 61, is for short turns: whoever has a connection for each
/// thread handle frames without end would keep the answers of all bots unnoticed for so many of
/// them. A look costs under a microsecond.
const TURNS_BETWEEN_LOOKS: u32 = 8;

/// Runs the asynchronous part of a command. Tasks that it leaves running are cut off at its end.
pub(super) fn block_on(task: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .event_interval(TURNS_BETWEEN_LOOKS)
        .build()?;
    let done = runtime.block_on(task);
    runtime.shutdown_timeout(CUT_OFF_TIME);
    done
}
