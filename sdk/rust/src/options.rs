//! How a bot reaches its seat.

use std::{env, fmt, time::Duration};

use tonic::metadata::{Ascii, MetadataValue};

use crate::{
    ApiKey, DEFAULT_SERVER_URL, KEY_VARIABLE, MAX_NAME_CHARS, OptionsError, QUEUE_VARIABLE,
    SERVER_VARIABLE, TICKET_VARIABLE, TlsOptions,
};

/// Default of [`Options::connect_for`]: a bot may be started a little before its server.
pub(crate) const CONNECT_FOR: Duration = Duration::from_secs(10);
/// Default of [`Options::reconnect_for`]: three times the default reconnect time of a match.
pub(crate) const RECONNECT_FOR: Duration = Duration::from_secs(30);
/// Default of [`AttendOptions::reconnect_for`], and of a seat that was offered in a queue: a server
/// that is restarted, moved or repaired is often away for minutes. A bot that gives up before it is
/// back forfeits its match, and whether it is too late is for the match's own reconnect time to say.
///
/// [`AttendOptions::reconnect_for`]: crate::AttendOptions::reconnect_for
pub const ATTENDING_RECONNECT_FOR: Duration = Duration::from_secs(600);

/// How a bot reaches its seat, and what it says about itself.
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
    /// Address of the server, such as `http://127.0.0.1:50051`, or `https://host:50051`; those of a
    /// cluster with commas between them.
    pub server_url: String,
    /// The join ticket of the seat.
    pub ticket: Ticket,
    /// The API key of the bot, for servers that require one.
    pub key: Option<ApiKey>,
    /// TLS files for an `https://` address.
    pub tls: TlsOptions,
    /// Name of the bot: 1 to 64 printable characters.
    pub bot_name: String,
    /// Version of the bot: at most 64 printable characters; may be empty.
    pub bot_version: String,
    /// Identifiers of the games that the bot plays, such as `alhambra`; empty for all.
    pub games: Vec<String>,
    /// How long to try the first connection.
    pub connect_for: Duration,
    /// How long to try to resume a lost stream, each time.
    pub reconnect_for: Duration,
}

impl Options {
    /// Options for a seat. The rest has defaults: every game, no version, no API key, no TLS files,
    /// 10 s for the first connection and 30 s to resume.
    pub fn new(server_url: impl Into<String>, ticket: Ticket, bot_name: impl Into<String>) -> Self {
        Self {
            server_url: server_url.into(),
            ticket,
            key: None,
            tls: TlsOptions::default(),
            bot_name: bot_name.into(),
            bot_version: String::new(),
            games: Vec::new(),
            connect_for: CONNECT_FOR,
            reconnect_for: RECONNECT_FOR,
        }
    }

    /// Options from the environment: the server from [`SERVER_VARIABLE`], or
    /// [`DEFAULT_SERVER_URL`]; the ticket from [`TICKET_VARIABLE`]; the API key, if any, from
    /// [`KEY_VARIABLE`]; TLS files as in [`TlsOptions::from_env`]. With [`QUEUE_VARIABLE`] too, the
    /// seat is [`offered`](Self::offered) there.
    pub fn from_env(bot_name: impl Into<String>) -> Result<Self, OptionsError> {
        let server_url = variable(SERVER_VARIABLE)?.unwrap_or(DEFAULT_SERVER_URL.to_owned());
        let ticket = variable(TICKET_VARIABLE)?.ok_or(OptionsError::NoTicket)?;
        let key = variable(KEY_VARIABLE)?;
        let options = Self {
            key: key.map(|key| key.parse()).transpose()?,
            tls: TlsOptions::from_env(),
            ..Self::new(server_url, ticket.parse()?, bot_name)
        };
        Ok(match variable(QUEUE_VARIABLE)? {
            Some(_) => options.offered(ATTENDING_RECONNECT_FOR),
            None => options,
        })
    }

    /// The options of a seat that was offered in a queue: the server that offered it was there a
    /// moment ago, so one that is not reached is lost, and looked for as long as a lost stream is.
    #[must_use]
    pub fn offered(self, reconnect_for: Duration) -> Self {
        Self {
            connect_for: self.connect_for.max(reconnect_for),
            reconnect_for,
            ..self
        }
    }

    /// Checks for what the server would refuse in a Hello.
    pub(crate) fn check(&self) -> Result<(), OptionsError> {
        check_name("bot_name", &self.bot_name, 1)?;
        check_name("bot_version", &self.bot_version, 0)
    }
}

/// The text of an environment variable; `None` when it is not set.
pub(crate) fn variable(name: &'static str) -> Result<Option<String>, OptionsError> {
    match env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(OptionsError::NotUnicode(name)),
    }
}

pub(crate) fn check_name(
    field: &'static str,
    text: &str,
    least: usize,
) -> Result<(), OptionsError> {
    let chars = text.chars().count();
    if (least..=MAX_NAME_CHARS).contains(&chars) && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(OptionsError::Name {
        field,
        least,
        text: text.to_owned(),
    })
}

/// A join ticket: the right to play one seat. Never appears in debug output or logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket(String);

impl Ticket {
    /// The value of the `authorization` metadata.
    pub(crate) fn bearer(&self) -> Result<MetadataValue<Ascii>, OptionsError> {
        let mut value: MetadataValue<Ascii> = format!("Bearer {}", self.0)
            .parse()
            .map_err(|_| OptionsError::Ticket)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl std::str::FromStr for Ticket {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let text = text.trim();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(OptionsError::Ticket);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(bot_name: &str) -> Options {
        Options::new(DEFAULT_SERVER_URL, "secret-7".parse().unwrap(), bot_name)
    }

    #[test]
    fn a_ticket_stays_out_of_debug_output() {
        assert!(!format!("{:?}", options("a")).contains("secret-7"));
        assert!(!format!("{:?}", options("a").ticket.bearer().unwrap()).contains("secret-7"));
    }

    #[test]
    fn a_name_that_the_server_would_refuse_is_refused_before_dialling() {
        assert_eq!(options("a").check(), Ok(()));
        assert!(matches!(
            options("").check(),
            Err(OptionsError::Name {
                field: "bot_name",
                ..
            })
        ));
        assert!(options(&"x".repeat(65)).check().is_err());
        assert!(options("two\nlines").check().is_err());
        let long = Options {
            bot_version: "x".repeat(65),
            ..options("a")
        };
        assert!(matches!(
            long.check(),
            Err(OptionsError::Name {
                field: "bot_version",
                ..
            })
        ));
    }

    #[test]
    fn an_offered_seat_that_is_not_reached_is_looked_for_as_one_that_is_lost() {
        let span = Duration::from_secs(60);
        let offered = options("a").offered(span);
        assert_eq!((offered.connect_for, offered.reconnect_for), (span, span));
        let brief = options("a").offered(Duration::ZERO);
        assert_eq!(brief.connect_for, CONNECT_FOR);
    }

    #[test]
    fn a_ticket_is_printable_ascii() {
        assert_eq!("".parse::<Ticket>(), Err(OptionsError::Ticket));
        assert_eq!("a b".parse::<Ticket>(), Err(OptionsError::Ticket));
        assert_eq!("é".parse::<Ticket>(), Err(OptionsError::Ticket));
        assert!(" end-of-line-is-cut\n".parse::<Ticket>().is_ok());
    }
}
