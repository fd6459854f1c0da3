//! What a match says of bots: who ended where.

/// Most bots that may tie in one place: the orders of them are summed up by subsets.
const MOST_TIED: usize = 12;

/// The result of one match: who ended where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    places: Vec<(usize, u32)>,
    cluster: u64,
}

impl Ranking {
    /// Each bot by its number with its place, 1 being the best; equal places are ties. Matches of
    /// one `cluster` share their luck: those of one group of a contest. A match of its own luck
    /// has a cluster of its own.
    #[must_use]
    pub fn new(places: Vec<(usize, u32)>, cluster: u64) -> Self {
        Self { places, cluster }
    }

    /// Its places with their bots, sorted.
    pub(crate) fn order(&self, order: &mut Vec<(u32, usize)>) {
        order.clear();
        order.extend(self.places.iter().map(|(bot, place)| (*place, *bot)));
        order.sort_unstable();
    }

    pub(crate) fn cluster(&self) -> u64 {
        self.cluster
    }

    /// What makes no sense about it; `seen` says of each bot the last result that was checked and
    /// has it, which is not yet this one.
    pub(crate) fn problem(
        &self,
        number: usize,
        seen: &mut [Option<usize>],
    ) -> Option<&'static str> {
        if self.places.len() < 2 {
            return Some("has fewer than two bots");
        }
        for (bot, _) in &self.places {
            match seen.get_mut(*bot) {
                None => return Some("names a bot that is not rated"),
                Some(last) if *last == Some(number) => return Some("names a bot twice"),
                Some(last) => *last = Some(number),
            }
        }
        if self.places.len() > MOST_TIED {
            let mut order = Vec::new();
            self.order(&mut order);
            let mut places = order.chunk_by(|one, other| one.0 == other.0);
            if places.any(|tied| tied.len() > MOST_TIED) {
                return Some("has more than 12 bots in one place");
            }
        }
        None
    }
}
