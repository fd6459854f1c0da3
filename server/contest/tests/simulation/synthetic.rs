//! Synthetic matches between bots of known strength.

use bridgemaster_contest::{Elo, GroupScore, beat_fraction};

use crate::luck::Luck;

pub(crate) fn log_odds(elo: Elo) -> f64 {
    elo.0 * 10f64.ln() / 400.0
}

/// Returns the places of one match; `seat_luck` is the luck of each seat from the seed.
pub(crate) fn places(strengths: &[f64], seat_luck: &[f64], luck: &mut Luck) -> Vec<u32> {
    let shown: Vec<f64> = strengths
        .iter()
        .zip(seat_luck)
        .map(|(strength, shared)| strength + shared + luck.gumbel())
        .collect();
    let better = |own: f64| shown.iter().filter(|other| **other > own).count();
    shown.iter().map(|&own| better(own) as u32 + 1).collect()
}

/// Returns the luck of each seat from the seed of a group, normal with this deviation.
pub(crate) fn seat_luck(seats: usize, deviation: f64, luck: &mut Luck) -> Vec<f64> {
    let normal = |luck: &mut Luck| {
        let radius = (-2.0 * luck.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * luck.uniform()).cos()
    };
    (0..seats).map(|_| deviation * normal(luck)).collect()
}

/// Returns the strength at which the mean score is that of the Elo despite luck of the seats with
/// this deviation: luck reduces the effect of a difference in strength.
pub(crate) fn strength_under_luck(elo: Elo, seats: usize, shared: f64) -> Elo {
    if shared == 0.0 || elo.0 == 0.0 {
        return elo;
    }
    const GROUPS: u64 = 10_000;
    let mean_at = |strength: f64| {
        let scores = (0..GROUPS).map(|run| {
            // The luck is the same at every strength.
            let mut luck = Luck::of(u64::MAX, run);
            group(Elo(strength), seats, shared, &mut luck).get()
        });
        scores.sum::<f64>() / GROUPS as f64
    };
    // The effect of the sample's luck on a candidate of equal strength.
    let none = mean_at(0.0);
    // The score is nearly linear in the strength.
    let strength = (0..4).fold(elo.0, |strength, _| {
        strength * (elo.expected_score() - 0.5) / (mean_at(strength) - none)
    });
    Elo(strength)
}

/// Returns the score of a candidate of this strength over a group against equals of strength 0,
/// once in each seat.
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
    GroupScore::from_matches(&fractions).unwrap()
}
