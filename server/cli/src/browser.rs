//! The browser of whoever sits at the terminal.

use std::{
    env,
    ffi::OsString,
    process::{Command, Stdio},
    thread,
};

use crate::output;

/// Opens an address in the browser of whoever sits at the terminal, or tells why not. Where standard
/// output is no terminal nobody sits there, and nothing is opened.
///
/// The link of a seat is in the list of processes for a moment, where others at this machine can
/// read it: for seats of a server on loopback that lasts as long as its terminal.
pub(super) fn open(url: &str) {
    if output::terminal_size().is_none() {
        return;
    }
    let opened = opener(|name| env::var_os(name)).and_then(|opener| start(opener, url));
    if let Err(why) = opened {
        output::complain(&format!("no browser was opened: {why}"));
    }
}

/// What opens addresses: the program of `BROWSER`, or that of the system. `variable` gives those of
/// the environment.
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
    match is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        true => Ok(Command::new("xdg-open")),
        false => Err("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned()),
    }
}

/// Starts it with the address, apart from this terminal: Ctrl-C here does not end the browser.
fn start(mut opener: Command, url: &str) -> Result<(), String> {
    opener.arg(url).stdin(Stdio::null());
    opener.stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut opener, 0);
    let program = opener.get_program().display().to_string();
    let mut child = opener
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
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
