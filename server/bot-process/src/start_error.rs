//! Errors that occur when a bot is started, with advice.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use thiserror::Error;

use crate::{Isolation, open_regular, program_path};

/// Number of bytes that the kernel reads from a script's first line.
const FIRST_LINE_BYTES: u64 = 256;

/// The reason why a bot cannot be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The machine lacks the resources for another process.
    #[error("insufficient resources to start the bot: {source}; {advice}")]
    Machine {
        /// The operating system's error.
        source: io::Error,
        /// The next step for the user.
        advice: &'static str,
    },
    /// The isolation would be weaker than required, or weaker than that of earlier bots.
    #[error(
        "the isolation of the bot would be {in_force}, but at least {:?} is required or was used \
         for an earlier bot; allow unprivileged user namespaces (docs/reference/bot-environment.md), or play without \
         --isolation",
        least.name()
    )]
    Isolation {
        /// The isolation that the operating system allows.
        in_force: Isolation,
        /// The weakest isolation that would be accepted.
        least: Isolation,
    },
    /// The bot's supervisor failed, because of an error in this program.
    #[error("the supervisor of the bot failed: {0}")]
    Supervisor(String),
    /// The private folders cannot be created.
    #[error("{0}; free some space, or set TMPDIR to a writable folder")]
    Folders(io::Error),
    /// The program, or the interpreter in its first line, does not exist or cannot be executed. The
    /// text names the file, the cause and the next step.
    #[error("{0}")]
    Program(String),
    /// Any other operating system error.
    #[error("{0}")]
    Other(io::Error),
}

impl StartError {
    /// Converts an operating system error that occurred when the program was started.
    pub(crate) fn new(program: &OsStr, source: io::Error) -> Self {
        if let Some(advice) = machine_advice(&source) {
            return Self::Machine { source, advice };
        }
        let Some(path) = program_path(program) else {
            return Self::Program(format!(
                "program {} not found, neither at this path nor in a folder of PATH",
                program.display()
            ));
        };
        let first_line = first_line(&path);
        if first_line.as_ref().is_some_and(|line| line.ends_with('\r')) {
            return Self::windows_line_endings(&path);
        }
        let interpreter = first_line.and_then(|line| {
            let mut words = line.trim_start_matches("#!").split_whitespace();
            words.next().map(str::to_owned)
        });
        let file = path.display();
        Self::Program(match (source.kind(), interpreter) {
            (io::ErrorKind::NotFound, Some(interpreter)) => format!(
                "{file}: the interpreter {interpreter} in its first line does not exist; install \
                 it, or change the line"
            ),
            (io::ErrorKind::NotFound, None) => format!(
                "{file} was built for another system: its program loader does not exist; `file \
                 {file}` shows which system"
            ),
            (io::ErrorKind::PermissionDenied, _) => format!(
                "{file} is not executable: {source}; use `chmod +x`, unless its file system is \
                 mounted noexec"
            ),
            // ENOEXEC has no `ErrorKind`.
            _ if cfg!(unix) && source.raw_os_error() == Some(8) => format!(
                "{file} is neither a program for this machine nor a script with #! and an \
                 interpreter in its first line"
            ),
            _ => return Self::Other(source),
        })
    }

    /// The first line of a script ends with CR LF. The CR becomes part of the interpreter's name.
    fn windows_line_endings(file: &Path) -> Self {
        let file = file.display();
        Self::Program(format!(
            "{file}: its first line ends with CR LF (Windows), so its interpreter is not found; \
             save it with LF, for example with `sed -i 's/\\r$//' {file}`"
        ))
    }

    /// Converts an operating system error that occurred when the private folders were created.
    pub(crate) fn from_folders_error(source: io::Error) -> Self {
        let text = format!("private folders in {}: {source}", env::temp_dir().display());
        let named = io::Error::new(source.kind(), text);
        match (source.kind(), machine_advice(&source)) {
            (io::ErrorKind::StorageFull, _) => Self::Folders(named),
            (_, Some(advice)) => Self::Machine { source: named, advice },
            // The working folder is too large to copy.
            (io::ErrorKind::Other, None) => Self::Other(named),
            (_, None) => Self::Folders(named),
        }
    }

    /// Returns whether the cause is the machine or this program, and not the bot.
    pub fn is_machine_fault(&self) -> bool {
        matches!(
            self,
            Self::Machine { .. } | Self::Isolation { .. } | Self::Supervisor(_) | Self::Folders(_)
        )
    }
}

/// Returns advice for a failed program if its last output reports a lack of threads or processes.
/// The advice is only a hint, because a bot can print anything.
pub fn machine_hint(stderr: &str) -> Option<&'static str> {
    // The text for EAGAIN in the C library and in programs that use the library.
    let refusal = stderr.contains("Resource temporarily unavailable");
    refusal.then(|| machine_advice(&io::ErrorKind::WouldBlock.into())).flatten()
}

/// Returns advice for an error that the machine caused; `None` for other errors.
fn machine_advice(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::WouldBlock => Some(
            "allow more processes (`ulimit -u`, or pids.max of a container), or play fewer matches \
             at once",
        ),
        io::ErrorKind::OutOfMemory => Some("free some memory, or play fewer matches at once"),
        io::ErrorKind::ExecutableFileBusy => Some(
            "another process has the program open for writing; retry once it has closed the file",
        ),
        io::ErrorKind::StorageFull => Some(
            "a kernel limit is reached, such as user.max_pid_namespaces; raise it, or set \
                 BRIDGEMASTER_BOT_NAMESPACES=off",
        ),
        // ENFILE and EMFILE have no `ErrorKind`.
        _ if cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24)) => {
            Some("allow more open files (`ulimit -n`), or play fewer matches at once")
        }
        _ => None,
    }
}

/// Returns a script's first line, without its line feed; `None` if the file is not a script.
fn first_line(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    // A program can be a link, which `open_regular` rejects. The path can also name a pipe that a
    // bot created, and a plain open could block on a pipe.
    let file = fs::canonicalize(file).ok()?;
    let file = open_regular(File::options().read(true), &file).ok()?;
    file.take(FIRST_LINE_BYTES).read_to_end(&mut bytes).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    line.starts_with(b"#!").then(|| String::from_utf8_lossy(line).into_owned())
}

/// Explains a script's exit code 126 or 127 if its first line ends with CR LF. `env` starts, but
/// finds no interpreter, because the CR becomes part of the interpreter's name.
pub fn windows_line_endings(program: &OsStr) -> Option<StartError> {
    let file = program_path(program)?;
    let has_them = first_line(&file)?.ends_with('\r');
    has_them.then(|| StartError::windows_line_endings(&file))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn said(number: i32) -> StartError {
        StartError::new(OsStr::new("sh"), io::Error::from_raw_os_error(number))
    }

    #[cfg(unix)]
    #[test]
    fn the_first_line_is_read_through_a_link_and_a_pipe_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("script"), "#!/bin/sh\r\n").unwrap();
        std::os::unix::fs::symlink(path("script"), path("link")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status();
        assert!(made.unwrap().success());
        assert_eq!(first_line(&path("link")).unwrap(), "#!/bin/sh\r");
        assert_eq!(first_line(&path("pipe")), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn exhausted_resources_are_blamed_on_the_machine_with_the_limit_to_raise() {
        // EAGAIN, ENOMEM, ENFILE, EMFILE, ETXTBSY, ENOSPC.
        for (number, named) in [
            (11, "ulimit -u"),
            (12, "memory"),
            (23, "ulimit -n"),
            (24, "ulimit -n"),
            (26, "open for writing"),
            (28, "max_pid_namespaces"),
        ] {
            let error = said(number);
            assert!(error.is_machine_fault(), "{error}");
            assert!(error.to_string().contains(named), "{error}");
        }
        for (number, named) in [(24, "ulimit -n"), (11, "ulimit -u"), (28, "free some space")] {
            let error = StartError::from_folders_error(io::Error::from_raw_os_error(number));
            assert!(error.is_machine_fault(), "{error}");
            assert!(error.to_string().contains(named), "{error}");
        }
        // ENOENT, EACCES, ENOEXEC, EPERM, E2BIG.
        for number in [2, 13, 8, 1, 7] {
            assert!(!said(number).is_machine_fault(), "{}", said(number));
        }
    }
}
