//! Matches between bots of known strength.

use bridgemaster_contest::{Elo, GroupScore, beat_fraction};

use crate::luck::Luck;

pub(crate) fn log_odds(elo: Elo) -> f64 {
    elo.0 * 10f64.ln() / 400.0
}

/// The places of one match; `seat_luck` is what the seed gives to each seat.
pub(crate) fn places(strengths: &[f64], seat_luck: &[f64], luck: &mut Luck) -> Vec<u32> {
    let shown: Vec<f64> = strengths
        .iter()
        .zip(seat_luck)
        .map(|(strength, shared)| strength + shared + luck.gumbel())
        .collect();
    let better = |own: f64| shown.iter().filter(|other| **other > own).count();
    shown.iter().map(|&own| better(own) as u32 + 1).collect()
}

/// What the seed of a group gives to each seat, a normal deviate of this deviation.
pub(crate) fn seat_luck(seats: usize, deviation: f64, luck: &mut Luck) -> Vec<f64> {
    let normal = |luck: &mut Luck| {
        let radius = (-2.0 * luck.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * luck.uniform()).cos()
    };
    (0..seats).map(|_| deviation * normal(luck)).collect()
}

/// The strength at which the mean score is that of the Elo, although the seed gives to each seat a
/// share of this deviation: luck makes a difference in strength count for less.
pub(crate) fn strength_under_luck(elo: Elo, seats: usize, shared: f64) -> Elo {
    if shared == 0.0 || elo.0 == 0.0 {
        return elo;
    }
    const GROUPS: u64 = 10_000;
    let mean_at = |strength: f64| {
        let scores = (0..GROUPS).map(|run| {
            // The same luck at every strength.
            let mut luck = Luck::of(u64::MAX, run);
            group(Elo(strength), seats, shared, &mut luck).get()
        });
        scores.sum::<f64>() / GROUPS as f64
    };
    // What the luck of the sample adds to a candidate without any difference.
    let none = mean_at(0.0);
    // The score is nearly linear in the strength.
    let strength = (0..4).fold(elo.0, |strength, _| {
        strength * (elo.expected_score() - 0.5) / (mean_at(strength) - none)
    });
    Elo(strength)
}

/// The score of a candidate of this strength over a group against equals of strength 0, once in
/// each seat.
pub(crate) fn group(elo: Elo, seats: usize, shared: f64, luck: &mut Luck) -> GroupScore {
    let seat_luck = seat_luck(seats, shared, luck);
    let fractions: Vec<f64> = (0..seats)
        .map(|seat| {
            let mut strengths = vec![0.0; seats];
            strengths[seat] = log_odds(elo);
            let places = places(&strengths, &seat_luck, luck);
            beat_fraction(&places, seat).unwrap()
        })
        .collect();
    GroupScore::of_matches(&fractions).unwrap()
}
