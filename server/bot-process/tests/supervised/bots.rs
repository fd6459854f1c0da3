//! Bots as shell scripts, and their surviving processes.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, ExitCode, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use bridgemaster_bot_process::{BotCommand, BotProcess, Isolation, StartError, hide_from_bots};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

/// The first argument that makes this program start a bot and wait for it.
pub(crate) const PARENT_COMMAND: &str = "parent";
/// Time for a bot's last process to end after its parent.
pub(crate) const END_TIME: Duration = Duration::from_secs(2);
pub(crate) const NAMESPACES_VARIABLE: &str = "BRIDGEMASTER_BOT_NAMESPACES";

/// Processes of a test, identified in `/proc` by a number in their arguments.
pub(crate) struct Marker(String);

impl Marker {
    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}{number:04}", std::process::id()))
    }

    /// Returns a script with two processes that try to outlive it. It prints `ready` when both run.
    pub(crate) fn stubborn_script(&self) -> String {
        let number = &self.0;
        format!(
            "trap '' TERM HUP INT QUIT; \
             (setsid sh -c 'sleep {number} & exec sleep {number} 0<&- 1>&- 2>&-' &); \
             while [ $(pgrep -cf 'sleep {number}$') -lt 2 ]; do sleep 0.01; done; \
             echo ready >&2"
        )
    }

    pub(crate) fn count(&self) -> usize {
        let is_ours = |entry: &fs::DirEntry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let mut words = line.split(|byte| *byte == 0);
            words.next() == Some(b"sleep") && words.any(|word| word == self.0.as_bytes())
        };
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes.filter(is_ours).count()
    }

    pub(crate) fn wait_until_gone(&self) -> Result<(), Failed> {
        let until = Instant::now() + END_TIME;
        while self.count() > 0 {
            if Instant::now() > until {
                return Err(format!("{} processes are left", self.count()).into());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// Runs a test with namespaces and without. The latter runs in a separate process, because it needs
/// another environment.
pub(crate) fn with_and_without_namespaces(
    name: &'static str,
    test: impl Fn() -> Result<(), Failed> + Copy + Send + 'static,
) -> [Trial; 2] {
    let without_name = format!("{name}, in a tree");
    [
        Trial::test(format!("{name}, in a namespace"), test),
        Trial::test(without_name.clone(), move || {
            if env::var_os(NAMESPACES_VARIABLE).is_some() {
                assert_eq!(isolation()?, Isolation::ProcessTree);
                return test();
            }
            let output = Command::new(env::current_exe()?)
                .args(["--exact", &without_name])
                .env(NAMESPACES_VARIABLE, "off")
                .output()?;
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let has_passed = output.status.success() && printed.contains("1 passed");
            has_passed.then_some(()).ok_or_else(|| printed.into())
        }),
    ]
}

/// Runs a test that is only possible on a machine with namespaces.
pub(crate) fn in_a_namespace(name: &str, test: fn() -> Result<(), Failed>) -> Trial {
    Trial::test(name, move || match isolation()? {
        Isolation::PidNamespace => test(),
        _ => Ok(()),
    })
}

pub(crate) fn isolation() -> Result<Isolation, Failed> {
    run(async { Ok(start("true").await?.isolation()) })
}

pub(crate) fn run<T>(task: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    Runtime::new()?.block_on(task)
}

pub(crate) fn script(text: &str) -> BotCommand {
    supervised("sh").with(["-c", text])
}

pub(crate) fn supervised(program: impl Into<OsString>) -> BotCommand {
    BotCommand::new(program).supervised(env::current_exe().unwrap())
}

pub(crate) async fn start(text: &str) -> Result<BotProcess, StartError> {
    start_by(script(text)).await
}

pub(crate) async fn start_by(command: BotCommand) -> Result<BotProcess, StartError> {
    command.start("http://127.0.0.1:1", "none").await
}

/// Returns the standard error of a bot that runs to its end.
pub(crate) async fn stderr_of(command: BotCommand) -> Result<String, Failed> {
    let mut bot = start_by(command).await?;
    bot.ended().await?;
    Ok(bot.final_stderr().await)
}

/// Waits until a bot has printed `ready`.
pub(crate) async fn until_ready(bot: &mut BotProcess) {
    let printed = bot.stderr_so_far();
    if !printed.contains("ready") {
        tokio::select! {
            ended = bot.ended() => panic!("{ended:?}"),
            () = tokio::time::sleep(Duration::from_millis(5)) => Box::pin(until_ready(bot)).await,
        }
    }
}

/// Runs as a process that starts a bot with this script, prints `started`, and waits.
pub(crate) fn be_parent(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    hide_from_bots().unwrap();
    let text = arguments.next().unwrap().into_string().unwrap();
    let played = run(async {
        let mut bot = start(&text).await?;
        until_ready(&mut bot).await;
        println!("started");
        bot.ended().await?;
        Ok(())
    });
    ExitCode::from(u8::from(played.is_err()))
}

/// Starts such a process, and waits until its bot is ready.
pub(crate) fn parent(text: &str) -> Result<Child, Failed> {
    // If `nohup` started this program, it ignores hangups, and its children would inherit that.
    let mut program = Command::new("env");
    program.arg("--default-signal=HUP,INT,QUIT,TERM");
    parent_by(program.arg(env::current_exe()?), text)
}

/// Starts such a process by this command of this program.
pub(crate) fn parent_by(program: &mut Command, text: &str) -> Result<Child, Failed> {
    let mut child = program.args([PARENT_COMMAND, text]).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line)?;
    match line.trim() {
        "started" => Ok(child),
        other => Err(format!("the parent says {other:?}").into()),
    }
}
