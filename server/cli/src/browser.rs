//! Opens addresses in the user's browser.

use std::{env, io};

use crate::output;

/// Opens an address in the browser, or prints why no browser can be started. Does nothing if
/// standard output is not a terminal. Returns whether a program was started; whether it shows the
/// page is not known. So the caller prints a link first, and this function prints that it can be
/// opened by hand. Ctrl-C does not end the browser, which is detached from this program.
///
/// Other users can read the address in the process list. A secret in the address must therefore be
/// valid for one use only. The printed text does not contain the address.
pub(super) fn open(url: &str) -> bool {
    if output::terminal_size().is_none() {
        return false;
    }
    let opened = start(url, env::var("BROWSER").ok().filter(|named| !named.is_empty()));
    output::eprint(&match &opened {
        Ok(()) => "opening a browser; if no page appears, open the link by hand".to_owned(),
        Err(reason) => format!("cannot open a browser: {reason}; open the link by hand"),
    });
    opened.is_ok()
}

/// Starts the program that `BROWSER` names, or the operating system's default program.
fn start(url: &str, named: Option<String>) -> io::Result<()> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    match named {
        Some(program) => open::with_detached(url, program),
        // Without a display, the default program would start and then fail without a message.
        None if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") => {
            Err(io::Error::other("neither DISPLAY nor WAYLAND_DISPLAY is set"))
        }
        None => open::that_detached(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_cannot_be_started_is_reported_without_the_address() {
        let url = "http://127.0.0.1:9/one-time-secret";
        let error = start(url, Some("/nosuch/browser".to_owned())).unwrap_err();
        assert!(!error.to_string().contains("one-time-secret"), "{error}");
    }
}
