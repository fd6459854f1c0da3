//! Checksums of stored values. Checksums detect damage, but do not protect against an attacker with
//! write access.

use xxhash_rust::xxh64::{Xxh64, xxh64};

/// Length of a [`StoreId`], in bytes.
pub(crate) const STORE_ID_BYTES: usize = 16;

/// Detail of the damage report for a value with a wrong checksum.
pub(crate) const CHECKSUM_MISMATCH: &str = "checksum mismatch";

/// A random identifier, generated when a store is created and kept in its backups. All checksums
/// include the identifier, so that a row copied from another store is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreId(pub(crate) [u8; STORE_ID_BYTES]);

impl StoreId {
    /// Returns `None` unless there are exactly [`STORE_ID_BYTES`] bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Computes the checksum of one part of the batch with this number.
    pub(crate) fn batch_checksum(self, number: i64, bytes: &[u8]) -> u64 {
        let seed = xxh64(&number.to_le_bytes(), xxh64(&self.0, 0));
        xxh64(bytes, seed)
    }

    /// Starts the checksum of a table row.
    pub(crate) fn start_row_checksum(self, table: &str) -> RowChecksum {
        let mut checksum = RowChecksum(Xxh64::new(xxh64(&self.0, 0)));
        checksum.add_text(table);
        checksum
    }
}

/// An incremental checksum of a row. The length of each value is hashed too, so that rows with
/// different values never hash the same bytes.
pub(crate) struct RowChecksum(Xxh64);

impl RowChecksum {
    pub(crate) fn add_bytes(&mut self, value: &[u8]) -> &mut Self {
        self.0.update(&(value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    pub(crate) fn add_text(&mut self, value: &str) -> &mut Self {
        self.add_bytes(value.as_bytes())
    }

    pub(crate) fn add_number(&mut self, value: i64) -> &mut Self {
        self.add_bytes(&value.to_le_bytes())
    }

    /// Returns the checksum as databases store it: a signed 64-bit number.
    pub(crate) fn finish(&self) -> i64 {
        self.0.digest().cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_other_values_tables_or_stores_have_other_checksums() {
        let one = StoreId([1; STORE_ID_BYTES]);
        let other = StoreId([2; STORE_ID_BYTES]);
        let sums = [
            one.start_row_checksum("replay").add_text("ab").add_text("c").finish(),
            one.start_row_checksum("replay").add_text("a").add_text("bc").finish(),
            one.start_row_checksum("secret").add_text("ab").add_text("c").finish(),
            other.start_row_checksum("replay").add_text("ab").add_text("c").finish(),
            one.start_row_checksum("replay").add_text("ab").add_number(99).finish(),
            one.start_row_checksum("replay").add_text("ab").add_bytes(&[]).finish(),
            one.start_row_checksum("replay").add_text("ab").finish(),
        ];
        for (place, sum) in sums.iter().enumerate() {
            assert!(!sums[..place].contains(sum), "{place}");
        }
        assert_ne!(one.batch_checksum(1, b"a"), one.batch_checksum(2, b"a"));
        assert_ne!(one.batch_checksum(1, b"a"), other.batch_checksum(1, b"a"));
    }
}
