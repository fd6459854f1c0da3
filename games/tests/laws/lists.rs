//! Legal lists and the notation of decisions.

use std::collections::HashSet;

use bridgemaster_games::{ChanceStream, Game, LegalList, NoEvents};

use crate::random_match::{RandomMatch, legal, play, some};

/// Decisions of one list that are tried.
const MOST_APPLIED: usize = 128;

pub(crate) fn listed_decisions_are_distinct_within_the_cap_and_apply<G: Game>(
    random: &RandomMatch,
) {
    play::<G>(random, |step, chance| {
        let state = step.state;
        let owing = G::owing(state);
        for seat in random.seats() {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            assert_eq!(list.is_empty(), !owing.contains(seat), "seat {seat}");
            match listed {
                LegalList::Complete => assert!(list.len() <= G::LEGAL_CAP),
                LegalList::Cut => assert_eq!(list.len(), G::LEGAL_CAP),
            }
            let distinct: HashSet<String> = list.iter().map(ToString::to_string).collect();
            assert_eq!(distinct.len(), list.len(), "{list:?}");
            for decision in some(&list, MOST_APPLIED, chance) {
                let after = G::apply(&mut state.clone(), seat, decision, &mut NoEvents);
                assert_eq!(after, Ok(()), "{decision}");
            }
        }
    });
}

pub(crate) fn unlisted_decisions_are_refused_and_change_nothing<G: Game>(random: &RandomMatch) {
    let mut texts = Texts::default();
    play::<G>(random, |step, chance| {
        let state = step.state;
        for seat in random.seats() {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            texts.see(&list, chance);
            for _ in 0..12 {
                let Ok(decision) = texts.altered(chance).parse::<G::Decision>() else {
                    continue;
                };
                let mut after = state.clone();
                let mut events = Vec::new();
                let applied = G::apply(&mut after, seat, &decision, &mut events);
                // Only beyond a list that was cut is an unlisted decision legal.
                let is_listed = list.contains(&decision);
                let may_be_legal = is_listed || listed == LegalList::Cut;
                assert!(!is_listed || applied.is_ok(), "{decision}: {applied:?}");
                assert!(may_be_legal || applied.is_err(), "{decision} is not listed");
                if let Err(refusal) = applied {
                    assert!(events.is_empty());
                    let text = refusal.to_string();
                    assert!(text.contains(": "), "{text} names no field");
                    assert_eq!(G::digest(&after), G::digest(state));
                    assert_eq!(legal::<G>(&after, seat), list);
                    for viewer in random.viewers() {
                        assert_eq!(G::observe(&after, viewer), G::observe(state, viewer));
                    }
                }
            }
        }
    });
}

/// Decisions of one position whose notation is tried.
const MOST_WRITTEN: usize = 24;

pub(crate) fn one_text_is_one_decision<G: Game>(random: &RandomMatch) {
    let mut texts = Texts::default();
    play::<G>(random, |step, chance| {
        for seat in random.seats() {
            let list = legal::<G>(step.state, seat);
            texts.see(&list, chance);
            for decision in some(&list, MOST_WRITTEN, chance) {
                let text = decision.to_string();
                let parsed = text.parse::<G::Decision>();
                assert_eq!(parsed.ok().as_ref(), Some(decision), "{text:?}");
                rewritten(&text).for_each(|text| is_exact::<G>(&text));
            }
        }
        is_exact::<G>(&texts.altered(chance));
    });
}

/// A text that is read as a decision is the text of this decision.
fn is_exact<G: Game>(text: &str) {
    if let Ok(decision) = text.parse::<G::Decision>() {
        assert_eq!(decision.to_string(), text, "two texts are one decision");
    }
}

/// Other ways to write the same: numbers with a sign or a leading zero, blanks, capitals.
fn rewritten(text: &str) -> impl Iterator<Item = String> {
    let is_number_at = |at: usize| {
        let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        digit(at) && (at == 0 || !digit(at - 1))
    };
    let numbers = (0..text.len()).filter(move |&at| is_number_at(at));
    let numbers = numbers.flat_map(move |at| {
        ["0", "+", "00"].map(|sign| format!("{}{sign}{}", &text[..at], &text[at..]))
    });
    numbers.chain([
        format!("{text} "),
        format!(" {text}"),
        format!("{text}x"),
        text.replace(' ', "  "),
        text.replace(' ', "\t"),
        text.to_uppercase(),
    ])
}

/// Texts of decisions that were legal somewhere, to be altered.
#[derive(Default)]
struct Texts(Vec<String>);

/// Texts that are kept.
const MOST_TEXTS: usize = 64;

impl Texts {
    fn see<D: ToString>(&mut self, list: &[D], chance: &mut ChanceStream) {
        for decision in some(list, 4, chance) {
            let text = decision.to_string();
            match self.0.len() {
                ..MOST_TEXTS => self.0.push(text),
                _ => self.0[chance.below(MOST_TEXTS as u32) as usize] = text,
            }
        }
    }

    fn any(&self, chance: &mut ChanceStream) -> Vec<&str> {
        let text = &self.0[chance.below(self.0.len() as u32) as usize];
        text.split(' ').collect()
    }

    /// A text of which a word or two may be others: of another text, or another number.
    fn altered(&self, chance: &mut ChanceStream) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        const NUMBERS: [i32; 12] = [0, 1, 2, 3, 4, 5, 9, 127, 128, 255, -1, -128];
        let mut words: Vec<String> = self.any(chance).into_iter().map(str::to_owned).collect();
        for _ in 0..chance.below(3) {
            let at = chance.below(words.len() as u32) as usize;
            let other = self.any(chance);
            let other = other[chance.below(other.len() as u32) as usize];
            match chance.below(6) {
                0..=2 => words[at] = other.to_owned(),
                3 => words.push(other.to_owned()),
                4 if words.len() > 1 => drop(words.remove(at)),
                _ => {
                    let digits = |c: char| c.is_ascii_digit() || c == '-';
                    let number = NUMBERS[chance.below(NUMBERS.len() as u32) as usize];
                    let word = words[at].trim_end_matches(digits);
                    words[at] = format!("{word}{number}");
                }
            }
        }
        words.join(" ")
    }
}
