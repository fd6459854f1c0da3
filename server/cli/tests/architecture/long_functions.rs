//! Checks that a function has at most 60 lines, so that it fits on a screen. A function that
//! consists mainly of one `match` counts as a table and may be longer. Tests may be longer too,
//! since most are lists of cases.
//!
//! The check reads formatted text: a block ends at the next line that starts with a brace and has
//! the indentation of the line that opened the block.

use crate::sources::{Source, before_tests, product_sources};

/// Maximum number of lines of a function, including its signature.
const MAX_LINES: usize = 60;
/// Maximum number of lines outside the table, for a longer function.
const MAX_LINES_BESIDES_TABLE: usize = 10;

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the name of the function that starts in a line.
fn function(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_qualifier = |c: char| c.is_ascii_lowercase() || "_():, ".contains(c);
    let name = rest.split(['(', '<']).next()?;
    (before.chars().all(is_qualifier) && !name.contains(' ')).then_some(name)
}

/// Returns the number of lines to the end of the block that the first line opens.
fn block(lines: &[&str]) -> usize {
    if lines[0].ends_with(['}', ';']) {
        return 1;
    }
    let is_end = |line: &&&str| {
        indentation(line) == indentation(lines[0])
            && (line.trim_start().starts_with('}') || line.ends_with(';'))
    };
    let inside = lines.iter().skip(1).take_while(|line| !is_end(line));
    inside.count() + 2
}

/// Returns the functions in a text that are too long, with their numbers of lines.
fn too_long(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let named = (0..lines.len()).filter_map(|at| Some((at, function(lines[at])?)));
    let measured = named.map(|(at, name)| {
        let all = block(&lines[at..]);
        let inside = at + 1..lines.len().min(at + all);
        let opens_table = |at: &usize| lines[*at].contains("match ") && lines[*at].ends_with('{');
        let tables = inside.filter(opens_table).map(|at| block(&lines[at..]));
        (name, all, all - tables.max().unwrap_or(0).min(all))
    });
    let long =
        measured.filter(|&(_, all, besides)| all > MAX_LINES && besides > MAX_LINES_BESIDES_TABLE);
    long.map(|(name, all, _)| (name, all)).collect()
}

#[test]
fn a_long_function_is_found_and_a_long_table_is_allowed() {
    let body = |line: &str, times: usize| line.repeat(times);
    let long = format!("fn long(\n    a: u8,\n) {{\n{}}}\n", body("    a();\n", 57));
    assert_eq!(too_long(&long), [("long", 61)]);
    let short = format!("pub(super) fn short() {{\n{}}}\n", body("    a();\n", 58));
    assert_eq!(too_long(&short), []);
    let arms = body("        A => 1,\n", 70);
    let table = format!("fn table(a: A) -> u8 {{\n    match a {{\n{arms}    }}\n}}\n");
    assert_eq!(too_long(&table), []);
    let more = format!("{}{table}", table.replace("    match", &body("    a();\n", 20)));
    assert_eq!(too_long(&more).len(), 1, "a table and more");
    let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
    assert_eq!(too_long(before_tests(&tests)), []);
}

#[test]
fn no_function_except_tables_is_longer_than_60_lines() {
    let mut long = Vec::new();
    for Source { path, text } in product_sources() {
        let found = too_long(&text).into_iter();
        long.extend(found.map(|(name, lines)| format!("{}: {name} has {lines}", path.display())));
    }
    assert!(
        long.is_empty(),
        "functions with more than {MAX_LINES} lines that are not tables: {long:#?}"
    );
}
