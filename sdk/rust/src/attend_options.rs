//! How a bot attends a queue.

use std::time::Duration;

use bridgemaster_proto::v1;

use crate::{
    ApiKey, DEFAULT_SERVER_URL, KEY_VARIABLE, Options, OptionsError, PauseSwitch, QUEUE_VARIABLE,
    SERVER_VARIABLE, SLOTS_VARIABLE, TlsOptions,
    options::{ATTENDING_RECONNECT_FOR, CONNECT_FOR, check_name, variable},
};

/// Most matches that a bot plays at once.
const MAX_SLOTS: u32 = 64;

/// How a bot attends a queue, and how it plays the seats that it is offered there.
#[derive(Clone, Debug)]
pub struct AttendOptions {
    /// Address of the server, such as `http://127.0.0.1:50051`, or `https://host:50051`.
    pub server_url: String,
    /// The queue: the name of a contest or a ladder.
    pub queue: String,
    /// Matches that the bot plays at once: 1 to 64.
    pub slots: u32,
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
    /// How long to try the first connection. A queue that is not there yet is waited for as long.
    pub connect_for: Duration,
    /// How long to look for a lost server, each time: to go on attending, and for each seat that it
    /// has offered.
    pub reconnect_for: Duration,
    /// Pauses the bot, for whoever keeps a clone of it.
    pub pause: PauseSwitch,
}

impl AttendOptions {
    /// Options for a queue. The rest has defaults: one match at once, every game, no version, no
    /// API key, no TLS files, 10 s for the first connection, and for a lost server
    /// [`ATTENDING_RECONNECT_FOR`].
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
            bot_name: bot_name.into(),
            bot_version: String::new(),
            games: Vec::new(),
            connect_for: CONNECT_FOR,
            reconnect_for: ATTENDING_RECONNECT_FOR,
            pause: PauseSwitch::default(),
        }
    }

    /// Options from the environment: the queue from [`QUEUE_VARIABLE`], matches at once from
    /// [`SLOTS_VARIABLE`], and the rest as in [`Options::from_env`]. `None` when no queue is set.
    ///
    /// # Errors
    /// When a variable cannot be used.
    pub fn from_env(bot_name: impl Into<String>) -> Result<Option<Self>, OptionsError> {
        let Some(queue) = variable(QUEUE_VARIABLE)? else {
            return Ok(None);
        };
        let server_url = variable(SERVER_VARIABLE)?.unwrap_or(DEFAULT_SERVER_URL.to_owned());
        let slots = variable(SLOTS_VARIABLE)?.map(|text| {
            let slots = text.trim().parse().ok();
            slots.ok_or(OptionsError::Slots { text })
        });
        let key = variable(KEY_VARIABLE)?;
        Ok(Some(Self {
            slots: slots.transpose()?.unwrap_or(1),
            key: key.map(|key| key.parse()).transpose()?,
            tls: TlsOptions::from_env(),
            ..Self::new(server_url, queue, bot_name)
        }))
    }

    /// Options for the seat of an offer, on the server that the offer names.
    ///
    /// # Errors
    /// When the ticket of the offer is none.
    pub fn for_seat(&self, offer: &v1::Offer) -> Result<Options, OptionsError> {
        let server_url = match (offer.address.as_str(), self.server_url.split_once("://")) {
            ("", _) => self.server_url.clone(),
            (address, Some((scheme, _))) => format!("{scheme}://{address}"),
            (address, None) => address.to_owned(),
        };
        let seat = Options {
            key: self.key.clone(),
            tls: self.tls.clone(),
            bot_version: self.bot_version.clone(),
            games: self.games.clone(),
            connect_for: self.connect_for,
            ..Options::new(server_url, offer.ticket.parse()?, &self.bot_name)
        };
        Ok(seat.offered(self.reconnect_for))
    }

    /// Checks for what the server would refuse.
    pub(crate) fn check(&self) -> Result<(), OptionsError> {
        check_name("bot_name", &self.bot_name, 1)?;
        check_name("bot_version", &self.bot_version, 0)?;
        match self.slots {
            1..=MAX_SLOTS => Ok(()),
            slots => Err(OptionsError::Slots {
                text: slots.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_that_is_offered_is_looked_for_as_long_as_the_attendance() {
        let offer = v1::Offer {
            ticket: "t".to_owned(),
            ..v1::Offer::default()
        };
        let options = AttendOptions::new(DEFAULT_SERVER_URL, "league", "ada");
        let seat = options.for_seat(&offer).unwrap();
        let spans = [seat.connect_for, seat.reconnect_for, options.reconnect_for];
        assert_eq!(spans, [ATTENDING_RECONNECT_FOR; 3]);
        let brief = AttendOptions {
            reconnect_for: Duration::ZERO,
            ..options
        };
        let seat = brief.for_seat(&offer).unwrap();
        assert_eq!(seat.reconnect_for, Duration::ZERO);
    }
}
