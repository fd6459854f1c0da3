//! The points at the end.

use std::cmp::Reverse;

use bridgemaster_games::old_london_bridge::{Area, CARD_VALUES, Face, Kind, SeatView};

use super::{Naive, sum};

impl Naive {
    /// The points of each seat: money, the four faces, empty spaces, bonus tiles.
    pub(crate) fn points(&self) -> Vec<[i32; 7]> {
        let faces = Area::ALL.iter().map(|area| self.faces[area.index()]);
        let by_face: Vec<Vec<i32>> = faces.map(|face| self.face_points(face)).collect();
        let points = self.players.iter().enumerate().map(|(owner, player)| {
            let empty = [0, -1, -4, -7, -10].get(12 - player.bridge.len());
            let tiles = match self.faces.contains(&Face::TileTable) {
                true => 0,
                false => count(&player.tiles),
            };
            let [chapel, gate, inn, bridge] = [0, 1, 2, 3].map(|area: usize| by_face[area][owner]);
            let empty = empty.copied().unwrap_or(-14);
            [player.money, chapel, gate, inn, bridge, empty, tiles]
        });
        points.collect()
    }

    /// The score and the place of each seat.
    pub(crate) fn result(&self) -> Vec<(i32, u8)> {
        let scores: Vec<i32> = self.points().iter().map(|points| points.iter().sum()).collect();
        let mut order = self.chapel.clone();
        order.sort_by_key(|&owner| Reverse(scores[owner]));
        let place = |owner: usize| order.iter().position(|&other| other == owner).unwrap();
        (0..scores.len()).map(|owner| (scores[owner], place(owner) as u8 + 1)).collect()
    }

    /// The payment of a face to each seat at the end.
    fn face_points(&self, face: Face) -> Vec<i32> {
        let each = |points: &dyn Fn(&SeatView) -> i32| -> Vec<i32> {
            self.players.iter().map(points).collect()
        };
        let prizes = |measure: &dyn Fn(&SeatView) -> i32| {
            let measured = each(measure);
            let mut order = self.chapel.clone();
            order.sort_by_key(|&owner| Reverse(measured[owner]));
            let mut points = vec![0; order.len()];
            for (&owner, prize) in order[..order.len() - 1].iter().zip([5, 3, 1]) {
                points[owner] = if measured[owner] > 0 { prize } else { 0 };
            }
            points
        };
        let built = |kind: Kind| {
            move |player: &SeatView| {
                let of_kind = player.bridge.iter().filter(|house| house.kind == kind);
                of_kind.count() as i32
            }
        };
        match face {
            Face::ChapelTrack => prizes(&|player| player.chapel_position.into()),
            Face::GateTrack => prizes(&|player| player.gate_position.into()),
            Face::HandSum => prizes(&|player| sum(&player.hand)),
            Face::MostBuildings => prizes(&|player| player.bridge.len() as i32),
            Face::MostChapels => prizes(&built(Kind::Chapel)),
            Face::MostGates => prizes(&built(Kind::Gate)),
            Face::MostInns => prizes(&built(Kind::Inn)),
            Face::LongestSeries => prizes(&|player| {
                let series = player.bridge.split(|house| house.kind == Kind::Park);
                series.map(<[_]>::len).max().unwrap_or(0) as i32
            }),
            Face::ChapelLeader | Face::GateLeader | Face::HighestCard | Face::LowestNumber => {
                each(&|_| 0)
            }
            Face::AheadOfLast => {
                let last = self.players.iter().map(|p| p.chapel_position).min().unwrap();
                each(&|player| i32::from(player.chapel_position - last))
            }
            Face::MoneyAgain => each(&|player| {
                let spaces = self.config.edition.chapel_money().iter();
                let passed = spaces.filter(|(space, _)| *space <= player.chapel_position);
                passed.map(|&(_, pounds)| i32::from(pounds)).sum()
            }),
            Face::GateDistance => each(&|player| match player.gate_position {
                ..4 => 0,
                4..7 => 3,
                7..10 => 5,
                10..13 => 9,
                13.. => 12,
            }),
            Face::TileTable => each(&|player| match count(&player.tiles) {
                tiles @ 0..4 => tiles * tiles,
                _ => 16,
            }),
            Face::HandSize => each(&|player| match count(&player.hand) {
                ..3 => 0,
                3..5 => 4,
                5..8 => 7,
                8.. => 10,
            }),
            Face::CardSets => each(&|player| card_sets(player.hand)),
            Face::LowNumbers => each(&|player| {
                let numbers = player.bridge.iter().filter_map(|house| house.number);
                2 * numbers.filter(|number| *number <= 30).count() as i32
            }),
            Face::FullSets => each(&|player| {
                let sets = Kind::ALL.iter().map(|&kind| built(kind)(player));
                10 * sets.min().unwrap()
            }),
        }
    }
}

fn count(items: &[u8]) -> i32 {
    items.iter().map(|&count| i32::from(count)).sum()
}

/// The pounds for the best of all partitions of a hand into sets.
fn card_sets(hand: [u8; CARD_VALUES]) -> i32 {
    let with_set = |length: usize| {
        let has_set = hand[1..=length].iter().all(|&count| count > 0);
        let mut rest = hand;
        rest[1..=length].iter_mut().for_each(|count| *count = count.saturating_sub(1));
        if has_set { 5 * (length as i32 - 1) + card_sets(rest) } else { 0 }
    };
    (2..=4).map(with_set).max().unwrap()
}
