//! Reports errors of commands.

use std::{error::Error, process::ExitCode};

use bridgemaster_proto::escape::Escaped;
use bridgemaster_sdk::tls_hint;
use bridgemaster_store::StoreError;
use tonic::Status;
use tonic_types::StatusExt as _;

use super::output;

/// Exit code for a command that failed.
const FAILED: u8 = 1;
/// Exit code for an invalid command line, the same as clap's.
const MISUSED: u8 = 2;

/// A command-line error that clap cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Misuse(String);

/// Returns the error for an invalid command line. The message names the problem and the valid
/// values. The final line break of a TOML error is removed.
pub(super) fn misuse(message: impl Into<String>) -> anyhow::Error {
    Misuse(message.into().trim_end().to_owned()).into()
}

/// Returns whether [`misuse`] created the error.
pub(super) fn is_misuse(error: &anyhow::Error) -> bool {
    error.is::<Misuse>()
}

/// Converts a failed call's error. A rejected request field counts as misuse.
pub(super) fn refused(status: &Status) -> anyhow::Error {
    let details = status.get_error_details();
    let message = Escaped(status.message());
    match details.error_info().map(|info| info.reason.as_str()) {
        Some("INVALID_FIELD") => misuse(message.to_string()),
        Some(reason) => anyhow::anyhow!("{message} ({})", Escaped(reason)),
        None if status.source().is_some() => {
            anyhow::anyhow!("the connection failed: {}", transport_failure(status))
        }
        None => anyhow::anyhow!("the server answered {}: {message}", status.code()),
    }
}

/// Returns a failed call's message, and the causes if the transport failed.
pub(super) fn transport_failure(status: &Status) -> String {
    let mut text = Escaped(status.message()).to_string();
    append_causes(&mut text, status.source());
    text
}

/// Prints an error on standard error and returns its exit code.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    let text = with_causes(error);
    output::eprint(&format!("error: {text}"));
    // Store errors already explain problems with the certificate of a database.
    let is_of_store = error.chain().any(|cause| cause.is::<StoreError>());
    if let Some(hint) = tls_hint(&text).filter(|_| !is_of_store) {
        output::eprint(&format!("hint: {hint}"));
    }
    if is_misuse(error) {
        output::eprint("\nFor more information, try '--help'.");
    }
    code(error)
}

/// Returns the exit code for an error.
pub(super) fn code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if is_misuse(error) { MISUSED } else { FAILED })
}

/// Returns a command's exit code. Prints the command's error on standard error.
pub(super) fn exit_code(done: anyhow::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

/// Joins an error and its causes. Omits causes that the preceding text already contains.
pub(super) fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    append_causes(&mut text, error.source());
    text
}

fn append_causes(text: &mut String, first: Option<&(dyn Error + 'static)>) {
    let mut next = first;
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_connection_is_reported_with_its_cause() {
        let alert = anyhow::anyhow!("received fatal alert: CertificateRequired");
        let transport = alert.context("transport error");
        let error = refused(&Status::from_error(transport.into())).to_string();
        let expected = "the connection failed: transport error: received fatal alert: \
            CertificateRequired";
        assert_eq!(error, expected);
        let error = refused(&Status::unknown("why")).to_string();
        assert!(error.starts_with("the server answered"), "{error}");
    }

    #[test]
    fn a_misuse_does_not_end_with_the_line_break_of_a_toml_error() {
        let error = toml::from_str::<toml::Table>("listen = ").unwrap_err();
        assert!(error.to_string().ends_with('\n'));
        let reported = misuse(error.to_string()).to_string();
        assert_eq!(reported, error.to_string().trim_end());
    }

    #[test]
    fn a_repeated_cause_is_left_out() {
        let error = anyhow::anyhow!("refused (os error 111)")
            .context("connecting: refused (os error 111)")
            .context("no server answers");
        assert_eq!(with_causes(&error), "no server answers: connecting: refused (os error 111)");
    }
}
