//! Rates bots by Glicko-2: M. E. Glickman, "Dynamic Paired Comparison Models with Stochastic
//! Variances" (2001) and "Example of the Glicko-2 system" (2022), whose symbols and steps this code
//! uses.
//!
//! Glicko-2 rates players of games for two. Here, a match with more seats counts as a game between
//! each pair of its bots. `n` seats have `n (n - 1) / 2` pairs, but a ranking makes only `n - 1`
//! independent comparisons, so each of these games has the weight `2 / n`.

use std::{cmp::Ordering, f64::consts::PI};

use crate::{ContestError, Ranking, RatingMethod, Ratings, elo::ELO_PER_LOG_ODDS, matrix::Matrix};

/// The initial deviation of a rating: 350 Elo. Deviations never exceed it.
const MAX_DEVIATION: f64 = 350.0 / ELO_PER_LOG_ODDS;
/// The initial volatility.
const VOLATILITY: f64 = 0.06;
/// The maximum number of iterations that compute a volatility. Far fewer are needed.
const ROUNDS: usize = 100;
/// The error at which a volatility has converged, as in Glickman's example.
const TOLERANCE: f64 = 1e-6;

/// Settings of Glicko-2.
#[derive(Clone, Copy, Debug)]
pub struct Glicko2 {
    /// The system constant τ, which limits the change of the volatilities: 0.3 to 1.2.
    pub tau: f64,
    /// A rating period ends when half of the bots that play in it have played this many matches in
    /// it. Glickman recommends at least 10 to 15 games for each active player, on average.
    pub period_matches: u64,
}

impl Default for Glicko2 {
    fn default() -> Self {
        Self { tau: 0.5, period_matches: 15 }
    }
}

/// The state of one bot between two rating periods. Rating and deviation are in log odds.
#[derive(Clone, Copy, Debug)]
struct Player {
    rating: f64,
    deviation: f64,
    volatility: f64,
}

/// A game of a rating period, from the view of one player.
struct Game {
    opponent: Player,
    /// 1 for a win, 0.5 for a tie, 0 for a loss.
    score: f64,
    weight: f64,
}

impl RatingMethod for Glicko2 {
    fn fit(&self, bots: usize, rankings: &[Ranking]) -> Result<Ratings, ContestError> {
        Ranking::check_all(bots, rankings)?;
        let mut ordered: Vec<(u64, Vec<(u32, usize)>)> = Vec::with_capacity(rankings.len());
        for ranking in rankings {
            let mut order = Vec::new();
            ranking.order(&mut order);
            ordered.push((ranking.number(), order));
        }
        ordered.sort_unstable();
        let new = Player { rating: 0.0, deviation: MAX_DEVIATION, volatility: VOLATILITY };
        let mut players = vec![new; bots];
        let mut matches = vec![0; bots];
        let mut of_period = vec![0; bots];
        // The numbers of bots with a match in the period, and with enough matches in it.
        let (mut active, mut full) = (0, 0);
        let mut start = 0;
        for (number, (_, order)) in ordered.iter().enumerate() {
            for (_, bot) in order {
                matches[*bot] += 1;
                of_period[*bot] += 1;
                active += usize::from(of_period[*bot] == 1);
                full += usize::from(of_period[*bot] == self.period_matches);
            }
            // The median bot counts, so that a bot in every match, such as a house bot, does not
            // end the period before the other bots have played enough.
            if 2 * full >= active || number + 1 == ordered.len() {
                let period = ordered[start..=number].iter().map(|(_, order)| &**order);
                self.rate_period(&mut players, period);
                of_period.fill(0);
                (active, full) = (0, 0);
                start = number + 1;
            }
        }
        let mean = players.iter().map(|player| player.rating).sum::<f64>() / bots as f64;
        let mut covariance = Matrix::zero(bots);
        for (bot, player) in players.iter().enumerate() {
            covariance.row_mut(bot)[bot] = player.deviation * player.deviation;
        }
        let covariance = covariance.centred();
        let log_odds = players.iter().map(|player| player.rating - mean).collect();
        Ok(Ratings::new(log_odds, covariance.clone(), covariance, matches))
    }

    fn initial_variance(&self) -> f64 {
        MAX_DEVIATION * MAX_DEVIATION
    }
}

impl Glicko2 {
    /// Updates all players after a rating period, given its matches as sorted pairs of place and
    /// bot.
    fn rate_period<'a>(
        &self,
        players: &mut [Player],
        period: impl Iterator<Item = &'a [(u32, usize)]>,
    ) {
        let mut games: Vec<Vec<Game>> = players.iter().map(|_| Vec::new()).collect();
        for order in period {
            for (place, bot) in order {
                for (other_place, other) in order.iter().filter(|(_, other)| other != bot) {
                    games[*bot].push(Game {
                        opponent: players[*other],
                        score: match place.cmp(other_place) {
                            Ordering::Less => 1.0,
                            Ordering::Equal => 0.5,
                            Ordering::Greater => 0.0,
                        },
                        weight: 2.0 / order.len() as f64,
                    });
                }
            }
        }
        for (player, games) in players.iter_mut().zip(&games) {
            *player = self.rate(player, games);
        }
    }

    /// Steps 3 to 8 of Glickman's example, for one player.
    fn rate(&self, player: &Player, games: &[Game]) -> Player {
        let (mut information, mut surprise) = (0.0, 0.0);
        for game in games {
            let g = 1.0 / (1.0 + 3.0 * game.opponent.deviation.powi(2) / (PI * PI)).sqrt();
            let expected = 1.0 / (1.0 + (-g * (player.rating - game.opponent.rating)).exp());
            information += game.weight * g * g * expected * (1.0 - expected);
            surprise += game.weight * g * (game.score - expected);
        }
        let volatility = if games.is_empty() {
            player.volatility
        } else {
            self.volatility(player, 1.0 / information, surprise / information)
        };
        let before = (player.deviation.powi(2) + volatility * volatility).sqrt();
        let deviation = 1.0 / (1.0 / before.powi(2) + information).sqrt();
        let deviation = deviation.min(MAX_DEVIATION);
        // Glickman's step is linear. After surprising results of a bot with a large deviation, it
        // would overshoot by thousands of Elo, so it is limited to the maximum deviation.
        let step = deviation * deviation * surprise;
        Player {
            rating: player.rating + step.clamp(-MAX_DEVIATION, MAX_DEVIATION),
            deviation,
            volatility,
        }
    }

    /// Step 5: solves for the new volatility σ' by the Illinois algorithm.
    fn volatility(&self, player: &Player, variance: f64, delta: f64) -> f64 {
        let a = player.volatility.powi(2).ln();
        let of_rating = player.deviation.powi(2);
        let f = |x: f64| {
            let total = of_rating + variance + x.exp();
            x.exp() * (delta * delta - total) / (2.0 * total * total) - (x - a) / self.tau.powi(2)
        };
        let excess = delta * delta - of_rating - variance;
        let mut low = a;
        let mut high = if excess > 0.0 {
            excess.ln()
        } else {
            let steps = (1..).map(|k| a - f64::from(k) * self.tau);
            steps.take(ROUNDS).find(|x| f(*x) >= 0.0).unwrap_or(a)
        };
        let (mut f_low, mut f_high) = (f(low), f(high));
        for _ in 0..ROUNDS {
            if (high - low).abs() <= TOLERANCE {
                break;
            }
            let next = low + (low - high) * f_low / (f_high - f_low);
            let f_next = f(next);
            if f_next * f_high <= 0.0 {
                (low, f_low) = (high, f_high);
            } else {
                f_low /= 2.0;
            }
            (high, f_high) = (next, f_next);
        }
        (low / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(elo: f64, deviation_elo: f64) -> Player {
        Player {
            rating: (elo - 1500.0) / ELO_PER_LOG_ODDS,
            deviation: deviation_elo / ELO_PER_LOG_ODDS,
            volatility: VOLATILITY,
        }
    }

    #[test]
    fn the_example_of_glickman_has_the_published_numbers() {
        let game = |elo, deviation_elo, score| Game {
            opponent: player(elo, deviation_elo),
            score,
            weight: 1.0,
        };
        let games = [game(1400.0, 30.0, 1.0), game(1550.0, 100.0, 0.0), game(1700.0, 300.0, 0.0)];
        let rated = Glicko2::default().rate(&player(1500.0, 200.0), &games);
        let elo = 1500.0 + rated.rating * ELO_PER_LOG_ODDS;
        assert!((elo - 1464.06).abs() < 0.01, "{elo}");
        let deviation = rated.deviation * ELO_PER_LOG_ODDS;
        assert!((deviation - 151.52).abs() < 0.01, "{deviation}");
        assert!((rated.volatility - 0.05999).abs() < 1e-5, "{rated:?}");
    }

    #[test]
    fn a_player_without_games_becomes_less_certain_up_to_the_initial_deviation() {
        let rated = Glicko2::default().rate(&player(1700.0, 100.0), &[]);
        // The square root of 100² + (0.06 * 173.7178)².
        let deviation = rated.deviation * ELO_PER_LOG_ODDS;
        assert!((deviation - 100.5417).abs() < 1e-3, "{deviation}");
        assert_eq!(rated.rating, player(1700.0, 100.0).rating);
        let rated = Glicko2::default().rate(&player(1500.0, 350.0), &[]);
        assert_eq!(rated.deviation, MAX_DEVIATION);
    }

    /// Matches in which bot 0 beats 1, and 1 beats 2; in `later` matches, bot 2 beats bot 0.
    fn results(later: u64) -> Vec<Ranking> {
        let early = (0..60).map(|number| match number % 2 {
            0 => Ranking::new(vec![(0, 1), (1, 2)], number),
            _ => Ranking::new(vec![(1, 1), (2, 2)], number),
        });
        let late = (60..60 + later).map(|number| Ranking::new(vec![(2, 1), (0, 2)], number));
        early.chain(late).collect()
    }

    #[test]
    fn recent_results_outweigh_old_ones() {
        let order = |later| {
            let ratings = Glicko2::default().fit(3, &results(later)).unwrap();
            ratings.table(0.95).iter().map(|r| r.bot).collect::<Vec<_>>()
        };
        assert_eq!(order(0), [0, 1, 2]);
        assert_eq!(order(45)[0], 2);
    }

    #[test]
    fn some_wins_after_a_long_losing_run_do_not_lift_a_bot_above_its_opponents() {
        let opponent = |number: u64| 1 + number as usize % 2;
        let lost =
            (0..10_000).map(|number| Ranking::new(vec![(opponent(number), 1), (0, 2)], number));
        let won = (10_000..10_015)
            .map(|number| Ranking::new(vec![(0, 1), (opponent(number), 2)], number));
        let results: Vec<Ranking> = lost.chain(won).collect();
        let ratings = Glicko2::default().fit(3, &results).unwrap();
        let [loser, one, other] = ratings.log_odds()[..] else {
            panic!("{ratings:?}");
        };
        assert!(loser < one && loser < other, "{:?}", ratings.log_odds());
    }

    #[test]
    fn a_bot_that_plays_in_every_match_does_not_end_a_period_alone() {
        let results: Vec<Ranking> = (0..20)
            .map(|number| Ranking::new(vec![(0, 1), (1 + number as usize % 4, 2)], number))
            .collect();
        let of_one_period = Glicko2 { period_matches: 1000, ..Glicko2::default() };
        let [rated, expected] = [Glicko2::default(), of_one_period]
            .map(|method| method.fit(5, &results).unwrap().table(0.95));
        assert_eq!(rated, expected);
    }

    #[test]
    fn ratings_do_not_depend_on_the_order_of_rankings() {
        let results = results(20);
        let mut reversed = results.clone();
        reversed.reverse();
        let [one, other] =
            [results, reversed].map(|list| Glicko2::default().fit(3, &list).unwrap().table(0.95));
        assert_eq!(one, other);
    }

    #[test]
    fn a_match_of_four_counts_as_three_comparisons() {
        let places = |bots: [usize; 4]| bots.into_iter().zip(1..).collect();
        let ranking = Ranking::new(places([0, 1, 2, 3]), 0);
        let four = Glicko2::default().fit(4, &[ranking]).unwrap();
        let chain = (0..3).map(|bot| Ranking::new(vec![(bot, 1), (bot + 1, 2)], 0));
        let three = Glicko2::default().fit(4, &chain.collect::<Vec<_>>()).unwrap();
        let information =
            |ratings: &Ratings| -> f64 { (0..4).map(|bot| ratings.covariance(bot, bot)).sum() };
        let [four, three] = [&four, &three].map(information);
        assert!((four / three - 1.0).abs() < 0.05, "{four} and {three}");
    }
}
