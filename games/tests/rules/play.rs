//! Matches continued from a state in notation, and samples of an observation.

use bridgemaster_games::{ChanceStream, Game, LegalList, Seat, SeatCount, Seed, Viewer};

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub(crate) fn seats(count: u8) -> SeatCount {
    SeatCount::new(count).unwrap()
}

/// A match in progress.
#[derive(Clone)]
pub(crate) struct Play<G: Game> {
    pub(crate) state: G::State,
    pub(crate) events: Vec<G::Event>,
}

impl<G: Game> Play<G> {
    /// Samples a state of an observation, and continues from it.
    pub(crate) fn sampled(config: &G::Config, view: &G::Observation) -> Self {
        let mut chance = ChanceStream::new(&Seed::from(1), 0);
        let state = G::sample_state(config, view, &mut chance).unwrap();
        Self { state, events: Vec::new() }
    }

    /// Applies decisions of a seat, in notation.
    pub(crate) fn decide(&mut self, number: u8, decisions: &[&str]) -> &mut Self {
        for text in decisions {
            let applied = self.try_decide(number, text);
            applied.unwrap_or_else(|refusal| panic!("seat {number}: {text}: {refusal}"));
        }
        self
    }

    pub(crate) fn try_decide(&mut self, number: u8, text: &str) -> Result<(), G::Illegal> {
        let Ok(decision) = text.parse() else { panic!("{text} is not a decision") };
        self.try_apply(number, &decision)
    }

    pub(crate) fn try_apply(
        &mut self,
        number: u8,
        decision: &G::Decision,
    ) -> Result<(), G::Illegal> {
        G::apply(&mut self.state, seat(number), decision, &mut self.events)
    }

    /// The error text of a refused decision.
    pub(crate) fn refusal(&mut self, number: u8, text: &str) -> String {
        self.try_decide(number, text).unwrap_err().to_string()
    }

    /// The legal decisions of a seat, in notation.
    pub(crate) fn legal(&self, number: u8) -> Vec<String> {
        let mut list = Vec::new();
        let listed = G::legal(&self.state, seat(number), &mut list);
        assert_eq!(listed, LegalList::Complete);
        list.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn view(&self) -> G::Observation {
        G::observe(&self.state, Viewer::Spectator)
    }
}

/// The error text for an observation that cannot be sampled.
pub(crate) fn sample_error<G: Game>(config: &G::Config, view: &G::Observation) -> String {
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    G::sample_state(config, view, &mut chance).map(|_| ()).unwrap_err().to_string()
}

/// The number of samples for a distribution.
const SAMPLES: u32 = 1400;

/// Samples `view` [`SAMPLES`] times, continues each state with decisions in notation, and counts
/// the revealed items by the index that `shown` assigns to them.
pub(crate) fn drawn<G: Game, const N: usize>(
    config: &G::Config,
    view: &G::Observation,
    decisions: &[(u8, &str)],
    shown: impl Fn(&G::Observation) -> usize,
) -> [u32; N] {
    let mut chance = ChanceStream::new(&Seed::from(9), 0);
    let mut counts = [0; N];
    for _ in 0..SAMPLES {
        let state = G::sample_state(config, view, &mut chance).unwrap();
        let mut play = Play::<G> { state, events: Vec::new() };
        for (number, text) in decisions {
            play.decide(*number, &[*text]);
        }
        counts[shown(&play.view())] += 1;
    }
    counts
}

/// Asserts that the counts of [`drawn`] fit their shares of the whole within 4 standard deviations.
pub(crate) fn assert_fit<const N: usize>(counts: [u32; N], shares: [u8; N]) {
    let whole: f64 = shares.iter().copied().map(f64::from).sum();
    let (draws, mut both) = (f64::from(SAMPLES), counts.iter().zip(shares));
    let fits = both.all(|(&count, share)| {
        let share = f64::from(share) / whole;
        let deviation = (draws * share * (1.0 - share)).sqrt();
        (f64::from(count) - draws * share).abs() <= 4.0 * deviation
    });
    assert!(fits, "{counts:?}");
}
