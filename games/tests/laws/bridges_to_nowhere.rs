//! What the laws need of Bridges to Nowhere.

use bridgemaster_games::ChanceStream;
use bridgemaster_games::bridges_to_nowhere::{
    BRIDGE_CARDS, BridgesToNowhere, CONTRACTS_TO_WIN, Card, Cell, Config, Decision, Edition, GAMES,
    MAX_NUMBER, Piece, Placement,
};

use crate::Lawful;

impl Lawful for BridgesToNowhere {
    fn any_config(chance: &mut ChanceStream) -> Config {
        Config {
            contracts: chance.below(2) == 0,
            contracts_to_win: 1 + chance.below((*CONTRACTS_TO_WIN.end()).into()) as u8,
            games: 1 + chance.below((*GAMES.end()).into()) as u8,
            ..Config::default()
        }
    }

    fn any_decision(chance: &mut ChanceStream) -> Decision {
        let card = match chance.below(BRIDGE_CARDS as u32 + 6) as usize {
            place @ 0..BRIDGE_CARDS => {
                let mut card = Edition::house().cards()[place];
                if chance.below(20) == 0 {
                    card.number = Some(chance.below(u32::from(MAX_NUMBER) * 2) as u8);
                }
                Card::Bridge(card)
            }
            _ => Card::Monument,
        };
        match chance.below(8) {
            0 | 1 => Decision::Take(card),
            2 => Decision::End,
            kind => Decision::Place(Placement {
                piece: match kind {
                    3 | 4 => Piece::Pillar,
                    _ => Piece::Card(card),
                },
                cell: match chance.below(10) {
                    0 => Cell {
                        level: chance.below(256) as u8,
                        column: chance.below(256) as u8 as i8,
                    },
                    _ => Cell {
                        level: 1 + chance.below(3) as u8,
                        column: chance.below(15) as i8 - 7,
                    },
                },
            }),
        }
    }
}

laws!(BridgesToNowhere, 64);
