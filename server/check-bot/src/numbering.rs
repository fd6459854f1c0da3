//! Translates sequence numbers, because scripts insert messages that the server does not count.

/// Translates between the server's and the bot's sequence numbers.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// For each inserted message, the sequence number of the last server message before it, in
    /// ascending order.
    after: Vec<u32>,
    /// The highest sequence number that the server has sent so far.
    server_last: u32,
}

impl Numbering {
    /// Translates a server sequence number to the bot's sequence number. The value 0 means
    /// unnumbered and stays 0.
    pub(super) fn number_for_bot(&mut self, sequence: u32) -> u32 {
        self.server_last = self.server_last.max(sequence);
        match sequence {
            0 => 0,
            _ => sequence + count(self.after.iter().filter(|after| **after < sequence)),
        }
    }

    /// Inserts a message after all server messages so far, and returns the message's sequence
    /// number for the bot.
    pub(super) fn insert(&mut self) -> u32 {
        self.after.push(self.server_last);
        self.server_last + count(self.after.iter())
    }

    /// Translates the bot's `last_sequence` to one of the server's sequence numbers.
    pub(super) fn to_server(&self, sequence: u32) -> u32 {
        let insert = (1..).zip(&self.after).map(|(nth, after)| after + nth);
        sequence.saturating_sub(count(insert.filter(|number| *number <= sequence)))
    }
}

fn count(items: impl Iterator) -> u32 {
    // Scripts insert only a few messages, so the number fits.
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_gap_for_the_bot_and_translate_back() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.number_for_bot(0), 0);
        assert_eq!([1, 2].map(|n| numbering.number_for_bot(n)), [1, 2]);
        assert_eq!([numbering.insert(), numbering.insert()], [3, 4]);
        assert_eq!([3, 4].map(|n| numbering.number_for_bot(n)), [5, 6]);
        assert_eq!(numbering.insert(), 7);
        assert_eq!(numbering.number_for_bot(5), 8);
        assert_eq!(numbering.number_for_bot(2), 2, "sent again");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|n| numbering.to_server(n)),
            [0, 1, 2, 2, 2, 3, 4, 4, 5]
        );
    }
}
