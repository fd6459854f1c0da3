//! Error rates of the flags of a ladder, in populations of bots that never change.

use bridgemaster_ladder::{BotVersion, End, Ladder, Pairing, Purpose, Span, State};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    scenarios::seat,
    world::{fit, rules},
};

/// A ladder whose tables are drawn at random.
struct Season {
    ladder: Ladder,
    /// Strengths in natural log odds, by bot.
    strengths: Vec<f64>,
    luck: ChaCha8Rng,
}

fn version(bot: usize) -> BotVersion {
    BotVersion::new(format!("bot-{bot:02}"), "1")
}

impl Season {
    fn new(seats: usize, strengths: Vec<f64>, seed: u64) -> Self {
        let ladder = Ladder::new(rules(seats), State::Open);
        Self { ladder, strengths, luck: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Plays rated matches, so that each bot has about `each` more, and fits the ratings.
    fn play(&mut self, each: usize) {
        let seats = self.ladder.rules().seats;
        for _ in 0..each * self.strengths.len() / seats {
            let mut table: Vec<usize> = (0..self.strengths.len()).collect();
            for seat in 0..seats {
                let other = self.luck.random_range(seat..table.len());
                table.swap(seat, other);
            }
            table.truncate(seats);
            // Plackett-Luce: exponential clocks, in the order in which they ring.
            let ring = |bot: &usize| {
                let chance = self.luck.random_range(f64::MIN_POSITIVE..1.0_f64);
                -chance.ln() / self.strengths[*bot].exp()
            };
            let rings: Vec<f64> = table.iter().map(ring).collect();
            let place = |own: &f64| 1 + rings.iter().filter(|ring| *ring < own).count() as u32;
            let ends = End::Played(rings.iter().map(|own| seat(place(own))).collect());
            let pairing = Pairing {
                purpose: Purpose::Rated,
                seats: table.into_iter().map(version).collect(),
                replaces: None,
            };
            let number = self.ladder.record_pairing(&pairing);
            self.ladder.record_end(number, &ends, Span::default());
        }
        fit(&mut self.ladder);
    }
}

/// Returns how often a bot was marked as changed, and how often it could have been.
fn changed(seats: usize, seasons: u64) -> (usize, usize) {
    let (mut marked, mut looks) = (0, 0);
    for seed in 0..seasons {
        // Two bots that hardly ever lose or win, and eight across 400 Elo.
        let field = (0..8).map(|bot| 2.3 * (f64::from(bot) / 7.0 - 0.5));
        let strengths: Vec<f64> = field.chain([9.0, -9.0]).collect();
        let mut season = Season::new(seats, strengths, seed);
        season.play(220);
        for _ in 0..8 {
            season.play(100);
            let table = season.ladder.table();
            let bots = table.ratings().iter().map(|rated| &rated.bot);
            marked += bots.filter(|bot| table.has_changed(bot)).count();
            looks += table.ratings().len();
        }
    }
    (marked, looks)
}

/// Returns in how many of these seasons the order of the best two bots was wrong when it was first
/// settled, and in how many it was settled.
fn settled_wrongly(seasons: u64) -> (u32, u32) {
    let (mut wrong, mut settled) = (0, 0);
    for seed in 0..seasons {
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        let strengths: Vec<f64> = (0..5).map(|_| luck.random_range(-1.15..1.15)).collect();
        let mut best: Vec<usize> = (0..5).collect();
        best.sort_by(|one, other| strengths[*other].total_cmp(&strengths[*one]));
        let mut season = Season::new(2, strengths, seed);
        for _ in 0..75 {
            season.play(4);
            let table = season.ladder.table();
            if table.is_settled(2, 0.95) {
                settled += 1;
                let top = table.ratings().iter().take(2).map(|rated| rated.bot.clone());
                wrong += u32::from(!top.eq(best.iter().take(2).map(|bot| version(*bot))));
                break;
            }
        }
    }
    (wrong, settled)
}

#[test]
fn one_in_a_thousand_versions_that_never_change_is_marked_as_changed() {
    for seats in [2, 4] {
        let (marked, looks) = changed(seats, 6);
        assert!(marked * 1_000 <= looks + 2_000, "{marked} of {looks}, {seats} seats");
    }
}

#[test]
fn a_settled_order_is_wrong_in_at_most_one_of_twenty_seasons() {
    let (wrong, settled) = settled_wrongly(300);
    assert!(settled > 40, "{settled}");
    assert!(wrong * 20 <= settled + 120, "{wrong} of {settled}");
}

#[test]
#[ignore = "takes minutes"]
fn flags_at_length() {
    for seats in [2, 4] {
        let (marked, looks) = changed(seats, 100);
        println!("{seats} seats: {marked} of {looks} versions marked as changed");
        assert!(marked * 1_000 <= looks + 9_000, "{marked} of {looks}");
    }
    let (wrong, settled) = settled_wrongly(2_000);
    println!("{wrong} of {settled} settled orders wrong");
    assert!(wrong * 20 <= settled + 400, "{wrong} of {settled}");
}

#[test]
fn a_bot_that_loses_906_of_906_matches_is_not_marked_as_changed() {
    let mut season = Season::new(2, vec![-40.0, 0.0, 0.7, 1.4], 1);
    for _ in 0..9 {
        season.play(101);
        assert!(!season.ladder.table().has_changed(&version(0)));
    }
    assert!(season.ladder.table().get(&version(0)).unwrap().matches > 800);
}
