//! Opens addresses in the user's browser.

use std::{
    env, io,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{anyhow, bail};

use crate::output;

/// Time within which the exit of a launcher is reported as a failure. A launcher that is not
/// configured for a desktop fails within milliseconds.
const FAILURE_TIMEOUT: Duration = Duration::from_millis(250);

/// Opens an address in the browser, or prints why no browser can be opened. Does nothing if
/// standard output is not a terminal. Returns whether a browser was started. Ctrl-C does not end
/// the browser, which is detached from this program.
///
/// Other users can read the address in the process list. A secret in the address must therefore be
/// valid for one use only. The printed text does not contain the address.
pub(super) fn open(url: &str) -> bool {
    if output::terminal_size().is_none() {
        return false;
    }
    let opened = start(url, env::var("BROWSER").ok().filter(|named| !named.is_empty()));
    if let Err(reason) = &opened {
        output::eprint(&format!("cannot open a browser: {reason}"));
    }
    opened.is_ok()
}

/// Starts the program that `BROWSER` names, or the operating system's default program.
fn start(url: &str, named: Option<String>) -> anyhow::Result<()> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    match named {
        Some(program) => {
            let command = open::with_command(url, program.as_str());
            launch([(program, command)])
        }
        // Without a display, the default program would start and then fail without a message.
        None if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") => {
            bail!("neither DISPLAY nor WAYLAND_DISPLAY is set")
        }
        None => launch(open::commands(url).into_iter().map(|command| {
            let program = command.get_program().to_string_lossy().into_owned();
            (program, command)
        })),
    }
}

/// Starts the first launcher that exists. If it fails after it ran, no other launcher is started:
/// it might have opened the address, and a one-time link must not be opened twice.
fn launch(launchers: impl IntoIterator<Item = (String, Command)>) -> anyhow::Result<()> {
    let mut first_error = None;
    for (program, mut command) in launchers {
        match spawn_detached(&mut command) {
            Ok(child) => return check_exit(child, &program, FAILURE_TIMEOUT),
            Err(error) => {
                first_error.get_or_insert_with(|| anyhow!("cannot start {program}: {error}"));
            }
        }
    }
    Err(first_error.unwrap_or_else(|| anyhow!("the system has no program that opens addresses")))
}

/// Starts a program without standard streams, outside the process group that Ctrl-C ends.
fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt as _;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

/// Returns an error if a program fails within `timeout`. A program that still runs then counts as
/// started.
fn check_exit(mut child: Child, program: &str, timeout: Duration) -> anyhow::Result<()> {
    let (sender, exit) = mpsc::channel();
    // The thread may outlive the timeout, so that the process is reaped whenever it exits.
    thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    match exit.recv_timeout(timeout) {
        Ok(Ok(status)) if !status.success() => bail!("{program} failed: {status}"),
        _ => Ok(()),
    }
}

// On macOS, the launcher `open` exists even if the program that it should start does not.
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://127.0.0.1:9/one-time-secret";

    /// Returns a launcher that is a shell script with the address as `$0`.
    fn script(text: &str) -> (String, Command) {
        let mut command = Command::new("sh");
        command.args(["-c", text, URL]);
        ("sh".to_owned(), command)
    }

    fn missing() -> (String, Command) {
        let program = "/nosuch/browser";
        (program.to_owned(), open::with_command(URL, program))
    }

    #[test]
    fn a_browser_that_cannot_be_started_is_named_without_the_address() {
        let error = start(URL, Some("/nosuch/browser".to_owned())).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.starts_with("cannot start /nosuch/browser: "), "{text}");
        assert!(!text.contains("one-time-secret"), "{text}");
    }

    #[test]
    fn a_launcher_that_fails_is_named_without_the_address() {
        let (program, mut command) = script("exit 3");
        let child = spawn_detached(&mut command).unwrap();
        let error = check_exit(child, &program, Duration::from_secs(60)).unwrap_err();
        assert_eq!(format!("{error:#}"), "sh failed: exit status: 3");
    }

    #[test]
    fn only_the_first_launcher_that_exists_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let second = script(&format!("touch '{}'", mark.display()));
        // The second launcher is not started, whether the exit of the first is noticed in time or
        // not.
        let _ = launch([missing(), script("exit 3"), second]);
        assert!(!mark.exists());
    }
}
