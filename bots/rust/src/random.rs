//! A bot that takes any legal decision.

use bridgemaster_games::{ChanceStream, Seed};
use bridgemaster_sdk::{Bot, Choice, Request};

/// Plays every game: takes each listed decision with equal chance. Two of them with one seed that
/// are asked the same answer the same.
#[derive(Debug)]
pub struct Random {
    chance: ChanceStream,
}

impl Random {
    /// A random bot with its chance from `seed`.
    pub fn new(seed: &Seed) -> Self {
        Self {
            chance: ChanceStream::new(seed, 0),
        }
    }
}

impl Bot for Random {
    fn decide(&mut self, request: &Request) -> Choice {
        if request.legal_count == 0 {
            // No server asks so; an index is refused and tells it that it did.
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
        let message = v1::DecisionRequest {
            legal_count,
            ..Default::default()
        };
        let request = Request::new(message, 0, Instant::now());
        let mut bot = Random::new(&Seed::from(seed));
        (0..200).map(|_| bot.decide(&request)).collect()
    }

    #[test]
    fn every_listed_decision_is_taken_and_none_beyond() {
        let taken = choices(1, 5);
        for index in 0..5 {
            assert!(
                taken.contains(&Choice::Index(index)),
                "{index} is never taken"
            );
        }
        assert!(!taken.contains(&Choice::Index(5)));
    }

    #[test]
    fn a_seed_gives_the_same_choices_again_and_another_seed_others() {
        assert_eq!(choices(1, 5), choices(1, 5));
        assert_ne!(choices(1, 5), choices(2, 5));
    }
}
