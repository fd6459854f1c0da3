//! A compact list of batch numbers. A server stores one list per match in play.

/// Batch numbers in ascending order, at about two bytes each. A match's list has all batches that
/// contain the match's entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchNumbers {
    /// The difference between each number and the preceding one, as a little-endian base-128
    /// varint.
    distances: Vec<u8>,
    last: i64,
}

impl BatchNumbers {
    /// Appends a number, which must be larger than the last number.
    pub(crate) fn push(&mut self, number: i64) {
        let mut distance = number.abs_diff(self.last);
        self.last = number;
        while distance >= 0x80 {
            self.distances.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        self.distances.push(distance as u8);
    }

    pub(crate) fn last(&self) -> Option<i64> {
        (!self.distances.is_empty()).then_some(self.last)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        let mut bytes = self.distances.iter();
        let mut number = 0;
        std::iter::from_fn(move || {
            let mut distance = 0;
            for shift in (0..).step_by(7) {
                let byte = bytes.next()?;
                distance |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            number += distance.cast_signed();
            Some(number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_order() {
        let numbers = [1, 2, 129, 130, 16_384, 1 << 40, i64::MAX];
        let mut list = BatchNumbers::default();
        assert_eq!((list.last(), list.iter().count()), (None, 0));
        for (place, number) in numbers.iter().enumerate() {
            list.push(*number);
            assert_eq!(list.last(), Some(*number));
            assert_eq!(list.iter().collect::<Vec<_>>(), numbers[..=place]);
        }
    }
}
