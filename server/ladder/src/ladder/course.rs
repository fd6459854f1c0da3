//! The course of a ladder's matches: paired, judged, ended, and played again.

use std::collections::BTreeMap;

use super::{Ladder, Open, Standing};
use crate::{
    End, Pairing, Purpose, Span, State,
    bots::BotNumber,
    conduct::{BENCH_AFTER_FAILURES, Conduct, Noted, failed, validates},
};

/// Annulled matches that wait to be played again. Those of bots that never come back stay: the
/// oldest of more goes.
pub(super) const MOST_AGAIN: usize = 1_000;

/// How often an annulled match is to be played again, if each time it is cancelled.
const MOST_CANCELLED: u32 = 3;

impl Ladder {
    /// The matches up to this number that are not known are lost.
    pub fn skip_to(&mut self, number: u64) {
        self.counts.paired = self.counts.paired.max(number);
    }

    /// Takes in a match that is paired; its number is that of the matches paired before.
    pub fn paired(&mut self, pairing: &Pairing) -> u64 {
        let number = self.counts.paired;
        self.counts.paired += 1;
        let seats: Vec<BotNumber> = pairing.seats.iter().map(|bot| self.number(bot)).collect();
        let replaces = pairing.replaces;
        let replaced = replaces.and_then(|replaced| self.again.remove(&replaced));
        let mut table = seats.clone();
        table.sort_unstable();
        table.dedup();
        let is_rated = pairing.purpose == Purpose::Rated;
        self.rated += u64::from(is_rated);
        let in_round = self.is_of_round(number);
        for (seat, number) in seats.iter().enumerate() {
            let bot = &mut self.bots[number.place()];
            if is_rated {
                bot.last_table.clone_from(&table);
                bot.waits_since = self.rated;
                bot.closing_matches += u64::from(in_round);
                self.seat_counts.count(*number, seat);
            }
        }
        if is_rated {
            self.knowledge.expect(&table);
        }
        let purpose = pairing.purpose;
        let open = Open {
            purpose,
            seats,
            paired_ms: self.now_ms,
            replaces,
            cancelled: replaced.map_or(0, |replaced| replaced.cancelled),
        };
        self.open.insert(number, open);
        number
    }

    /// What is to be kept of the versions whose standing changes when an open match ends so. Of
    /// each seat it is told, for people, by which fault it failed; an empty text, or none, says that
    /// this is not known.
    #[must_use]
    pub fn judged(&self, number: u64, end: &End, span: Span, faults: &[String]) -> Vec<Standing> {
        let Some(open) = self.open.get(&number) else {
            return Vec::new();
        };
        let judge = |(bot, seats): (BotNumber, Vec<usize>)| {
            let kept = &self.bots[bot.place()];
            let was = kept.standing.as_ref()?;
            let mut now = was.clone();
            let mut conduct = kept.conduct.clone();
            let noted = self.noted(bot, number, open.purpose, end, &seats, span);
            conduct.note(&noted, self.all_spoiled);
            now.is_validated |= validates(open.purpose, end, &seats);
            let fault = fault_of(end, &seats, faults);
            if now.is_validated {
                now.failed_validation = None;
            } else if open.purpose == Purpose::Validation && fault.is_some() {
                now.failed_validation.clone_from(&fault);
            }
            let is_house = self.rules.house_bots.contains(&was.bot.name);
            if now.benched.is_none() && !is_house {
                let before = kept.conduct.watched.sums();
                let all = self.all_spoiled.with(conduct.watched.sums(), before);
                now.benched = match conduct.watched.suspicion(before, all) {
                    Some(suspicion) => Some(suspicion.to_string()),
                    None => why_benched(&conduct, fault.as_deref()),
                };
            }
            (now != *was).then_some(now)
        };
        seats_of(open).into_iter().filter_map(judge).collect()
    }

    /// A match that is over, for one of its bots.
    fn noted<'a>(
        &self,
        bot: BotNumber,
        number: u64,
        purpose: Purpose,
        end: &'a End,
        seats: &'a [usize],
        span: Span,
    ) -> Noted<'a> {
        let standing = self.bots[bot.place()].standing.as_ref();
        let others = self.open.iter().filter(|(open, _)| **open != number);
        let mut own = others.filter(|(_, open)| open.seats.contains(&bot));
        Noted {
            number,
            purpose,
            end,
            seats,
            span,
            forgiven_before: standing.map_or(0, |was| was.forgiven_before),
            first_open: own.next().map(|(open, _)| *open),
        }
    }

    /// Takes in what came of an open match; one that is not open is passed over.
    pub fn ended(&mut self, number: u64, end: &End, span: Span) {
        let Some(open) = self.open.remove(&number) else {
            return;
        };
        for (bot, seats) in seats_of(&open) {
            let mut conduct = std::mem::take(&mut self.bots[bot.place()].conduct);
            let before = conduct.watched.sums();
            let noted = self.noted(bot, number, open.purpose, end, &seats, span);
            conduct.note(&noted, self.all_spoiled);
            self.all_spoiled = self.all_spoiled.with(conduct.watched.sums(), before);
            let bot = &mut self.bots[bot.place()];
            bot.conduct = conduct;
            if open.purpose == Purpose::Rated {
                // It waits from now on.
                bot.waits_since = self.rated;
            }
        }
        match end {
            End::Played(seats) if open.purpose == Purpose::Rated => {
                let seats = open.seats.iter().copied().zip(seats.iter().copied());
                self.results.add_numbered(number, seats.collect());
            }
            End::Played(_) => {}
            End::Annulled(_) => {
                self.counts.annulled += 1;
                self.take_out_of_round(number, &open);
                if open.purpose == Purpose::Rated {
                    let cancelled = 0;
                    self.play_again(number, Open { cancelled, ..open });
                }
            }
            End::Cancelled { .. } => {
                self.counts.cancelled += 1;
                self.take_out_of_round(number, &open);
                let cancelled = open.cancelled + 1;
                // It still is to be played, instead of the one that was annulled.
                if let Some(replaced) = open.replaces.filter(|_| cancelled < MOST_CANCELLED) {
                    self.play_again(replaced, Open { cancelled, ..open });
                }
            }
        }
    }

    fn play_again(&mut self, number: u64, open: Open) {
        if self.state == State::Closed {
            return;
        }
        self.again.insert(number, open);
        if self.again.len() > MOST_AGAIN {
            self.again.pop_first();
        }
    }

    /// A match that does not count is none of the closing round.
    fn take_out_of_round(&mut self, number: u64, open: &Open) {
        if open.purpose != Purpose::Rated || !self.is_of_round(number) {
            return;
        }
        for bot in &open.seats {
            let bot = &mut self.bots[bot.place()];
            bot.closing_matches = bot.closing_matches.saturating_sub(1);
        }
    }
}

/// The seats of each bot of a match.
fn seats_of(open: &Open) -> BTreeMap<BotNumber, Vec<usize>> {
    let mut seats_of: BTreeMap<BotNumber, Vec<usize>> = BTreeMap::new();
    for (seat, bot) in open.seats.iter().enumerate() {
        seats_of.entry(*bot).or_default().push(seat);
    }
    seats_of
}

/// What is told of the first of these seats that failed; `None` if none did.
fn fault_of(end: &End, seats: &[usize], faults: &[String]) -> Option<String> {
    let mut seats = seats.iter();
    let seat = seats.find(|seat| failed(end, **seat) == Some(true))?;
    let told = faults.get(*seat).filter(|fault| !fault.is_empty());
    Some(told.map_or_else(|| "it forfeited or did not come".to_owned(), String::clone))
}

fn why_benched(conduct: &Conduct, last: Option<&str>) -> Option<String> {
    let failures = conduct.failures_in_a_row();
    let is_benched = failures >= BENCH_AFTER_FAILURES;
    let last = last.map_or_else(String::new, |last| format!("; the last: {last}"));
    is_benched.then(|| {
        format!("it forfeited or did not come to its seat {failures} times in a row{last}")
    })
}
