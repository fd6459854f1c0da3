//! Reserves bots' slots, and adds, declines, withdraws and ends seat offers.

use std::{sync::Arc, time::Instant};

use bridgemaster_edge::transport::ForwardingNode;
use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    super::{
        BotName, OfferId, QueueId, QueueRules, VersionStatus, attendance::SeatOffer, queue::Queue,
    },
    DueAction, LobbyError, QueueEntry, WaitingRoom,
};

impl WaitingRoom {
    /// Lists the attendances of bots that accept offers now, regardless of free slots.
    pub(crate) fn available_attendances(
        &self,
        queue_id: &QueueId,
        now: Instant,
    ) -> Vec<v1::Attendance> {
        let Some(queue) = self.queues.get(queue_id) else {
            return Vec::new();
        };
        let available = queue.entries.iter().filter(|(bot, entry)| {
            let attendance = entry.attendance.as_ref();
            attendance.is_some_and(|attendance| {
                entry.accepts_offers(queue.status(bot, &attendance.version), now)
            })
        });
        available.filter_map(|(bot, _)| queue.attendance(bot)).collect()
    }

    /// Reserves one slot of each listed bot for a match that is being created; a bot that is listed
    /// twice needs two slots. Returns the versions of the bots. The slots are released with
    /// [`WaitingRoom::release_slots`].
    ///
    /// # Errors
    /// Returns an error if one of the bots cannot be offered a seat now; no slot is reserved then.
    pub(crate) fn reserve_slots(
        &mut self,
        bots: &[(QueueId, BotName)],
        now: Instant,
    ) -> Result<Vec<String>, LobbyError> {
        let mut versions = Vec::new();
        for (reserved, (queue_id, bot)) in bots.iter().enumerate() {
            match self.reserve_one(queue_id, bot, now) {
                Ok(version) => versions.push(version),
                Err(error) => {
                    self.release_slots(&bots[..reserved]);
                    return Err(error);
                }
            }
        }
        Ok(versions)
    }

    fn reserve_one(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        now: Instant,
    ) -> Result<String, LobbyError> {
        let queue = self.queues.get_mut(queue_id).ok_or(LobbyError::QueueUnknown)?;
        let not_available = |why: String| LobbyError::NotAvailable { bot: bot.clone(), why };
        let entry = queue.entries.get(bot);
        let attendance = entry.and_then(|entry| entry.attendance.as_ref());
        let Some(version) = attendance.map(|attendance| attendance.version.clone()) else {
            return Err(not_available("the bot does not attend the queue".to_owned()));
        };
        let status = queue.status(bot, &version).clone();
        let entry = queue.entries.entry(bot.clone()).or_default();
        if let Some(why) = entry.unavailable_reason(&status, now) {
            return Err(not_available(why));
        }
        entry.reserved += 1;
        Ok(version)
    }

    /// Releases reserved slots.
    pub(crate) fn release_slots(&mut self, reserved: &[(QueueId, BotName)]) {
        for (queue_id, bot) in reserved {
            let queue = self.queues.get_mut(queue_id);
            if let Some(entry) = queue.and_then(|queue| queue.entries.get_mut(bot)) {
                entry.reserved = entry.reserved.saturating_sub(1);
            }
            self.clean_up(queue_id, bot);
        }
    }

    /// Adds an offered seat of a match. If the queue of the seat does not exist, adds it as a
    /// closing queue. Returns the node that forwards the offer to the bot, if any.
    pub(in crate::lobby) fn add_offer(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        mut offer: SeatOffer,
    ) -> Option<Arc<ForwardingNode>> {
        let offer_id = offer.id();
        let of_match = self.matches.entry(offer.match_id.clone()).or_default();
        of_match.push((queue_id.clone(), bot.clone(), offer_id.clone()));
        if !offer.is_taken {
            let due = DueAction::Offer(queue_id.clone(), bot.clone(), offer_id.clone());
            self.due.insert((offer.until, due));
        }
        let revision = self.revision;
        let queue = self.queues.entry(queue_id.clone());
        let queue = queue.or_insert_with(|| {
            let rules = QueueRules {
                queue_id: queue_id.clone(),
                owner: None,
                game_id: None,
                rules_version: None,
                key_names: Default::default(),
                is_ladder: false,
                default_status: VersionStatus::default(),
            };
            Queue::new(rules, true, revision)
        });
        let entry = queue.entries.entry(bot.clone()).or_default();
        let node = entry.attendance.as_ref().and_then(|one| one.node.clone());
        offer.forward_through(node.as_ref());
        entry.seats.insert(offer_id, offer);
        self.notify(queue_id, bot);
        node
    }

    /// Returns whether a match has offered seats.
    pub(crate) fn has_offers_of(&self, id: &MatchId) -> bool {
        self.matches.contains_key(id)
    }

    /// Records that a bot has taken its seat.
    pub(crate) fn record_taken_seat(&mut self, id: &MatchId, seat: Seat) {
        let mut of_match = self.matches.get(id).into_iter().flatten();
        let found = of_match.find(|(.., offer_id)| offer_id.is_of(id, seat));
        let Some((queue_id, bot, offer_id)) = found.cloned() else {
            return;
        };
        if let Some(entry) = self.existing_entry(&queue_id, &bot)
            && let Some(offer) = entry.seats.get_mut(&offer_id)
            && !offer.is_taken
        {
            offer.is_taken = true;
            entry.record_accepted_offer();
        }
    }

    /// Declines an offer to the caller's bot. Returns the offered seat, whose match must then be
    /// cancelled.
    ///
    /// # Errors
    /// Returns an error if the caller has no such open offer.
    pub fn decline_offer(
        &mut self,
        offer_id: &OfferId,
        key: Option<&KeyName>,
        now: Instant,
    ) -> Result<(MatchId, Seat), LobbyError> {
        let id = offer_id.match_id().ok_or(LobbyError::OfferUnknown)?;
        let mut of_match = self.matches.get(&id).into_iter().flatten();
        let found = of_match.find(|(.., other)| other == offer_id);
        let (queue_id, bot, _) = found.cloned().ok_or(LobbyError::OfferUnknown)?;
        if key.is_some_and(|key| key.as_str() != bot.as_str()) {
            return Err(LobbyError::OfferUnknown);
        }
        let entry = self.existing_entry(&queue_id, &bot);
        let entry = entry.ok_or(LobbyError::OfferUnknown)?;
        let offer = entry.seats.get(offer_id).filter(|offer| !offer.is_taken);
        let seat = offer.ok_or(LobbyError::OfferUnknown)?.seat;
        entry.seats.remove(offer_id);
        entry.record_missed_offer(now);
        self.notify(&queue_id, &bot);
        self.clean_up(&queue_id, &bot);
        Ok((id, seat))
    }

    /// Frees the seats of a finished match.
    pub(crate) fn end_match(&mut self, id: &MatchId, now: Instant) {
        for (queue_id, bot, offer_id) in self.matches.remove(id).unwrap_or_default() {
            self.withdraw_offer(&queue_id, &bot, &offer_id, ("the match is over", now));
        }
    }

    /// Withdraws an offer that was not accepted in time. The match decides, by its rules, what
    /// happens to the seat.
    pub(super) fn expire_offer(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        offer_id: &OfferId,
        now: Instant,
    ) {
        let Some(entry) = self.existing_entry(queue_id, bot) else {
            return;
        };
        let Some(offer) = entry.seats.get_mut(offer_id).filter(|one| !one.is_taken) else {
            return;
        };
        offer.extend();
        if offer.until > now {
            let due = DueAction::Offer(queue_id.clone(), bot.clone(), offer_id.clone());
            let until = offer.until;
            self.due.insert((until, due));
            return;
        }
        entry.record_missed_offer(now);
        self.withdraw_offer(
            queue_id,
            bot,
            offer_id,
            ("the bot did not take its seat in time", now),
        );
    }

    /// Removes a seat from a bot. If the bot has received the offer without accepting it, the
    /// withdrawal is sent on the same stream.
    fn withdraw_offer(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        offer_id: &OfferId,
        (why, now): (&'static str, Instant),
    ) {
        let Some(entry) = self.existing_entry(queue_id, bot) else {
            return;
        };
        let Some(offer) = entry.seats.remove(offer_id) else {
            return;
        };
        let sent_on = offer.sent_on.filter(|_| !offer.is_taken);
        if let Some(stream) = sent_on.and_then(|number| self.streams.get_mut(&number)) {
            stream.withdrawn.push_back((offer_id.clone(), why));
        }
        if offer.is_taken {
            self.notify_deferred(queue_id, bot, now);
        } else {
            self.notify(queue_id, bot);
        }
        self.clean_up(queue_id, bot);
    }

    fn existing_entry(&mut self, queue_id: &QueueId, bot: &BotName) -> Option<&mut QueueEntry> {
        self.queues.get_mut(queue_id)?.entries.get_mut(bot)
    }
}
