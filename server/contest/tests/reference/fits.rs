//! Fits of ratings to all results at once.

use bridgemaster_contest::{Bias, PlackettLuce, Ranking, RatingMethod as _, Ratings};

use crate::assert_six_digits;

fn plain(bots: usize, rankings: &[Ranking]) -> Ratings {
    let fit = PlackettLuce { ridge: 0.0, bias: Bias::Uncorrected };
    fit.fit(bots, rankings).unwrap()
}

fn standard_error(ratings: &Ratings, bot: usize) -> f64 {
    ratings.covariance(bot, bot).sqrt()
}

/// Returns `count` independent matches won by `winner`.
fn wins(rankings: &mut Vec<Ranking>, winner: usize, loser: usize, count: usize) {
    for _ in 0..count {
        let cluster = rankings.len() as u64;
        rankings.push(Ranking::new(vec![(winner, 1), (loser, 2)], cluster));
    }
}

#[test]
fn pairs_are_rated_as_by_choix() {
    let mut rankings = Vec::new();
    for (one, other, won, lost) in [(0, 1, 7, 3), (1, 2, 6, 4), (0, 2, 8, 2)] {
        wins(&mut rankings, one, other, won);
        wins(&mut rankings, other, one, lost);
    }
    let ratings = plain(3, &rankings);
    let expected = [
        (0.740_569_94, 0.346_429_79, 128.650_175, 117.95),
        (-0.149_102_26, 0.316_515_04, -25.901_715, 107.77),
        (-0.591_467_68, 0.333_732_39, -102.748_460, 113.63),
    ];
    let table = ratings.table(0.95);
    for (bot, (log_odds, error, elo, reach)) in expected.into_iter().enumerate() {
        let off = (ratings.log_odds()[bot] - log_odds).abs();
        assert!(off < 1e-8, "bot {bot}");
        let off = (standard_error(&ratings, bot) - error).abs();
        assert!(off < 1e-8, "bot {bot}");
        let row = table.iter().find(|row| row.bot == bot).unwrap();
        assert_six_digits(row.elo.0, elo, "Elo");
        assert!(((row.interval.high - row.interval.low) / 2.0 - reach).abs() < 0.005);
        assert_eq!(row.matches, 20);
    }
}

fn rankings_of_four() -> Vec<Ranking> {
    let orders =
        [[0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3], [3, 0, 1, 2], [0, 1, 3, 2], [2, 0, 1, 3]];
    (0..)
        .zip(orders)
        .map(|(cluster, order)| Ranking::new(order.into_iter().zip(1..).collect(), cluster))
        .collect()
}

#[test]
fn rankings_of_four_are_rated_as_by_choix() {
    let ratings = plain(4, &rankings_of_four());
    let expected = [1.396_107_51, 0.344_536_38, -0.471_935_78, -1.268_708_11];
    for (bot, log_odds) in expected.into_iter().enumerate() {
        let off = (ratings.log_odds()[bot] - log_odds).abs();
        assert!(off < 1e-8, "bot {bot}");
    }
}

/// With a draw counting as a half, the scores are 75 %, 75 % and 90 %. The log odds of 90 % are
/// twice those of 75 %, so the exact fit can be found by hand.
fn three_engines() -> Vec<Ranking> {
    let mut rankings = Vec::new();
    for (one, other, won, drawn, lost) in [(0, 1, 18, 9, 3), (1, 2, 18, 9, 3), (0, 2, 24, 6, 0)] {
        wins(&mut rankings, one, other, won);
        wins(&mut rankings, other, one, lost);
        for _ in 0..drawn {
            let cluster = rankings.len() as u64;
            rankings.push(Ranking::new(vec![(one, 1), (other, 1)], cluster));
        }
    }
    rankings
}

#[test]
fn three_engines_have_the_ratings_found_by_hand() {
    let ratings = plain(3, &three_engines());
    let reach = 400.0 * 3f64.log10();
    assert_six_digits(reach, 190.848_502, "by hand");
    for (bot, expected) in [reach, 0.0, -reach].into_iter().enumerate() {
        let elo = ratings.log_odds()[bot] * 400.0 / 10f64.ln();
        assert_six_digits(elo, expected, &format!("engine {bot}"));
    }
}

/// The information of `n` games at a share `p` about a difference is `n p (1 - p)`. The information
/// of two pairs through the third engine combines as conductors in series do.
#[test]
fn the_difference_of_two_engines_has_the_error_found_by_hand() {
    let ratings = plain(3, &three_engines());
    let [close, far] = [0.75, 0.9].map(|share| 30.0 * share * (1.0 - share));
    let by_way_of_the_third = 1.0 / (1.0 / close + 1.0 / far);
    let by_hand = 1.0 / (close + by_way_of_the_third);
    let variance =
        ratings.covariance(0, 0) + ratings.covariance(1, 1) - 2.0 * ratings.covariance(0, 1);
    assert_six_digits(variance, by_hand, "variance of the difference");
    let reach = 1.959_964 * variance.sqrt() * 400.0 / 10f64.ln();
    assert!((reach - 124.75).abs() < 0.005, "{reach}");
}

/// The ridge of a contest holds ratings together by less than 0.1 %, where the prior of BayesElo
/// makes 158 of the 190.85.
#[test]
fn a_ridge_compresses_ratings_as_the_penalty_of_choix_does() {
    let default = PlackettLuce { bias: Bias::Uncorrected, ..PlackettLuce::default() };
    let ratings = default.fit(3, &three_engines()).unwrap();
    for (bot, expected) in [190.675_643, 0.0, -190.675_643].into_iter().enumerate() {
        let elo = ratings.log_odds()[bot] * 400.0 / 10f64.ln();
        assert_six_digits(elo, expected, &format!("engine {bot}"));
    }
    let ratings = default.fit(4, &rankings_of_four()).unwrap();
    let expected = [1.389_220_233_1, 0.342_339_770_5, -0.469_878_201_1, -1.261_681_802_4];
    for (bot, log_odds) in expected.into_iter().enumerate() {
        let off = (ratings.log_odds()[bot] - log_odds).abs();
        assert!(off < 1e-8, "bot {bot}");
    }
}

#[test]
fn the_order_of_the_results_changes_no_digit() {
    let mut rankings: Vec<Ranking> = (0..200u64)
        .map(|n| {
            let bot = |k: u64| ((n * 7 + k * 3) % 8) as usize;
            Ranking::new(vec![(bot(0), 1), (bot(1), 2), (bot(2), 2), (bot(3), 4)], n / 4)
        })
        .collect();
    for bias in [Bias::Uncorrected, Bias::Reduced] {
        let fit = PlackettLuce { bias, ..PlackettLuce::default() };
        let forwards = fit.fit(8, &rankings).unwrap();
        rankings.reverse();
        let backwards = fit.fit(8, &rankings).unwrap();
        assert_eq!(forwards.log_odds(), backwards.log_odds());
        for bot in 0..8 {
            assert_eq!(standard_error(&forwards, bot), standard_error(&backwards, bot));
        }
    }
}

/// The sum over subsets equals that over all orders of the tied bots, each with its share.
#[test]
fn a_tie_counts_as_all_its_orders() {
    let mut tied = Vec::new();
    let mut spelled_out = Vec::new();
    for cluster in 0..6 {
        tied.push(Ranking::new(vec![(0, 1), (1, 1), (2, 1), (3, 4)], cluster));
    }
    for (cluster, order) in
        (0..).zip([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    {
        let places = order.into_iter().chain([3]).zip(1..).collect();
        spelled_out.push(Ranking::new(places, cluster));
    }
    // Separates the three, and gives the last one a chance.
    for rankings in [&mut tied, &mut spelled_out] {
        rankings.push(Ranking::new(vec![(0, 1), (1, 2), (3, 3), (2, 4)], 9));
    }
    let (one, other) = (plain(4, &tied), plain(4, &spelled_out));
    for bot in 0..4 {
        assert!((one.log_odds()[bot] - other.log_odds()[bot]).abs() < 1e-9);
        assert!((standard_error(&one, bot) - standard_error(&other, bot)).abs() < 1e-9);
    }
}

#[test]
fn by_likelihood_a_bot_that_won_everything_has_a_rating_with_a_ridge_and_none_without() {
    let mut rankings = Vec::new();
    wins(&mut rankings, 0, 1, 5);
    let unbounded = PlackettLuce { ridge: 0.0, bias: Bias::Uncorrected };
    assert!(unbounded.fit(2, &rankings).is_err());
    let held = PlackettLuce { ridge: 0.01, ..unbounded };
    let ratings = held.fit(2, &rankings).unwrap();
    assert!(ratings.log_odds()[0] > 1.0);
    assert!(ratings.chance_above(0, 1) > 0.5);
}

#[test]
fn invalid_rankings_are_reported() {
    let fit = PlackettLuce::default();
    let fine = Ranking::new(vec![(0, 1), (1, 2)], 0);
    for wrong in [vec![(0, 1)], vec![(0, 1), (0, 2)], vec![(0, 1), (2, 2)]] {
        let error = fit.fit(2, &[fine.clone(), Ranking::new(wrong, 1)]).unwrap_err();
        assert!(error.to_string().starts_with("ranking 1"), "{error}");
    }
}

#[test]
fn bots_without_a_significant_difference_share_a_range_of_ranks() {
    let mut rankings = Vec::new();
    for _ in 0..30 {
        wins(&mut rankings, 0, 1, 5);
        wins(&mut rankings, 1, 0, 5);
        wins(&mut rankings, 0, 2, 9);
        wins(&mut rankings, 2, 0, 1);
        wins(&mut rankings, 1, 2, 9);
        wins(&mut rankings, 2, 1, 1);
    }
    let ratings = PlackettLuce::default().fit(3, &rankings).unwrap();
    let ranges: Vec<_> =
        ratings.table(0.95).iter().map(|row| (row.ranks.best, row.ranks.worst)).collect();
    assert_eq!(ranges, [(1, 2), (1, 2), (3, 3)]);
    assert!(!ratings.is_settled(1, 0.95));
    assert!(ratings.is_settled(0, 0.95));
}
