//! Plays the matches that a queue offers, one bot for each.

use bridgemaster_proto::v1;
use tokio::task::JoinSet;
use tracing::{info, warn};

use crate::{AttendOptions, Attending, Bot, Connection, PlayError, Told};

/// Attends a queue, and plays each match that it is offered with a bot that `new_bot` makes: one
/// bot plays one match. Ends when the queue is closed, or the bot has left it.
///
/// A match that cannot be played to its end is logged, and the others go on.
///
/// # Errors
/// See [`PlayError`], of the attendance alone. Matches in play are played to their end first.
pub async fn attend<B: Bot + 'static>(
    new_bot: impl FnMut() -> B,
    options: AttendOptions,
) -> Result<(), PlayError> {
    let connection = Connection::with_tls(&options.server_url, &options.tls)?;
    connection.attend(new_bot, options).await
}

/// [`attend`] for programs without an async runtime of their own.
///
/// # Errors
/// See [`PlayError`].
pub fn attend_blocking<B: Bot + 'static>(
    new_bot: impl FnMut() -> B,
    options: AttendOptions,
) -> Result<(), PlayError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(attend(new_bot, options))
}

impl Connection {
    /// Attends a queue on this connection; `options.server_url` is used for errors alone. For
    /// programs that take their seats themselves.
    ///
    /// # Errors
    /// When the options cannot be used.
    pub fn attending(&self, options: AttendOptions) -> Result<Attending, PlayError> {
        Attending::new(self.route()?, options)
    }

    /// As [`attend`], on this connection.
    ///
    /// # Errors
    /// See [`PlayError`].
    pub async fn attend<B: Bot + 'static>(
        &self,
        mut new_bot: impl FnMut() -> B,
        options: AttendOptions,
    ) -> Result<(), PlayError> {
        let mut attending = self.attending(options.clone())?;
        let mut playing = JoinSet::new();
        let ended = loop {
            let told = tokio::select! {
                told = attending.next() => told,
                Some(_) = playing.join_next() => continue,
            };
            match told {
                Ok(Some(Told::Offer(offer))) => {
                    let seat = Seat::of(self, &options, &offer)?;
                    playing.spawn(seat.play(new_bot()));
                }
                Ok(Some(Told::Attendance(attendance))) => {
                    let state = attendance.state().as_str_name();
                    let (used, slots) = (attendance.slots_used, attendance.slots);
                    info!(state, used, slots, detail = attendance.detail, "attending");
                }
                Ok(Some(Told::Withdrawn(withdrawn))) => {
                    let (offer_id, detail) = (withdrawn.offer_id, withdrawn.detail);
                    info!(offer_id, detail, "an offer holds no more");
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        while playing.join_next().await.is_some() {}
        ended
    }
}

/// A seat that was offered.
struct Seat {
    connection: Connection,
    options: crate::Options,
    match_id: String,
}

impl Seat {
    fn of(
        connection: &Connection,
        options: &AttendOptions,
        offer: &v1::Offer,
    ) -> Result<Self, PlayError> {
        let seat = options.for_seat(offer)?;
        let connection = match offer.address.is_empty() {
            true => connection.clone(),
            false => Connection::with_tls(&seat.server_url, &seat.tls)?,
        };
        Ok(Self {
            connection,
            options: seat,
            match_id: offer.match_id.clone(),
        })
    }

    async fn play(self, bot: impl Bot + 'static) {
        let match_id = self.match_id;
        match self.connection.play(bot, &self.options).await {
            Ok(_) => info!(match_id, "played"),
            Err(error) => warn!(match_id, %error, "the match was not played to its end"),
        }
    }
}
