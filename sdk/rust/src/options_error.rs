//! Errors in a bot's options.

use std::path::PathBuf;

use thiserror::Error;

use crate::{DEFAULT_SERVER_URL, QUEUE_VARIABLE, TICKET_VARIABLE};

/// The maximum length of a bot's name, and of its version, in characters. The server refuses longer
/// values.
pub const MAX_NAME_CHARS: usize = 64;

/// An error in [`Options`](crate::Options) or [`AttendOptions`](crate::AttendOptions).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// The environment contains neither a ticket nor a queue.
    #[error(
        "{TICKET_VARIABLE} is not set; set it to the join ticket of a seat, as CreateMatch returns \
         it, or set {QUEUE_VARIABLE} to attend a queue"
    )]
    MissingTicket,
    /// An environment variable is not valid Unicode.
    #[error("{0} is not valid Unicode")]
    NotUnicode(&'static str),
    /// The value for the number of slots is not a number, or is out of range.
    #[error("slots: {text:?} is out of range (1..=64)")]
    SlotsOutOfRange {
        /// The rejected value, as given.
        text: String,
    },
    /// A ticket is empty, or contains characters other than printable ASCII.
    #[error("the ticket is not valid: it must be printable ASCII without spaces")]
    InvalidTicket,
    /// An API key is empty, or contains characters other than printable ASCII.
    #[error("the API key is not valid: it must be printable ASCII without spaces")]
    InvalidKey,
    /// The server's address is not an `http://` or `https://` URL.
    #[error("server_url: {url:?} is not an address such as {DEFAULT_SERVER_URL}")]
    InvalidServerUrl {
        /// The rejected address, as given.
        url: String,
    },
    /// A TLS file cannot be read.
    #[error("{}: {detail}", path.display())]
    TlsFile {
        /// The file's path.
        path: PathBuf,
        /// The operating system's error message.
        detail: String,
    },
    /// A TLS file contains no usable certificate or key.
    #[error("cannot use the TLS files: {detail}")]
    Tls {
        /// The TLS library's error message.
        detail: String,
    },
    /// A client certificate was given without its private key, or a private key without its
    /// certificate.
    #[error("a client certificate requires its private key, and a private key its certificate")]
    IncompleteClientCertificate,
    /// The bot's name or version has an invalid length, or contains control characters.
    #[error("{field}: {text:?} must have {min_chars} to {MAX_NAME_CHARS} printable characters")]
    InvalidName {
        /// The field's name in [`Options`](crate::Options).
        field: &'static str,
        /// The minimum number of characters: 1 for a name, 0 for a version.
        min_chars: usize,
        /// The rejected name or version.
        text: String,
    },
}
