//! Measures the strength of `search` against `greedy`. Uses only the rules, without a server.
//!
//! ```sh
//! cargo bench -p bridgemaster-bots --bench strength -- --game alhambra --playouts 500 --groups 20
//! ```
//!
//! A group is one seed. The searching bot plays each seat in turn, and greedy bots play all other
//! seats. The output has the searching bot's share of first places, with a 95 % interval over
//! groups, and its processor time per decision. Tied seats divide a first place. Further options:
//! `--seats N`, `--first-seed N`.
//!
//! `--time-ms N` instead of `--playouts` limits the processor time of each decision. Other programs
//! do not reduce this time. `--threads N` plays N groups at once. `--results FILE` stores finished
//! groups, and a run with the same settings continues after them.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::{
    cell::Cell,
    collections::BTreeMap,
    env,
    fs::{self, OpenOptions},
    io::Write as _,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use bridgemaster_bots::{
    greedy,
    search::{self, Budget, Searchable},
};
use bridgemaster_games::{
    ChanceStream, NoEvents, Outcome, Seat, SeatCount, Seed, Viewer, resolve_chance, with_game,
};

/// Streams of a match's seed, for the bots and for chance after the setup. The rules use only lower
/// stream numbers.
const GREEDY_STREAM: u64 = 1 << 32;
const SEARCH_STREAM: u64 = GREEDY_STREAM + 1;
const CHANCE_STREAM: u64 = GREEDY_STREAM + 2;
/// The number of checks per reading of the processor time, since a reading takes as long as a short
/// playout.
const CHECKS_PER_READING: u32 = 8;

/// The search effort per decision.
#[derive(Clone, Copy)]
enum Effort {
    Playouts(u32),
    /// The processor time for one decision.
    Time(Duration),
}

/// The settings from the command line.
struct Settings {
    game: String,
    seats: u8,
    effort: Effort,
    groups: u64,
    first_seed: u64,
    threads: usize,
    results: Option<PathBuf>,
}

impl Settings {
    fn read() -> Self {
        let arguments: Vec<String> = env::args().collect();
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name);
            at.and_then(|at| arguments.get(at + 1))
        };
        let given = |name: &str| value(name).map(|text| text.parse::<u64>().expect("a number"));
        let playouts = given("--playouts").unwrap_or(20);
        let time = given("--time-ms").map(Duration::from_millis);
        Self {
            game: value("--game").cloned().unwrap_or_else(|| "alhambra".to_owned()),
            seats: given("--seats").unwrap_or(2) as u8,
            effort: time.map_or(Effort::Playouts(playouts as u32), Effort::Time),
            groups: given("--groups").unwrap_or(2),
            first_seed: given("--first-seed").unwrap_or(1),
            threads: given("--threads").unwrap_or(1) as usize,
            results: value("--results").map(PathBuf::from),
        }
    }

    /// The settings that results in one file must share.
    fn describe(&self) -> String {
        let Self { game, seats, .. } = self;
        let effort = match self.effort {
            Effort::Playouts(playouts) => format!("playouts {playouts}"),
            Effort::Time(time) => format!("time {} ms", time.as_millis()),
        };
        format!("{game} seats {seats} {effort}")
    }

    fn budget(&self) -> Budget {
        match self.effort {
            Effort::Playouts(playouts) => Budget::for_playouts(playouts),
            Effort::Time(time) => {
                CHECKS.set(0);
                Budget::for_time(time, sampled_cpu_time)
            }
        }
    }
}

/// A group's result.
#[derive(Clone, Copy, Default)]
struct Group {
    /// The searching bot's share of first places.
    first: f64,
    /// The number of searched decisions.
    decisions: u32,
    longest: Duration,
    all: Duration,
}

impl Group {
    fn to_line(self, seed: u64) -> String {
        let [longest, all] = [self.longest, self.all].map(|time| time.as_nanos());
        format!("{seed},{},{},{longest},{all}\n", self.first, self.decisions)
    }

    /// Parses a line. Returns `None` for an incomplete line, which a killed run can leave behind.
    fn from_line(line: &str) -> Option<(u64, Self)> {
        let fields: Vec<&str> = line.split(',').collect();
        let [seed, first, decisions, longest, all] = fields[..] else {
            return None;
        };
        let time = |text: &str| text.parse().map(Duration::from_nanos).ok();
        let group = Self {
            first: first.parse().ok()?,
            decisions: decisions.parse().ok()?,
            longest: time(longest)?,
            all: time(all)?,
        };
        Some((seed.parse().ok()?, group))
    }
}

/// The finished groups, and the file that stores them.
struct Results {
    groups: BTreeMap<u64, Group>,
    file: Option<fs::File>,
}

impl Results {
    /// Reads the results of an earlier run.
    fn open(settings: &Settings) -> Self {
        let mut groups = BTreeMap::new();
        let file = settings.results.as_ref().map(|path| {
            let head = settings.describe();
            let text = fs::read_to_string(path).unwrap_or_default();
            let mut lines = text.lines();
            let is_new = lines.next().map(|first| assert_eq!(first, head)).is_none();
            groups.extend(lines.filter_map(Group::from_line));
            let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            if is_new {
                writeln!(file, "{head}").unwrap();
            } else if !text.ends_with('\n') {
                writeln!(file).unwrap();
            }
            file
        });
        groups.retain(|seed, _| (settings.first_seed..settings.end()).contains(seed));
        Self { groups, file }
    }

    fn record(&mut self, settings: &Settings, seed: u64, group: Group) {
        if let Some(file) = &mut self.file {
            file.write_all(group.to_line(seed).as_bytes()).unwrap();
        }
        self.groups.insert(seed, group);
        self.print(settings);
    }

    fn print(&self, settings: &Settings) {
        let count = self.groups.len() as f64;
        let shares = || self.groups.values().map(|group| group.first);
        let mean = shares().sum::<f64>() / count;
        let squares: f64 = shares().map(|share| (share - mean).powi(2)).sum();
        let reach = 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt();
        let groups = || self.groups.values();
        let decisions: u32 = groups().map(|group| group.decisions).sum();
        let all: Duration = groups().map(|group| group.all).sum();
        let longest = groups().map(|group| group.longest).max();
        println!(
            "{} groups {}: first {:.1} % [{:.1}, {:.1}], {:.1} ms a decision, longest {:.0} ms",
            settings.describe(),
            self.groups.len(),
            mean * 100.0,
            (mean - reach) * 100.0,
            (mean + reach) * 100.0,
            all.as_secs_f64() * 1000.0 / f64::from(decisions.max(1)),
            longest.unwrap_or_default().as_secs_f64() * 1000.0,
        );
    }
}

impl Settings {
    fn end(&self) -> u64 {
        self.first_seed + self.groups
    }
}

thread_local! {
    /// The number of checks since the last reading.
    static CHECKS: Cell<u32> = const { Cell::new(0) };
    static LAST_READING: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Returns this thread's processor time.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// Returns the processor time. It is read only once in [`CHECKS_PER_READING`] calls.
fn sampled_cpu_time() -> Duration {
    if CHECKS.get().is_multiple_of(CHECKS_PER_READING) {
        LAST_READING.set(cpu_time());
    }
    CHECKS.set(CHECKS.get().wrapping_add(1));
    LAST_READING.get()
}

/// Plays one match with the searching bot among greedy bots.
fn play<G: Searchable>(
    settings: &Settings,
    seed: &Seed,
    searching: Seat,
    group: &mut Group,
) -> Outcome {
    let config = G::Config::default();
    let seats = SeatCount::new(settings.seats).unwrap();
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let mut greedy = ChanceStream::new(seed, GREEDY_STREAM);
    let mut search = ChanceStream::new(seed, SEARCH_STREAM);
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            return G::outcome(&state).unwrap();
        };
        G::legal(&state, seat, &mut legal);
        let seen = G::observe(&state, Viewer::Seat(seat));
        let place = if legal.len() == 1 {
            0
        } else if seat == searching {
            let started = cpu_time();
            let budget = settings.budget();
            let place = search::best_decision::<G>(
                &config,
                seats,
                seat,
                &seen,
                &legal,
                &mut search,
                budget,
            );
            let took = cpu_time().saturating_sub(started);
            group.decisions += 1;
            group.all += took;
            group.longest = group.longest.max(took);
            place.unwrap()
        } else {
            greedy::best_decision::<G>(&config, &seen, seat, &legal, &mut greedy).unwrap()
        };
        G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
    }
}

/// Returns the searching bot's share of first place.
fn first_place(outcome: &Outcome, searching: Seat) -> f64 {
    let firsts = outcome.seats.iter().filter(|seat| seat.place == 1).count();
    match outcome.seats[searching.index()].place {
        1 => 1.0 / firsts as f64,
        _ => 0.0,
    }
}

fn play_group<G: Searchable>(settings: &Settings, number: u64) -> Group {
    let seats = SeatCount::new(settings.seats).unwrap();
    let seed = Seed::from(number);
    let mut group = Group::default();
    for searching in seats.seats() {
        let outcome = play::<G>(settings, &seed, searching, &mut group);
        group.first += first_place(&outcome, searching) / f64::from(settings.seats);
    }
    group
}

fn measure<G: Searchable>(settings: &Settings) {
    let results = Results::open(settings);
    if !results.groups.is_empty() {
        results.print(settings);
    }
    let done: Vec<u64> = results.groups.keys().copied().collect();
    let (results, next) = (Mutex::new(results), AtomicU64::new(settings.first_seed));
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= settings.end() {
                        return;
                    }
                    if done.binary_search(&seed).is_err() {
                        let group = play_group::<G>(settings, seed);
                        results.lock().unwrap().record(settings, seed, group);
                    }
                }
            });
        }
    });
}

fn main() {
    let settings = Settings::read();
    with_game!(settings.game.as_str(), G => measure::<G>(&settings))
        .expect("a game of the catalogue");
}
