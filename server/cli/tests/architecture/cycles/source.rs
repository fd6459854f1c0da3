//! Finds modules, definitions and names in the text of a file.

use std::collections::BTreeSet;

/// The names of a path, such as `crate`, `limits` and `Limits`.
pub(super) type Path = Vec<String>;

/// A name that a file imports.
pub(super) struct Import {
    pub(super) path: Path,
    /// Local name; `*` for all of a module.
    pub(super) name: String,
    /// Whether the file only re-exports the name.
    pub(super) is_export: bool,
}

/// One file, without its tests.
#[derive(Default)]
pub(super) struct Source {
    pub(super) imports: Vec<Import>,
    /// Paths in the code.
    pub(super) paths: Vec<Path>,
    pub(super) definitions: BTreeSet<String>,
    /// Modules in separate files that are built only for tests.
    pub(super) test_modules: Vec<String>,
}

/// Splits a text into words, `::` and single characters, without comments and literals.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = literal_or_comment(rest);
        if skipped > 0 {
            rest = &rest[skipped..];
            continue;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    tokens
}

/// Returns the length of the comment or literal at the start of a text, or 0 if there is none.
fn literal_or_comment(text: &str) -> usize {
    let to = |end: &str, from: usize| {
        let found = text[from..].find(end);
        found.map_or(text.len(), |at| from + at + end.len())
    };
    if text.starts_with("//") {
        return to("\n", 0);
    }
    if text.starts_with("/*") {
        return to("*/", 0);
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            return to(&format!("\"{}", "#".repeat(hashes)), hashes + 2);
        }
    }
    let quoted = |quote: char| {
        let mut is_escaped = false;
        let end = text.char_indices().skip(1).find(|(_, c)| {
            let is_end = !is_escaped && *c == quote;
            is_escaped = !is_escaped && *c == '\\';
            is_end
        });
        end.map_or(text.len(), |(at, _)| at + 1)
    };
    match text.chars().next() {
        Some('"') => quoted('"'),
        // A lifetime has no closing quote, unlike a character literal.
        Some('\'') if text[1..].starts_with('\\') => quoted('\''),
        Some('\'') if text.chars().nth(2) == Some('\'') => quoted('\''),
        _ => 0,
    }
}

impl Source {
    pub(super) fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut source = Self::default();
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            let next = tokens.get(at + 1).copied().unwrap_or_default();
            let before = at.checked_sub(1).map_or("", |before| tokens[before]);
            if tokens[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
                let item = &tokens[at + 7..];
                let Some(module) = item.iter().position(|token| *token == "mod") else {
                    break;
                };
                let is_next = !item[..module].iter().any(|token| ["{", ";"].contains(token));
                match item.get(module + 2) {
                    Some(&";") if is_next => source.test_modules.push(item[module + 1].to_owned()),
                    // Tests are at the end of a file, so the rest is skipped.
                    Some(&"{") if is_next => break,
                    _ => {}
                }
                at += 7;
            } else if token == "use" {
                let is_export = before == "pub" || before == ")";
                let end = tokens[at..].iter().position(|token| *token == ";");
                let end = end.map_or(tokens.len(), |end| at + end);
                source.import(&mut tokens[at + 1..end].iter(), &Vec::new(), is_export);
                at = end;
            } else if next == "::" && before != "::" {
                let mut path = vec![token.to_owned()];
                while tokens.get(at + 1) == Some(&"::") {
                    let Some(name) = tokens.get(at + 2).filter(|name| !["<", "{"].contains(name))
                    else {
                        break;
                    };
                    path.push((*name).to_owned());
                    at += 2;
                }
                source.paths.push(path);
                at += 1;
            } else {
                const ITEMS: &[&str] =
                    &["const", "enum", "fn", "static", "struct", "trait", "type", "union"];
                if ITEMS.contains(&token) {
                    source.definitions.insert(next.to_owned());
                }
                at += 1;
            }
        }
        source
    }

    /// Reads one tree of a `use`, up to the comma or brace that ends it.
    fn import(&mut self, tokens: &mut std::slice::Iter<'_, &str>, prefix: &Path, is_export: bool) {
        let mut path = prefix.clone();
        let mut name = None;
        while let Some(&token) = tokens.as_slice().first() {
            match token {
                "," | "}" => break,
                "{" => {
                    tokens.next();
                    while tokens.as_slice().first().is_some_and(|token| *token != "}") {
                        self.import(tokens, &path, is_export);
                        if tokens.as_slice().first() == Some(&",") {
                            tokens.next();
                        }
                    }
                    tokens.next();
                    return;
                }
                "as" => {
                    tokens.next();
                    name = tokens.next().map(|&name| name.to_owned());
                    continue;
                }
                "::" => {}
                _ => path.push(token.to_owned()),
            }
            tokens.next();
        }
        let last = path.last().cloned();
        if let Some(name) = name.or(last) {
            self.imports.push(Import { path, name, is_export });
        }
    }
}

#[test]
fn imports_paths_and_definitions_of_a_file_are_read() {
    let source = Source::read(
        r##"
        //! use crate::comment;
        use super::{a::{B, C as D}, e};
        pub(crate) use f::G;
        const TEXT: &str = r#"use crate::text;"#;
        fn h<'a>(i: &'a crate::j::K) -> char { '"' }
        #[cfg(test)]
        mod l;
        #[cfg(test)]
        mod tests { use crate::m; }
        "##,
    );
    let imports = source.imports.iter();
    let imports: Vec<_> = imports
        .map(|import| (import.path.join("::"), import.name.as_str(), import.is_export))
        .collect();
    let expected = [
        ("super::a::B", "B", false),
        ("super::a::C", "D", false),
        ("super::e", "e", false),
        ("f::G", "G", true),
    ];
    assert_eq!(imports, expected.map(|(path, name, is_export)| (path.to_owned(), name, is_export)));
    assert_eq!(source.paths, [["crate", "j", "K"]]);
    let definitions: Vec<_> = source.definitions.iter().map(String::as_str).collect();
    assert_eq!(definitions, ["TEXT", "h"]);
    assert_eq!(source.test_modules, ["l"]);
}
