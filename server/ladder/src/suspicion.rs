//! Whether the annulled matches of a bot are more than chance. Lag can be made.
//!
//! Two things are held against a bot: that its matches are annulled far more often than those of
//! others, and that it was behind in them far more often than in those that counted.
//!
//! * A server that stalls annuls all matches in play at once. So what counts are **moments**: as few
//!   as could have spoiled all of a bot's annulled matches, each of which was in play at one of
//!   them. A bot that plays sixteen matches at once has no more of them than one that plays one.
//! * How many moments a bot should have follows from how much it played: of its matches, of its time
//!   in play, or of the time of all its matches together, what explains most.
//! * How often a bot should be behind in annulled matches follows from how often it is behind in all
//!   of its matches, or in how much of their time, whichever is more: a server that stalls spoils
//!   long matches more often than short ones, and a slow opponent may be a strong one. Matches of
//!   one moment may be against one opponent: so each moment counts once, with the share of its
//!   matches in which the bot was behind.
//! * It is looked at when a bot's matches have doubled, and not after each. What is left to chance
//!   is shared out among all looks that there will ever be.

use std::{collections::BTreeMap, fmt};

use statrs::distribution::{Binomial, DiscreteCDF as _};

use crate::Span;

/// Chance that a bot which makes no lag is ever suspected of one of the two things.
const BY_CHANCE: f64 = 0.000_5;

/// Matches of a bot at the first look.
const FIRST_LOOK_MATCHES: u64 = 16;

/// Matches of a bot that wait until those before them are over: more than it plays at once.
const MOST_WAITING: usize = 256;

/// Why a bot's annulled matches are suspected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspicion {
    /// It has more of them than others.
    MoreThanOthers {
        /// Moments that spoiled matches of its.
        moments: u64,
        /// Annulled matches of the others.
        of_others: u64,
    },
    /// It was behind in more of them than in those that counted.
    WhenBehind {
        /// Annulled matches in which it was behind.
        behind: u64,
        /// Its annulled matches.
        annulled: u64,
    },
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreThanOthers { moments, of_others } => write!(
                f,
                "its matches were annulled at {moments} moments, beside {of_others} annulled matches \
                 of all others: far more than its share"
            ),
            Self::WhenBehind { behind, annulled } => write!(
                f,
                "it was behind in {behind} of its {annulled} annulled matches, far more often \
                 than in those that counted"
            ),
        }
    }
}

/// Played and annulled matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spoiled {
    played: u64,
    annulled: u64,
    /// That spoiled the annulled ones, at least.
    moments: u64,
    /// Time with a match in play.
    in_play_ms: u64,
    /// Time of all matches together.
    matches_ms: u64,
}

impl Spoiled {
    fn matches(self) -> u64 {
        self.played + self.annulled
    }

    fn and(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            played: of(self.played, other.played),
            annulled: of(self.annulled, other.annulled),
            moments: of(self.moments, other.moments),
            in_play_ms: of(self.in_play_ms, other.in_play_ms),
            matches_ms: of(self.matches_ms, other.matches_ms),
        }
    }

    fn less(self, other: Self) -> Self {
        self.and(other, u64::saturating_sub)
    }

    /// The sum of all, in which `before` of one bot has become `now`.
    pub(crate) fn with(self, now: Self, before: Self) -> Self {
        self.less(before).and(now, u64::saturating_add)
    }

    /// Whether it has improbably many moments beside all bots together, itself included, at this
    /// level.
    fn more_than_others(self, all: Self, level: f64) -> Option<Suspicion> {
        let others = all.less(self);
        let of = |own: u64, others: u64| own as f64 / ((own + others) as f64).max(1.0);
        let shares = [
            of(self.matches(), others.matches()),
            of(self.in_play_ms, others.in_play_ms),
            of(self.matches_ms, others.matches_ms),
        ];
        let share = shares.into_iter().fold(0.0, f64::max);
        // Moments are the fewest that may have been. Those of the others were no more than their
        // annulled matches, so that what is left out of theirs is not held against this one.
        let chance = chance_of_share(self.moments, self.moments + others.annulled, share);
        (chance < level).then_some(Suspicion::MoreThanOthers {
            moments: self.moments,
            of_others: others.annulled,
        })
    }
}

/// How often a bot was behind.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    /// In its matches.
    matches: u64,
    /// Time of those.
    matches_ms: u64,
    /// In its annulled matches.
    annulled: u64,
    /// Of each moment but the last, the share of its matches in which it was behind, summed up.
    of_moments: f64,
    /// Matches of the last moment, and in how many it was behind.
    last: (u64, u64),
}

impl Behind {
    /// Another moment begins.
    fn close_moment(&mut self) {
        self.of_moments += self.of_last();
        self.last = (0, 0);
    }

    fn of_last(&self) -> f64 {
        let (matches, behind) = self.last;
        behind as f64 / (matches as f64).max(1.0)
    }

    /// Whether it was improbably often behind in its annulled matches, at this level.
    fn when_behind(&self, spoiled: Spoiled, level: f64) -> Option<Suspicion> {
        let of = |own: u64, all: u64| own as f64 / (all as f64).max(1.0);
        let usual = of(self.matches, spoiled.matches());
        let usual = usual.max(of(self.matches_ms, spoiled.matches_ms));
        let sum = self.of_moments + self.of_last();
        (chance_of_mean(sum, spoiled.moments, usual) < level).then_some(Suspicion::WhenBehind {
            behind: self.annulled,
            annulled: spoiled.annulled,
        })
    }
}

/// The chance of so many of so many, or more, each with this share.
fn chance_of_share(some: u64, of: u64, share: f64) -> f64 {
    let Some(fewer) = some.checked_sub(1) else {
        return 1.0;
    };
    Binomial::new(share, of).map_or(1.0, |chance| chance.sf(fewer))
}

/// A bound of the chance that so many independent values between 0 and 1, whose means are `usual`,
/// have this sum or a larger one (W. Hoeffding, "Probability Inequalities for Sums of Bounded Random
/// Variables", 1963, theorem 1).
fn chance_of_mean(sum: f64, of: u64, usual: f64) -> f64 {
    let mean = sum / (of as f64).max(1.0);
    if mean <= usual || usual <= 0.0 {
        return 1.0;
    }
    let part = |share: f64, usual: f64| match share > 0.0 {
        true => share * (share / usual).ln(),
        false => 0.0,
    };
    (-(of as f64) * (part(mean, usual) + part(1.0 - mean, 1.0 - usual))).exp()
}

/// A match of a bot that is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    pub(crate) span: Span,
    pub(crate) is_annulled: bool,
    pub(crate) is_behind: bool,
}

/// The course of a bot's played and annulled matches. They are taken in by their numbers, which is
/// the order in which they began, whatever order they end in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    sums: Spoiled,
    behind: Behind,
    /// Those that ended before others that began earlier.
    waiting: BTreeMap<u64, Over>,
    /// Until then the last moment may have been.
    moment_until_ms: u64,
    in_play_until_ms: u64,
    /// What all bots had when it began: they are compared over the same time.
    began_with: Option<Spoiled>,
}

impl Watched {
    pub(crate) fn sums(&self) -> Spoiled {
        self.sums
    }

    /// Takes in a match, and with it those that waited for it; `first_open` is the lowest number of
    /// the bot's matches in play, and `all` the sum of all bots before.
    pub(crate) fn note(&mut self, number: u64, over: Over, first_open: Option<u64>, all: Spoiled) {
        self.began_with.get_or_insert(all);
        self.waiting.insert(number, over);
        while let Some((number, over)) = self.waiting.pop_first() {
            if first_open.is_some_and(|open| open < number) && self.waiting.len() < MOST_WAITING {
                self.waiting.insert(number, over);
                return;
            }
            self.sum_up(over);
        }
    }

    fn sum_up(&mut self, over: Over) {
        let Over {
            span: Span { began_ms, over_ms },
            is_annulled,
            is_behind,
        } = over;
        let sums = &mut self.sums;
        let over_ms = over_ms.max(began_ms);
        sums.matches_ms += over_ms - began_ms;
        sums.in_play_ms += over_ms.saturating_sub(began_ms.max(self.in_play_until_ms));
        self.in_play_until_ms = self.in_play_until_ms.max(over_ms);
        let behind = &mut self.behind;
        behind.matches += u64::from(is_behind);
        behind.matches_ms += u64::from(is_behind) * (over_ms - began_ms);
        if !is_annulled {
            sums.played += 1;
            return;
        }
        sums.annulled += 1;
        behind.annulled += u64::from(is_behind);
        if sums.moments == 0 || began_ms >= self.moment_until_ms {
            sums.moments += 1;
            self.moment_until_ms = over_ms;
            behind.close_moment();
        } else {
            self.moment_until_ms = self.moment_until_ms.min(over_ms);
        }
        behind.last.0 += 1;
        behind.last.1 += u64::from(is_behind);
    }

    /// What is suspicious of it, if its matches have come to a look since there were so many;
    /// `all` is the sum of all bots, itself included.
    pub(crate) fn suspicion(&self, before: Spoiled, all: Spoiled) -> Option<Suspicion> {
        let look = look_of(self.sums.matches())?;
        if look_of(before.matches()) == Some(look) {
            return None;
        }
        // 1/2 + 1/6 + 1/12 + ... = 1.
        let level = BY_CHANCE / ((look + 1) * (look + 2)) as f64;
        let since = all.less(self.began_with.unwrap_or_default());
        let more = self.sums.more_than_others(since, level);
        more.or_else(|| self.behind.when_behind(self.sums, level))
    }
}

/// The number of the last look at a bot with so many matches; `None` before the first.
fn look_of(matches: u64) -> Option<u64> {
    let doubled = (matches / FIRST_LOOK_MATCHES).checked_ilog2()?;
    Some(doubled.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(began_ms: u64, over_ms: u64, is_annulled: bool) -> Over {
        Over {
            span: Span { began_ms, over_ms },
            is_annulled,
            is_behind: false,
        }
    }

    fn noted(matches: &[(u64, Over)], open: &[u64]) -> Spoiled {
        let mut watched = Watched::default();
        for (place, (number, over)) in matches.iter().enumerate() {
            let later = matches[place + 1..].iter().map(|(number, _)| *number);
            let first_open = later.chain(open.iter().copied()).min();
            watched.note(*number, *over, first_open, Spoiled::default());
        }
        watched.sums()
    }

    #[test]
    fn matches_that_one_moment_may_have_spoiled_are_one_moment() {
        let together = [
            (0, over(0, 50, true)),
            (1, over(10, 60, true)),
            (2, over(40, 90, true)),
        ];
        let sums = noted(&together, &[]);
        assert_eq!((sums.annulled, sums.moments), (3, 1));
        assert_eq!((sums.in_play_ms, sums.matches_ms), (90, 150));
        // No moment is in the first and in the last of them.
        let chain = [
            (0, over(0, 20, true)),
            (1, over(10, 60, true)),
            (2, over(20, 90, true)),
        ];
        assert_eq!(noted(&chain, &[]).moments, 2);
        let apart = [
            (0, over(0, 10, true)),
            (1, over(30, 40, true)),
            (2, over(50, 60, false)),
        ];
        assert_eq!(noted(&apart, &[]).moments, 2);
    }

    #[test]
    fn matches_count_alike_in_whatever_order_they_end() {
        let mut matches = [
            (0, over(0, 90, true)),
            (1, over(10, 20, true)),
            (2, over(30, 60, true)),
            (3, over(30, 40, false)),
        ];
        let in_order = noted(&matches, &[]);
        matches.sort_by_key(|(_, over)| over.span.over_ms);
        assert_eq!(noted(&matches, &[]), in_order);
        let ended: Vec<_> = matches
            .into_iter()
            .filter(|(number, _)| *number != 2)
            .collect();
        assert_eq!(noted(&ended, &[2]).matches(), 2, "the one after it waits");
    }

    #[test]
    fn a_bot_is_suspected_of_more_moments_than_its_share_explains() {
        let of = |played, annulled| Spoiled {
            played,
            annulled,
            moments: annulled,
            in_play_ms: played + annulled,
            matches_ms: played + annulled,
        };
        let level = BY_CHANCE / 42.0;
        let all = of(10_000, 100);
        assert_eq!(of(495, 5).more_than_others(all, level), None, "as others");
        assert_eq!(of(0, 2).more_than_others(all, level), None, "too few");
        assert!(matches!(
            of(480, 24).more_than_others(all, level),
            Some(Suspicion::MoreThanOthers {
                moments: 24,
                of_others: 76
            })
        ));
        let one_moment = Spoiled {
            moments: 1,
            ..of(480, 24)
        };
        let told = one_moment.more_than_others(all, level);
        assert_eq!(told, None, "the server stalled once");
    }

    /// What is told of a bot with one match after the other, each so long, annulled and behind.
    fn told(matches: impl IntoIterator<Item = (u64, bool, bool)>) -> Option<Suspicion> {
        let mut watched = Watched::default();
        let mut now_ms = 0;
        for (number, (takes_ms, is_annulled, is_behind)) in (0..).zip(matches) {
            let span = Span {
                began_ms: now_ms,
                over_ms: now_ms + takes_ms,
            };
            let over = Over {
                span,
                is_annulled,
                is_behind,
            };
            watched.note(number, over, None, Spoiled::default());
            now_ms += takes_ms;
        }
        let Watched { behind, sums, .. } = watched;
        behind.when_behind(sums, BY_CHANCE / 42.0)
    }

    #[test]
    fn a_bot_is_suspected_of_being_behind_in_annulled_matches_far_more_often_than_in_others() {
        let lags = (0..154).map(|number| (10, number % 7 == 0, number % 2 == 0 || number % 7 == 0));
        assert!(matches!(
            told(lags),
            Some(Suspicion::WhenBehind {
                behind: 22,
                annulled: 22
            })
        ));
        let as_often = (0..154).map(|number| (10, number % 7 == 0, number % 2 == 0));
        assert_eq!(told(as_often), None);
    }

    #[test]
    fn a_bot_that_is_behind_in_long_matches_is_not_suspected_since_those_are_spoiled_more_often() {
        // One in ten is long, behind and annulled; of the short ones it is behind in two of three.
        let long = |number: u64| number.is_multiple_of(10);
        let matches = |long_ms: u64| {
            (0..400).map(move |number| match long(number) {
                true => (long_ms, true, true),
                false => (10, false, number % 3 > 0),
            })
        };
        assert_eq!(told(matches(500)), None);
        assert!(told(matches(10)).is_some(), "if they are not longer");
    }

    #[test]
    fn the_matches_of_one_moment_say_once_that_the_bot_was_behind() {
        let mut watched = Watched::default();
        let mut number = 0;
        for round in 0..10 {
            for seat in 0..16 {
                let over = Over {
                    span: Span {
                        began_ms: round * 100,
                        over_ms: round * 100 + 50,
                    },
                    is_annulled: round < 4,
                    // A moment is against one opponent.
                    is_behind: round < 4 || seat % 2 == 0,
                };
                watched.note(number, over, None, Spoiled::default());
                number += 1;
            }
        }
        let Watched { behind, sums, .. } = watched;
        assert_eq!((sums.annulled, behind.annulled, sums.moments), (64, 64, 4));
        assert_eq!(behind.when_behind(sums, BY_CHANCE), None);
    }

    #[test]
    fn the_looks_share_what_is_left_to_chance() {
        let looks: Vec<u64> = (1..=256).filter_map(look_of).collect();
        let different: std::collections::BTreeSet<u64> = looks.iter().copied().collect();
        assert_eq!(looks.len(), 241, "none before the first sixteen");
        assert_eq!(different.len(), 5, "16, 32, 64, 128 and 256 matches");
    }
}
