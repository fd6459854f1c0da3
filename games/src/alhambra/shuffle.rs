//! The one chance result of a match that falls after its setup: the discard, shuffled.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::MONEY_CARDS;
use super::event::Event;
use super::money::{Money, MoneyCard};
use super::observation::Phase;
use super::pile::MoneyPile;
use super::setup::{SetupError, stream};
use super::state::State;
use crate::{ChanceStream, EventSink};

/// The discard, shuffled: the new pile of money cards. Secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffle {
    /// The cards, the first to be drawn first.
    pub cards: ArrayVec<MoneyCard, MONEY_CARDS>,
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("new pile of money cards:")?;
        self.cards.iter().try_for_each(|card| write!(f, " {card}"))
    }
}

impl State {
    /// The number of the stream of the shuffle that is due.
    pub(super) fn shuffle_due(&self) -> Option<u64> {
        let due = matches!(self.phase, Phase::Shuffle { .. });
        due.then(|| stream::SHUFFLES + u64::from(self.shuffles))
    }

    /// Draws the shuffle that is due: the discard, ascending, shuffled.
    pub(super) fn draw_shuffle(&self, chance: &mut ChanceStream) -> Option<Shuffle> {
        self.shuffle_due()?;
        let mut cards: ArrayVec<MoneyCard, MONEY_CARDS> = self.discard.cards().collect();
        chance.shuffle(&mut cards);
        Some(Shuffle { cards })
    }

    /// Applies a shuffle and goes on with the refill that waits for it.
    pub(super) fn apply_shuffle(
        &mut self,
        shuffle: &Shuffle,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), SetupError> {
        let Phase::Shuffle { seat } = self.phase else {
            return SetupError::field("shuffle", "none is due");
        };
        if Money::of(shuffle.cards.iter().copied()) != Some(self.discard) {
            return SetupError::field("cards", "are not the cards of the discard");
        }
        self.money_pile = MoneyPile::new(&shuffle.cards);
        self.discard = Money::EMPTY;
        self.shuffles += 1;
        events.push(Event::MoneyShuffled {
            cards: shuffle.cards.len() as u8,
        });
        self.refill_row(seat, events);
        Ok(())
    }
}
