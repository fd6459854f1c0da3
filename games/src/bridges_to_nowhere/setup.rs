//! The setup: every chance result that is drawn before play.

use super::BridgesToNowhere;
use super::components::{BRIDGE_CARDS, BridgeCard, CONTRACTS, Contract, PLAYERS};
use super::config::{Config, MAX_GAMES};
use crate::field_error::{check_dealt, require};
use crate::{ChanceStream, FieldError, Game, Seat, SeatCount, Seed};
use arrayvec::ArrayVec;

/// The setup of a match, with every chance result. Nothing is drawn later.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The contracts in the order of the games; `None` without contracts. A shorter match leaves
    /// some unused.
    pub contracts: Option<[Contract; CONTRACTS]>,
    /// The deal of each game that the match can have, [`Config::games`] of them.
    pub deals: ArrayVec<Deal, MAX_GAMES>,
}

/// The deal of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Deal {
    /// The seat that takes the first card in the game. This seat alternates by round (N1).
    pub first_drafter: Seat,
    /// The bridge cards in the order of the rounds, six for each round.
    pub deck: [BridgeCard; BRIDGE_CARDS],
}

/// The seats in this game.
pub(super) const SEATS: [Seat; PLAYERS] = [
    Seat::new(0).expect("any table may have two seats"),
    Seat::new(1).expect("any table may have two seats"),
];

/// Chance streams of the setup. Each part has its own stream, so a match with fewer games or
/// without contracts has the same deals.
mod stream {
    /// The stream for the order of the contracts.
    pub(super) const CONTRACTS: u64 = 0;
    /// The stream for the first drafter in game 0. Game i uses this number plus i, so the streams
    /// are 1 to 6.
    pub(super) const FIRST_DRAFTERS: u64 = 1;
    /// The stream for the deck in game 0. Game i uses this number plus i, so the streams are 7 to
    /// 12.
    pub(super) const DECKS: u64 = 7;
}

/// Draws a setup from the streams of a seed.
pub(super) fn draw(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
    BridgesToNowhere::check_config(config, seats)?;
    let stream = |number: u64| ChanceStream::new(seed, number);
    let contracts = config.contracts.then(|| {
        let mut contracts = Contract::ALL;
        stream(stream::CONTRACTS).shuffle(&mut contracts);
        contracts
    });
    let deals = (0..config.games).map(|game| {
        let game = u64::from(game);
        Deal {
            first_drafter: draw_seat(&mut stream(stream::FIRST_DRAFTERS + game)),
            deck: draw_deck(config, &mut stream(stream::DECKS + game)),
        }
    });
    Ok(Setup { contracts, deals: deals.collect() })
}

pub(super) fn draw_seat(chance: &mut ChanceStream) -> Seat {
    SEATS[chance.below(PLAYERS as u32) as usize]
}

pub(super) fn draw_deck(config: &Config, chance: &mut ChanceStream) -> [BridgeCard; BRIDGE_CARDS] {
    let mut deck = *config.edition.cards();
    chance.shuffle(&mut deck);
    deck
}

impl Setup {
    /// Checks a setup that came from outside against the match's config.
    pub(super) fn check(&self, config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        BridgesToNowhere::check_config(config, seats)?;
        let are_right = self.contracts.is_some() == config.contracts;
        let problem = if config.contracts {
            "missing: the config plays for contracts"
        } else {
            "must be absent: the config plays without contracts"
        };
        require("contracts", are_right, problem)?;
        if let Some(contracts) = &self.contracts {
            check_dealt("contracts", contracts, &Contract::ALL, CONTRACTS)?;
        }
        let (games, found) = (config.games, self.deals.len());
        let problem = format_args!("must have {games} entries, found {found}");
        require("deals", found == usize::from(games), problem)?;
        for (i, deal) in self.deals.iter().enumerate() {
            let problem = format_args!("there is no seat {}", deal.first_drafter);
            let is_seat = seats.contains(deal.first_drafter);
            require(format_args!("deals[{i}].first_drafter"), is_seat, problem)?;
            let field = format!("deals[{i}].deck");
            check_dealt(&field, &deal.deck, config.edition.cards(), BRIDGE_CARDS)?;
        }
        Ok(())
    }
}
