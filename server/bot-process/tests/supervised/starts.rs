//! The initial state of bots, and errors of their start.

use std::{env, fs, os::unix::fs::PermissionsExt as _, process::Command};

use bridgemaster_bot_process::StartError;
use libtest_mimic::{Failed, Trial};

use crate::bots::{
    NAMESPACES_VARIABLE, PARENT_COMMAND, in_a_namespace, run, script, start_by, stderr_of,
    supervised, with_and_without_namespaces,
};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [
        with_and_without_namespaces("only descriptors 0, 1 and 2 are inherited", descriptors),
        with_and_without_namespaces("a bot has no dangerous privileges and no terminal", rights),
        with_and_without_namespaces(
            "the reason why a program cannot be started is reported",
            reasons,
        ),
    ]
    .into_iter()
    .flatten()
    .chain([in_a_namespace("a bot in a namespace sees no other process", no_others)])
}

fn descriptors() -> Result<(), Failed> {
    // The parent has an additional descriptor, as from a shell or a job runner.
    // A shell has another while it redirects, so it prints at the end.
    let bot = "said=; for fd in $(seq 3 40); do \
               [ -e /proc/$$/fd/$fd ] && said=\"$said leak $fd\"; done; \
               [ \"$(readlink /proc/$$/fd/0)\" = /dev/null ] || said=\"$said stdin\"; \
               [ -z \"$said\" ] && echo ready >&2 && sleep 1; echo \"$said\" >&2";
    let command = format!(
        "exec 7</dev/null 8</dev/zero; exec '{}' {PARENT_COMMAND} \"$1\"",
        env::current_exe()?.display()
    );
    let ran = Command::new("sh").args(["-c", &command, "sh", bot]).output()?;
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "started\n");
    run(async {
        assert_eq!(stderr_of(script(bot)).await?, "ready");
        Ok(())
    })
}

fn rights() -> Result<(), Failed> {
    run(async {
        let text = "grep -E '^(CapEff|CapAmb|CapInh|SigBlk|NoNewPrivs)' /proc/self/status >&2; \
                    (: </dev/tty) 2>/dev/null && echo terminal >&2; exit 0";
        let said = stderr_of(script(text)).await?;
        let value = |name: &str| {
            let mut lines = said.lines().filter_map(|line| line.split_once(":\t"));
            let found = lines.find(|(found, _)| *found == name).unwrap();
            u64::from_str_radix(found.1.trim(), 16).unwrap()
        };
        assert!(!said.contains("terminal"), "{said}");
        assert_eq!(value("SigBlk"), 0);
        // With `off`, programs can change their user.
        let is_off = env::var_os(NAMESPACES_VARIABLE).is_some();
        assert_eq!(value("NoNewPrivs"), u64::from(!is_off));
        assert_eq!((value("CapAmb"), value("CapInh")), (0, 0));
        // The bot may not trace (19), mount (21), or raise limits (24).
        assert_eq!(value("CapEff") & (1 << 19 | 1 << 21 | 1 << 24), 0, "{said}");
        Ok(())
    })
}

fn no_others() -> Result<(), Failed> {
    run(async {
        // The bot sees the init and the shell, or all processes if /proc cannot be mounted, as in
        // many containers.
        assert_eq!(stderr_of(script("echo /proc/[0-9]* >&2")).await?, "/proc/1 /proc/2");
        Ok(())
    })
}

fn reasons() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    run(async {
        for (program, named) in [
            (file("lost", "#!/no/such/python\n", 0o755), "/no/such/python"),
            (file("crlf", "#!/bin/sh\r\nexit\r\n", 0o755), "CR LF"),
            (file("plain", "#!/bin/sh\n", 0o644), "chmod +x"),
            (folder.path().join("none"), "not found"),
        ] {
            let error = start_by(supervised(&program)).await.err();
            let error = error.ok_or(format!("{} started", program.display()))?;
            assert!(error.to_string().contains(named), "{error}");
            assert!(!error.is_machine_fault(), "{error}");
        }
        let busy = folder.path().join("busy");
        fs::copy("/bin/true", &busy)?;
        let writing = fs::OpenOptions::new().write(true).open(&busy)?;
        let error = start_by(supervised(&busy)).await.err();
        let error = error.ok_or("a program that is being written started")?;
        assert!(matches!(error, StartError::Machine { .. }), "{error}");
        drop(writing);
        start_by(supervised(&busy)).await?;
        Ok(())
    })
}
