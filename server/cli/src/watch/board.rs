//! What is drawn of a match, and which part of it the terminal has room for.

use std::collections::VecDeque;

use bridgemaster_proto::outside::escape_lines;
use console::measure_text_width;

use super::keys::Key;
use crate::wrapped::{width_of, wrapped};

/// News that are kept to scroll back to: some turns of any game.
const NEWS_KEPT: usize = 200;
/// Lines that the news have at least when there are so many, however large the table is.
const NEWS_LINES: usize = 5;
/// Columns that a key scrolls by.
const COLUMN_STEP: usize = 8;

/// What there is to see, and which part of it is looked at.
pub(super) struct Board {
    standing: String,
    table: Vec<String>,
    news: VecDeque<String>,
    notice: Option<String>,
    has_keys: bool,
    /// First line and column of the table that are shown.
    top: usize,
    left: usize,
    /// Lines of the latest news that are left out.
    back: usize,
}

/// What is drawn.
pub(super) struct Page {
    pub(super) lines: Vec<String>,
    /// What is out of sight and how to get there, or a notice.
    pub(super) footer: Option<String>,
}

impl Board {
    /// An empty board; `has_keys` when it can be scrolled.
    pub(super) fn new(has_keys: bool) -> Self {
        Self {
            standing: String::new(),
            table: Vec::new(),
            news: VecDeque::new(),
            notice: None,
            has_keys,
            top: 0,
            left: 0,
            back: 0,
        }
    }

    pub(super) fn set_standing(&mut self, text: &str) {
        self.standing = escape_lines(text).into_owned();
    }

    pub(super) fn set_table(&mut self, text: &str) {
        let text = escape_lines(text);
        self.table = text
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
    }

    pub(super) fn add_news(&mut self, line: &str) {
        if self.news.len() == NEWS_KEPT {
            self.news.pop_front();
        }
        self.news.push_back(escape_lines(line).into_owned());
    }

    pub(super) fn set_notice(&mut self, notice: Option<String>) {
        self.notice = notice;
    }

    /// Scrolls. What is beyond the end is taken back when the page is made.
    pub(super) fn turn(&mut self, key: Key) {
        match key {
            Key::Up => self.top = self.top.saturating_sub(1),
            Key::Down => self.top += 1,
            Key::Left => self.left = self.left.saturating_sub(COLUMN_STEP),
            Key::Right => self.left += COLUMN_STEP,
            Key::Earlier => self.back += NEWS_LINES,
            Key::Later => self.back = self.back.saturating_sub(NEWS_LINES),
            Key::Home => (self.top, self.left, self.back) = (0, 0, 0),
            Key::Redraw | Key::End => {}
        }
    }

    /// The part that a terminal with so many lines and columns has room for.
    pub(super) fn page(&mut self, height: usize, width: usize) -> Page {
        let width = width.max(1);
        let mut lines = wrapped(&self.standing, width);
        let news: Vec<String> = self
            .news
            .iter()
            .flat_map(|line| wrapped(line, width))
            .collect();
        let table_width = self.table.iter().map(|line| measure_text_width(line)).max();
        let table_width = table_width.unwrap_or(0);
        let all = lines.len() + self.table.len() + news.len().min(NEWS_LINES) + 2;
        let is_tight = all > height || table_width > width;
        // A tight page has a footer and no empty lines.
        let has_footer = is_tight || self.notice.is_some();
        let between = usize::from(!is_tight);
        let room = height.saturating_sub(lines.len() + 2 * between + usize::from(has_footer));
        let table_height = self
            .table
            .len()
            .min(room.saturating_sub(news.len().min(NEWS_LINES)));
        let news_height = room - table_height;

        self.top = self.top.min(self.table.len() - table_height);
        self.left = self.left.min(table_width.saturating_sub(width));
        self.back = self.back.min(news.len().saturating_sub(news_height));
        let last = news.len() - self.back;
        let footer = self.notice.clone().or_else(|| {
            let is_news_cut = news.len() > news_height;
            is_tight.then(|| self.out_of_sight(table_height, table_width, width, is_news_cut))
        });

        lines.extend(std::iter::repeat_n(String::new(), between));
        let shown = self.table.iter().skip(self.top).take(table_height);
        lines.extend(shown.map(|line| columns(line, self.left, width)));
        lines.extend(std::iter::repeat_n(String::new(), between));
        lines.extend_from_slice(&news[last.saturating_sub(news_height)..last]);
        // A terminal that has no room for more than where the match stands shows what it can.
        lines.truncate(height - usize::from(has_footer).min(height));
        Page {
            lines,
            footer: footer.map(|text| columns(&text, 0, width)),
        }
    }

    fn out_of_sight(
        &self,
        table_height: usize,
        table_width: usize,
        width: usize,
        is_news_cut: bool,
    ) -> String {
        if !self.has_keys {
            return "the terminal is too small for all of it; --plain prints line by line"
                .to_owned();
        }
        let mut shown = Vec::new();
        if table_height < self.table.len() {
            let (first, last) = (self.top + 1, self.top + table_height);
            shown.push(format!("lines {first}-{last}/{}", self.table.len()));
        }
        if table_width > width {
            let (first, last) = (self.left + 1, self.left + width);
            shown.push(format!("cols {first}-{last}/{table_width}"));
        }
        let mut footer = "q: end".to_owned();
        let table = (!shown.is_empty()).then(|| format!("; arrows: {}", shown.join(", ")));
        let news = is_news_cut.then(|| "; PgUp/PgDn: news".to_owned());
        // What does not fit is left out whole.
        for part in table.into_iter().chain(news) {
            if measure_text_width(&footer) + measure_text_width(&part) <= width {
                footer.push_str(&part);
            }
        }
        footer
    }
}

/// The columns of a line from `left` on that fit into `width`.
fn columns(line: &str, left: usize, width: usize) -> String {
    let mut column = 0;
    let mut shown = String::new();
    for character in line.chars() {
        let end = column + width_of(character);
        if column >= left && end <= left + width {
            shown.push(character);
        }
        column = end;
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SIZES: [(usize, usize); 5] = [(23, 80), (19, 60), (49, 200), (10, 40), (3, 9)];

    /// A board whose every cell says where it is.
    fn board(rows: usize, columns: usize, news: usize) -> Board {
        let mut board = Board::new(true);
        board.set_standing("match 0123: running; seat 0 greedy, seat 1 random, seat 2 random");
        let row = |row| {
            (0..columns)
                .map(|column| format!("{row:03}.{column:03} "))
                .collect()
        };
        board.set_table(&(0..rows).map(row).collect::<Vec<String>>().join("\n"));
        for number in 0..news {
            board.add_news(&format!(
                "event{number} of seat 1, which gains £2 and 界界 tiles"
            ));
        }
        board
    }

    fn words(board: &mut Board, (height, width): (usize, usize)) -> BTreeSet<String> {
        let page = board.page(height, width);
        let lines = page.lines.iter().chain(&page.footer);
        assert!(lines.clone().count() <= height, "{height} lines");
        for line in lines.clone() {
            assert!(
                measure_text_width(line) <= width,
                "{width} columns: {line:?}"
            );
        }
        let words = page.lines.iter().flat_map(|line| line.split(' '));
        words.map(str::to_owned).collect()
    }

    #[test]
    fn a_page_fits_terminals_of_any_size() {
        for size in SIZES {
            for (rows, columns, news) in [(0, 0, 0), (4, 5, 2), (60, 40, 100), (12, 3, 1)] {
                words(&mut board(rows, columns, news), size);
            }
        }
    }

    #[test]
    fn every_part_of_the_table_can_be_scrolled_to() {
        for size in &SIZES[..4] {
            let (rows, columns) = (60, 40);
            let mut board = board(rows, columns, 100);
            let mut seen = BTreeSet::new();
            for _ in 0..columns * 8 / COLUMN_STEP {
                for _ in 0..rows {
                    seen.extend(words(&mut board, *size));
                    board.turn(Key::Down);
                }
                board.turn(Key::Right);
                for _ in 0..rows {
                    board.turn(Key::Up);
                }
            }
            for (row, column) in [(0, 0), (0, columns - 1), (rows - 1, 0), (30, 20)] {
                let cell = format!("{row:03}.{column:03}");
                assert!(seen.contains(&cell), "{cell} at {size:?}");
            }
            let last = format!("{:03}.{:03}", rows - 1, columns - 1);
            assert!(seen.contains(&last), "{last} at {size:?}");
        }
    }

    #[test]
    fn every_word_of_the_news_can_be_scrolled_to_and_the_latest_come_by_themselves() {
        for size in &SIZES[..4] {
            let mut board = board(60, 40, 100);
            assert!(words(&mut board, *size).contains("event99"), "{size:?}");
            let mut seen = BTreeSet::new();
            for _ in 0..NEWS_KEPT {
                seen.extend(words(&mut board, *size));
                board.turn(Key::Earlier);
            }
            for number in 0..100 {
                assert!(
                    seen.contains(&format!("event{number}")),
                    "{number} at {size:?}"
                );
            }
            board.turn(Key::Home);
            assert!(words(&mut board, *size).contains("event99"));
        }
    }

    #[test]
    fn a_page_that_shows_all_has_no_footer() {
        let mut board = board(4, 5, 2);
        assert_eq!(board.page(23, 80).footer, None);
        let footer = board.page(8, 60).footer.unwrap_or_default();
        assert!(footer.contains("lines 1-"), "{footer}");
        board.set_notice(Some("the server does not answer".to_owned()));
        let footer = board.page(23, 80).footer.unwrap_or_default();
        assert_eq!(footer, "the server does not answer");
    }
}
