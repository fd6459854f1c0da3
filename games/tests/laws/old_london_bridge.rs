//! What the laws need of Old London Bridge.

use bridgemaster_games::ChanceStream;
use bridgemaster_games::old_london_bridge::{
    Area, CARD_VALUES, Config, Decision, FaceChoice, Kind, OldLondonBridge, Placement, PlayedCards,
    Spot, StartLeaders, TurnTile,
};

use crate::Lawful;

impl Lawful for OldLondonBridge {
    fn any_config(chance: &mut ChanceStream) -> Config {
        let mut config = Config::default();
        for (area, choice) in Area::ALL.iter().zip(&mut config.faces) {
            *choice = match chance.below(6) {
                5 => FaceChoice::Random,
                face => FaceChoice::Face(area.faces()[face as usize]),
            };
        }
        config.start_leaders = [StartLeaders::Unpaid, StartLeaders::Paid][chance.below(2) as usize];
        config
    }

    fn any_decision(chance: &mut ChanceStream) -> Decision {
        let mut number = |bound| match chance.below(40) {
            0 => chance.below(256) as u8,
            _ => chance.below(bound) as u8,
        };
        match number(9) % 9 {
            0 => Decision::TakeA2(number(2) == 0),
            1 => Decision::PlayCards(PlayedCards {
                first: number(5),
                second: (number(2) == 0).then(|| number(5)),
            }),
            2 => Decision::RaiseCards([number(3), number(2)]),
            3 => Decision::Place(Placement {
                spot: [Spot::Outer, Spot::Centre][usize::from(number(2) % 2)],
                stack: Kind::ALL[usize::from(number(6)) % Kind::ALL.len()],
                share: number(3) == 0,
                opening: number(3) == 0,
            }),
            4 => Decision::Replace(number(12)),
            5 => Decision::TakeTile(number(4)),
            6 => {
                let mut cards = [0; CARD_VALUES];
                for _ in 0..number(4) % 8 {
                    cards[usize::from(number(5)) % CARD_VALUES] += 1;
                }
                Decision::TakeCards(cards)
            }
            7 => Decision::UseTile(TurnTile::ALL[usize::from(number(3)) % TurnTile::ALL.len()]),
            _ => Decision::End,
        }
    }
}

laws!(OldLondonBridge, 64);
