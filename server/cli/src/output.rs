//! Output of commands. Everything that a command prints or logs passes through this module.
//!
//! Much of this output contains untrusted text, such as bot names, fault details, and the contents
//! of servers and files. Only printable characters, line breaks, tabs and the control sequences of
//! a [`Screen`] reach the terminal. Untrusted text within a line must be formatted as [`Escaped`],
//! so that it cannot break the line. `clippy.toml` forbids the standard streams elsewhere, and
//! `tests/cli/hostile_text.rs` checks the output of every command.
#![allow(clippy::disallowed_methods, reason = "only this module writes to the standard streams")]

use std::{
    env, fmt,
    io::{self, IsTerminal as _, Stderr, Write as _},
};

use bridgemaster_proto::escape::{Escaped, EscapedLog, escape_lines};
use console::{Style, Term};
use indicatif::{ProgressBar, ProgressStyle};

/// Content for the terminal: text, and this program's control sequences.
#[derive(Default)]
pub(super) struct Screen(String);

impl Screen {
    /// Adds text. Characters that are not printable are escaped.
    pub(super) fn text(&mut self, text: &str) {
        self.0.push_str(&escape_lines(text));
    }

    /// Adds text in a style, escaped as by [`text`](Self::text). Styles are used on a terminal,
    /// unless `NO_COLOR` is set.
    pub(super) fn styled(&mut self, text: &str, style: &Style) {
        self.0.push_str(&style.apply_to(escape_lines(text)).to_string());
    }

    /// Adds a control sequence. It must be a static string, so it cannot be untrusted text.
    pub(super) fn control(&mut self, sequence: &'static str) {
        self.0.push_str(sequence);
    }
}

impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Prints text to standard output. A closed pipe, as with `head`, is not an error.
pub(super) fn print(text: &str) -> io::Result<()> {
    write_out(&escape_lines(text))
}

/// Checks that standard output was neither closed nor discarded when the program was started,
/// because a secret that is printed only once would be lost.
pub(super) fn check_open(secret: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        !is_stdout_lost(),
        "standard output is closed or discarded, so the {secret} would be lost; redirect it to a \
         file"
    );
    Ok(())
}

/// Returns whether standard output is `/dev/null`, open for reading and writing. If the output was
/// closed, the standard library opens it like this. Some programs also start others like this to
/// discard the output, which looks the same. A shell redirection opens it only for writing.
#[cfg(target_os = "linux")]
fn is_stdout_lost() -> bool {
    use std::os::unix::fs::MetadataExt as _;

    const STDOUT: i32 = 1;
    let null = std::fs::metadata("/dev/null").map(|null| null.rdev());
    let device = uapi::fstat(STDOUT).map(|stdout| stdout.st_rdev);
    let is_null = null.is_ok_and(|null| device.is_ok_and(|device| device == null));
    let flags = uapi::fcntl_getfl(STDOUT);
    is_null && flags.is_ok_and(|flags| flags & uapi::c::O_ACCMODE == uapi::c::O_RDWR)
}

/// Returns `false`, since this is not known on this system.
#[cfg(not(target_os = "linux"))]
fn is_stdout_lost() -> bool {
    false
}

/// Prints an update from a command that runs until its output is closed.
///
/// # Errors
///
/// Returns I/O errors, including a closed pipe, for which [`is_closed_pipe`] returns true.
pub(super) fn print_update(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(escape_lines(text).as_bytes())?;
    out.flush()
}

/// Returns whether a command failed only because its standard output was closed.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints text with control sequences to standard output, like [`print()`].
pub(super) fn print_screen(screen: &Screen) -> io::Result<()> {
    write_out(&screen.0)
}

fn write_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a line to standard error. Errors are ignored, because there is nowhere to report them.
pub(super) fn eprint(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_lines(line));
}

/// Prints a line from a bot's standard error, with the bot's name.
pub(super) fn bot_line(bot: &str, line: &str) {
    eprint(&format!("[{}] {}", Escaped(bot), Escaped(line)));
}

/// Describes the end of a bot's standard error, with a mark before each line.
pub(super) fn last_words<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let lines: String = lines.map(|line| format!("\n  | {}", Escaped(line))).collect();
    if lines.is_empty() {
        "its standard error is empty".to_owned()
    } else {
        format!("last lines of its standard error:{lines}")
    }
}

/// Creates a progress bar on standard error, which is visible only on a terminal.
pub(super) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    // The templates are constant and valid; the fallback is unreachable.
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Returns standard error as a writer for log lines.
pub(super) fn text_log() -> EscapedLog<Stderr> {
    EscapedLog::text(io::stderr())
}

/// Returns standard error as a writer for log lines in JSON.
pub(super) fn json_log() -> EscapedLog<Stderr> {
    EscapedLog::json(io::stderr())
}

/// Returns the name under which the user started this program, for commands that users can copy.
pub(super) fn program() -> String {
    env::args().next().unwrap_or_else(|| "bridgemaster".to_owned())
}

/// Returns standard output's height and width, if it is a terminal.
pub(super) fn terminal_size() -> Option<(u16, u16)> {
    io::stdout().is_terminal().then(|| Term::stdout().size())
}

/// Returns standard error's width in columns, if it is a terminal.
pub(super) fn error_width() -> Option<u16> {
    io::stderr().is_terminal().then(|| Term::stderr().size().1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_emits_no_escape_sequences_but_its_own() {
        let mut screen = Screen::default();
        screen.control("\x1b[H");
        screen.text("a\u{1b}[2J\u{202e}b\n");
        screen.styled("c\u{9b}d", &Style::new().bold().force_styling(true));
        assert_eq!(screen.0, "\x1b[Ha\\u{1b}[2J\\u{202e}b\n\x1b[1mc\\u{9b}d\x1b[0m");
    }
}
