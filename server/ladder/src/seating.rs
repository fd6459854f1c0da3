//! Seat assignment: each bot gets each seat about equally often.

use crate::bots::BotNumber;

/// The number of matches that each bot has played in each seat.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeatCounts(Vec<Vec<u32>>);

impl SeatCounts {
    pub(crate) fn count(&mut self, bot: BotNumber, seat: usize) {
        if self.0.len() <= bot.index() {
            self.0.resize(bot.index() + 1, Vec::new());
        }
        let seats = &mut self.0[bot.index()];
        if seats.len() <= seat {
            seats.resize(seat + 1, 0);
        }
        seats[seat] += 1;
    }

    fn count_of(&self, bot: BotNumber, seat: usize) -> u32 {
        let seats = self.0.get(bot.index());
        seats
            .and_then(|seats| seats.get(seat))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the seat order in which these bots repeat earlier seats least often. `turn` rotates
    /// the choice among equally good orders, so that no bot is favoured.
    pub(crate) fn order(&self, table: &[BotNumber], turn: u64) -> Vec<BotNumber> {
        let seats = table.len();
        let shift = usize::try_from(turn % seats.max(1) as u64).unwrap_or_default();
        let mut rotated: Vec<BotNumber> = table.to_vec();
        rotated.rotate_left(shift);
        let mut best = (u64::MAX, rotated.clone());
        permute(&mut rotated, 0, &mut |order| {
            // The counts are squared, so that one frequent seat weighs more than several rare ones.
            let cost = order.iter().enumerate().map(|(seat, bot)| {
                let had = u64::from(self.count_of(*bot, seat));
                (had + 1).pow(2)
            });
            let cost = cost.sum();
            if cost < best.0 {
                best = (cost, order.to_vec());
            }
        });
        best.1
    }
}

/// Calls `each` with every permutation of `order[from..]`.
fn permute(order: &mut [BotNumber], from: usize, each: &mut impl FnMut(&[BotNumber])) {
    if from + 1 >= order.len() {
        each(order);
        return;
    }
    for other in from..order.len() {
        order.swap(from, other);
        permute(order, from + 1, each);
        order.swap(from, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_get_each_seat_equally_often() {
        let mut counts = SeatCounts::default();
        let bots: Vec<BotNumber> = (0..4).map(BotNumber).collect();
        for turn in 0..40 {
            for (seat, bot) in counts.order(&bots, turn).into_iter().enumerate() {
                counts.count(bot, seat);
            }
        }
        for bot in bots {
            for seat in 0..4 {
                let had = counts.count_of(bot, seat);
                assert!(
                    (9..=11).contains(&had),
                    "{bot:?} had seat {seat} {had} times"
                );
            }
        }
    }
}
