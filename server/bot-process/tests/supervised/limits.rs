//! Measurement of bots without their supervisors, and their limits.

use std::time::Duration;

use bridgemaster_bot_process::{BotCommand, Limits, allowed_cores};
use libtest_mimic::{Failed, Trial};

use crate::bots::{run, script, start_by, stderr_of, with_and_without_namespaces};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [
        with_and_without_namespaces("a bot is measured without its supervisor", measured),
        with_and_without_namespaces("a bot that exceeds its memory limit is killed", killed),
        with_and_without_namespaces("a bot has its limits from the start", limited),
    ]
    .into_iter()
    .flatten()
}

fn command(text: &str, memory_bytes: Option<u64>) -> BotCommand {
    let mut command = script(text);
    command.limits =
        Limits { memory_bytes, cores: allowed_cores().into_iter().take(1).collect(), group: None };
    command.is_measured = true;
    command
}

fn measured() -> Result<(), Failed> {
    run(async {
        let text = "head -c 60000000 /dev/zero | tail -c 60000000 | (sleep 0.5; cat >/dev/null); \
                    i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let mut bot = start_by(command(text, None)).await?;
        let usage = bot.usage();
        assert!(bot.ended().await?.success());
        let used = usage.get();
        assert!(used.peak_memory_bytes > Some(60_000_000), "{used:?}");
        assert!(used.cpu_time > Some(Duration::ZERO), "{used:?}");
        let mut bot = start_by(command("sleep 0.2", None)).await?;
        let usage = bot.usage();
        bot.ended().await?;
        // Less than the memory of a supervisor.
        let used = usage.get();
        assert!(used.peak_memory_bytes < Some(5_000_000), "{used:?}");
        Ok(())
    })
}

fn killed() -> Result<(), Failed> {
    run(async {
        // No single process exceeds the limit.
        let text = "for i in 1 2 3; do \
                    (head -c 15000000 /dev/zero | tail -c 15000000 | sleep 600) & done; wait";
        let mut bot = start_by(command(text, Some(20_000_000))).await?;
        let status = bot.ended().await?;
        let last_words = bot.final_stderr().await;
        assert!(bot.ran_out_of_memory(status, &last_words), "{status}: {last_words}");
        Ok(())
    })
}

fn limited() -> Result<(), Failed> {
    run(async {
        let limited = command("ulimit -d >&2; nproc >&2", Some(64 << 20));
        assert_eq!(stderr_of(limited).await?, "65536\n1");
        Ok(())
    })
}
