//! Everything that chance fixes before play.

use super::BridgesToNowhere;
use super::components::{BRIDGE_CARDS, BridgeCard, CONTRACTS, Contract, PLAYERS};
use super::config::{Config, MAX_GAMES};
use crate::{ChanceStream, FieldError, Rules, Seat, SeatCount, Seed};
use crate::{dealt::check_dealt, field_error::holds};
use arrayvec::ArrayVec;

/// The setup of a match: every result of chance. Nothing is drawn later.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The contracts, that of the first game first; `None` without contracts. A shorter match
    /// leaves some unused.
    pub contracts: Option<[Contract; CONTRACTS]>,
    /// The deal of each game that the match can have, [`Config::games`] of them.
    pub deals: ArrayVec<Deal, MAX_GAMES>,
}

/// The deal of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Deal {
    /// Who takes the first card of the game; then it alternates by round (N1).
    pub first_drafter: Seat,
    /// The bridge cards, six for each round, those of the first round first.
    pub deck: [BridgeCard; BRIDGE_CARDS],
}

/// The seats of this game.
pub(super) const SEATS: [Seat; PLAYERS] = [
    Seat::new(0).expect("any table may have two seats"),
    Seat::new(1).expect("any table may have two seats"),
];

/// Chance streams of the setup. Each thing that is drawn has a stream of its own, so that a match
/// of fewer games or without contracts has the same deals.
mod stream {
    /// Order of the contracts.
    pub(super) const CONTRACTS: u64 = 0;
    /// The first drafter of game i (from 0) uses this number and i: 1 to 6.
    pub(super) const FIRST_DRAFTERS: u64 = 1;
    /// The deck of game i (from 0) uses this number and i: 7 to 12.
    pub(super) const DECKS: u64 = 7;
}

/// Draws a setup.
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
    Ok(Setup {
        contracts,
        deals: deals.collect(),
    })
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
    /// Checks a setup from outside against the config of its match.
    pub(super) fn check(&self, config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        BridgesToNowhere::check_config(config, seats)?;
        let are_right = self.contracts.is_some() == config.contracts;
        let problem = match config.contracts {
            true => "missing: the config plays for contracts",
            false => "must be absent: the config plays without contracts",
        };
        holds("contracts", are_right, problem)?;
        if let Some(contracts) = &self.contracts {
            check_dealt("contracts", contracts, &Contract::ALL, CONTRACTS)?;
        }
        let (games, found) = (config.games, self.deals.len());
        let problem = format!("must have {games} entries, found {found}");
        holds("deals", found == usize::from(games), &problem)?;
        for (i, deal) in self.deals.iter().enumerate() {
            if !seats.contains(deal.first_drafter) {
                let problem = format!("there is no seat {}", deal.first_drafter);
                return FieldError::refuse(format!("deals[{i}].first_drafter"), problem);
            }
            let field = format!("deals[{i}].deck");
            check_dealt(&field, &deal.deck, config.edition.cards(), BRIDGE_CARDS)?;
        }
        Ok(())
    }
}
