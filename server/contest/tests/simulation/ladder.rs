//! Simulated ladders: how fast each pairing method finds the order, how long bots that come and go
//! have to wait, and how often the intervals cover the true rating.

use bridgemaster_contest::{
    Elo, PlackettLuce, Ranking, RatingMethod as _, Ratings,
    pairing::{Candidate, Uncertainty, max_wait_matches, next_table},
};

use crate::{
    coverage,
    luck::Luck,
    rate::Cell,
    synthetic::{log_odds, places},
};

/// The order counts as found once this share of all pairs of bots is in the right order.
const IN_ORDER: f64 = 0.95;
/// The number of matches from which a bot's interval must have its nominal coverage; also the
/// number for full weight in the mean, as on a ladder of the server.
const ENOUGH_MATCHES: u64 = 30;
/// The mean number of matches per bot at which intervals are checked; most bots have enough by
/// then.
const CHECKED_AT: f64 = 40.0;
/// The mean number of matches per bot at which a ladder ends.
const MAX_MATCHES: f64 = 600.0;

/// The presence of the bots.
#[derive(Clone, Copy, PartialEq)]
enum Bots {
    Stay,
    /// After one in twenty matches, a bot leaves or returns.
    ComeAndGo,
}

/// The method of pairing.
#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    /// Maximizes information, as the library does.
    Informed,
    /// Pairs bots that have met least.
    RoundRobin,
    Random,
    /// Pairs the bot with the fewest matches with its neighbours by true strength. A real ladder
    /// cannot do this, because it does not know the true strengths; the result is roughly an upper
    /// bound for every pairing method.
    Neighbours,
}

/// The maximum distance of neighbours, in places of the true order.
const NEAR: usize = 3;

/// A ladder of bots spread over 400 Elo.
struct Ladder {
    strengths: Vec<f64>,
    seats: usize,
    coming: Bots,
    is_there: Vec<bool>,
    waited: Vec<u64>,
    /// The number of meetings of each pair of bots.
    met: Vec<Vec<u32>>,
    rankings: Vec<Ranking>,
    uncertainty: Uncertainty,
    luck: Luck,
}

/// The accuracy of the intervals of a ladder.
#[derive(Default)]
struct Accuracy {
    /// Sum of the squared errors of the ratings.
    squares: f64,
    /// The number of intervals that contain the truth.
    held: u64,
    intervals: u64,
    /// The longest wait of a present bot, as a share of the maximum allowed.
    longest_wait: f64,
}

impl Ladder {
    fn new(bots: usize, seats: usize, coming: Bots, luck: Luck) -> Self {
        let elo = |bot: usize| Elo(400.0 * (bot as f64 / (bots - 1) as f64 - 0.5));
        let mut uncertainty = Uncertainty::default();
        for _ in 0..bots {
            uncertainty.add_bot(1.0 / PlackettLuce::for_ladder().ridge);
        }
        Self {
            strengths: (0..bots).map(|bot| log_odds(elo(bot))).collect(),
            seats,
            coming,
            is_there: vec![true; bots],
            waited: vec![0; bots],
            met: vec![vec![0; bots]; bots],
            rankings: Vec::new(),
            uncertainty,
            luck,
        }
    }

    fn bots(&self) -> usize {
        self.strengths.len()
    }

    /// Returns the mean number of matches per bot so far.
    fn matches_per_bot(&self) -> f64 {
        (self.rankings.len() * self.seats) as f64 / self.bots() as f64
    }

    /// Lets a bot leave or return from time to time.
    fn come_and_go(&mut self) {
        if self.coming == Bots::Stay || self.luck.below(20) > 0 {
            return;
        }
        let bot = self.luck.below(self.bots());
        let present = self.present().len();
        if !self.is_there[bot] {
            self.is_there[bot] = true;
            self.waited[bot] = 0;
        } else if 3 * present > 2 * self.bots() && present > 2 * self.seats {
            self.is_there[bot] = false;
        }
    }

    fn present(&self) -> Vec<usize> {
        let bots = 0..self.bots();
        bots.filter(|bot| self.is_there[*bot]).collect()
    }

    /// Pairs the next table.
    fn table(&mut self, pairing: Pairing) -> Vec<usize> {
        let present = self.present();
        match pairing {
            Pairing::Informed => {
                let candidate = |bot: &usize| Candidate {
                    bot: *bot,
                    waited_matches: self.waited[*bot],
                    owner: None,
                };
                let present: Vec<Candidate> = present.iter().map(candidate).collect();
                next_table(&self.uncertainty, &present, self.seats).unwrap()
            }
            Pairing::RoundRobin => {
                let played = |bot: &usize| self.met[*bot].iter().sum::<u32>();
                let first = present.iter().copied();
                let first = first.min_by_key(|bot| (played(bot), *bot));
                let mut table = vec![first.unwrap()];
                while table.len() < self.seats {
                    let met = |bot: usize| table.iter().map(|other| self.met[bot][*other]).sum();
                    let key = |bot: &usize| -> (u32, u32, usize) { (met(*bot), played(bot), *bot) };
                    let others = present.iter().copied().filter(|bot| !table.contains(bot));
                    let next = others.min_by_key(key).unwrap();
                    table.push(next);
                }
                table
            }
            Pairing::Random => self.luck.draw(present, self.seats),
            Pairing::Neighbours => {
                let played = |bot: &usize| self.met[*bot].iter().sum::<u32>();
                let places = 0..present.len();
                let first = places.min_by_key(|place| (played(&present[*place]), *place));
                let first = first.unwrap();
                let reach = NEAR.max(self.seats);
                let last = (first + reach).min(present.len() - 1);
                let bot = present[first];
                let mut near = present[first.saturating_sub(reach)..=last].to_vec();
                near.retain(|other| *other != bot);
                let mut table = vec![bot];
                table.extend(self.luck.draw(near, self.seats).into_iter().take(self.seats - 1));
                table
            }
        }
    }

    /// Plays the next match. Returns the longest wait of a bot, as a share of the maximum allowed.
    fn play(&mut self, pairing: Pairing) -> f64 {
        self.come_and_go();
        let table = self.table(pairing);
        self.uncertainty.add_table(&table);
        let present = self.present();
        let mut longest = 0;
        for bot in &present {
            let wait = &mut self.waited[*bot];
            *wait = if table.contains(bot) { 0 } else { *wait + 1 };
            longest = longest.max(*wait);
        }
        for one in &table {
            for other in &table {
                self.met[*one][*other] += u32::from(one != other);
            }
        }
        let at_table: Vec<f64> = table.iter().map(|bot| self.strengths[*bot]).collect();
        let places = places(&at_table, &vec![0.0; self.seats], &mut self.luck);
        let number = self.rankings.len() as u64;
        let places = table.into_iter().zip(places).collect();
        self.rankings.push(Ranking::new(places, number));
        longest as f64 / max_wait_matches(present.len()) as f64
    }

    fn fit(&mut self) -> Ratings {
        let fit = PlackettLuce::for_ladder().fit(self.bots(), &self.rankings);
        let ratings = fit.unwrap();
        self.uncertainty = Uncertainty::from_ratings(&ratings);
        ratings
    }

    /// Returns the share of the pairs of bots that are in order.
    fn in_order(&self, ratings: &Ratings) -> f64 {
        let rated = ratings.log_odds();
        let (mut right, mut pairs) = (0, 0);
        for better in 0..self.bots() {
            for worse in 0..better {
                pairs += 1;
                right += u32::from(rated[better] > rated[worse]);
            }
        }
        f64::from(right) / f64::from(pairs)
    }

    /// Plays about two matches per bot, or 4 % of the earlier ones if that is more, and fits the
    /// ratings. Returns them with the longest wait.
    fn advance(&mut self, pairing: Pairing) -> (Ratings, f64) {
        let few = 2 * self.bots() / self.seats;
        let matches = few.max(self.rankings.len() / 25);
        let waits = (0..matches).map(|_| self.play(pairing));
        let longest_wait = waits.fold(0.0, f64::max);
        (self.fit(), longest_wait)
    }

    /// Checks the ratings of the bots that have played enough.
    fn check(&self, ratings: &Ratings, accuracy: &mut Accuracy) {
        let table = ratings.table_by_matches(coverage::LEVEL, ENOUGH_MATCHES);
        let truth = |bot: usize| self.strengths[bot] * 400.0 / 10f64.ln();
        let weight = |matches: u64| matches.min(ENOUGH_MATCHES) as f64;
        let rows = table.iter();
        let sums = rows.fold((0.0, 0.0), |(truths, weights), row| {
            let weight = weight(row.matches);
            (truths + weight * truth(row.bot), weights + weight)
        });
        let mean = sums.0 / sums.1;
        for row in table.iter().filter(|row| row.matches >= ENOUGH_MATCHES) {
            let truth = truth(row.bot) - mean;
            let interval = row.interval;
            accuracy.held += u64::from(interval.low <= truth && truth <= interval.high);
            accuracy.intervals += 1;
            accuracy.squares += (row.elo.0 - truth).powi(2);
        }
    }
}

/// Returns the random stream of a ladder; the same for each pairing method.
fn luck(seats: usize, run: u32) -> Luck {
    Luck::of(31 + seats as u64, run.into())
}

/// Returns the mean number of matches per bot until the order is found, averaged over several
/// ladders.
fn ordered_after(bots: usize, seats: usize, coming: Bots, pairing: Pairing, runs: u32) -> f64 {
    let after = |run: u32| {
        let mut ladder = Ladder::new(bots, seats, coming, luck(seats, run));
        while ladder.matches_per_bot() < MAX_MATCHES {
            let (ratings, _) = ladder.advance(pairing);
            if ladder.in_order(&ratings) >= IN_ORDER {
                break;
            }
        }
        ladder.matches_per_bot()
    };
    (0..runs).map(after).sum::<f64>() / f64::from(runs)
}

/// Returns the accuracy of the intervals of several ladders whose bots come and go.
fn accuracy_of(bots: usize, seats: usize, pairing: Pairing, runs: u32) -> Accuracy {
    let mut accuracy = Accuracy::default();
    for run in 0..runs {
        let mut ladder = Ladder::new(bots, seats, Bots::ComeAndGo, luck(seats, run));
        let ratings = loop {
            let (ratings, longest_wait) = ladder.advance(pairing);
            accuracy.longest_wait = accuracy.longest_wait.max(longest_wait);
            if ladder.matches_per_bot() >= CHECKED_AT {
                break ratings;
            }
        };
        ladder.check(&ratings, &mut accuracy);
    }
    accuracy
}

/// Checks the speed of finding the order.
fn orders(bots: usize, seats: usize, coming: Bots, runs: u32) -> Cell {
    let by = |pairing| ordered_after(bots, seats, coming, pairing, runs);
    let (informed, robin) = (by(Pairing::Informed), by(Pairing::RoundRobin));
    let (random, neighbours) = (by(Pairing::Random), by(Pairing::Neighbours));
    let (how, most) = match coming {
        Bots::Stay => ("stay", 1.0),
        Bots::ComeAndGo => ("come and go", 1.05),
    };
    // A few ladders of few bots vary strongly.
    let is_short = runs * (bots as u32) < 1_000;
    let slack = if is_short { 0.5 } else { 0.0 };
    Cell::between(
        format!("{bots} bots, {seats} seats, {how}: matches until in order"),
        informed,
        0.0,
        (most + slack) * random,
        format!("round robin {robin:.0}, random {random:.0}, neighbours {neighbours:.0}"),
    )
}

/// Checks waits and the coverage of intervals.
fn waits_and_intervals(bots: usize, seats: usize, runs: u32) -> Vec<Cell> {
    let informed = accuracy_of(bots, seats, Pairing::Informed, runs);
    let random = accuracy_of(bots, seats, Pairing::Random, runs.min(50));
    let of = format!("{bots} bots, {seats} seats, come and go");
    let note = format!("{:.2} with random tables", random.longest_wait);
    let name = format!("{of}: longest wait of the longest");
    let wait = Cell::between(name, informed.longest_wait, 0.0, 1.0, note);
    let error = (informed.squares / informed.intervals as f64).sqrt();
    let held = coverage::cell(
        format!("{of}: intervals that hold"),
        informed.held,
        informed.intervals,
        format!("of {}, off by {error:.0} Elo", informed.intervals),
    );
    vec![wait, held]
}

/// Checks the rating of a bot that has won all of its matches.
fn always_winning() -> Vec<Cell> {
    let mut ladder = Ladder::new(20, 2, Bots::ComeAndGo, Luck::of(7, 0));
    ladder.strengths[19] = 100.0;
    let mut cells = Vec::new();
    for matches in [10, 50, 200] {
        while ladder.met[19].iter().sum::<u32>() < matches {
            ladder.play(Pairing::Informed);
            if ladder.rankings.len().is_multiple_of(20) {
                ladder.fit();
            }
        }
        let table = ladder.fit().table(coverage::LEVEL);
        let best = table[0];
        let name = format!("won all of {matches} matches: Elo");
        let note = format!(
            "interval {:.0} to {:.0}, ranks {} to {}",
            best.interval.low, best.interval.high, best.ranks.best, best.ranks.worst
        );
        let value = if best.bot == 19 { best.elo.0 } else { f64::NAN };
        cells.push(Cell::between(name, value, 200.0, 2_000.0, note));
    }
    cells
}

/// Returns the cells of ladders of twenty bots, and of a bot that always wins.
pub(crate) fn cells(count: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for seats in [2, 4, 6] {
        let ordered = count.min(100);
        cells.push(orders(20, seats, Bots::Stay, ordered));
        cells.push(orders(20, seats, Bots::ComeAndGo, ordered));
        cells.extend(waits_and_intervals(20, seats, count));
    }
    cells.extend(always_winning());
    cells
}

/// Returns the cells of ladders of 200 bots, each with as many intervals as ten of twenty bots.
pub(crate) fn large_cells(count: u32) -> Vec<Cell> {
    let is_long = count > 1;
    let mut cells = Vec::new();
    for seats in if is_long { &[2, 4, 6][..] } else { &[6] } {
        cells.extend(waits_and_intervals(200, *seats, count));
        if is_long {
            cells.push(orders(200, *seats, Bots::Stay, 2));
            cells.push(orders(200, *seats, Bots::ComeAndGo, 2));
        }
    }
    cells
}
