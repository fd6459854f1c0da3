//! Plays the matches that a queue offers, with a new bot for each match.

use tokio::task::JoinSet;
use tracing::{info, warn};

use crate::{
    AttendEvent, AttendOptions, AttendanceSession, Bot, Connection, Options, PlayError, Slot,
};

/// Attends a queue and plays every match that the queue offers. `new_bot` creates a bot for each
/// match. Returns once the queue has been closed or the bot has left it.
///
/// If a match fails, its error is logged, and other matches are not affected.
///
/// # Errors
/// Returns a [`PlayError`] if the attendance itself fails. The error is returned after the matches
/// in progress have ended.
pub async fn attend<B: Bot + 'static>(
    new_bot: impl FnMut() -> B,
    options: AttendOptions,
) -> Result<(), PlayError> {
    let proxy = options.proxy.as_deref();
    let connection = Connection::with_proxy(&options.server_url, &options.tls, proxy)?;
    connection.attend(new_bot, options).await
}

/// Like [`attend`], for programs without an async runtime.
///
/// # Errors
/// Returns a [`PlayError`].
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
    /// Attends a queue on this connection. Intended for programs that play the offered seats
    /// themselves. Ignores `options.tls`, and uses `options.server_url` only for offered seats.
    ///
    /// # Errors
    /// Returns [`PlayError::Options`] if the options are not valid.
    pub fn attendance(&self, options: AttendOptions) -> Result<AttendanceSession, PlayError> {
        AttendanceSession::new(self.route(), options)
    }

    /// Like [`attend`](crate::attend()), on this connection.
    ///
    /// # Errors
    /// Returns a [`PlayError`].
    pub async fn attend<B: Bot + 'static>(
        &self,
        mut new_bot: impl FnMut() -> B,
        options: AttendOptions,
    ) -> Result<(), PlayError> {
        let mut attendance = self.attendance(options.clone())?;
        let mut matches = JoinSet::new();
        let ended = loop {
            let event = tokio::select! {
                event = attendance.next() => event,
                Some(_) = matches.join_next() => continue,
            };
            match event {
                Ok(Some(AttendEvent::Offer(offer, slot))) => {
                    let (seat, connection) = (options.for_seat(&offer)?, self.clone());
                    matches.spawn(connection.play_offered(new_bot(), seat, offer.match_id, slot));
                }
                Ok(Some(AttendEvent::Attendance(attendance))) => {
                    let state = attendance.state().as_str_name();
                    let (used, slots) = (attendance.slots_used, attendance.slots);
                    info!(state, used, slots, detail = attendance.detail, "attending the queue");
                }
                Ok(Some(AttendEvent::OfferWithdrawn(withdrawn))) => {
                    let (offer_id, detail) = (withdrawn.offer_id, withdrawn.detail);
                    info!(offer_id, detail, "offer withdrawn");
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        while matches.join_next().await.is_some() {}
        ended
    }

    async fn play_offered(
        self,
        bot: impl Bot + 'static,
        seat: Options,
        match_id: String,
        slot: Slot,
    ) {
        match self.play_in_slot(bot, &seat, Some(slot)).await {
            Ok(_) => info!(match_id, "match over"),
            Err(error) => warn!(match_id, %error, "match failed"),
        }
    }
}
