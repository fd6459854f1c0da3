//! Ladders whose bots come and go: which pairing finds the order soonest, how long bots wait, and how
//! often a shown interval holds the truth.

use bridgemaster_contest::{
    Elo, PlackettLuce, Ranking, Ratings,
    pairing::{Candidate, Uncertainty, longest_wait_matches, next_table},
};

use crate::{
    coverage,
    luck::Luck,
    rate::Cell,
    synthetic::{log_odds, places},
};

/// The order is found when this share of all pairs of bots is in it.
const IN_ORDER: f64 = 0.95;
/// Matches of a bot, in the mean, by which intervals are judged.
const JUDGED_AT: f64 = 30.0;
/// Matches of a bot, in the mean, after which a ladder ends.
const MOST_MATCHES: f64 = 150.0;

/// How the next match is chosen.
#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    /// By information.
    Informed,
    /// Those who have met least.
    RoundRobin,
    Random,
}

/// A ladder between bots that are spread over 400 Elo.
struct Ladder {
    strengths: Vec<f64>,
    seats: usize,
    is_there: Vec<bool>,
    waited: Vec<u64>,
    /// By two bots: how often they met.
    met: Vec<Vec<u32>>,
    rankings: Vec<Ranking>,
    uncertainty: Uncertainty,
    luck: Luck,
}

/// What a ladder came to.
#[derive(Default)]
struct Outcome {
    /// Matches of a bot, in the mean, until the order was found; the most of a ladder if it was not.
    ordered_after: f64,
    /// Squared error of the ratings after [`JUDGED_AT`], summed up over the bots.
    squares: f64,
    /// Of the intervals then, those that hold the truth.
    held: u64,
    intervals: u64,
    /// Longest wait of a bot that was there, as a share of the longest that may be.
    longest_wait: f64,
}

impl Ladder {
    fn new(bots: usize, seats: usize, luck: Luck) -> Self {
        let elo = |bot: usize| Elo(400.0 * (bot as f64 / (bots - 1) as f64 - 0.5));
        let mut uncertainty = Uncertainty::default();
        for _ in 0..bots {
            uncertainty.join(1.0 / PlackettLuce::default().ridge);
        }
        Self {
            strengths: (0..bots).map(|bot| log_odds(elo(bot))).collect(),
            seats,
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

    /// Matches of a bot so far, in the mean.
    fn matches_a_bot(&self) -> f64 {
        (self.rankings.len() * self.seats) as f64 / self.bots() as f64
    }

    /// One bot in a while goes, or comes back.
    fn come_and_go(&mut self) {
        if self.luck.below(20) > 0 {
            return;
        }
        let bot = self.luck.below(self.bots());
        let there = self.there().len();
        if !self.is_there[bot] {
            self.is_there[bot] = true;
            self.waited[bot] = 0;
        } else if 3 * there > 2 * self.bots() && there > 2 * self.seats {
            self.is_there[bot] = false;
        }
    }

    fn there(&self) -> Vec<usize> {
        let bots = 0..self.bots();
        bots.filter(|bot| self.is_there[*bot]).collect()
    }

    fn table(&mut self, pairing: Pairing) -> Vec<usize> {
        let mut there = self.there();
        match pairing {
            Pairing::Informed => {
                let candidate = |bot: &usize| Candidate {
                    bot: *bot,
                    waited_matches: self.waited[*bot],
                    owner: None,
                };
                let there: Vec<Candidate> = there.iter().map(candidate).collect();
                next_table(&self.uncertainty, &there, self.seats).unwrap()
            }
            Pairing::RoundRobin => {
                let played = |bot: &usize| self.met[*bot].iter().sum::<u32>();
                let first = there.iter().copied().min_by_key(|bot| (played(bot), *bot));
                let mut table = vec![first.unwrap()];
                while table.len() < self.seats {
                    let met = |bot: usize| table.iter().map(|other| self.met[bot][*other]).sum();
                    let key = |bot: &usize| -> (u32, u32, usize) { (met(*bot), played(bot), *bot) };
                    let others = there.iter().copied().filter(|bot| !table.contains(bot));
                    let next = others.min_by_key(key).unwrap();
                    table.push(next);
                }
                table
            }
            Pairing::Random => {
                for seat in 0..self.seats {
                    let other = seat + self.luck.below(there.len() - seat);
                    there.swap(seat, other);
                }
                there.truncate(self.seats);
                there
            }
        }
    }

    /// Plays the next match. Gives the longest wait of a bot, as a share of the longest that may be.
    fn play(&mut self, pairing: Pairing) -> f64 {
        self.come_and_go();
        let table = self.table(pairing);
        self.uncertainty.expect(&table);
        let there = self.there();
        let mut longest = 0;
        for bot in &there {
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
        longest as f64 / longest_wait_matches(there.len()) as f64
    }

    fn fit(&mut self) -> Ratings {
        let fit = PlackettLuce::default().fit(self.bots(), &self.rankings);
        let ratings = fit.unwrap();
        self.uncertainty = Uncertainty::of(&ratings);
        ratings
    }

    /// Share of the pairs of bots that are in their order.
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

    fn judge(&self, ratings: &Ratings, outcome: &mut Outcome) {
        for row in ratings.table(coverage::LEVEL) {
            let truth = self.strengths[row.bot] * 400.0 / 10f64.ln();
            let interval = row.interval;
            outcome.held += u64::from(interval.low <= truth && truth <= interval.high);
            outcome.intervals += 1;
            outcome.squares += (row.elo.0 - truth).powi(2);
        }
    }
}

/// Plays until the order is found and intervals were judged, or only until they were.
fn run(bots: usize, seats: usize, pairing: Pairing, finds_order: bool, luck: Luck) -> Outcome {
    let mut ladder = Ladder::new(bots, seats, luck);
    // Some two matches of each bot.
    let refit_every = (2 * bots / seats).max(1);
    let mut outcome = Outcome {
        ordered_after: MOST_MATCHES,
        ..Outcome::default()
    };
    let mut is_ordered = false;
    while ladder.matches_a_bot() < MOST_MATCHES {
        for _ in 0..refit_every {
            let wait = ladder.play(pairing);
            outcome.longest_wait = outcome.longest_wait.max(wait);
        }
        let ratings = ladder.fit();
        if outcome.intervals == 0 && ladder.matches_a_bot() >= JUDGED_AT {
            ladder.judge(&ratings, &mut outcome);
        }
        if !is_ordered && ladder.in_order(&ratings) >= IN_ORDER {
            is_ordered = true;
            outcome.ordered_after = ladder.matches_a_bot();
        }
        if (is_ordered || !finds_order) && outcome.intervals > 0 {
            break;
        }
    }
    outcome
}

/// So many ladders, of which so many are played until the order is found.
fn runs(bots: usize, seats: usize, pairing: Pairing, ordered: u32, runs: u32) -> Outcome {
    let mut sum = Outcome::default();
    for number in 0..runs {
        let luck = Luck::of(31 + seats as u64, number.into());
        let finds_order = number < ordered;
        let one = run(bots, seats, pairing, finds_order, luck);
        if finds_order {
            sum.ordered_after += one.ordered_after / f64::from(ordered);
        }
        sum.squares += one.squares;
        sum.held += one.held;
        sum.intervals += one.intervals;
        sum.longest_wait = sum.longest_wait.max(one.longest_wait);
    }
    sum
}

/// `count` ladders until the order is found, and as many as are `judged` until intervals are.
fn of_size(bots: usize, seats: usize, count: u32, judged: u32) -> Vec<Cell> {
    let informed = runs(bots, seats, Pairing::Informed, count, judged);
    let others = count.min(50);
    let round_robin = runs(bots, seats, Pairing::RoundRobin, others, others);
    let random = runs(bots, seats, Pairing::Random, others, others);
    let of = format!("{bots} bots, {seats} seats");
    let note = format!(
        "round robin {:.0}, random {:.0}",
        round_robin.ordered_after, random.ordered_after
    );
    // Ten ladders leave much to chance: some bots are hardly ever there, and rated by few matches.
    let is_short = judged < 50;
    let most = if is_short { 1.25 } else { 1.1 } * random.ordered_after;
    let order = Cell::between(
        format!("{of}: matches a bot until in order"),
        informed.ordered_after,
        0.0,
        most,
        note,
    );
    let note = format!("{:.2} with random tables", random.longest_wait);
    let wait = Cell::between(
        format!("{of}: longest wait of the longest"),
        informed.longest_wait,
        0.0,
        1.0,
        note,
    );
    let random_squares = random.squares / random.intervals as f64;
    let squares = informed.squares / informed.intervals as f64;
    let note = format!(
        "off by {:.0} Elo after {JUDGED_AT} matches a bot",
        squares.sqrt()
    );
    let error = Cell::between(
        format!("{of}: squared error against random"),
        squares / random_squares,
        0.0,
        match is_short {
            true => 2.0,
            false => 1.0 + 4.0 / (informed.intervals as f64).sqrt(),
        },
        note,
    );
    let held = coverage::cell(
        format!("{of}: intervals that hold"),
        informed.held,
        informed.intervals,
        format!("of {}", informed.intervals),
    );
    vec![order, wait, error, held]
}

/// What is shown of a bot that has won all of its matches.
fn always_winning() -> Vec<Cell> {
    let mut ladder = Ladder::new(20, 2, Luck::of(7, 0));
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

pub(crate) fn cells(count: u32) -> Vec<Cell> {
    let is_long = count >= 100;
    let mut cells = Vec::new();
    for seats in [2, 4, 6] {
        cells.extend(of_size(20, seats, count, count));
    }
    if is_long {
        for seats in [2, 4, 6] {
            // As many intervals as of 20 bots.
            cells.extend(of_size(200, seats, count / 100, count / 10));
        }
    }
    cells.extend(always_winning());
    cells
}
