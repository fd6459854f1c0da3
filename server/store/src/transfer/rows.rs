//! Rows in a form that does not depend on the database, for copying and comparing.

use xxhash_rust::xxh64::Xxh64;

/// A value of a [`ColumnKind`](super::tables::ColumnKind). Text is stored as UTF-8 bytes, a Boolean
/// as 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

/// The values of a row, in column order.
pub(crate) type Row = Vec<Value>;

/// Number and digest of a table's rows, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowsDigest {
    pub(crate) rows: u64,
    digest: u64,
}

/// Computes a [`RowsDigest`] from rows in key order.
#[derive(Default)]
pub(crate) struct RowsHasher {
    rows: u64,
    digest: Xxh64,
}

impl RowsHasher {
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

    /// The length is hashed too, so that rows with different values never hash the same bytes.
    fn value(&mut self, kind: u8, bytes: &[u8]) {
        self.digest.update(&[kind]);
        self.digest.update(&(bytes.len() as u64).to_le_bytes());
        self.digest.update(bytes);
    }

    pub(crate) fn digest(&self) -> RowsDigest {
        RowsDigest {
            rows: self.rows,
            digest: self.digest.digest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[Row]) -> RowsDigest {
        let mut hasher = RowsHasher::default();
        hasher.add(rows);
        hasher.digest()
    }

    #[test]
    fn different_values_or_order_change_the_digest() {
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
        let digests: Vec<_> = of_rows.iter().map(|rows| digest(rows)).collect();
        for (place, one) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(one), "{place}");
        }
    }
}
