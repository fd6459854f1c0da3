//! State digests: XXH64 with seed 0 over the fields of a state, in a documented order.

use std::fmt;

use arrayvec::ArrayVec;
use xxhash_rust::xxh64::Xxh64;

/// A digest of a whole state. Equal states have equal digests on every platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The size of the buffer in front of the hash, in bytes. Fields are small, and hashing a few bytes
/// at a time is slower than buffering them.
const GATHERED_BYTES: usize = 256;

/// Computes a [`Digest`] from the fields of a state. Integers are hashed as little-endian bytes.
#[derive(Clone)]
pub struct Digester {
    hash: Xxh64,
    gathered: ArrayVec<u8, GATHERED_BYTES>,
}

impl Default for Digester {
    fn default() -> Self {
        Self { hash: Xxh64::new(0), gathered: ArrayVec::new() }
    }
}

impl Digester {
    /// Adds raw bytes, without their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.gathered.try_extend_from_slice(bytes).is_err() {
            self.hash_gathered();
            self.hash.update(bytes);
        }
    }

    /// Adds a few bytes that have just been computed. Bytes are written one by one, since a
    /// word-wise copy would stall until each byte has reached memory.
    #[inline]
    pub fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        const { assert!(N <= GATHERED_BYTES) }
        if self.gathered.remaining_capacity() < N {
            self.hash_gathered();
        }
        for byte in bytes {
            self.gathered.push(byte);
        }
    }

    #[cold]
    #[inline(never)]
    fn hash_gathered(&mut self) {
        self.hash.update(&self.gathered);
        self.gathered.clear();
    }

    /// Adds one byte.
    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.array([value]);
    }

    /// Adds a 32-bit integer as four bytes.
    pub fn i32(&mut self, value: i32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a sequence of bytes, preceded by its length as an `i32`.
    pub fn list(&mut self, items: &[u8]) {
        self.i32(items.len() as i32);
        self.bytes(items);
    }

    /// Returns the digest of everything that has been added so far.
    pub fn finish(mut self) -> Digest {
        self.hash.update(&self.gathered);
        Digest(self.hash.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_xxh64_for_any_split_of_the_bytes() {
        let bytes: Vec<u8> = (0..2000u32).map(|n| (n * n % 251) as u8).collect();
        let whole = Digest(xxhash_rust::xxh64::xxh64(&bytes, 0));
        for step in [1, 3, 255, 256, 257, 2000] {
            let mut digester = Digester::default();
            for part in bytes.chunks(step) {
                digester.bytes(part);
            }
            assert_eq!(digester.finish(), whole, "{step} bytes at a time");
        }
        let mut digester = Digester::default();
        let (threes, rest) = bytes.as_chunks::<3>();
        threes.iter().for_each(|&three| digester.array(three));
        digester.bytes(rest);
        assert_eq!(digester.finish(), whole, "an array at a time");
    }
}
