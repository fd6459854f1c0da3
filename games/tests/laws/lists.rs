//! Legal lists and the notation of decisions.

use std::collections::{HashMap, HashSet};

use bridgemaster_games::{ChanceStream, Game, LegalList, NoEvents};

use crate::random_match::{RandomMatch, legal, play, random_matches, some};

/// The number of decisions of one list that are applied.
const MAX_APPLIED: usize = 128;

pub(crate) fn listed_decisions_ascend_within_the_cap_and_apply<G: Game>(random: &RandomMatch) {
    play::<G>(random, |step, chance| {
        let state = step.state;
        let seats_to_decide = G::seats_to_decide(state);
        for seat in random.seats() {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            assert_eq!(list.is_empty(), !seats_to_decide.contains(seat), "seat {seat}");
            match listed {
                LegalList::Complete => assert!(list.len() <= G::LEGAL_CAP),
                LegalList::Cut => assert_eq!(list.len(), G::LEGAL_CAP),
            }
            let order = |decision| (G::precedence(state, decision), decision);
            let ascends = list.is_sorted_by(|one, next| order(one) < order(next));
            assert!(ascends, "is not strictly ascending: {list:?}");
            for decision in some(&list, MAX_APPLIED, chance) {
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
            texts.add(&list, chance);
            for _ in 0..12 {
                let Ok(decision) = texts.altered(chance).parse::<G::Decision>() else {
                    continue;
                };
                let mut after = state.clone();
                let mut events = Vec::new();
                let applied = G::apply(&mut after, seat, &decision, &mut events);
                // An unlisted decision may be legal only if the list was cut.
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

/// The number of decisions of one position whose notation is tested.
const MAX_PARSED: usize = 24;

pub(crate) fn one_text_is_one_decision<G: Game>(random: &RandomMatch) {
    let mut texts = Texts::default();
    play::<G>(random, |step, chance| {
        for seat in random.seats() {
            let list = legal::<G>(step.state, seat);
            texts.add(&list, chance);
            for decision in some(&list, MAX_PARSED, chance) {
                let text = decision.to_string();
                let parsed = text.parse::<G::Decision>();
                assert_eq!(parsed.ok().as_ref(), Some(decision), "{text:?}");
                respelled(&text).for_each(|text| assert_exact::<G>(&text));
            }
        }
        assert_exact::<G>(&texts.altered(chance));
    });
}

/// The kind of a decision and the number of words of its text.
fn form(text: &str) -> (String, usize) {
    let mut words = text.split(' ');
    let kind = words.next().unwrap_or_default();
    (kind.to_owned(), 1 + words.count())
}

/// A text truncated between two words is invalid, or has the form of a decision that is legal
/// somewhere. So no text without its argument is accepted.
pub(crate) fn a_truncated_text_is_invalid_or_has_a_legal_form<G: Game>() {
    let (mut legal_forms, mut cut) = (HashSet::new(), HashMap::new());
    for random in random_matches::<G>(8) {
        play::<G>(&random, |step, _| {
            for decision in random.seats().flat_map(|seat| legal::<G>(step.state, seat)) {
                let text = decision.to_string();
                legal_forms.insert(form(&text));
                for (end, _) in text.match_indices(' ') {
                    let part = &text[..end];
                    if part.parse::<G::Decision>().is_ok() {
                        cut.insert(form(part), part.to_owned());
                    }
                }
            }
        });
    }
    for (form, part) in cut {
        let is_legal = legal_forms.contains(&form);
        assert!(is_legal, "{part:?} is a decision that no state allows");
    }
}

/// Asserts that a text that parses as a decision is the text of this decision.
fn assert_exact<G: Game>(text: &str) {
    if let Ok(decision) = text.parse::<G::Decision>() {
        assert_eq!(decision.to_string(), text, "two texts are one decision");
    }
}

/// Other spellings, most of which are of the same decision: numbers with a sign or a leading zero,
/// blanks, capitals.
fn respelled(text: &str) -> impl Iterator<Item = String> {
    let is_number_at = |at: usize| {
        let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        digit(at) && (at == 0 || !digit(at - 1))
    };
    let numbers = (0..text.len()).filter(move |&at| is_number_at(at));
    let numbers = numbers.flat_map(move |at| {
        ["0", "+", "-", "-0"].map(|sign| format!("{}{sign}{}", &text[..at], &text[at..]))
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

/// Texts of decisions that were legal somewhere, as a source of altered texts.
#[derive(Default)]
struct Texts(Vec<String>);

/// The maximum number of stored texts.
const MAX_TEXTS: usize = 64;

impl Texts {
    fn add<D: ToString>(&mut self, list: &[D], chance: &mut ChanceStream) {
        for decision in some(list, 4, chance) {
            let text = decision.to_string();
            match self.0.len() {
                ..MAX_TEXTS => self.0.push(text),
                _ => self.0[chance.below(MAX_TEXTS as u32) as usize] = text,
            }
        }
    }

    fn random_words(&self, chance: &mut ChanceStream) -> Vec<&str> {
        let text = &self.0[chance.below(self.0.len() as u32) as usize];
        text.split(' ').collect()
    }

    /// A stored text with up to two words replaced by those of another text, by a number, or
    /// removed.
    fn altered(&self, chance: &mut ChanceStream) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        const NUMBERS: [i32; 12] = [0, 1, 2, 3, 4, 5, 9, 127, 128, 255, -1, -128];
        let mut words: Vec<String> =
            self.random_words(chance).into_iter().map(str::to_owned).collect();
        for _ in 0..chance.below(3) {
            let at = chance.below(words.len() as u32) as usize;
            let other = self.random_words(chance);
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
