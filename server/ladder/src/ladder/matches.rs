//! A match's life cycle: pairing, end, and repetition.

use std::collections::BTreeMap;

use super::{Ladder, LadderEntry, OpenMatch};
use crate::{
    End, Pairing, Purpose, Span, State,
    bots::BotNumber,
    failure_record::{BENCH_AFTER_FAILURES, FailureRecord, FinishedMatch, failed, validates},
};

/// The maximum number of annulled matches that wait to be repeated. If there are more, the oldest
/// match is dropped. Otherwise, matches whose bots never return would accumulate.
pub(super) const MAX_TO_REPEAT: usize = 1_000;

/// The number of cancelled repetitions after which an annulled match is no longer repeated.
const MAX_CANCELLED: u32 = 3;

impl Ladder {
    /// Sets the minimum number of the next match, to skip matches that are missing in the store.
    pub fn skip_to(&mut self, number: u64) {
        self.counts.paired = self.counts.paired.max(number);
    }

    /// Applies a pairing, and returns the match's number, which is the number of matches paired
    /// before it.
    pub fn record_pairing(&mut self, pairing: &Pairing) -> u64 {
        let number = self.counts.paired;
        self.counts.paired += 1;
        let seats: Vec<BotNumber> = pairing.seats.iter().map(|bot| self.number(bot)).collect();
        let replaces = pairing.replaces;
        let replaced = replaces.and_then(|replaced| self.to_repeat.remove(&replaced));
        let mut table = seats.clone();
        table.sort_unstable();
        table.dedup();
        let is_rated = pairing.purpose == Purpose::Rated;
        self.rated += u64::from(is_rated);
        let in_round = self.is_of_round(number);
        for (seat, number) in seats.iter().enumerate() {
            let bot = &mut self.bots[number.index()];
            if is_rated {
                bot.last_table.clone_from(&table);
                bot.waits_since = self.rated;
                bot.closing_matches += u64::from(in_round);
                self.seat_counts.count(*number, seat);
            }
        }
        if is_rated {
            self.pairing_model.add_table(&table);
        }
        let purpose = pairing.purpose;
        let open = OpenMatch {
            purpose,
            seats,
            paired_ms: self.now_ms,
            replaces,
            cancelled: replaced.map_or(0, |replaced| replaced.cancelled),
        };
        self.open.insert(number, open);
        number
    }

    /// Returns the entries that change if an open match ends with this outcome. For each seat,
    /// `faults` describes the fault that made it fail. The text is empty or missing if the fault is
    /// unknown.
    pub fn entries_after(
        &self,
        number: u64,
        end: &End,
        span: Span,
        faults: &[String],
    ) -> Vec<LadderEntry> {
        let Some(open) = self.open.get(&number) else {
            return Vec::new();
        };
        if self.is_voided(number, end, &open.seats) {
            return Vec::new();
        }
        let judge = |(bot, seats): (BotNumber, Vec<usize>)| {
            let kept = &self.bots[bot.index()];
            let was = kept.entry.as_ref()?;
            let mut now = was.clone();
            let mut failure_record = kept.failure_record.clone();
            let finished = self.finished(bot, number, open.purpose, end, &seats, span);
            failure_record.record(&finished, self.all_totals);
            now.is_validated |= validates(open.purpose, end, &seats);
            let fault = fault_of(end, &seats, faults);
            if now.is_validated {
                now.failed_validation = None;
            } else if open.purpose == Purpose::Validation && fault.is_some() {
                now.failed_validation.clone_from(&fault);
            }
            let is_house = self.rules.house_bots.contains(&was.bot.name);
            // While an organiser excludes the version, its failures do not bench it: the bench
            // would outlast the exclusion.
            if now.benched.is_none() && !is_house && was.excluded.is_none() {
                let before = kept.failure_record.annulments.sums();
                let all = self.all_totals.replacing(failure_record.annulments.sums(), before);
                now.benched = match failure_record.annulments.suspicion(before, all) {
                    Some(suspicion) => Some(suspicion.to_string()),
                    None => benching_reason(&failure_record, fault.as_deref()),
                };
            }
            (now != *was).then_some(now)
        };
        seats_of(open).into_iter().filter_map(judge).collect()
    }

    /// Describes a finished match from one of its bots' point of view.
    fn finished<'a>(
        &self,
        bot: BotNumber,
        number: u64,
        purpose: Purpose,
        end: &'a End,
        seats: &'a [usize],
        span: Span,
    ) -> FinishedMatch<'a> {
        let entry = self.bots[bot.index()].entry.as_ref();
        let others = self.open.iter().filter(|(open, _)| **open != number);
        let mut own = others.filter(|(_, open)| open.seats.contains(&bot));
        FinishedMatch {
            number,
            purpose,
            end,
            seats,
            span,
            forgiven_before: entry.map_or(0, |was| was.forgiven_before),
            first_open: own.next().map(|(open, _)| *open),
        }
    }

    /// Applies the end of an open match. Ignores a match that is not open.
    pub fn record_end(&mut self, number: u64, end: &End, span: Span) {
        let Some(open) = self.open.remove(&number) else {
            return;
        };
        let end = if self.is_voided(number, end, &open.seats) { &End::Voided } else { end };
        for (bot, seats) in seats_of(&open) {
            let mut failure_record = std::mem::take(&mut self.bots[bot.index()].failure_record);
            let before = failure_record.annulments.sums();
            let finished = self.finished(bot, number, open.purpose, end, &seats, span);
            failure_record.record(&finished, self.all_totals);
            self.all_totals = self.all_totals.replacing(failure_record.annulments.sums(), before);
            let bot = &mut self.bots[bot.index()];
            bot.failure_record = failure_record;
            if open.purpose == Purpose::Rated {
                // The bot's waiting time starts at the end of its match.
                bot.waits_since = self.rated;
            }
        }
        match end {
            End::Played(seats) if open.purpose == Purpose::Rated => {
                let seats = open.seats.iter().copied().zip(seats.iter().copied());
                self.results.add_numbered(number, seats.collect());
            }
            End::Played(_) => {}
            End::Voided => {
                self.counts.annulled += 1;
                self.remove_from_round(number, &open);
            }
            End::Annulled(_) => {
                self.counts.annulled += 1;
                self.remove_from_round(number, &open);
                if open.purpose == Purpose::Rated {
                    let cancelled = 0;
                    self.repeat_later(number, OpenMatch { cancelled, ..open });
                }
            }
            End::Cancelled { .. } => {
                self.counts.cancelled += 1;
                self.remove_from_round(number, &open);
                let cancelled = open.cancelled + 1;
                // The repetition did not count, so the annulled match must be repeated again.
                if let Some(replaced) = open.replaces.filter(|_| cancelled < MAX_CANCELLED) {
                    self.repeat_later(replaced, OpenMatch { cancelled, ..open });
                }
            }
        }
    }

    /// Returns whether an organiser has annulled the match. A cancelled match has no result to
    /// annul.
    fn is_voided(&self, number: u64, end: &End, seats: &[BotNumber]) -> bool {
        if matches!(end, End::Cancelled { .. }) || !self.actions.has_annulments() {
            return false;
        }
        let seats: Vec<_> = seats.iter().map(|bot| self.numbers().get(*bot).clone()).collect();
        self.actions.annulment(number, &seats).is_some()
    }

    fn repeat_later(&mut self, number: u64, open: OpenMatch) {
        if self.state == State::Closed {
            return;
        }
        self.to_repeat.insert(number, open);
        if self.to_repeat.len() > MAX_TO_REPEAT {
            self.to_repeat.pop_first();
        }
    }

    /// Removes a match that does not count from the closing round's statistics.
    fn remove_from_round(&mut self, number: u64, open: &OpenMatch) {
        if open.purpose != Purpose::Rated || !self.is_of_round(number) {
            return;
        }
        for bot in &open.seats {
            let bot = &mut self.bots[bot.index()];
            bot.closing_matches = bot.closing_matches.saturating_sub(1);
        }
    }
}

/// Groups a match's seats by bot.
fn seats_of(open: &OpenMatch) -> BTreeMap<BotNumber, Vec<usize>> {
    let mut seats_of: BTreeMap<BotNumber, Vec<usize>> = BTreeMap::new();
    for (seat, bot) in open.seats.iter().enumerate() {
        seats_of.entry(*bot).or_default().push(seat);
    }
    seats_of
}

/// Returns the fault of the first seat that failed; `None` if no seat failed.
fn fault_of(end: &End, seats: &[usize], faults: &[String]) -> Option<String> {
    let mut seats = seats.iter();
    let seat = seats.find(|seat| failed(end, **seat) == Some(true))?;
    let description = faults.get(*seat).filter(|fault| !fault.is_empty());
    Some(description.map_or_else(|| "it forfeited or did not connect".to_owned(), String::clone))
}

fn benching_reason(failure_record: &FailureRecord, last: Option<&str>) -> Option<String> {
    let failures = failure_record.failures_in_a_row();
    let is_benched = failures >= BENCH_AFTER_FAILURES;
    let last = last.map_or_else(String::new, |last| format!("; the last: {last}"));
    is_benched.then(|| format!("it forfeited or did not connect {failures} times in a row{last}"))
}
