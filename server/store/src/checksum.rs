//! Checksums of what is stored. They find damage, and are no protection against whoever can write.

use xxhash_rust::xxh64::{Xxh64, xxh64};

/// Bytes of a [`StoreId`].
pub(crate) const STORE_ID_BYTES: usize = 16;

/// What is wrong with a value whose checksum is not that of its bytes.
pub(crate) const CHECKSUM_DIFFERS: &str = "its checksum differs";

/// Drawn when a store is made, and kept by its backups. Checksums depend on it, so that a row of
/// another store is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreId(pub(crate) [u8; STORE_ID_BYTES]);

impl StoreId {
    /// The identifier in these bytes, if that is what they are.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The checksum of a part of the batch of this number.
    pub(crate) fn of_batch(self, number: i64, bytes: &[u8]) -> u64 {
        let seed = xxh64(&number.to_le_bytes(), xxh64(&self.0, 0));
        xxh64(bytes, seed)
    }

    /// Begins the checksum of a row of a table.
    pub(crate) fn row(self, table: &str) -> RowChecksum {
        RowChecksum(Xxh64::new(xxh64(&self.0, 0))).text(table)
    }
}

/// The checksum of a row, value by value. The length of each value counts, so that no two rows of
/// different values are the same bytes.
pub(crate) struct RowChecksum(Xxh64);

impl RowChecksum {
    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        self.0.update(&(value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    pub(crate) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    pub(crate) fn number(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn number_if_any(self, value: Option<i64>) -> Self {
        match value {
            Some(value) => self.number(value),
            None => self.bytes(&[]),
        }
    }

    /// As databases keep it.
    pub(crate) fn finish(self) -> i64 {
        self.0.digest().cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_other_values_table_or_store_has_another_checksum() {
        let one = StoreId([1; STORE_ID_BYTES]);
        let other = StoreId([2; STORE_ID_BYTES]);
        let sums = [
            one.row("replay").text("ab").text("c").finish(),
            one.row("replay").text("a").text("bc").finish(),
            one.row("secret").text("ab").text("c").finish(),
            other.row("replay").text("ab").text("c").finish(),
            one.row("replay").text("ab").number(99).finish(),
            one.row("replay").text("ab").number_if_any(None).finish(),
            one.row("replay").text("ab").finish(),
        ];
        for (place, sum) in sums.iter().enumerate() {
            assert!(!sums[..place].contains(sum), "{place}");
        }
        assert_ne!(one.of_batch(1, b"a"), one.of_batch(2, b"a"));
        assert_ne!(one.of_batch(1, b"a"), other.of_batch(1, b"a"));
    }
}
