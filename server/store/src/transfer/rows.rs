//! Rows on their way from one database to the other.

use xxhash_rust::xxh64::Xxh64;

/// A value of a [`Kind`](super::tables::Kind): text as the bytes of its UTF-8, a truth value as 0
/// or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

/// The values of a row, in the order of the columns.
pub(crate) type Row = Vec<Value>;

/// What the rows of a table come to, to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) rows: u64,
    digest: u64,
}

/// Adds up a [`Content`], in the order of the rows' keys.
#[derive(Default)]
pub(crate) struct Tally {
    rows: u64,
    digest: Xxh64,
}

impl Tally {
    pub(crate) fn add(&mut self, rows: &[Row]) {
        self.rows += rows.len() as u64;
        for value in rows.iter().flatten() {
            match value {
                Value::Number(Some(number)) => self.value(b'n', &number.to_le_bytes()),
                Value::Bytes(Some(bytes)) => self.value(b'b', bytes),
                Value::Number(None) | Value::Bytes(None) => self.value(b'0', &[]),
            }
        }
    }

    /// The length counts, so that no two rows of different values are the same bytes.
    fn value(&mut self, kind: u8, bytes: &[u8]) {
        self.digest.update(&[kind]);
        self.digest.update(&(bytes.len() as u64).to_le_bytes());
        self.digest.update(bytes);
    }

    pub(crate) fn content(&self) -> Content {
        Content {
            rows: self.rows,
            digest: self.digest.digest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(rows: &[Row]) -> Content {
        let mut tally = Tally::default();
        tally.add(rows);
        tally.content()
    }

    #[test]
    fn other_values_or_another_order_are_another_content() {
        let bytes = |text: &str| Value::Bytes(Some(text.into()));
        let of_rows = [
            vec![vec![bytes("ab"), bytes("c")]],
            vec![vec![bytes("a"), bytes("bc")]],
            vec![vec![bytes("c"), bytes("ab")]],
            vec![vec![bytes("ab"), Value::Bytes(None)]],
            vec![vec![bytes("ab"), bytes("")]],
            vec![vec![bytes("ab"), Value::Number(Some(99))]],
            vec![],
        ];
        let contents: Vec<_> = of_rows.iter().map(|rows| content(rows)).collect();
        for (place, one) in contents.iter().enumerate() {
            assert!(!contents[..place].contains(one), "{place}");
        }
    }
}
