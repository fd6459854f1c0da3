//! Ends of bots together with all their descendants.

use std::os::unix::process::ExitStatusExt as _;

use libtest_mimic::{Failed, Trial};
use rustix::process::{Pid, Signal, kill_process};

use bridgemaster_bot_process::Isolation;

use crate::bots::{
    Marker, isolation, parent, run, start, until_ready, with_and_without_namespaces,
};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [
        with_and_without_namespaces("processes that a bot leaves behind end with it", left_behind),
        with_and_without_namespaces("no process of a killed bot is left", killed),
        with_and_without_namespaces("no process of a dropped bot is left", dropped),
        with_and_without_namespaces("no process is left after the end of the parent", parent_ended),
        with_and_without_namespaces("the end of a bot is reported", own_end),
        with_and_without_namespaces("orphans are reaped while their bot runs", orphans),
    ]
    .into_iter()
    .flatten()
}

fn left_behind() -> Result<(), Failed> {
    let marker = Marker::new();
    run(async {
        let script = format!("{}; exec true", marker.stubborn_script());
        let mut bot = start(&script).await?;
        let status = bot.ended().await?;
        assert!(status.success(), "{status}");
        assert_eq!(marker.count(), 0, "the next match may start now");
        // An orphan may keep the pipe open, so its end is not awaited.
        assert_eq!(bot.final_stderr().await, "ready");
        Ok(())
    })
}

fn killed() -> Result<(), Failed> {
    let marker = Marker::new();
    run(async {
        let mut bot = start(&format!("{}; sleep 1000", marker.stubborn_script())).await?;
        until_ready(&mut bot).await;
        assert_eq!(marker.count(), 2);
        bot.kill().await?;
        assert_eq!(marker.count(), 0, "the next match may start now");
        let status = bot.ended().await?;
        assert_eq!(status.signal(), Some(9), "{status}");
        Ok(())
    })
}

fn dropped() -> Result<(), Failed> {
    let marker = Marker::new();
    run(async {
        let mut bot = start(&format!("{}; sleep 1000", marker.stubborn_script())).await?;
        until_ready(&mut bot).await;
        drop(bot);
        Ok(())
    })?;
    marker.wait_until_gone()
}

fn parent_ended() -> Result<(), Failed> {
    use Signal as S;
    for signal in [S::KILL, S::HUP, S::QUIT, S::TERM, S::INT] {
        let marker = Marker::new();
        let mut parent = parent(&format!("{}; sleep 1000", marker.stubborn_script()))?;
        assert_eq!(marker.count(), 2);
        kill_process(Pid::from_child(&parent), signal)?;
        let status = parent.wait()?;
        assert_eq!(status.signal(), Some(signal.as_raw()));
        marker.wait_until_gone()?;
    }
    Ok(())
}

fn own_end() -> Result<(), Failed> {
    let is_tree = isolation()? == Isolation::ProcessTree;
    run(async {
        for (text, code, signal) in [
            ("exit 0", Some(0), None),
            ("exit 137", Some(137), None),
            ("kill -9 $$", None, Some(9)),
            ("kill -TERM $$", None, Some(15)),
            ("kill -SEGV $$", None, Some(11)),
            // A bot cannot signal its ancestors.
            ("kill -9 $PPID 2>/dev/null; exit 4", Some(4), None),
        ] {
            // Without a namespace this ends the supervisor, and with it the bot.
            if is_tree && text.contains("PPID") {
                continue;
            }
            let mut bot = start(text).await?;
            let status = bot.ended().await?;
            assert_eq!((status.code(), status.signal()), (code, signal), "{text}");
        }
        Ok(())
    })
}

fn orphans() -> Result<(), Failed> {
    run(async {
        // An orphan exists until it is reaped.
        let text = "for i in 1 2 3; do (true &); done; \
                    while ps -eo stat,comm | grep '^Z.*true'; do sleep 0.01; done; echo ready >&2";
        let mut bot = start(text).await?;
        let status = bot.ended().await?;
        assert!(status.success(), "{status}");
        Ok(())
    })
}
