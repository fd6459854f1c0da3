//! Parses match labels.

use std::{collections::BTreeMap, str::FromStr};

/// A label, `NAME=VALUE`. The server validates names and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    name: String,
    value: String,
}

impl FromStr for Label {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("expected NAME=VALUE, such as run=42"),
        }
    }
}

/// Converts labels to a map. If several labels have the same name, the last one is used.
pub(super) fn to_map(labels: &[Label]) -> BTreeMap<String, String> {
    let pairs = labels.iter();
    pairs
        .map(|label| (label.name.clone(), label.value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_a_name_and_an_optional_value() {
        for (text, name, value) in [
            ("run=42", "run", "42"),
            ("run=", "run", ""),
            ("link=a=b", "link", "a=b"),
        ] {
            let parsed: Label = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((parsed.name.as_str(), parsed.value.as_str()), (name, value));
        }
        for bad in ["", "run", "=42"] {
            assert!(bad.parse::<Label>().is_err(), "{bad:?}");
        }
    }
}
