//! A bot's environment variables, the default server address, and errors in a bot's options.

use std::path::PathBuf;

use thiserror::Error;

/// Environment variable for the server's address, or a cluster's comma-separated addresses.
pub const SERVER_VARIABLE: &str = "BRIDGEMASTER_SERVER";
/// Environment variable for a seat's join ticket.
pub const TICKET_VARIABLE: &str = "BRIDGEMASTER_TICKET";
/// Environment variable for the API key, for servers that require one.
pub const KEY_VARIABLE: &str = "BRIDGEMASTER_KEY";
/// The server's default address: port 50051 on the loopback interface.
pub const DEFAULT_SERVER_URL: &str = "http://127.0.0.1:50051";
/// Environment variable for the queue to attend, as an alternative to a ticket.
pub const QUEUE_VARIABLE: &str = "BRIDGEMASTER_QUEUE";
/// Environment variable for the address of an HTTP proxy.
pub const PROXY_VARIABLE: &str = "BRIDGEMASTER_PROXY";
/// Environment variable for the number of matches that an attending bot plays concurrently, 1 to
/// 64.
pub const SLOTS_VARIABLE: &str = "BRIDGEMASTER_SLOTS";

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
    /// The server's address is not valid.
    #[error("server_url: {url:?} is not an address such as {DEFAULT_SERVER_URL}: {problem}")]
    InvalidServerUrl {
        /// The rejected address, as given.
        url: String,
        /// The problem.
        problem: &'static str,
    },
    /// The proxy's address is not valid.
    #[error("proxy: {url:?} is not an address such as http://127.0.0.1:3128: {problem}")]
    InvalidProxy {
        /// The rejected address, as given.
        url: String,
        /// The problem.
        problem: &'static str,
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
