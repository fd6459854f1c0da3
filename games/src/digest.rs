//! State digests: XXH64, seed 0, over the fields of a state in a documented order.

use std::fmt;

use xxhash_rust::xxh64::Xxh64;

/// A digest of a whole state. Equal states have equal digests on every platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Takes the fields of a state one by one; integers go in as little-endian bytes.
#[derive(Clone)]
pub struct Digester(Xxh64);

impl Default for Digester {
    fn default() -> Self {
        Self(Xxh64::new(0))
    }
}

impl Digester {
    /// Takes raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Takes one byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes(&[value]);
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
    pub fn finish(&self) -> Digest {
        Digest(self.0.digest())
    }
}
