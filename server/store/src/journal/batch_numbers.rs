//! Numbers of batches, in little room.

/// Numbers of batches in ascending order: about two bytes each, since a server remembers for each
/// match in play all batches that it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchNumbers {
    /// The distance of each to the one before, 7 bits a byte, the lowest first; the top bit says
    /// that there are more.
    distances: Vec<u8>,
    last: i64,
}

impl BatchNumbers {
    /// Adds a number, larger than the ones before.
    pub(crate) fn push(&mut self, number: i64) {
        let mut distance = number.abs_diff(self.last);
        self.last = number;
        while distance >= 0x80 {
            self.distances.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        self.distances.push(distance as u8);
    }

    /// The largest.
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
    fn numbers_come_back_in_their_order() {
        let numbers = [1, 2, 129, 130, 16_384, 1 << 40, i64::MAX];
        let mut kept = BatchNumbers::default();
        assert_eq!((kept.last(), kept.iter().count()), (None, 0));
        for (place, number) in numbers.iter().enumerate() {
            kept.push(*number);
            assert_eq!(kept.last(), Some(*number));
            assert_eq!(kept.iter().collect::<Vec<_>>(), numbers[..=place]);
        }
    }
}
