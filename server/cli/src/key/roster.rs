//! CSV files of keys to create, with lines `NAME,SCOPES[,EXPIRES[,OWNER]]`.

use std::collections::HashMap;

use bridgemaster_proto::escape::Escaped;
use bridgemaster_server::{
    identity::{ConfusableNames, KeyScope},
    name_problem,
};
use bridgemaster_store::{DamagedKey, InvalidText, Key, KeyId, KeyName, OwnerName};
use csv::{Position, ReaderBuilder, StringRecord, Trim, Writer};

use crate::quantities::Lifetime;

/// The optional header line's first field.
const HEADER: &str = "name";

/// A key to create, from one line of the file.
#[derive(Debug)]
pub(super) struct Entry {
    /// The key's line in the file, from 1.
    pub(super) line: u64,
    pub(super) name: KeyName,
    /// The key's owner; `None` if it is the same as the key's name.
    pub(super) owner: Option<OwnerName>,
    pub(super) scopes: Vec<KeyScope>,
    pub(super) lifetime: Option<Lifetime>,
}

impl Entry {
    pub(super) fn owner(&self) -> &str {
        let owner = self.owner.as_ref();
        owner.map_or(self.name.as_str(), OwnerName::as_str)
    }
}

/// Parses a file.
///
/// # Errors
/// Returns all problems in the file, one per entry.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Vec<String>> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        let line = record.position().map_or(0, |at| line_of(text, at));
        let is_header = line == 1 && record.get(0).is_some_and(|name| name == HEADER);
        if is_header && record.get(1) == Some("scopes") {
            continue;
        }
        match entry(&record, line) {
            Ok(entry) => entries.push(entry),
            Err(problem) => problems.push(format!("line {line}: {problem}")),
        }
    }
    problems.extend(duplicates(&entries));
    if problems.is_empty() && entries.is_empty() {
        problems
            .push("the file has no keys; expected lines NAME,SCOPES[,EXPIRES[,OWNER]]".to_owned());
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

/// Returns a record's line number. `at` can be the position of empty lines or comments before the
/// record.
fn line_of(text: &str, at: &Position) -> u64 {
    let from = usize::try_from(at.byte()).unwrap_or(usize::MAX);
    let rest = text.get(from..).unwrap_or_default().lines();
    let is_skipped = |line: &&str| line.is_empty() || line.starts_with('#');
    at.line() + rest.take_while(is_skipped).count() as u64
}

fn entry(record: &StringRecord, line: u64) -> Result<Entry, String> {
    let (name, scopes, expires, owner) = match record.iter().collect::<Vec<_>>()[..] {
        [name, scopes] => (name, scopes, "", ""),
        [name, scopes, expires] => (name, scopes, expires, ""),
        [name, scopes, expires, owner] => (name, scopes, expires, owner),
        ref fields => {
            return Err(format!(
                "expected NAME,SCOPES[,EXPIRES[,OWNER]], such as alice,play create,90d,team 1, but \
                 the line has {} fields",
                fields.len()
            ));
        }
    };
    let name: KeyName = name.parse().map_err(|error| format!("name: {error}"))?;
    check_name("the name of a key", name.as_str())?;
    let scopes: Vec<KeyScope> = scopes
        .split_whitespace()
        .map(|scope| {
            let parsed = scope.parse();
            parsed.map_err(|error| format!("scopes: {:?}: {error}", Escaped(scope).to_string()))
        })
        .collect::<Result<_, _>>()?;
    if scopes.is_empty() {
        return Err(
            "scopes: a key needs at least one scope; separate scopes with spaces, such as play \
             create"
                .to_owned(),
        );
    }
    let lifetime = match expires {
        "" => None,
        text => Some(text.parse().map_err(|error| format!("expires: {error}"))?),
    };
    let owner = match owner {
        "" => None,
        text => Some(parse_owner(text).map_err(|error| format!("owner: {error}"))?),
    };
    Ok(Entry { line, name, owner, scopes, lifetime })
}

fn parse_owner(text: &str) -> Result<OwnerName, String> {
    let owner: OwnerName = text.parse().map_err(|error: InvalidText| error.to_string())?;
    check_name("an owner", owner.as_str())?;
    Ok(owner)
}

/// Returns a problem for each name that occurs on several lines.
fn duplicates(entries: &[Entry]) -> Vec<String> {
    let mut lines = HashMap::new();
    let mut problems = Vec::new();
    for entry in entries {
        if let Some(first) = lines.insert(entry.name.as_str(), entry.line) {
            problems.push(format!(
                "line {}: the name {} is already on line {first}",
                entry.line, entry.name
            ));
        }
    }
    problems
}

/// Formats created keys as CSV with the columns `name` and `key`.
pub(super) fn to_csv<'a>(
    keys: impl Iterator<Item = (&'a KeyName, String)>,
) -> anyhow::Result<String> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record([HEADER, "key"])?;
    for (name, key) in keys {
        writer.write_record([name.as_str(), &key])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Returns an error if a name cannot be distinguished from others on a screen. Its length is
/// already checked.
pub(super) fn check_name(what: &str, name: &str) -> Result<(), String> {
    let problem = name_problem(name, name.len());
    problem.map_or(Ok(()), |problem| Err(format!("{what} {problem}")))
}

/// The names of keys and owners that are in use. Names of revoked and damaged keys are too, since
/// the results of their bots remain. Keys that are added at the same time are not compared; for
/// these, the store rejects only identical names.
pub(super) struct NamesInUse {
    in_force: HashMap<KeyName, KeyId>,
    /// The names, with a description of their holders.
    names: ConfusableNames<String>,
    owners: ConfusableNames<()>,
}

impl NamesInUse {
    pub(super) fn new(all: &[Key], damaged: &[DamagedKey]) -> Self {
        let mut names = ConfusableNames::default();
        let mut owners = ConfusableNames::default();
        let mut in_force = HashMap::new();
        for key in all {
            let status = if key.is_in_force() { "" } else { ", revoked" };
            names.insert(key.name.as_str(), format!("the name of key {}{status}", key.id));
            if key.is_in_force() {
                owners.insert(key.owner(), ());
                in_force.insert(key.name.clone(), key.id.clone());
            }
        }
        for key in damaged {
            if let Some(name) = &key.name {
                names.insert(name.as_str(), format!("the name of key {}, damaged", key.id));
            }
        }
        Self { in_force, names, owners }
    }

    /// Adds a name and an owner.
    pub(super) fn insert(&mut self, name: &KeyName, owner: &str, holder: String) {
        self.names.insert(name.as_str(), holder);
        self.owners.insert(owner, ());
    }

    /// Returns a problem if a key in force has the name.
    pub(super) fn holder(&self, name: &KeyName) -> Option<String> {
        let id = self.in_force.get(name)?;
        Some(format!("the name {name} is in use by key {id}"))
    }

    /// Returns a problem if the key's name is confusable with that of another key, and one if its
    /// owner is with another owner. Such owners are probably the same person, but ladders would
    /// treat them as two.
    pub(super) fn confusable(&self, entry: &Entry) -> Vec<String> {
        let (name, owner) = (entry.name.as_str(), entry.owner());
        let mut problems = Vec::new();
        if let Some((other, holder)) = self.names.find(name) {
            problems.push(format!(
                "the name {} is confusable with {}, {holder}; choose a distinct name",
                spelled(name),
                spelled(other)
            ));
            // The owner's problem would be the same.
            if owner == name {
                return problems;
            }
        }
        if let Some((other, ())) = self.owners.find(owner) {
            problems.push(format!(
                "the owner {} is confusable with {}, the owner of another key; spell the same \
                 owner in the same way, and give another owner a distinct name",
                spelled(owner),
                spelled(other)
            ));
        }
        problems
    }
}

/// Formats a name, with the code points of its non-ASCII characters.
fn spelled(name: &str) -> String {
    if name.is_ascii() {
        format!("{name:?}")
    } else {
        format!("{name:?} ({})", name.escape_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_expiry_and_owner_are_optional() {
        let text = "name,scopes,expires,owner\nalice, play ,90d\n\n# guests\n\"Bo, the 2nd\",play create\nann,play,, team 1\n";
        let entries = parse(text).unwrap();
        let parsed: Vec<_> = entries
            .iter()
            .map(|entry| (entry.line, entry.name.as_str(), entry.scopes.len(), entry.owner()))
            .collect();
        let expected = [
            (2, "alice", 1, "alice"),
            (5, "Bo, the 2nd", 2, "Bo, the 2nd"),
            (6, "ann", 1, "team 1"),
        ];
        assert_eq!(parsed, expected);
        assert!(entries[0].lifetime.is_some() && entries[1].lifetime.is_none());
    }

    #[test]
    fn every_problem_is_reported_with_its_line() {
        let text = "alice,play\nbob\ncarol,fly\ndave,\nerin,play,soon\nalice,play\na\u{202e}b,play\neve,play,,a\u{7}b\n";
        let problems = parse(text).unwrap_err();
        for (expected, problem) in [
            ("line 2: expected NAME,SCOPES", &problems[0]),
            ("line 3: scopes: \"fly\"", &problems[1]),
            ("line 4: scopes: a key needs", &problems[2]),
            ("line 5: expires: ", &problems[3]),
            ("line 7: ", &problems[4]),
            ("line 8: owner: ", &problems[5]),
            ("line 6: the name alice is already on line 1", &problems[6]),
        ] {
            assert!(problem.contains(expected), "{expected} is not in {problem}");
        }
        assert_eq!(problems.len(), 7, "{problems:?}");
        assert!(parse("").unwrap_err()[0].contains("no keys"));
    }
}
