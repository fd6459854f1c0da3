//! Opens addresses in the user's browser.

use std::{
    env,
    ffi::OsString,
    process::{Command, Stdio},
    thread,
};

use crate::output;

/// Opens an address in the browser, or prints why no browser can be opened. Does nothing if
/// standard output is not a terminal. Returns whether a browser was started.
///
/// Other users can read the address in the process list. A secret in the address must therefore be
/// valid for one use only.
pub(super) fn open(url: &str) -> bool {
    if output::terminal_size().is_none() {
        return false;
    }
    let opened = opener(|name| env::var_os(name)).and_then(|opener| start(opener, url));
    if let Err(reason) = &opened {
        output::eprint(&format!("cannot open a browser: {reason}"));
    }
    opened.is_ok()
}

/// Returns the program that opens addresses: the value of `BROWSER`, or the operating system's
/// default program. `variable` looks up environment variables.
fn opener(variable: impl Fn(&str) -> Option<OsString>) -> Result<Command, String> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("BROWSER") {
        return Ok(Command::new(variable("BROWSER").unwrap_or_default()));
    }
    if cfg!(windows) {
        let mut opener = Command::new("rundll32");
        opener.arg("url.dll,FileProtocolHandler");
        return Ok(opener);
    }
    if cfg!(target_os = "macos") {
        return Ok(Command::new("open"));
    }
    if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        Ok(Command::new("xdg-open"))
    } else {
        Err("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned())
    }
}

/// Starts the program in its own process group, so that Ctrl-C does not end the browser.
fn start(mut opener: Command, url: &str) -> Result<(), String> {
    opener.arg(url).stdin(Stdio::null());
    opener.stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut opener, 0);
    let program = opener.get_program().display().to_string();
    let mut child = opener
        .spawn()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)]) -> Result<String, String> {
        let value = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| OsString::from(value))
        };
        opener(value).map(|opener| opener.get_program().display().to_string())
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_browser_needs_a_display_or_is_named() {
        let why = chosen(&[("DISPLAY", "")]).unwrap_err();
        assert!(why.contains("DISPLAY"), "{why}");
        for display in ["DISPLAY", "WAYLAND_DISPLAY"] {
            assert_eq!(chosen(&[(display, ":0")]).unwrap(), "xdg-open");
        }
        assert_eq!(chosen(&[("BROWSER", "firefox")]).unwrap(), "firefox");
    }
}
