//! How strong `search` is against `greedy`, without a server: rules only.
//!
//! `cargo bench -p bridgemaster-bots --bench strength -- --game alhambra --playouts 500 --groups 20`
//!
//! A group is one seed, with the searching bot on each seat in turn among greedy ones. Prints its
//! share of first places (ties half, or less where more tie) with a 95 % interval over groups, and
//! the processor time that a searched decision took. `--seats N`, `--first-seed N`.
//!
//! `--time-ms N` instead of `--playouts` gives each decision so much time of a processor, by the
//! system's count, so that other programs beside it take nothing from it. `--threads N` plays as
//! many groups at once. With `--results FILE` groups that are finished are kept there, and a run
//! with the same settings goes on after them.

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
    search::{self, Budget, Think},
};
use bridgemaster_games::{
    ChanceStream, NoEvents, Outcome, Seat, SeatCount, Seed, Viewer, settle, with_game,
};

/// Streams of a match's seed for the bots and for chance after the setup; the rules' own are below.
const GREEDY_STREAM: u64 = 1 << 32;
const SEARCH_STREAM: u64 = GREEDY_STREAM + 1;
const CHANCE_STREAM: u64 = GREEDY_STREAM + 2;
/// The system is asked for the time once in so many playouts: it takes as long as a short one.
const LOOKS_A_READING: u32 = 8;

/// What a decision may take.
#[derive(Clone, Copy)]
enum Effort {
    Playouts(u32),
    /// Of a processor.
    Time(Duration),
}

/// What is asked on the command line.
struct Asked {
    game: String,
    seats: u8,
    effort: Effort,
    groups: u64,
    first_seed: u64,
    threads: usize,
    results: Option<PathBuf>,
}

impl Asked {
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
            game: value("--game")
                .cloned()
                .unwrap_or_else(|| "alhambra".to_owned()),
            seats: given("--seats").unwrap_or(2) as u8,
            effort: time.map_or(Effort::Playouts(playouts as u32), Effort::Time),
            groups: given("--groups").unwrap_or(2),
            first_seed: given("--first-seed").unwrap_or(1),
            threads: given("--threads").unwrap_or(1) as usize,
            results: value("--results").map(PathBuf::from),
        }
    }

    /// What results must have in common.
    fn settings(&self) -> String {
        let Self { game, seats, .. } = self;
        let effort = match self.effort {
            Effort::Playouts(playouts) => format!("playouts {playouts}"),
            Effort::Time(time) => format!("time {} ms", time.as_millis()),
        };
        format!("{game} seats {seats} {effort}")
    }

    fn budget(&self) -> Budget {
        match self.effort {
            Effort::Playouts(playouts) => Budget::of_playouts(playouts),
            Effort::Time(time) => {
                LOOKS.set(0);
                Budget::of_time(time, seldom_on_processor)
            }
        }
    }
}

/// What came of a group.
#[derive(Clone, Copy, Default)]
struct Group {
    /// The searching bot's share of first places.
    first: f64,
    /// Searched decisions.
    decisions: u32,
    longest: Duration,
    all: Duration,
}

impl Group {
    fn to_line(self, seed: u64) -> String {
        let [longest, all] = [self.longest, self.all].map(|time| time.as_nanos());
        format!("{seed},{},{},{longest},{all}\n", self.first, self.decisions)
    }

    /// `None` of a line that a killed run broke off.
    fn of_line(line: &str) -> Option<(u64, Self)> {
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

/// The groups that are finished, and where they are kept.
struct Kept {
    groups: BTreeMap<u64, Group>,
    file: Option<fs::File>,
}

impl Kept {
    /// What an earlier run left.
    fn open(asked: &Asked) -> Self {
        let mut groups = BTreeMap::new();
        let file = asked.results.as_ref().map(|path| {
            let head = asked.settings();
            let text = fs::read_to_string(path).unwrap_or_default();
            let mut lines = text.lines();
            let is_new = lines.next().map(|first| assert_eq!(first, head)).is_none();
            groups.extend(lines.filter_map(Group::of_line));
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .unwrap();
            if is_new {
                writeln!(file, "{head}").unwrap();
            } else if !text.ends_with('\n') {
                writeln!(file).unwrap();
            }
            file
        });
        groups.retain(|seed, _| (asked.first_seed..asked.end()).contains(seed));
        Self { groups, file }
    }

    fn keep(&mut self, asked: &Asked, seed: u64, group: Group) {
        if let Some(file) = &mut self.file {
            file.write_all(group.to_line(seed).as_bytes()).unwrap();
        }
        self.groups.insert(seed, group);
        self.tell(asked);
    }

    fn tell(&self, asked: &Asked) {
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
            asked.settings(),
            self.groups.len(),
            mean * 100.0,
            (mean - reach) * 100.0,
            (mean + reach) * 100.0,
            all.as_secs_f64() * 1000.0 / f64::from(decisions.max(1)),
            longest.unwrap_or_default().as_secs_f64() * 1000.0,
        );
    }
}

impl Asked {
    fn end(&self) -> u64 {
        self.first_seed + self.groups
    }
}

thread_local! {
    /// Looks at the clock since it was read.
    static LOOKS: Cell<u32> = const { Cell::new(0) };
    static READ: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The time that this thread was on a processor.
fn on_processor() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The same as it was read of late.
fn seldom_on_processor() -> Duration {
    if LOOKS.get().is_multiple_of(LOOKS_A_READING) {
        READ.set(on_processor());
    }
    LOOKS.set(LOOKS.get().wrapping_add(1));
    READ.get()
}

/// Plays one match in which the searching bot sits among greedy ones.
fn play<G: Think>(asked: &Asked, seed: &Seed, searching: Seat, group: &mut Group) -> Outcome {
    let config = G::Config::default();
    let seats = SeatCount::new(asked.seats).unwrap();
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let mut greedy = ChanceStream::new(seed, GREEDY_STREAM);
    let mut search = ChanceStream::new(seed, SEARCH_STREAM);
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        settle::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::owing(&state).iter().next() else {
            return G::outcome(&state).unwrap();
        };
        G::legal(&state, seat, &mut legal);
        let seen = G::observe(&state, Viewer::Seat(seat));
        let place = if legal.len() == 1 {
            0
        } else if seat == searching {
            let began = on_processor();
            let budget = asked.budget();
            let place = search::best_decision::<G>(
                &config,
                seats,
                seat,
                &seen,
                &legal,
                &mut search,
                budget,
            );
            let took = on_processor().saturating_sub(began);
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

/// The searching bot's share of the first place.
fn first_place(outcome: &Outcome, searching: Seat) -> f64 {
    let firsts = outcome.seats.iter().filter(|seat| seat.place == 1).count();
    match outcome.seats[searching.index()].place {
        1 => 1.0 / firsts as f64,
        _ => 0.0,
    }
}

fn play_group<G: Think>(asked: &Asked, number: u64) -> Group {
    let seats = SeatCount::new(asked.seats).unwrap();
    let seed = Seed::from(number);
    let mut group = Group::default();
    for searching in seats.seats() {
        let outcome = play::<G>(asked, &seed, searching, &mut group);
        group.first += first_place(&outcome, searching) / f64::from(asked.seats);
    }
    group
}

fn measure<G: Think>(asked: &Asked) {
    let kept = Kept::open(asked);
    if !kept.groups.is_empty() {
        kept.tell(asked);
    }
    let done: Vec<u64> = kept.groups.keys().copied().collect();
    let (kept, next) = (Mutex::new(kept), AtomicU64::new(asked.first_seed));
    thread::scope(|scope| {
        for _ in 0..asked.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= asked.end() {
                        return;
                    }
                    if done.binary_search(&seed).is_err() {
                        let group = play_group::<G>(asked, seed);
                        kept.lock().unwrap().keep(asked, seed, group);
                    }
                }
            });
        }
    });
}

fn main() {
    let asked = Asked::read();
    with_game!(asked.game.as_str(), G => measure::<G>(&asked)).expect("a game of the catalogue");
}
