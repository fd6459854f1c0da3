//! Checks that names and comments use the terms of the field. The checks read the text of the
//! files. Each of them prevents a habit that made the code hard to search.

use crate::sources::{Source, product_sources};

/// Type names that do not describe their content. Only the referee may have a `Fault`.
const VAGUE_TYPES: [&str; 16] = [
    "Begun",
    "Bell",
    "Course",
    "Door",
    "Fault",
    "Kept",
    "Known",
    "Making",
    "Seldom",
    "Shown",
    "Standing",
    "Surroundings",
    "Taken",
    "Told",
    "Wanted",
    "Wishes",
];
/// Verbs for which the field has other terms: send, notify, report, publish.
const PERSONAL_VERBS: [&str; 5] = ["told", "tell", "tells", "telling", "teller"];
const MAX_PERSONAL_VERBS: usize = 80;
/// Prefixes of functions that return `bool`.
const QUESTIONS: [&str; 5] = ["is_", "has_", "may_", "can_", "was_"];
/// Maximum number of comments that start with "What", where a noun or a verb would be more
/// specific.
const MAX_WHAT_COMMENTS: usize = 60;
/// Maximum number of one-line comments with at most three words, which hardly add anything to a
/// name.
const MAX_BRIEF_COMMENTS: usize = 250;

/// Splits a text into words. An identifier is split at underscores and before capitals.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_ascii_alphabetic());
    parts.flat_map(|part| {
        let mut words: Vec<String> = Vec::new();
        let mut was_lower = false;
        for c in part.chars() {
            if words.is_empty() || (c.is_ascii_uppercase() && was_lower) {
                words.push(String::new());
            }
            was_lower = c.is_ascii_lowercase();
            words.last_mut().unwrap().push(c.to_ascii_lowercase());
        }
        words
    })
}

/// Returns the functions that have a prefix of [`QUESTIONS`] but do not return a `bool`, not even
/// in a result or an option.
fn false_questions(text: &str) -> Vec<&str> {
    let functions = text.match_indices("fn ").filter_map(|(at, _)| {
        let rest = &text[at + 3..];
        let name = rest.split(['(', '<']).next()?;
        let is_question = QUESTIONS.iter().any(|prefix| name.starts_with(prefix));
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (is_question && is_name).then_some((name, rest))
    });
    let false_ones = functions.filter(|(_, rest)| {
        let head = rest.split(['{', ';']).next().unwrap_or_default();
        let returned = head.rsplit_once("->").map_or("", |(_, returned)| returned.trim());
        let of_bool =
            ["bool", "Result<bool", "io::Result<bool", "Option<bool", "impl Future<Output = bool"];
        !of_bool.iter().any(|bool| returned.starts_with(bool))
    });
    false_ones.map(|(name, _)| name).collect()
}

/// Returns the first line of each doc comment, and whether it is the only one.
fn comments(text: &str) -> Vec<(&str, bool)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_comment = |at: usize| {
        lines.get(at).is_some_and(|line| line.starts_with("///") || line.starts_with("//!"))
    };
    let begins = |at: &usize| is_comment(*at) && (*at == 0 || !is_comment(at - 1));
    let first = (0..lines.len()).filter(begins);
    first.map(|at| (lines[at][3..].trim(), !is_comment(at + 1))).collect()
}

fn vague_types(text: &str) -> Vec<&str> {
    let definitions = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.trim_start_matches("pub").trim_start();
        let line = line
            .strip_prefix('(')
            .map_or(line, |rest| rest.split_once(") ").map_or(rest, |(_, rest)| rest));
        let rest =
            ["struct ", "enum ", "trait "].iter().find_map(|word| line.strip_prefix(word))?;
        rest.split(|c: char| !c.is_ascii_alphanumeric()).next()
    });
    definitions.filter(|name| VAGUE_TYPES.contains(name)).collect()
}

/// Returns the places in the product's files at which something was found.
fn found<'a, T>(
    sources: &'a [Source],
    find: impl Fn(&'a str) -> Vec<T>,
    show: impl Fn(&T) -> String,
) -> Vec<String> {
    let in_file = |source: &'a Source| {
        let path = source.path.display();
        let all = find(&source.text);
        all.iter().map(|one| format!("{path}: {}", show(one))).collect::<Vec<_>>()
    };
    sources.iter().flat_map(in_file).collect()
}

#[test]
fn each_habit_is_found_in_a_text_that_has_it() {
    let verbs = words("fn tell_all(ToldMatch) { intelligent }").collect::<Vec<_>>();
    assert_eq!(verbs, ["fn", "tell", "all", "told", "match", "intelligent"]);
    let text = "pub fn is_set(&mut self) {}\nfn has_room(\n    a: u8,\n) -> bool {\n}\nfn may_be() -> io::Result<bool>;";
    assert_eq!(false_questions(text), ["is_set"]);
    let text = "/// One.\nfn a();\n    /// What it is.\n    /// More.\n";
    assert_eq!(comments(text), [("One.", true), ("What it is.", false)]);
    let text = "pub(crate) struct Told<T>;\nenum Known {\npub struct Tolder;\nuse a::Told;\n";
    assert_eq!(vague_types(text), ["Told", "Known"]);
}

#[test]
fn a_function_that_is_named_as_a_question_returns_a_bool() {
    let found = found(&product_sources(), false_questions, |name| (*name).to_owned());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn types_have_names_that_say_what_they_hold() {
    let sources = product_sources();
    let mut found = found(&sources, vague_types, |name| (*name).to_owned());
    found.retain(|line| !(line.contains("server/referee/") && line.ends_with(": Fault")));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn comments_begin_with_a_noun_or_a_verb_and_say_more_than_the_name() {
    let sources = product_sources();
    let what = found(
        &sources,
        |text| {
            let all = comments(text).into_iter();
            all.filter(|(first, _)| words(first).next().as_deref() == Some("what")).collect()
        },
        |(first, _)| (*first).to_owned(),
    );
    assert!(what.len() <= MAX_WHAT_COMMENTS, "{}: {what:#?}", what.len());
    let brief = found(
        &sources,
        |text| {
            let all = comments(text).into_iter();
            let is_brief = |first: &str| (1..=3).contains(&first.split_whitespace().count());
            all.filter(|(first, is_only)| *is_only && is_brief(first)).collect()
        },
        |(first, _)| (*first).to_owned(),
    );
    assert!(brief.len() <= MAX_BRIEF_COMMENTS, "{}: {brief:#?}", brief.len());
}

#[test]
fn components_send_and_report_and_are_counted_by_numbers() {
    let sources = product_sources();
    let personal = |text| words(text).filter(|word| PERSONAL_VERBS.contains(&word.as_str()));
    let verbs = found(&sources, |text| personal(text).collect(), Clone::clone);
    assert!(verbs.len() <= MAX_PERSONAL_VERBS, "{}: {verbs:#?}", verbs.len());
    let many = found(
        &sources,
        |text: &str| {
            let lines = text.lines();
            lines.filter(|line| line.to_ascii_lowercase().contains("so many")).collect()
        },
        |line| (*line).to_owned(),
    );
    assert!(many.is_empty(), "{many:#?}");
}
