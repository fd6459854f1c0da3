//! Attacks of a bot on its parent, on the machine and on later bots.

use std::{env, fs, os::unix::process::CommandExt as _, process::Command};

use bridgemaster_bot_process::{BotCommand, Isolation, StartError};
use libtest_mimic::{Failed, Trial};

use crate::bots::{
    NAMESPACES_VARIABLE, in_a_namespace, isolation, parent_by, run, script, start, start_by,
};

/// The id of an unprivileged user and group.
const NOBODY: u32 = 65534;
/// The first argument that makes this program run in a user namespace with its own limits.
pub(crate) const LIMITED_COMMAND: &str = "with-limits";
/// The first argument that makes this program start bots while a part of `/proc` is hidden.
pub(crate) const MASKED_COMMAND: &str = "with-masks";

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [
        Trial::test("a bot without a namespace cannot read the secrets of its parent", secrets),
        in_a_namespace("a bot cannot exhaust processes or namespaces", bounds),
        in_a_namespace("a machine without namespaces starts bots without privileges", refused),
        in_a_namespace("no bot is started in a weaker isolation", weaker),
        in_a_namespace("a /proc that cannot be mounted is reported", masked),
    ]
    .into_iter()
}

fn secrets() -> Result<(), Failed> {
    let bot = "parent=$(sed -n 's/^PPid:.//p' /proc/$PPID/status); \
               for file in $parent/environ $parent/maps $PPID/environ; do \
               cat /proc/$file >/dev/null 2>&1 && exit 1; done; \
               ls /proc/$parent/fd >/dev/null 2>&1 && exit 1; echo ready >&2; sleep 1000";
    let mut program = without_root()?;
    program.env(NAMESPACES_VARIABLE, "off");
    end(parent_by(&mut program, bot)?)
}

fn bounds() -> Result<(), Failed> {
    // The shell of the loop ends when it cannot start any more processes. The other shell starts
    // none.
    let bot = "for kind in user pid mnt net; do \
               read most </proc/sys/user/max_${kind}_namespaces; [ $most -le 16 ] || exit 1; done; \
               (i=0; while [ $i -lt 3000 ]; do sleep 1000 & i=$((i+1)); done) 2>/dev/null; \
               set -- /proc/[0-9]*; [ $# -gt 1000 ] && [ $# -lt 1030 ] && echo ready >&2; \
               kill -STOP $$";
    end(parent_by(&mut without_root()?, bot)?)
}

fn refused() -> Result<(), Failed> {
    let text = "echo 0 >/proc/sys/user/max_pid_namespaces; exec \"$@\"";
    let mut program = in_user_namespace();
    program.args(["sh", "-c", text, "sh"]);
    program.arg(env::current_exe()?);
    let bot = "[ $PPID -gt 1 ] && grep -q 'NoNewPrivs:.1' /proc/self/status && echo ready >&2; \
               sleep 1000";
    end(parent_by(&mut program, bot)?)
}

fn weaker() -> Result<(), Failed> {
    let mut program = in_user_namespace();
    succeed(program.arg(env::current_exe()?).arg(LIMITED_COMMAND))
}

fn masked() -> Result<(), Failed> {
    // A new mount must not reveal parts of /proc that a container runtime has hidden.
    let text = "mount -t tmpfs none /proc/irq && exec unshare -Urm \"$@\"";
    let mut program = in_user_namespace();
    program.args(["-m", "sh", "-c", text, "sh"]);
    succeed(program.arg(env::current_exe()?).arg(MASKED_COMMAND))
}

fn succeed(program: &mut Command) -> Result<(), Failed> {
    let ran = program.output()?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).into_owned().into()),
    }
}

/// Runs as a process that starts bots while a part of `/proc` is hidden.
pub(crate) fn be_masked() -> Result<(), Failed> {
    assert_eq!(isolation()?, Isolation::PidNamespaceSharedProc);
    run(async {
        refuses(in_namespace()).await?;
        Ok(())
    })
}

/// Runs as a process that starts bots while its user runs out of namespaces.
pub(crate) fn be_limited() -> Result<(), Failed> {
    let limit = |most: &str| fs::write("/proc/sys/user/max_pid_namespaces", most);
    run(async {
        limit("0")?;
        refuses(in_namespace()).await?;
        limit("1")?;
        let first = start("sleep 1000").await?;
        assert_eq!(first.isolation(), Isolation::PidNamespace);
        let error = start("true").await.err().ok_or("another user has free namespaces")?;
        assert!(error.to_string().contains("max_pid_namespaces"), "{error}");
        assert!(error.is_machine_fault(), "{error}");
        limit("0")?;
        let error = refuses(script("true")).await?;
        assert!(error.is_machine_fault(), "{error}");
        Ok(())
    })
}

/// Returns the command of a bot that requires a namespace.
fn in_namespace() -> BotCommand {
    let mut command = script("true");
    command.min_isolation = Isolation::PidNamespace;
    command
}

/// Starts a bot whose isolation is not available.
async fn refuses(command: BotCommand) -> Result<StartError, Failed> {
    let error = start_by(command).await.err().ok_or("it started")?;
    assert!(matches!(error, StartError::Isolation { .. }), "{error}");
    Ok(error)
}

/// Runs this program as an unprivileged user that can read everything and has no limits.
fn without_root() -> Result<Command, Failed> {
    let mut command = Command::new(env::current_exe()?);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    Ok(command)
}

/// Runs a program in a user namespace with all capabilities.
fn in_user_namespace() -> Command {
    let mut command = Command::new("unshare");
    command.arg("-Ur");
    command
}

fn end(mut parent: std::process::Child) -> Result<(), Failed> {
    parent.kill()?;
    parent.wait()?;
    Ok(())
}
