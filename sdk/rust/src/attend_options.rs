//! Options for attending a queue, and the switch that pauses a bot.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1;
use tokio::sync::watch;

use crate::{
    ApiKey, Options, OptionsError, PROXY_VARIABLE, QUEUE_VARIABLE, SLOTS_VARIABLE, TlsOptions,
    options::{ATTEND_RECONNECT_FOR, CONNECT_FOR, server_from_env, validate_name, variable},
};

/// The maximum number of matches that a bot plays concurrently. The server enforces the same limit.
const MAX_SLOTS: u32 = 64;

/// The queue in which the bot waits for matches, and the settings with which it plays.
#[derive(Clone, Debug)]
pub struct AttendOptions {
    /// The server's address, such as `http://127.0.0.1:50051` or `https://host:50051`.
    pub server_url: String,
    /// The queue: the name of a contest or a ladder.
    pub queue: String,
    /// The maximum number of matches that the bot plays concurrently: 1 to 64.
    pub slots: u32,
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
    /// Maximum time for retrying the first connection, and for waiting until the queue exists.
    /// Default: 10 s.
    pub connect_for: Duration,
    /// Maximum time for retrying after each lost connection. Applies to the attendance and to each
    /// offered seat. Default: [`ATTEND_RECONNECT_FOR`].
    pub reconnect_for: Duration,
    /// A switch that pauses and resumes the bot. A clone of the switch controls the bot.
    pub pause: PauseSwitch,
}

impl AttendOptions {
    /// Creates options for a queue. The other fields have defaults: one match at a time, every
    /// game, no version, no API key, no TLS files, 10 s for the first connection, and
    /// [`ATTEND_RECONNECT_FOR`] to reconnect.
    pub fn new(
        server_url: impl Into<String>,
        queue: impl Into<String>,
        bot_name: impl Into<String>,
    ) -> Self {
        Self {
            server_url: server_url.into(),
            queue: queue.into(),
            slots: 1,
            key: None,
            tls: TlsOptions::default(),
            proxy: None,
            bot_name: bot_name.into(),
            bot_version: String::new(),
            games: Vec::new(),
            connect_for: CONNECT_FOR,
            reconnect_for: ATTEND_RECONNECT_FOR,
            pause: PauseSwitch::default(),
        }
    }

    /// Reads options from the environment: the queue from [`QUEUE_VARIABLE`], the number of slots
    /// from [`SLOTS_VARIABLE`], and the rest as [`Options::from_env`] does. Returns `None` if no
    /// queue is set.
    ///
    /// # Errors
    /// Returns an error if a variable is not valid.
    pub fn from_env(bot_name: impl Into<String>) -> Result<Option<Self>, OptionsError> {
        let Some(queue) = variable(QUEUE_VARIABLE)? else {
            return Ok(None);
        };
        let (server_url, key) = server_from_env()?;
        let slots = variable(SLOTS_VARIABLE)?.map(|text| {
            let slots = text.trim().parse().ok();
            slots.ok_or(OptionsError::SlotsOutOfRange { text })
        });
        Ok(Some(Self {
            slots: slots.transpose()?.unwrap_or(1),
            key,
            tls: TlsOptions::from_env(),
            proxy: variable(PROXY_VARIABLE)?,
            ..Self::new(server_url, queue, bot_name)
        }))
    }

    /// Returns the options for playing an offered seat.
    ///
    /// # Errors
    /// Returns [`OptionsError::InvalidTicket`] if the offer's ticket is not valid.
    pub fn for_seat(&self, offer: &v1::Offer) -> Result<Options, OptionsError> {
        let server_url = self.server_url.clone();
        let seat = Options {
            key: self.key.clone(),
            tls: self.tls.clone(),
            proxy: self.proxy.clone(),
            bot_version: self.bot_version.clone(),
            games: self.games.clone(),
            connect_for: self.connect_for,
            ..Options::new(server_url, offer.ticket.parse()?, &self.bot_name)
        };
        Ok(seat.for_offered_seat(self.reconnect_for))
    }

    /// Rejects values that the server would refuse.
    pub(crate) fn validate(&self) -> Result<(), OptionsError> {
        validate_name("bot_name", &self.bot_name, 1)?;
        validate_name("bot_version", &self.bot_version, 0)?;
        match self.slots {
            1..=MAX_SLOTS => Ok(()),
            slots => Err(OptionsError::SlotsOutOfRange { text: slots.to_string() }),
        }
    }
}

/// Pauses and resumes a bot that attends a queue. A paused bot receives no offers, but its matches
/// in progress continue. Clones share one state and can be used from any thread.
///
/// The bot's program stores the state, so the bot stays paused when the server restarts.
#[derive(Clone, Debug)]
pub struct PauseSwitch(Arc<watch::Sender<bool>>);

impl PauseSwitch {
    /// Pauses the bot: it receives no further offers.
    pub fn pause(&self) {
        self.0.send_replace(true);
    }

    /// Resumes the bot: it receives offers again.
    pub fn resume(&self) {
        self.0.send_replace(false);
    }

    /// Returns whether the switch is set to pause the bot. The server might not have received the
    /// change yet.
    pub fn is_paused(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver for the current state and its changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for PauseSwitch {
    /// Creates a switch that does not pause the bot.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_SERVER_URL;

    #[test]
    fn an_offered_seat_reconnects_for_as_long_as_the_attendance() {
        let offer = v1::Offer { ticket: "t".to_owned(), ..v1::Offer::default() };
        let options = AttendOptions::new(DEFAULT_SERVER_URL, "league", "ada");
        let seat = options.for_seat(&offer).unwrap();
        let spans = [seat.connect_for, seat.reconnect_for, options.reconnect_for];
        assert_eq!(spans, [ATTEND_RECONNECT_FOR; 3]);
        let brief = AttendOptions { reconnect_for: Duration::ZERO, ..options };
        let seat = brief.for_seat(&offer).unwrap();
        assert_eq!(seat.reconnect_for, Duration::ZERO);
    }
}
