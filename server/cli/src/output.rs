//! The terminal's edge: everything that a command prints or logs leaves through here.
//!
//! Much of it has text from outside in it: names of bots, details of faults, what a server or a
//! file says. Whatever a command hands over, nothing that is not printable reaches the terminal but
//! line breaks, tabs and the [`Screen`]'s own sequences. A text from outside may not break a line
//! either: whoever puts it into a line shows it as [`Outside`](bridgemaster_proto::outside::Outside).
//! `clippy.toml` keeps other code from the standard streams, and `tests/cli/hostile_text.rs`
//! looks at what every command prints.
#![allow(clippy::disallowed_methods, reason = "this is the one place")]

use std::{
    env, fmt,
    io::{self, IsTerminal as _, Stderr, Write as _},
};

use bridgemaster_proto::outside::{EscapedLog, escape_lines};
use console::{Style, Term};

/// What is drawn on a terminal: text, and control sequences of our own.
#[derive(Default)]
pub(super) struct Screen(String);

impl Screen {
    /// Adds text. What is not printable in it becomes visible.
    pub(super) fn text(&mut self, text: &str) {
        self.0.push_str(&escape_lines(text));
    }

    /// Adds text in a style.
    pub(super) fn styled(&mut self, text: &str, style: &Style) {
        self.0
            .push_str(&style.apply_to(escape_lines(text)).to_string());
    }

    /// Adds a control sequence, which is the program's own.
    pub(super) fn control(&mut self, sequence: &'static str) {
        self.0.push_str(sequence);
    }
}

impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Prints text on standard output. A reader that went away, such as `head`, is no failure.
pub(super) fn print(text: &str) -> io::Result<()> {
    write_out(&escape_lines(text))
}

/// Prints news of a command that goes on for as long as somebody reads them.
///
/// # Errors
///
/// As for every output; and one that [`is_unread`] knows, when the reader went away.
pub(super) fn print_news(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(escape_lines(text).as_bytes())?;
    out.flush()
}

/// Whether a command failed only because nobody reads its news any more.
pub(super) fn is_unread(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The same for text with control sequences.
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

/// Prints a line on standard error. When even that fails there is nobody left to tell.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_lines(line));
}

/// Standard error, for a log of lines.
pub(super) fn text_log() -> EscapedLog<Stderr> {
    EscapedLog::text(io::stderr())
}

/// Standard error, for a log of JSON objects.
pub(super) fn json_log() -> EscapedLog<Stderr> {
    EscapedLog::json(io::stderr())
}

/// How this program was called, for commands that people are to type.
pub(super) fn program() -> String {
    env::args()
        .next()
        .unwrap_or_else(|| "bridgemaster".to_owned())
}

/// Whether standard error is a terminal that is to have colours: `NO_COLOR` forbids them.
pub(super) fn has_colours() -> bool {
    io::stderr().is_terminal() && !forbids_colours()
}

/// Whether standard output is a terminal that is to have colours: `NO_COLOR` forbids them.
pub(super) fn stdout_has_colours() -> bool {
    io::stdout().is_terminal() && !forbids_colours()
}

/// Height and width of the terminal on standard output, if it is one.
pub(super) fn terminal_size() -> Option<(u16, u16)> {
    io::stdout().is_terminal().then(|| Term::stdout().size())
}

/// The columns of the terminal on standard error, if it is one.
pub(super) fn error_width() -> Option<u16> {
    io::stderr().is_terminal().then(|| Term::stderr().size().1)
}

fn forbids_colours() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_has_no_sequences_but_its_own() {
        let mut screen = Screen::default();
        screen.control("\x1b[H");
        screen.text("a\u{1b}[2J\u{202e}b\n");
        screen.styled("c\u{9b}d", &Style::new().bold().force_styling(true));
        assert_eq!(
            screen.0,
            "\x1b[Ha\\u{1b}[2J\\u{202e}b\n\x1b[1mc\\u{9b}d\x1b[0m"
        );
    }
}
