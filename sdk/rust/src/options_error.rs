//! Why the options of a bot are refused.

use std::path::PathBuf;

use thiserror::Error;

use crate::{DEFAULT_SERVER_URL, QUEUE_VARIABLE, TICKET_VARIABLE};

/// Longest name and longest version of a bot, in characters. The server refuses longer ones.
pub const MAX_NAME_CHARS: usize = 64;

/// Why [`Options`](crate::Options) cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// No ticket is in the environment.
    #[error(
        "{TICKET_VARIABLE} is not set: it takes the join ticket of a seat, which creating a match \
         returns; a bot that attends a queue has {QUEUE_VARIABLE} instead"
    )]
    NoTicket,
    /// An environment variable is not text.
    #[error("{0} is not valid Unicode")]
    NotUnicode(&'static str),
    /// A bot plays no such number of matches at once.
    #[error("a bot plays 1 to 64 matches at once, not {text:?}")]
    Slots {
        /// What was given.
        text: String,
    },
    /// The text cannot be a ticket.
    #[error("a ticket is printable ASCII without spaces; this one is not")]
    Ticket,
    /// The text cannot be an API key.
    #[error("an API key is printable ASCII without spaces; this one is not")]
    Key,
    /// The address of the server is not valid.
    #[error("server_url {url:?} is not an address such as {DEFAULT_SERVER_URL}")]
    ServerUrl {
        /// What was given.
        url: String,
    },
    /// A TLS file cannot be read.
    #[error("{}: {detail}", path.display())]
    TlsFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        detail: String,
    },
    /// A TLS file has no usable certificate or key.
    #[error("the files for TLS cannot be used: {detail}")]
    Tls {
        /// What is wrong with them.
        detail: String,
    },
    /// A client certificate is given without its private key, or the key without the certificate.
    #[error("a client certificate and its private key are given together or not at all")]
    HalfOfClientCertificate,
    /// A name or version that the server refuses.
    #[error("{field} has {least} to {MAX_NAME_CHARS} printable characters; {text:?} has not")]
    Name {
        /// The field of [`Options`](crate::Options).
        field: &'static str,
        /// Fewest characters.
        least: usize,
        /// What was given.
        text: String,
    },
}
