//! Failures of commands, and how they are told.

use std::{error::Error, fmt, process::ExitCode};

use bridgemaster_proto::outside::Outside;
use bridgemaster_sdk::tls_hint;
use bridgemaster_store::StoreError;
use tonic::Status;
use tonic_types::StatusExt as _;

use super::output;

/// Exit code of a command that failed.
const FAILED: u8 = 1;
/// Exit code of a mistake in the command line: the same as clap's.
const MISUSED: u8 = 2;

/// A mistake in the command line that only the command itself can see.
#[derive(Debug)]
struct Misuse(String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Misuse {}

/// A mistake in the command line: tells what is wrong and what would be valid.
pub(super) fn misuse(message: impl Into<String>) -> anyhow::Error {
    Misuse(message.into()).into()
}

/// Whether it is a mistake in the command line.
pub(super) fn is_misuse(error: &anyhow::Error) -> bool {
    error.is::<Misuse>()
}

/// What a server refused. A field that it does not accept is a mistake in the command line.
pub(super) fn refused(status: &Status) -> anyhow::Error {
    let details = status.get_error_details();
    let message = Outside(status.message());
    match details.error_info().map(|info| info.reason.as_str()) {
        Some("INVALID_FIELD") => misuse(message.to_string()),
        Some(reason) => anyhow::anyhow!("{message} ({})", Outside(reason)),
        None if status.source().is_some() => {
            anyhow::anyhow!("the connection failed: {}", transport_failure(status))
        }
        None => anyhow::anyhow!("the server answered {}: {message}", status.code()),
    }
}

/// The message of a call that failed, with its causes when it is the transport that failed.
pub(super) fn transport_failure(status: &Status) -> String {
    let mut text = Outside(status.message()).to_string();
    append_causes(&mut text, status.source());
    text
}

/// Prints a failure on standard error.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    let text = with_causes(error);
    output::complain(&format!("error: {text}"));
    // What a store says of the certificate of its database is whole.
    let is_of_store = error.chain().any(|cause| cause.is::<StoreError>());
    if let Some(hint) = tls_hint(&text).filter(|_| !is_of_store) {
        output::complain(&format!("hint: {hint}"));
    }
    if is_misuse(error) {
        output::complain("\nFor more information, try '--help'.");
        return ExitCode::from(MISUSED);
    }
    ExitCode::from(FAILED)
}

/// An error and its causes, without those that an error before them repeats already.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    append_causes(&mut text, error.source());
    text
}

fn append_causes(text: &mut String, first: Option<&(dyn Error + 'static)>) {
    let mut next = first;
    while let Some(cause) = next {
        let told = cause.to_string();
        if !text.contains(&told) {
            text.push_str(": ");
            text.push_str(&told);
        }
        next = cause.source();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_failed_is_no_answer_and_tells_its_cause() {
        let alert = anyhow::anyhow!("received fatal alert: CertificateRequired");
        let transport = alert.context("transport error");
        let error = refused(&Status::from_error(transport.into())).to_string();
        let told = "the connection failed: transport error: received fatal alert: \
            CertificateRequired";
        assert_eq!(error, told);
        let error = refused(&Status::unknown("why")).to_string();
        assert!(error.starts_with("the server answered"), "{error}");
    }

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let error = anyhow::anyhow!("refused (os error 111)")
            .context("connecting: refused (os error 111)")
            .context("no server answers");
        assert_eq!(
            with_causes(&error),
            "no server answers: connecting: refused (os error 111)"
        );
    }
}
