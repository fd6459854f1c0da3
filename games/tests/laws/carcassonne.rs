//! What the laws need of Carcassonne with the Drawbridges.

use bridgemaster_games::ChanceStream;
use bridgemaster_games::carcassonne::{
    Carcassonne, Cell, Config, Decision, Edge, Gate, HalfEdge, Placement, Rotation, Segment,
};

use crate::Lawful;

impl Lawful for Carcassonne {
    fn any_config(chance: &mut ChanceStream) -> Config {
        Config {
            drawbridges: chance.below(4) > 0,
            fields: chance.below(4) > 0,
            ..Config::default()
        }
    }

    fn any_decision(chance: &mut ChanceStream) -> Decision {
        let coordinate = |chance: &mut ChanceStream| match chance.below(10) {
            0 => chance.below(256) as u8 as i8,
            _ => chance.below(9) as i8 - 4,
        };
        let cell = Cell {
            x: coordinate(chance),
            y: coordinate(chance),
        };
        let edge = Edge::ALL[chance.below(4) as usize];
        match chance.below(9) {
            0..4 => Decision::Place(Placement {
                cell,
                rotation: Rotation::ALL[chance.below(4) as usize],
            }),
            4 => Decision::Meeple(None),
            5 => Decision::Meeple(Some(Segment::Road(edge))),
            6 => Decision::Meeple(Some(match chance.below(5) {
                0 => Segment::Monastery,
                1 => Segment::City(edge),
                _ => Segment::Field(HalfEdge::ALL[chance.below(8) as usize]),
            })),
            7 => Decision::Drawbridge(None),
            _ => Decision::Drawbridge(Some(Gate { cell, city: edge })),
        }
    }
}

laws!(Carcassonne, 48);
