//! The screen content for a watched match. Stores the table and the events, and returns the part
//! that fits the terminal.

use std::collections::VecDeque;

use bridgemaster_proto::escape::escape_lines;
use console::measure_text_width;

use crate::{
    matches::watch::keyboard::Input,
    table::{width_of, wrapped},
};

/// Maximum number of stored events, which covers a few turns of any game.
const MAX_EVENTS: usize = 200;
/// Number of lines reserved for events if the table is large.
const MIN_EVENT_LINES: usize = 5;
/// Number of columns by which a key scrolls.
const COLUMN_STEP: usize = 8;

/// The screen's content and the scroll position.
pub(super) struct Board {
    status: String,
    table: Vec<String>,
    events: VecDeque<String>,
    notice: Option<String>,
    has_keyboard: bool,
    /// The table's first visible line.
    top: usize,
    /// The table's first visible column.
    left: usize,
    /// Number of latest events that are hidden because the user has scrolled back.
    back: usize,
}

/// The part of the content that fits the terminal.
pub(super) struct Page {
    pub(super) lines: Vec<String>,
    /// Scroll position and keys, or a notice.
    pub(super) footer: Option<String>,
}

impl Board {
    /// Creates an empty board. `has_keyboard` states whether the user can scroll.
    pub(super) fn new(has_keyboard: bool) -> Self {
        Self {
            status: String::new(),
            table: Vec::new(),
            events: VecDeque::new(),
            notice: None,
            has_keyboard,
            top: 0,
            left: 0,
            back: 0,
        }
    }

    pub(super) fn set_status(&mut self, text: &str) {
        self.status = escape_lines(text).into_owned();
    }

    pub(super) fn set_table(&mut self, text: &str) {
        let text = escape_lines(text);
        self.table = text.lines().map(|line| line.trim_end().to_owned()).collect();
    }

    pub(super) fn add_event(&mut self, line: &str) {
        if self.events.len() == MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(escape_lines(line).into_owned());
    }

    pub(super) fn set_notice(&mut self, notice: Option<String>) {
        self.notice = notice;
    }

    /// Changes the scroll position. [`page`](Self::page) limits the position to the content.
    pub(super) fn scroll(&mut self, input: Input) {
        match input {
            Input::Up => self.top = self.top.saturating_sub(1),
            Input::Down => self.top += 1,
            Input::Left => self.left = self.left.saturating_sub(COLUMN_STEP),
            Input::Right => self.left += COLUMN_STEP,
            Input::Earlier => self.back += MIN_EVENT_LINES,
            Input::Later => self.back = self.back.saturating_sub(MIN_EVENT_LINES),
            Input::Home => (self.top, self.left, self.back) = (0, 0, 0),
            Input::Redraw | Input::Quit => {}
        }
    }

    /// Returns the part that fits a terminal of `height` lines and `width` columns.
    pub(super) fn page(&mut self, height: usize, width: usize) -> Page {
        let width = width.max(1);
        let mut lines = wrapped(&self.status, width);
        let events: Vec<String> =
            self.events.iter().flat_map(|line| wrapped(line, width)).collect();
        let table_width = self.table.iter().map(|line| measure_text_width(line)).max();
        let table_width = table_width.unwrap_or(0);
        let all = lines.len() + self.table.len() + events.len().min(MIN_EVENT_LINES) + 2;
        let is_tight = all > height || table_width > width;
        // If space is short, the page has a footer instead of empty lines.
        let has_footer = is_tight || self.notice.is_some();
        let between = usize::from(!is_tight);
        let free = height.saturating_sub(lines.len() + 2 * between + usize::from(has_footer));
        let table_height =
            self.table.len().min(free.saturating_sub(events.len().min(MIN_EVENT_LINES)));
        let events_height = free - table_height;

        self.top = self.top.min(self.table.len() - table_height);
        self.left = self.left.min(table_width.saturating_sub(width));
        self.back = self.back.min(events.len().saturating_sub(events_height));
        let last = events.len() - self.back;
        let footer = self.notice.clone().or_else(|| {
            let are_events_cut = events.len() > events_height;
            is_tight.then(|| self.scroll_hint(table_height, table_width, width, are_events_cut))
        });

        lines.extend(std::iter::repeat_n(String::new(), between));
        let visible = self.table.iter().skip(self.top).take(table_height);
        lines.extend(visible.map(|line| columns(line, self.left, width)));
        lines.extend(std::iter::repeat_n(String::new(), between));
        lines.extend_from_slice(&events[last.saturating_sub(events_height)..last]);
        // A very small terminal may have no space for the status.
        lines.truncate(height - usize::from(has_footer).min(height));
        Page { lines, footer: footer.map(|text| columns(&text, 0, width)) }
    }

    fn scroll_hint(
        &self,
        table_height: usize,
        table_width: usize,
        width: usize,
        are_events_cut: bool,
    ) -> String {
        if !self.has_keyboard {
            return "the terminal is too small for the table; use --plain to print line by line"
                .to_owned();
        }
        let mut parts = Vec::new();
        if table_height < self.table.len() {
            let (first, last) = (self.top + 1, self.top + table_height);
            parts.push(format!("lines {first}-{last}/{}", self.table.len()));
        }
        if table_width > width {
            let (first, last) = (self.left + 1, self.left + width);
            parts.push(format!("cols {first}-{last}/{table_width}"));
        }
        let mut footer = "q: quit".to_owned();
        let table = (!parts.is_empty()).then(|| format!("; arrows: {}", parts.join(", ")));
        let events = are_events_cut.then(|| "; PgUp/PgDn: events".to_owned());
        // Parts that do not fit are omitted.
        for part in table.into_iter().chain(events) {
            if measure_text_width(&footer) + measure_text_width(&part) <= width {
                footer.push_str(&part);
            }
        }
        footer
    }
}

/// Returns the part of a line that starts at column `left` and fits into `width` columns.
fn columns(line: &str, left: usize, width: usize) -> String {
    let mut column = 0;
    let mut visible = String::new();
    for character in line.chars() {
        let end = column + width_of(character);
        if column >= left && end <= left + width {
            visible.push(character);
        }
        column = end;
    }
    visible
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SIZES: [(usize, usize); 5] = [(23, 80), (19, 60), (49, 200), (10, 40), (3, 9)];

    /// Returns a board whose cells contain their positions.
    fn board(rows: usize, columns: usize, events: usize) -> Board {
        let mut board = Board::new(true);
        board.set_status("match 0123: running; seat 0 greedy, seat 1 random, seat 2 random");
        let row = |row| (0..columns).map(|column| format!("{row:03}.{column:03} ")).collect();
        board.set_table(&(0..rows).map(row).collect::<Vec<String>>().join("\n"));
        for number in 0..events {
            board.add_event(&format!("event{number} of seat 1, which gains £2 and 界界 tiles"));
        }
        board
    }

    fn words(board: &mut Board, (height, width): (usize, usize)) -> BTreeSet<String> {
        let page = board.page(height, width);
        let lines = page.lines.iter().chain(&page.footer);
        assert!(lines.clone().count() <= height, "{height} lines");
        for line in lines.clone() {
            assert!(measure_text_width(line) <= width, "{width} columns: {line:?}");
        }
        let words = page.lines.iter().flat_map(|line| line.split(' '));
        words.map(str::to_owned).collect()
    }

    #[test]
    fn a_page_fits_terminals_of_any_size() {
        for size in SIZES {
            for (rows, columns, events) in [(0, 0, 0), (4, 5, 2), (60, 40, 100), (12, 3, 1)] {
                words(&mut board(rows, columns, events), size);
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
                    board.scroll(Input::Down);
                }
                board.scroll(Input::Right);
                for _ in 0..rows {
                    board.scroll(Input::Up);
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
    fn every_event_can_be_scrolled_to_and_the_latest_is_visible_at_first() {
        for size in &SIZES[..4] {
            let mut board = board(60, 40, 100);
            assert!(words(&mut board, *size).contains("event99"), "{size:?}");
            let mut seen = BTreeSet::new();
            for _ in 0..MAX_EVENTS {
                seen.extend(words(&mut board, *size));
                board.scroll(Input::Earlier);
            }
            for number in 0..100 {
                assert!(seen.contains(&format!("event{number}")), "{number} at {size:?}");
            }
            board.scroll(Input::Home);
            assert!(words(&mut board, *size).contains("event99"));
        }
    }

    #[test]
    fn a_page_that_fits_has_no_footer() {
        let mut board = board(4, 5, 2);
        assert_eq!(board.page(23, 80).footer, None);
        let footer = board.page(8, 60).footer.unwrap_or_default();
        assert!(footer.contains("lines 1-"), "{footer}");
        board.set_notice(Some("the server does not answer".to_owned()));
        let footer = board.page(23, 80).footer.unwrap_or_default();
        assert_eq!(footer, "the server does not answer");
    }
}
