//! A protobuf writer that writes each message field once, in a single pass.
//!
//! prost computes every message's length before writing the message. So if a message is nested
//! three levels deep, prost computes its length four times. This writer fills in the length after
//! the message is written. It reserves one byte for the length, and moves the content of the few
//! large messages whose length needs more bytes.
//!
//! Fields are written in the order in which they are described. The output has the same size as
//! prost's output and decodes to the same message, but the fields can be in another order.

use prost::{Message, bytes::Bytes, encoding::WireType};

/// The maximum length of a varint for a 64-bit number, in bytes.
const MAX_VARINT_BYTES: usize = 10;

/// A field's encoding: its number in the message, and its form.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    number: u32,
    /// `true` if the type is `sint32`.
    is_zigzag: bool,
    /// `true` if the field is a packed list of numbers.
    is_packed: bool,
    /// `true` if the field is written even when it is 0, false or empty.
    is_present: bool,
    /// `true` for an item in a packed list, which is written without a key.
    is_item: bool,
}

impl Field {
    /// Creates a field with this number.
    pub(crate) const fn new(number: u32) -> Self {
        Self { number, is_zigzag: false, is_packed: false, is_present: false, is_item: false }
    }

    /// Returns the field's number in its message.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Sets the type to `sint32`.
    pub(crate) const fn zigzag(self) -> Self {
        Self { is_zigzag: true, ..self }
    }

    /// Marks the field as a packed list of numbers.
    pub(crate) const fn packed(self) -> Self {
        Self { is_packed: true, ..self }
    }

    /// Marks an `optional` field or a `oneof` entry. Such a field is written even when it is 0,
    /// false or empty.
    pub(crate) const fn present(self) -> Self {
        Self { is_present: true, ..self }
    }

    /// Returns the encoding of an item in a list.
    const fn item(self) -> Self {
        Self { is_item: self.is_packed, is_present: true, ..self }
    }
}

/// A message's fields or a `oneof`'s entries, by their names in the generated code.
pub trait Fields {
    /// The fields with their names.
    const FIELDS: &'static [(&'static str, Field)];
}

/// Returns the message field or `oneof` entry with this name. In a constant, an unknown name is a
/// compile error.
///
/// # Panics
///
/// Panics if there is no such field.
pub const fn field_of<M: Fields>(name: &str) -> Field {
    let (fields, name) = (M::FIELDS, name.as_bytes());
    let mut i = 0;
    while i < fields.len() {
        let candidate = fields[i].0.as_bytes();
        let mut equal = 0;
        while equal < name.len() && equal < candidate.len() && name[equal] == candidate[equal] {
            equal += 1;
        }
        if equal == name.len() && equal == candidate.len() {
            return fields[i].1;
        }
        i += 1;
    }
    panic!("the message has no such field")
}

/// A number type that message fields can have.
pub trait Number: Copy {
    /// Returns the number as a field's varint.
    fn varint(self, field: Field) -> u64;
}

impl Number for u32 {
    #[inline]
    fn varint(self, _field: Field) -> u64 {
        self.into()
    }
}

impl Number for u64 {
    #[inline]
    fn varint(self, _field: Field) -> u64 {
        self
    }
}

/// An `int32`, an `sint32`, or the value of an enum.
impl Number for i32 {
    #[inline]
    fn varint(self, field: Field) -> u64 {
        if field.is_zigzag { ((self << 1) ^ (self >> 31)) as u32 as u64 } else { self as u64 }
    }
}

impl Number for bool {
    #[inline]
    fn varint(self, _field: Field) -> u64 {
        self.into()
    }
}

/// Writes messages, one after another, into a buffer. A reused writer rarely allocates, because the
/// buffer retains its capacity.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Returns everything written since the buffer was empty.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Copies everything written since the buffer was empty into a buffer of exactly that size.
    pub fn to_bytes(&self) -> Bytes {
        Bytes::copy_from_slice(&self.bytes)
    }

    /// Returns the buffer with everything written since it was empty.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }

    /// Releases the unused capacity of the buffer.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Empties the buffer, and retains its capacity.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Writes a number. A 0 is omitted unless the field is marked as present.
    #[inline]
    pub fn number<N: Number>(&mut self, number: N, field: Field) {
        let varint = number.varint(field);
        if field.is_item {
            self.varint(varint);
        } else if varint != 0 || field.is_present {
            self.key(field, WireType::Varint);
            self.varint(varint);
        }
    }

    /// Writes a number of type `fixed64`. A 0 is omitted unless the field is marked as present.
    #[inline]
    pub fn fixed64(&mut self, number: u64, field: Field) {
        if number != 0 || field.is_present {
            self.key(field, WireType::SixtyFourBit);
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// Writes a string. An empty string is omitted unless the field is marked as present.
    pub fn text(&mut self, text: &str, field: Field) {
        if !text.is_empty() || field.is_present {
            self.message(field, |to| to.bytes.extend_from_slice(text.as_bytes()));
        }
    }

    /// Writes a message. `write` adds its fields.
    #[inline]
    pub fn message(&mut self, field: Field, write: impl FnOnce(&mut Self)) {
        self.key(field, WireType::LengthDelimited);
        let begin = self.bytes.len();
        self.bytes.push(0);
        write(self);
        self.fill_in_length(begin);
    }

    /// Writes a prost message as a field.
    pub fn prost(&mut self, message: &impl Message, field: Field) {
        self.message(field, |to| to.body(message));
    }

    /// Writes a prost message's fields.
    pub fn body(&mut self, message: &impl Message) {
        message.encode_raw(&mut self.bytes);
    }

    /// Writes a list. `write` is called with each item and the field to write.
    #[inline]
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        field: Field,
        mut write: impl FnMut(&mut Self, T, Field),
    ) {
        let items = items.into_iter();
        if field.is_packed {
            let before = self.bytes.len();
            let mut is_empty = true;
            self.message(field, |to| {
                for item in items {
                    is_empty = false;
                    write(to, item, field.item());
                }
            });
            if is_empty {
                self.bytes.truncate(before);
            }
        } else {
            items.for_each(|item| write(self, item, field.item()));
        }
    }

    /// Fills in the length of the bytes after the byte reserved for it.
    #[inline]
    fn fill_in_length(&mut self, begin: usize) {
        let length = self.bytes.len() - begin - 1;
        if length < 0x80 {
            self.bytes[begin] = length as u8;
        } else {
            self.fill_in_long_length(begin, length);
        }
    }

    /// Fills in a length of several bytes, and moves the content to make space for it.
    #[inline(never)]
    fn fill_in_long_length(&mut self, begin: usize, length: usize) {
        let end = self.bytes.len();
        self.varint(length as u64);
        let more = self.bytes.len() - end - 1;
        // The last bytes in the buffer are the length. One byte is already reserved for this
        // length.
        let mut varint = [0; MAX_VARINT_BYTES];
        varint[..=more].copy_from_slice(&self.bytes[end..]);
        self.bytes.truncate(end + more);
        self.bytes.copy_within(begin + 1..end, begin + 1 + more);
        self.bytes[begin..=begin + more].copy_from_slice(&varint[..=more]);
    }

    #[inline]
    fn key(&mut self, field: Field, wire_type: WireType) {
        self.varint((u64::from(field.number) << 3) | wire_type as u64);
    }

    #[inline]
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
