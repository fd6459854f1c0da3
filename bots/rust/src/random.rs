//! The bot `random`, which takes any legal decision.

use bridgemaster_games::{ChanceStream, Seed};
use bridgemaster_sdk::{Bot, Choice, Request};

/// The bot `random`: plays every game, and takes each listed decision with equal probability. With
/// the same seed, the bot gives equal answers to equal requests.
#[derive(Debug)]
pub struct Random {
    chance: ChanceStream,
}

impl Random {
    /// Creates a random bot that draws from `seed`.
    pub fn new(seed: &Seed) -> Self {
        Self { chance: ChanceStream::new(seed, 0) }
    }
}

impl Bot for Random {
    fn decide(&mut self, request: &Request) -> Choice {
        if request.legal_count == 0 {
            // A valid request has at least one legal decision. For an invalid request, the server
            // refuses this index and reports the problem.
            return Choice::Index(0);
        }
        Choice::Index(self.chance.below(request.legal_count) as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use bridgemaster_sdk::v1;

    use super::*;

    fn choices(seed: u64, legal_count: u32) -> Vec<Choice> {
        let message = v1::DecisionRequest { legal_count, ..Default::default() };
        let request = Request::new(message, 0, Instant::now());
        let mut bot = Random::new(&Seed::from(seed));
        (0..200).map(|_| bot.decide(&request)).collect()
    }

    #[test]
    fn only_listed_decisions_are_chosen() {
        let taken = choices(1, 5);
        for index in 0..5 {
            assert!(taken.contains(&Choice::Index(index)), "{index} is never taken");
        }
        assert!(!taken.contains(&Choice::Index(5)));
    }

    #[test]
    fn choices_depend_on_the_seed() {
        assert_eq!(choices(1, 5), choices(1, 5));
        assert_ne!(choices(1, 5), choices(2, 5));
    }
}
