//! Writes the fields of messages as bytes, each once and in one pass.
//!
//! prost asks every message for its length before it writes it, and so asks a message within three
//! others four times. Here the length is filled in once the message is written: one byte is kept
//! free for it, and a message that needs more is moved, which few and only large ones do.
//!
//! Fields are written in the order of their description, so the bytes are as many as prost's, and
//! decode to the same message, but need not be in the same order.

use prost::{Message, bytes::Bytes, encoding::WireType};

/// The longest varint, that of 64 bits.
const MAX_VARINT_BYTES: usize = 10;

/// How a field is written: its number in the message, and its form.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    number: u32,
    /// Of type `sint32`.
    is_zigzag: bool,
    /// A list of numbers, which is one field.
    is_packed: bool,
    /// Written although it is 0, false or empty.
    is_present: bool,
    /// An item of a packed list, which has no number of its own.
    is_item: bool,
}

impl Field {
    /// The field of this number.
    pub(crate) const fn new(number: u32) -> Self {
        Self {
            number,
            is_zigzag: false,
            is_packed: false,
            is_present: false,
            is_item: false,
        }
    }

    /// Its number in its message.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// It is of type `sint32`.
    pub(crate) const fn zigzag(self) -> Self {
        Self {
            is_zigzag: true,
            ..self
        }
    }

    /// It is a list of numbers.
    pub(crate) const fn packed(self) -> Self {
        Self {
            is_packed: true,
            ..self
        }
    }

    /// It is written although it is 0, false or empty: it is `optional`, or the entry of a `oneof`.
    pub(crate) const fn present(self) -> Self {
        Self {
            is_present: true,
            ..self
        }
    }

    /// The item of a list.
    const fn item(self) -> Self {
        Self {
            is_item: self.is_packed,
            is_present: true,
            ..self
        }
    }
}

/// The fields of a message, or the entries of a `oneof`, by their names in the generated code.
pub trait Fields {
    /// The names and the fields.
    const FIELDS: &'static [(&'static str, Field)];
}

/// The field of this name, or the entry of the `oneof`. In a constant, a name that is not there does
/// not compile.
///
/// # Panics
/// When there is no such field.
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

/// A number of a message.
pub trait Number: Copy {
    /// As the varint of a field.
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

/// An `sint32`, or the value of an enum.
impl Number for i32 {
    #[inline]
    fn varint(self, field: Field) -> u64 {
        if field.is_zigzag {
            ((self << 1) ^ (self >> 31)) as u32 as u64
        } else {
            self as u64
        }
    }
}

impl Number for bool {
    #[inline]
    fn varint(self, _field: Field) -> u64 {
        self.into()
    }
}

/// Writes messages, one after another. Its buffer stays, so that writing allocates nothing once it
/// has grown.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written since the buffer was empty.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A copy of what was written since the buffer was empty, in a buffer that is just large enough.
    pub fn to_bytes(&self) -> Bytes {
        Bytes::copy_from_slice(&self.bytes)
    }

    /// What was written since the buffer was empty, with the buffer.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }

    /// Gives back the memory that the buffer has for more.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Empties the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Writes a number.
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

    /// Writes a number of type `fixed64`.
    #[inline]
    pub fn fixed64(&mut self, number: u64, field: Field) {
        if number != 0 || field.is_present {
            self.key(field, WireType::SixtyFourBit);
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str, field: Field) {
        if !text.is_empty() || field.is_present {
            self.message(field, |to| to.bytes.extend_from_slice(text.as_bytes()));
        }
    }

    /// Writes a message, whose fields `write` writes.
    #[inline]
    pub fn message(&mut self, field: Field, write: impl FnOnce(&mut Self)) {
        self.key(field, WireType::LengthDelimited);
        let begin = self.bytes.len();
        self.bytes.push(0);
        write(self);
        self.fill_in_length(begin);
    }

    /// Writes a message that is there as one.
    pub fn prost(&mut self, message: &impl Message, field: Field) {
        self.message(field, |to| to.body(message));
    }

    /// Writes the fields of a message that is there as one.
    pub fn body(&mut self, message: &impl Message) {
        message.encode_raw(&mut self.bytes);
    }

    /// Writes a list, of which `write` writes an item as the field that it is given.
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

    /// Fills in the length of what follows the byte that was kept free for it.
    #[inline]
    fn fill_in_length(&mut self, begin: usize) {
        let length = self.bytes.len() - begin - 1;
        if length < 0x80 {
            self.bytes[begin] = length as u8;
        } else {
            self.fill_in_long_length(begin, length);
        }
    }

    /// The same for a length of several bytes, for which what follows makes room.
    #[inline(never)]
    fn fill_in_long_length(&mut self, begin: usize, length: usize) {
        let end = self.bytes.len();
        self.varint(length as u64);
        let more = self.bytes.len() - end - 1;
        // The last bytes are the length, and one of its bytes has room already.
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
