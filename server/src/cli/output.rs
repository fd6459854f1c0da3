//! What commands print.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
};

/// Prints on standard output. A reader that went away, such as `head`, is no failure.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a line on standard error. When even that fails there is nobody left to tell.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
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

fn forbids_colours() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
