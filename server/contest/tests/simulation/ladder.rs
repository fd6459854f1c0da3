//! Ladders: which pairing finds the order soonest, how long bots wait that come and go, and how often
//! a shown interval holds the truth.

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
/// Matches of a bot from which on its interval is to hold as often as it says. It is also how much
/// a bot plays until it weighs fully in the mean, as on a ladder of the server.
const ENOUGH_MATCHES: u64 = 30;
/// Matches of a bot, in the mean, by which intervals are judged: most bots have enough by then.
const JUDGED_AT: f64 = 40.0;
/// Matches of a bot, in the mean, after which a ladder ends.
const MOST_MATCHES: f64 = 600.0;

/// Whether bots are there all the time.
#[derive(Clone, Copy, PartialEq)]
enum Bots {
    Stay,
    /// One in twenty matches goes, or comes back.
    ComeAndGo,
}

/// How the next match is chosen.
#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    /// By information.
    Informed,
    /// Those who have met least.
    RoundRobin,
    Random,
    /// Who has played least, with some of those whose true strengths are next to its own: what no
    /// ladder can do, and about the most that pairing can come to.
    Neighbours,
}

/// How far apart neighbours are, in places of the true order.
const NEAR: usize = 3;

/// A ladder between bots that are spread over 400 Elo.
struct Ladder {
    strengths: Vec<f64>,
    seats: usize,
    coming: Bots,
    is_there: Vec<bool>,
    waited: Vec<u64>,
    /// By two bots: how often they met.
    met: Vec<Vec<u32>>,
    rankings: Vec<Ranking>,
    uncertainty: Uncertainty,
    luck: Luck,
}

/// What the intervals of a ladder came to.
#[derive(Default)]
struct Judged {
    /// Squared errors of the ratings, summed up over the bots.
    squares: f64,
    /// Intervals that hold the truth.
    held: u64,
    intervals: u64,
    /// Longest wait of a bot that was there, as a share of the longest that may be.
    longest_wait: f64,
}

impl Ladder {
    fn new(bots: usize, seats: usize, coming: Bots, luck: Luck) -> Self {
        let elo = |bot: usize| Elo(400.0 * (bot as f64 / (bots - 1) as f64 - 0.5));
        let mut uncertainty = Uncertainty::default();
        for _ in 0..bots {
            uncertainty.join(1.0 / PlackettLuce::of_ladder().ridge);
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

    /// Matches of a bot so far, in the mean.
    fn matches_a_bot(&self) -> f64 {
        (self.rankings.len() * self.seats) as f64 / self.bots() as f64
    }

    /// One bot in a while goes, or comes back.
    fn come_and_go(&mut self) {
        if self.coming == Bots::Stay || self.luck.below(20) > 0 {
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

    /// As many of these bots as there are seats, or all.
    fn drawn(&mut self, mut bots: Vec<usize>) -> Vec<usize> {
        let seats = self.seats.min(bots.len());
        for seat in 0..seats {
            let other = seat + self.luck.below(bots.len() - seat);
            bots.swap(seat, other);
        }
        bots.truncate(seats);
        bots
    }

    fn table(&mut self, pairing: Pairing) -> Vec<usize> {
        let there = self.there();
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
            Pairing::Random => self.drawn(there),
            Pairing::Neighbours => {
                let played = |bot: &usize| self.met[*bot].iter().sum::<u32>();
                let places = 0..there.len();
                let first = places.min_by_key(|place| (played(&there[*place]), *place));
                let first = first.unwrap();
                let reach = NEAR.max(self.seats);
                let last = (first + reach).min(there.len() - 1);
                let bot = there[first];
                let mut near = there[first.saturating_sub(reach)..=last].to_vec();
                near.retain(|other| *other != bot);
                let mut table = vec![bot];
                table.extend(self.drawn(near).into_iter().take(self.seats - 1));
                table
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
        let fit = PlackettLuce::of_ladder().fit(self.bots(), &self.rankings);
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

    /// Plays some two matches of each bot, or four in a hundred of those before if that is more, and
    /// fits the ratings. Gives the longest wait too.
    fn go_on(&mut self, pairing: Pairing) -> (Ratings, f64) {
        let few = 2 * self.bots() / self.seats;
        let matches = few.max(self.rankings.len() / 25);
        let waits = (0..matches).map(|_| self.play(pairing));
        let longest_wait = waits.fold(0.0, f64::max);
        (self.fit(), longest_wait)
    }

    /// Judges the ratings of the bots that have played enough.
    fn judge(&self, ratings: &Ratings, judged: &mut Judged) {
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
            judged.held += u64::from(interval.low <= truth && truth <= interval.high);
            judged.intervals += 1;
            judged.squares += (row.elo.0 - truth).powi(2);
        }
    }
}

/// A number of a size of ladder, from which its chance is drawn: the same for each pairing.
fn luck(seats: usize, run: u32) -> Luck {
    Luck::of(31 + seats as u64, run.into())
}

/// Matches of a bot, in the mean, until the order is found, in the mean over so many ladders.
fn ordered_after(bots: usize, seats: usize, coming: Bots, pairing: Pairing, runs: u32) -> f64 {
    let after = |run: u32| {
        let mut ladder = Ladder::new(bots, seats, coming, luck(seats, run));
        while ladder.matches_a_bot() < MOST_MATCHES {
            let (ratings, _) = ladder.go_on(pairing);
            if ladder.in_order(&ratings) >= IN_ORDER {
                break;
            }
        }
        ladder.matches_a_bot()
    };
    (0..runs).map(after).sum::<f64>() / f64::from(runs)
}

/// What the intervals of so many ladders whose bots come and go came to.
fn judged(bots: usize, seats: usize, pairing: Pairing, runs: u32) -> Judged {
    let mut judged = Judged::default();
    for run in 0..runs {
        let mut ladder = Ladder::new(bots, seats, Bots::ComeAndGo, luck(seats, run));
        let ratings = loop {
            let (ratings, longest_wait) = ladder.go_on(pairing);
            judged.longest_wait = judged.longest_wait.max(longest_wait);
            if ladder.matches_a_bot() >= JUDGED_AT {
                break ratings;
            }
        };
        ladder.judge(&ratings, &mut judged);
    }
    judged
}

/// How soon the order is found, by so many ladders.
fn orders(bots: usize, seats: usize, coming: Bots, runs: u32) -> Cell {
    let by = |pairing| ordered_after(bots, seats, coming, pairing, runs);
    let (informed, robin) = (by(Pairing::Informed), by(Pairing::RoundRobin));
    let (random, neighbours) = (by(Pairing::Random), by(Pairing::Neighbours));
    let (how, most) = match coming {
        Bots::Stay => ("stay", 1.0),
        Bots::ComeAndGo => ("come and go", 1.05),
    };
    // A few ladders of few bots leave much to chance.
    let slack = if runs * (bots as u32) < 1_000 {
        0.5
    } else {
        0.0
    };
    Cell::between(
        format!("{bots} bots, {seats} seats, {how}: matches until in order"),
        informed,
        0.0,
        (most + slack) * random,
        format!("round robin {robin:.0}, random {random:.0}, neighbours {neighbours:.0}"),
    )
}

/// How long bots wait and how often intervals hold, by so many ladders.
fn waits_and_intervals(bots: usize, seats: usize, runs: u32) -> Vec<Cell> {
    let informed = judged(bots, seats, Pairing::Informed, runs);
    let random = judged(bots, seats, Pairing::Random, runs.min(50));
    let of = format!("{bots} bots, {seats} seats, come and go");
    let note = format!("{:.2} with random tables", random.longest_wait);
    let wait = Cell::between(
        format!("{of}: longest wait of the longest"),
        informed.longest_wait,
        0.0,
        1.0,
        note,
    );
    let error = (informed.squares / informed.intervals as f64).sqrt();
    let held = coverage::cell(
        format!("{of}: intervals that hold"),
        informed.held,
        informed.intervals,
        format!("of {}, off by {error:.0} Elo", informed.intervals),
    );
    vec![wait, held]
}

/// What is shown of a bot that has won all of its matches.
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

/// Ladders of twenty bots, and a bot that always wins.
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

/// Ladders of 200 bots. One of them says as much of intervals as ten of twenty bots.
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
