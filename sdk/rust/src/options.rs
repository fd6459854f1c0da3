//! Options for playing one seat.

use std::{env, time::Duration};

use crate::{
    ApiKey, DEFAULT_SERVER_URL, KEY_VARIABLE, MAX_NAME_CHARS, OptionsError, PROXY_VARIABLE,
    QUEUE_VARIABLE, SERVER_VARIABLE, TICKET_VARIABLE, Ticket, TlsOptions,
};

/// Default for [`Options::connect_for`]. A bot can be started slightly before its server.
pub(crate) const CONNECT_FOR: Duration = Duration::from_secs(10);
/// Default for [`Options::reconnect_for`]: three times a match's default reconnect time.
pub(crate) const RECONNECT_FOR: Duration = Duration::from_secs(30);
/// Default for [`AttendOptions::reconnect_for`], and for seats offered in a queue: 10 minutes.
///
/// A server that is restarted, moved or repaired is often unavailable for minutes. A bot that stops
/// retrying forfeits its match. So the SDK retries longer than a match's usual reconnect time.
///
/// [`AttendOptions::reconnect_for`]: crate::AttendOptions::reconnect_for
pub const ATTEND_RECONNECT_FOR: Duration = Duration::from_secs(600);

/// The server, the seat to play, and the bot's description in its Hello.
///
/// ```
/// use bridgemaster_sdk::Options;
///
/// # fn main() -> Result<(), bridgemaster_sdk::OptionsError> {
/// let options = Options {
///     bot_version: "1.2".to_owned(),
///     ..Options::new("http://127.0.0.1:50051", "a-ticket".parse()?, "first-bot")
/// };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The server's address, such as `http://127.0.0.1:50051` or `https://host:50051`. A cluster's
    /// addresses are separated by commas.
    pub server_url: String,
    /// The seat's join ticket.
    pub ticket: Ticket,
    /// The bot's API key, for servers that require one.
    pub key: Option<ApiKey>,
    /// TLS files for an `https://` address.
    pub tls: TlsOptions,
    /// Address of an HTTP proxy, such as `http://127.0.0.1:3128`, which connects by CONNECT. Other
    /// variables than [`PROXY_VARIABLE`](crate::PROXY_VARIABLE), such as `https_proxy`, are
    /// ignored.
    pub proxy: Option<String>,
    /// The bot's name: 1 to 64 printable characters.
    pub bot_name: String,
    /// The bot's version: at most 64 printable characters, or empty.
    pub bot_version: String,
    /// Identifiers of the games that the bot plays, such as `alhambra`; empty for all games.
    pub games: Vec<String>,
    /// Maximum time for retrying the first connection. Default: 10 s.
    pub connect_for: Duration,
    /// Maximum time for resuming the stream after each loss. Default: 30 s.
    pub reconnect_for: Duration,
}

impl Options {
    /// Creates options for a seat. The other fields have defaults: every game, no version, no API
    /// key, no TLS files, 10 s for the first connection and 30 s to resume.
    pub fn new(server_url: impl Into<String>, ticket: Ticket, bot_name: impl Into<String>) -> Self {
        Self {
            server_url: server_url.into(),
            ticket,
            key: None,
            tls: TlsOptions::default(),
            proxy: None,
            bot_name: bot_name.into(),
            bot_version: String::new(),
            games: Vec::new(),
            connect_for: CONNECT_FOR,
            reconnect_for: RECONNECT_FOR,
        }
    }

    /// Reads options from the environment: the server from [`SERVER_VARIABLE`] (default
    /// [`DEFAULT_SERVER_URL`]), the ticket from [`TICKET_VARIABLE`] and the API key from
    /// [`KEY_VARIABLE`]. Reads TLS files as [`TlsOptions::from_env`] does. If [`QUEUE_VARIABLE`] is
    /// set as well, [`for_offered_seat`](Self::for_offered_seat) sets the timeouts.
    ///
    /// # Errors
    /// Returns [`OptionsError::MissingTicket`], or another error that names the invalid variable.
    pub fn from_env(bot_name: impl Into<String>) -> Result<Self, OptionsError> {
        let (server_url, key) = server_from_env()?;
        let ticket = variable(TICKET_VARIABLE)?.ok_or(OptionsError::MissingTicket)?;
        let options = Self {
            key,
            tls: TlsOptions::from_env(),
            proxy: variable(PROXY_VARIABLE)?,
            ..Self::new(server_url, ticket.parse()?, bot_name)
        };
        Ok(match variable(QUEUE_VARIABLE)? {
            Some(_) => options.for_offered_seat(ATTEND_RECONNECT_FOR),
            None => options,
        })
    }

    /// Adapts the timeouts to a seat that was offered in a queue. The server was reachable when it
    /// sent the offer, so the first connection is retried for as long as a lost stream.
    #[must_use]
    pub fn for_offered_seat(self, reconnect_for: Duration) -> Self {
        Self { connect_for: self.connect_for.max(reconnect_for), reconnect_for, ..self }
    }

    /// Rejects names that the server would refuse in a Hello.
    pub(crate) fn validate(&self) -> Result<(), OptionsError> {
        validate_name("bot_name", &self.bot_name, 1)?;
        validate_name("bot_version", &self.bot_version, 0)
    }
}

/// Reads the server's address and the API key from the environment.
pub(crate) fn server_from_env() -> Result<(String, Option<ApiKey>), OptionsError> {
    let server_url = variable(SERVER_VARIABLE)?.unwrap_or(DEFAULT_SERVER_URL.to_owned());
    let key = variable(KEY_VARIABLE)?.map(|key| key.parse());
    Ok((server_url, key.transpose()?))
}

/// Reads an environment variable; `None` if it is not set.
pub(crate) fn variable(name: &'static str) -> Result<Option<String>, OptionsError> {
    match env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(OptionsError::NotUnicode(name)),
    }
}

pub(crate) fn validate_name(
    field: &'static str,
    text: &str,
    min_chars: usize,
) -> Result<(), OptionsError> {
    let chars = text.chars().count();
    if (min_chars..=MAX_NAME_CHARS).contains(&chars) && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(OptionsError::InvalidName { field, min_chars, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(bot_name: &str) -> Options {
        Options::new(DEFAULT_SERVER_URL, "secret-7".parse().unwrap(), bot_name)
    }

    #[test]
    fn an_invalid_name_is_refused_before_connecting() {
        assert_eq!(options("a").validate(), Ok(()));
        assert!(matches!(
            options("").validate(),
            Err(OptionsError::InvalidName { field: "bot_name", .. })
        ));
        assert!(options(&"x".repeat(65)).validate().is_err());
        assert!(options("two\nlines").validate().is_err());
        let long = Options { bot_version: "x".repeat(65), ..options("a") };
        assert!(matches!(
            long.validate(),
            Err(OptionsError::InvalidName { field: "bot_version", .. })
        ));
    }

    #[test]
    fn an_offered_seat_is_retried_for_the_reconnect_time() {
        let span = Duration::from_secs(60);
        let offered = options("a").for_offered_seat(span);
        assert_eq!((offered.connect_for, offered.reconnect_for), (span, span));
        let brief = options("a").for_offered_seat(Duration::ZERO);
        assert_eq!(brief.connect_for, CONNECT_FOR);
    }
}
