//! Bots below a supervisor, which is this program: their processes end, and their ends are
//! reported.

#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout)]

#[cfg(target_os = "linux")]
mod bots;
#[cfg(target_os = "linux")]
mod defence;
#[cfg(target_os = "linux")]
mod ends;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod starts;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use bridgemaster_bot_process::{SUPERVISOR_COMMAND, supervise};

    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    let done = match first.as_ref().and_then(|first| first.to_str()) {
        Some(SUPERVISOR_COMMAND) => return u8::from(supervise(arguments).is_err()).into(),
        Some(bots::PARENT_COMMAND) => return bots::be_parent(arguments),
        Some(defence::MASKED_COMMAND) => Some(defence::be_masked()),
        Some(defence::LIMITED_COMMAND) => Some(defence::be_limited()),
        _ => None,
    };
    if let Some(done) = done {
        if let Err(error) = &done {
            eprintln!("{}", error.message().unwrap_or_default());
        }
        return u8::from(done.is_err()).into();
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let trials =
        ends::trials().chain(starts::trials()).chain(limits::trials()).chain(defence::trials());
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
