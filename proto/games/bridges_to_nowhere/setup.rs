//! Setups.

use bridgemaster_games::bridges_to_nowhere::{Config, Contract, Deal, Setup};

use super::{
    components::{bridge_card_from_wire, bridge_cards_to_wire, seat},
    v1,
};
use crate::games::{
    field::{WireEnum, exactly, list},
    wire::WireError,
};

pub(super) fn to_wire(setup: &Setup) -> v1::Setup {
    let contracts = setup.contracts.iter().flatten();
    v1::Setup {
        contracts: contracts.map(|contract| contract.to_wire()).collect(),
        deals: setup.deals.iter().map(deal_to_wire).collect(),
    }
}

pub(super) fn from_wire(setup: &v1::Setup, _config: &Config) -> Result<Setup, WireError> {
    let contracts = match &setup.contracts[..] {
        [] => None,
        contracts => Some(exactly("contracts", contracts, |item, &contract| {
            Contract::from_wire(item, contract)
        })?),
    };
    Ok(Setup {
        contracts,
        deals: list("deals", &setup.deals, |_, deal| deal_from_wire(deal))?,
    })
}

fn deal_to_wire(deal: &Deal) -> v1::Deal {
    v1::Deal {
        first_drafter: deal.first_drafter.number().into(),
        deck: bridge_cards_to_wire(&deal.deck),
    }
}

fn deal_from_wire(deal: &v1::Deal) -> Result<Deal, WireError> {
    Ok(Deal {
        first_drafter: seat("first_drafter", deal.first_drafter)?,
        deck: exactly("deck", &deal.deck, |_, card| bridge_card_from_wire(card))?,
    })
}
