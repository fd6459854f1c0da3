//! The schedules of contest formats.
//!
//! Every format is a list of groups. A group consists of matches between the bots at one table, in
//! different seatings but with the same seed.

/// A bot's number in a contest, from 0.
pub type BotNumber = usize;

/// The matches of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// For each match, the bots in seat order.
    pub seatings: Vec<Vec<BotNumber>>,
}

impl Group {
    /// Returns all rotations of a table, so that each bot takes each seat once.
    pub fn rotated(table: &[BotNumber]) -> Self {
        let seatings = (0..table.len()).map(|shift| {
            let mut seating = table.to_vec();
            seating.rotate_right(shift);
            seating
        });
        Self { seatings: seatings.collect() }
    }

    /// Returns the group for a candidate against one opponent, which takes all other seats.
    pub fn against(candidate: BotNumber, opponent: BotNumber, seats: usize) -> Self {
        let mut table = vec![opponent; seats];
        if let Some(first) = table.first_mut() {
            *first = candidate;
        }
        Self::rotated(&table)
    }
}

/// Returns a round of a round-robin, in which each combination of bots that fills a table meets
/// once. The order ensures that all bots have played about equally many matches at any time.
pub fn round_robin(bots: usize, seats: usize) -> Vec<Group> {
    if seats < 2 || bots < seats {
        return Vec::new();
    }
    if seats == 2 {
        return pairs_by_round(bots).into_iter().map(|pair| Group::rotated(&pair)).collect();
    }
    let mut tables = Vec::new();
    let mut table: Vec<BotNumber> = (0..seats).collect();
    loop {
        tables.push(table.clone());
        // Advance the last seat that can be advanced, and reset the seats after it.
        let Some(seat) = (0..seats).rev().find(|&seat| table[seat] < bots - seats + seat) else {
            break;
        };
        table[seat] += 1;
        for later in seat + 1..seats {
            table[later] = table[later - 1] + 1;
        }
    }
    order_by_rest(tables, bots).iter().map(|table| Group::rotated(table)).collect()
}

/// Returns all pairs, by the circle method. In each round, every bot plays once or has a bye.
fn pairs_by_round(bots: usize) -> Vec<[BotNumber; 2]> {
    let places = bots + bots % 2;
    let mut pairs = Vec::with_capacity(bots * (bots - 1) / 2);
    for round in 0..places - 1 {
        let at = |place: usize| match place {
            0 => 0,
            _ => 1 + (place - 1 + round) % (places - 1),
        };
        for place in 0..places / 2 {
            let (one, other) = (at(place), at(places - 1 - place));
            // With an odd number of bots, the bot that is paired with the empty place has a bye.
            if one < bots && other < bots {
                pairs.push([one.min(other), one.max(other)]);
            }
        }
    }
    pairs
}

/// Reorders tables so that those whose bots have played least come first.
fn order_by_rest(mut tables: Vec<Vec<BotNumber>>, bots: usize) -> Vec<Vec<BotNumber>> {
    let mut played = vec![0usize; bots];
    let mut ordered = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let burden = |table: &[BotNumber]| {
            let mut counts: Vec<usize> = table.iter().map(|bot| played[*bot]).collect();
            counts.sort_unstable_by(|one, other| other.cmp(one));
            counts
        };
        let next = (0..tables.len()).min_by_key(|&i| (burden(&tables[i]), i)).unwrap_or(0);
        let table = tables.remove(next);
        table.iter().for_each(|bot| played[*bot] += 1);
        ordered.push(table);
    }
    ordered
}

/// Returns a round of a gauntlet: the candidate meets each opponent, which takes all other seats.
pub fn gauntlet(candidate: BotNumber, opponents: &[BotNumber], seats: usize) -> Vec<Group> {
    opponents.iter().map(|&opponent| Group::against(candidate, opponent, seats)).collect()
}

/// Returns the next round of a Swiss contest at tables of `seats`, and the bots with a bye.
///
/// For each bot, `scores` contains the points so far, and `byes` the number of byes. `met` returns
/// how often two bots have met. Tables are filled from the top of the standings, with neighbouring
/// bots that have met least often. The remaining bots, which do not fill a table, have a bye.
pub fn swiss_round(
    scores: &[f64],
    byes: &[u32],
    met: impl Fn(BotNumber, BotNumber) -> u32,
    seats: usize,
) -> (Vec<Group>, Vec<BotNumber>) {
    let mut order: Vec<BotNumber> = (0..scores.len()).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
    let with_bye = match seats {
        0 => order.len(),
        seats => order.len() % seats,
    };
    // Bots with the fewest byes get the next bye, starting from the bottom of the standings.
    let mut by_byes = order.clone();
    by_byes.reverse();
    by_byes.sort_by_key(|bot| byes.get(*bot).copied().unwrap_or(0));
    let with_bye: Vec<BotNumber> = by_byes.into_iter().take(with_bye).collect();
    order.retain(|bot| !with_bye.contains(bot));
    let mut groups = Vec::new();
    while order.len() >= seats.max(2) {
        let mut table = vec![order.remove(0)];
        while table.len() < seats {
            let meetings = |bot: BotNumber| table.iter().map(|other| met(bot, *other)).sum::<u32>();
            let next = (0..order.len()).min_by_key(|&i| (meetings(order[i]), i)).unwrap_or(0);
            table.push(order.remove(next));
        }
        groups.push(Group::rotated(&table));
    }
    (groups, with_bye)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_bot_has_every_seat_once_in_a_group() {
        for seats in 2..=6 {
            let table: Vec<usize> = (10..10 + seats).collect();
            let Group { seatings } = Group::rotated(&table);
            for seat in 0..seats {
                let here: HashSet<usize> = seatings.iter().map(|bots| bots[seat]).collect();
                assert_eq!(here.len(), seats);
            }
        }
    }

    #[test]
    fn a_round_robin_has_every_table_once() {
        for (bots, seats, tables) in [(2, 2, 1), (5, 2, 10), (6, 2, 15), (5, 3, 10), (6, 4, 15)] {
            let groups = round_robin(bots, seats);
            let sets: HashSet<Vec<usize>> = groups
                .iter()
                .map(|group| {
                    let mut table = group.seatings[0].clone();
                    table.sort_unstable();
                    table
                })
                .collect();
            assert_eq!((groups.len(), sets.len()), (tables, tables), "{bots} at {seats}");
        }
        assert!(round_robin(3, 4).is_empty());
        assert!(round_robin(1, 2).is_empty());
    }

    #[test]
    fn a_round_robin_keeps_match_counts_balanced() {
        for (bots, seats) in [(8, 2), (9, 2), (7, 3), (8, 4)] {
            let mut played = vec![0i32; bots];
            for group in round_robin(bots, seats) {
                group.seatings[0].iter().for_each(|bot| played[*bot] += 1);
                let most = played.iter().max().copied().unwrap_or_default();
                let least = played.iter().min().copied().unwrap_or_default();
                assert!(most - least <= 2, "{bots} at {seats}: {played:?}");
            }
        }
    }

    #[test]
    fn a_gauntlet_pits_the_candidate_against_each_opponent_in_every_seat() {
        let groups = gauntlet(0, &[1, 2], 4);
        assert_eq!(groups.len(), 2);
        for (group, opponent) in groups.iter().zip([1, 2]) {
            assert_eq!(group.seatings.len(), 4);
            for (seat, bots) in group.seatings.iter().enumerate() {
                assert_eq!(bots[seat], 0);
                assert_eq!(bots.iter().filter(|bot| **bot == opponent).count(), 3);
            }
        }
    }

    #[test]
    fn a_swiss_round_seats_neighbours_that_have_not_met_and_rests_the_least_rested() {
        let scores = [4.0, 3.0, 2.0, 1.0, 0.0];
        let byes = [0, 0, 0, 0, 1];
        let met = |one: usize, other: usize| u32::from((one.min(other), one.max(other)) == (0, 1));
        let (groups, with_bye) = swiss_round(&scores, &byes, met, 2);
        assert_eq!(with_bye, [3], "4 has byes before");
        let tables: Vec<_> = groups.iter().map(|group| group.seatings[0].clone()).collect();
        assert_eq!(tables, [vec![0, 2], vec![1, 4]]);
    }
}
