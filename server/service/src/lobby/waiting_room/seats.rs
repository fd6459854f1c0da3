//! Seats: held for matches that are made, offered, taken, declined, and over.

use std::time::Instant;

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{Due, Place, Refused, WaitingRoom};
use crate::lobby::{
    BotName, OfferId, QueueId, QueueRules, Standing, offer::SeatOffer, queue::Queue,
};

impl WaitingRoom {
    /// How the bots of a queue attend that are offered seats now, or would be with a slot free.
    pub(crate) fn offered_to(&self, queue_id: &QueueId, now: Instant) -> Vec<v1::Attendance> {
        let Some(queue) = self.queues.get(queue_id) else {
            return Vec::new();
        };
        let offered = queue.places.iter().filter(|(bot, place)| {
            let attendance = place.attendance.as_ref();
            attendance.is_some_and(|attendance| {
                place.is_offered(queue.standing(bot, &attendance.version), now)
            })
        });
        offered
            .filter_map(|(bot, _)| queue.attendance(bot))
            .collect()
    }

    /// Holds a slot of each of these bots for a match that is to be made; a bot that is named twice
    /// needs two. Gives their versions. Each is given back by [`WaitingRoom::release`].
    ///
    /// # Errors
    /// When one of them cannot be offered a seat now; nothing is held then.
    pub(crate) fn hold(
        &mut self,
        wanted: &[(QueueId, BotName)],
        now: Instant,
    ) -> Result<Vec<String>, Refused> {
        let mut versions = Vec::new();
        for (held, (queue_id, bot)) in wanted.iter().enumerate() {
            match self.hold_one(queue_id, bot, now) {
                Ok(version) => versions.push(version),
                Err(refused) => {
                    self.release(&wanted[..held]);
                    return Err(refused);
                }
            }
        }
        Ok(versions)
    }

    fn hold_one(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        now: Instant,
    ) -> Result<String, Refused> {
        let queue = self.queues.get_mut(queue_id).ok_or(Refused::QueueUnknown)?;
        let not_available = |why: String| Refused::NotAvailable {
            bot: bot.clone(),
            why,
        };
        let place = queue.places.get(bot);
        let attendance = place.and_then(|place| place.attendance.as_ref());
        let Some(version) = attendance.map(|attendance| attendance.version.clone()) else {
            return Err(not_available("it does not attend".to_owned()));
        };
        let standing = queue.standing(bot, &version).clone();
        let place = queue.places.entry(bot.clone()).or_default();
        if let Some(why) = place.not_available(&standing, now) {
            return Err(not_available(why));
        }
        place.held += 1;
        Ok(version)
    }

    /// Gives slots back that were held.
    pub(crate) fn release(&mut self, held: &[(QueueId, BotName)]) {
        for (queue_id, bot) in held {
            let queue = self.queues.get_mut(queue_id);
            if let Some(place) = queue.and_then(|queue| queue.places.get_mut(bot)) {
                place.held = place.held.saturating_sub(1);
            }
            self.settle(queue_id, bot);
        }
    }

    /// A match is there that has this seat. A queue that is not known any more is closed when it is
    /// over.
    pub(in crate::lobby) fn place(&mut self, queue_id: &QueueId, bot: &BotName, offer: SeatOffer) {
        let offer_id = offer.id();
        let of_match = self.matches.entry(offer.match_id.clone()).or_default();
        of_match.push((queue_id.clone(), bot.clone(), offer_id.clone()));
        if !offer.is_taken {
            let due = Due::Offer(queue_id.clone(), bot.clone(), offer_id.clone());
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
                newcomers: Standing::default(),
            };
            Queue::new(rules, true, revision)
        });
        let place = queue.places.entry(bot.clone()).or_default();
        place.seats.insert(offer_id, offer);
        self.changed(queue_id, bot);
    }

    /// Whether seats of a match are offered.
    pub(crate) fn knows(&self, id: &MatchId) -> bool {
        self.matches.contains_key(id)
    }

    /// A bot has come to a seat.
    pub(crate) fn joined(&mut self, id: &MatchId, seat: Seat) {
        let mut of_match = self.matches.get(id).into_iter().flatten();
        let found = of_match.find(|(.., offer_id)| offer_id.is_of(id, seat));
        let Some((queue_id, bot, offer_id)) = found.cloned() else {
            return;
        };
        if let Some(place) = self.known_place(&queue_id, &bot)
            && let Some(offer) = place.seats.get_mut(&offer_id)
            && !offer.is_taken
        {
            offer.is_taken = true;
            place.has_taken();
        }
    }

    /// The bot of a key declines an offer. Gives the match, which is not played then, and the seat.
    ///
    /// # Errors
    /// When it has no such offer, or has taken it.
    pub(crate) fn decline(
        &mut self,
        offer_id: &OfferId,
        key: Option<&KeyName>,
        now: Instant,
    ) -> Result<(MatchId, Seat), Refused> {
        let id = offer_id.match_id().ok_or(Refused::OfferUnknown)?;
        let mut of_match = self.matches.get(&id).into_iter().flatten();
        let found = of_match.find(|(.., other)| other == offer_id);
        let (queue_id, bot, _) = found.cloned().ok_or(Refused::OfferUnknown)?;
        if key.is_some_and(|key| key.as_str() != bot.as_str()) {
            return Err(Refused::OfferUnknown);
        }
        let place = self.known_place(&queue_id, &bot);
        let place = place.ok_or(Refused::OfferUnknown)?;
        let offer = place.seats.get(offer_id).filter(|offer| !offer.is_taken);
        let seat = offer.ok_or(Refused::OfferUnknown)?.seat;
        place.seats.remove(offer_id);
        place.did_not_take(now);
        self.changed(&queue_id, &bot);
        self.settle(&queue_id, &bot);
        Ok((id, seat))
    }

    /// A match is over, and its seats are free.
    pub(crate) fn over(&mut self, id: &MatchId, now: Instant) {
        for (queue_id, bot, offer_id) in self.matches.remove(id).unwrap_or_default() {
            self.take_back(&queue_id, &bot, &offer_id, ("the match is over", now));
        }
    }

    /// An offer that was not taken in time holds no more. What its match makes of the seat is in
    /// the rules of that match.
    pub(super) fn offer_ran_out(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        offer_id: &OfferId,
        now: Instant,
    ) {
        let Some(place) = self.known_place(queue_id, bot) else {
            return;
        };
        if place.seats.get(offer_id).is_none_or(|offer| offer.is_taken) {
            return;
        }
        place.did_not_take(now);
        self.take_back(queue_id, bot, offer_id, ("it was not taken in time", now));
    }

    /// Takes a seat from a bot. A stream that was told of the offer, and not that it holds no more,
    /// is told.
    fn take_back(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        offer_id: &OfferId,
        (why, now): (&'static str, Instant),
    ) {
        let Some(place) = self.known_place(queue_id, bot) else {
            return;
        };
        let Some(offer) = place.seats.remove(offer_id) else {
            return;
        };
        let told = offer.told.filter(|_| !offer.is_taken);
        if let Some(stream) = told.and_then(|told| self.streams.get_mut(&told)) {
            stream.withdrawn.push_back((offer_id.clone(), why));
        }
        match offer.is_taken {
            true => self.changed_for_others(queue_id, bot, now),
            false => self.changed(queue_id, bot),
        }
        self.settle(queue_id, bot);
    }

    fn known_place(&mut self, queue_id: &QueueId, bot: &BotName) -> Option<&mut Place> {
        self.queues.get_mut(queue_id)?.places.get_mut(bot)
    }
}
