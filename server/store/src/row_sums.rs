//! The number of rows of each table, and the sum of their checksums, by which missing rows are
//! noticed: a checksum in a row says nothing about a row that is gone.
//!
//! A sum does not depend on the order of the rows, so each commit adds the rows that it writes and
//! subtracts the rows that it replaces or deletes. It contains whole rows, so a row that was put
//! back to an earlier value is noticed too.
//!
//! The sums of tables that change together with matches are part of each commit's journal row. So
//! in PostgreSQL each node has its own sums, and no commit waits for that of another node. A node
//! can delete a row that another node has written; only the sum over all nodes describes the
//! tables. The newest journal row of a node that was taken over remains, and with it the node's
//! sums. API keys and secrets change under a lock of their table; their sums are in a table of
//! their own.

use crate::named_table::NamedTable;

/// Numbers are stored modulo 2^62, so that SQL adds two of them without an overflow.
pub(crate) const SUM_MASK: i64 = (1 << 62) - 1;

/// A table whose rows are counted. Replays are not, since each finished match must have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedTable {
    OpenMatch,
    FinishedMatch,
    Named(NamedTable),
}

impl CountedTable {
    /// Tables that change together with matches, in the order of the numbers in a journal row.
    pub(crate) const SUMMED_IN_JOURNAL: [Self; 6] = [
        Self::OpenMatch,
        Self::FinishedMatch,
        Self::Named(NamedTable::Record),
        Self::Named(NamedTable::Ladder),
        Self::Named(NamedTable::LadderVersion),
        Self::Named(NamedTable::LadderMatch),
    ];

    /// Tables that change under a lock.
    pub(crate) const LOCKED: [Self; 3] = [
        Self::Named(NamedTable::Key),
        Self::Named(NamedTable::KeyUse),
        Self::Named(NamedTable::Secret),
    ];

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::SUMMED_IN_JOURNAL.into_iter().chain(Self::LOCKED)
    }

    pub(crate) const fn sql_name(self) -> &'static str {
        match self {
            Self::OpenMatch => "open_match",
            Self::FinishedMatch => "finished_match",
            Self::Named(table) => table.sql_name(),
        }
    }

    fn place(self) -> usize {
        let place = Self::all().position(|table| table == self);
        place.expect("every table is in one of the lists")
    }
}

/// The rows of one table, or a change to them. Both numbers are modulo 2^62.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSum {
    pub(crate) rows: i64,
    pub(crate) sum: i64,
}

impl RowSum {
    pub(crate) fn of_row(checksum: i64) -> Self {
        Self { rows: 1, sum: checksum & SUM_MASK }
    }

    fn add(&mut self, other: Self) {
        self.rows = (self.rows + other.rows) & SUM_MASK;
        self.sum = (self.sum + other.sum) & SUM_MASK;
    }

    fn negated(self) -> Self {
        Self { rows: -self.rows & SUM_MASK, sum: -self.sum & SUM_MASK }
    }
}

/// The number of numbers in a journal row.
const JOURNAL_NUMBERS: usize = 2 * CountedTable::SUMMED_IN_JOURNAL.len();

/// The rows of every table, or a change to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSums(
    [RowSum; CountedTable::SUMMED_IN_JOURNAL.len() + CountedTable::LOCKED.len()],
);

impl RowSums {
    pub(crate) fn of(&self, table: CountedTable) -> RowSum {
        self.0[table.place()]
    }

    pub(crate) fn add(&mut self, table: CountedTable, added: RowSum) {
        self.0[table.place()].add(added);
    }

    pub(crate) fn add_row(&mut self, table: CountedTable, checksum: i64) {
        self.add(table, RowSum::of_row(checksum));
    }

    pub(crate) fn subtract(&mut self, table: CountedTable, removed: RowSum) {
        self.add(table, removed.negated());
    }

    pub(crate) fn clear(&mut self, table: CountedTable) {
        self.0[table.place()] = RowSum::default();
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for table in CountedTable::all() {
            self.add(table, other.of(table));
        }
    }

    /// Returns the numbers that a journal row contains: two for each table.
    pub(crate) fn journal_numbers(&self) -> [i64; JOURNAL_NUMBERS] {
        let mut numbers = [0; JOURNAL_NUMBERS];
        let pairs = numbers.chunks_exact_mut(2).zip(self.0);
        pairs.for_each(|(pair, RowSum { rows, sum })| pair.copy_from_slice(&[rows, sum]));
        numbers
    }

    /// Reads the numbers of a journal row. Missing numbers are 0, so that damage to them is noticed
    /// as a difference to the tables.
    pub(crate) fn from_journal(numbers: &[i64]) -> Self {
        let mut sums = Self::default();
        for (pair, own) in numbers.chunks_exact(2).zip(&mut sums.0) {
            own.add(RowSum { rows: pair[0] & SUM_MASK, sum: pair[1] & SUM_MASK });
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_depends_on_the_rows_but_not_on_their_order() {
        let record = CountedTable::Named(NamedTable::Record);
        let (mut one, mut other) = (RowSums::default(), RowSums::default());
        for checksum in [i64::MIN, -1, 7, i64::MAX] {
            one.add_row(record, checksum);
        }
        for checksum in [i64::MAX, 7, i64::MIN, 12, -1] {
            other.add_row(record, checksum);
        }
        assert_ne!(one, other);
        other.subtract(record, RowSum::of_row(12));
        assert_eq!(one, other);
        assert_eq!(one.of(record).rows, 4);
    }

    #[test]
    fn sums_stay_correct_when_a_node_deletes_rows_of_another() {
        let (mut writer, mut deleter) = (RowSums::default(), RowSums::default());
        writer.add_row(CountedTable::OpenMatch, -5);
        deleter.subtract(CountedTable::OpenMatch, RowSum::of_row(-5));
        let stored = [writer, deleter].map(|sums| sums.journal_numbers());
        assert_ne!(stored[1], RowSums::default().journal_numbers());
        let mut total = RowSums::default();
        for numbers in stored {
            total.add_all(&RowSums::from_journal(&numbers));
        }
        assert_eq!(total, RowSums::default());
    }
}
