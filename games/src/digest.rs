//! State digests: XXH64, seed 0, over the fields of a state in a documented order.

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

/// Bytes that are gathered before they are hashed: fields are small, and hashing a few bytes at a
/// time costs more than the bytes.
const GATHERED_BYTES: usize = 256;

/// Takes the fields of a state one by one; integers go in as little-endian bytes.
#[derive(Clone)]
pub struct Digester {
    hash: Xxh64,
    gathered: ArrayVec<u8, GATHERED_BYTES>,
}

impl Default for Digester {
    fn default() -> Self {
        Self {
            hash: Xxh64::new(0),
            gathered: ArrayVec::new(),
        }
    }
}

impl Digester {
    /// Takes raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.gathered.try_extend_from_slice(bytes).is_err() {
            self.hash_gathered();
            self.hash.update(bytes);
        }
    }

    /// Takes a few bytes that were just made. They are written one by one: a copy by words would
    /// wait until each of them has reached the memory.
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

    /// Takes one byte.
    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.array([value]);
    }

    /// Takes a 32-bit integer.
    pub fn i32(&mut self, value: i32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Takes a sequence of bytes with its length before it.
    pub fn list(&mut self, items: &[u8]) {
        self.i32(items.len() as i32);
        self.bytes(items);
    }

    /// The digest of all that was taken.
    pub fn finish(mut self) -> Digest {
        self.hash.update(&self.gathered);
        Digest(self.hash.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_xxh64_of_all_bytes_however_they_came() {
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
