//! The sequence of a seat's messages when a script has put messages of its own among the server's.

/// Turns the server's sequence numbers into those that the bot sees, and back.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// For every message put in: the sequence of the server's message before it, ascending.
    after: Vec<u32>,
    /// The highest sequence of the server so far.
    server_last: u32,
}

impl Numbering {
    /// The bot's number of a message of the server. 0 is not counted and stays 0.
    pub(super) fn number_for_bot(&mut self, sequence: u32) -> u32 {
        self.server_last = self.server_last.max(sequence);
        match sequence {
            0 => 0,
            _ => sequence + count(self.after.iter().filter(|after| **after < sequence)),
        }
    }

    /// The bot's number of a message that is put in now, after all of the server's so far.
    pub(super) fn put_in(&mut self) -> u32 {
        self.after.push(self.server_last);
        self.server_last + count(self.after.iter())
    }

    /// The last message of the server that a bot has which has all messages up to `sequence`.
    pub(super) fn to_server(&self, sequence: u32) -> u32 {
        let put_in = (1..).zip(&self.after).map(|(nth, after)| after + nth);
        sequence.saturating_sub(count(put_in.filter(|number| *number <= sequence)))
    }
}

fn count(items: impl Iterator) -> u32 {
    // Scripts put in a handful.
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_gap_for_the_bot_and_lead_back_to_the_servers() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.number_for_bot(0), 0);
        assert_eq!([1, 2].map(|n| numbering.number_for_bot(n)), [1, 2]);
        assert_eq!([numbering.put_in(), numbering.put_in()], [3, 4]);
        assert_eq!([3, 4].map(|n| numbering.number_for_bot(n)), [5, 6]);
        assert_eq!(numbering.put_in(), 7);
        assert_eq!(numbering.number_for_bot(5), 8);
        assert_eq!(numbering.number_for_bot(2), 2, "sent again");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|n| numbering.to_server(n)),
            [0, 1, 2, 2, 2, 3, 4, 4, 5]
        );
    }
}
